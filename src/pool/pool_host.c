#include "pool_host.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../base/memory.h"

enum { HUGE_PAGE = 2 << 20 };

static uint64_t machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : (uint64_t)1 << 32;
}

/* Reserves pool->bytes; those from `front` on, if any, may be in huge pages. */
static bool reserve(pool_host *pool, size_t front)
{
    pool->mapping_bytes = pool->bytes + HUGE_PAGE;
    if (base_allocation_fails()) return false;
    pool->mapping = mmap(NULL, pool->mapping_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pool->mapping == MAP_FAILED) pool->mapping = NULL; /* nothing for pool_host_close to unmap */
    if (!pool->mapping) return false;
    base_count_held(1);
    char *start = pool->mapping, *end = start + pool->mapping_bytes;
    char *huge = start + front + (0 - ((uintptr_t)start + front)) % HUGE_PAGE;
    pool->nodes = huge - front;
    if (front >= pool->bytes) huge = end;
    /* The kernel counts and limits the parts of mappings that differ, so all of it has one of the two advices. The
     * front is excluded explicitly, because some machines are set to use huge pages wherever they can. */
    madvise(start, (size_t)(huge - start), MADV_NOHUGEPAGE);
    if (huge < end) madvise(huge, (size_t)(end - huge), MADV_HUGEPAGE);
    return true;
}

static size_t round_up(size_t bytes, size_t piece) { return (bytes + piece - 1) / piece * piece; }

bool pool_host_open(pool_host *pool, uint64_t max_bytes, size_t node_bytes)
{
    uint64_t most = ((uint64_t)1 << 31) * node_bytes; /* ids are 31 bits wide */
    uint64_t bytes = max_bytes ? max_bytes : machine_memory();
    if (bytes > most) bytes = most;
    pool->bytes = (size_t)(bytes / node_bytes * node_bytes);
    pool->by_machine = max_bytes == 0;
    return reserve(pool, HUGE_PAGE);
}

bool pool_host_open_per_node(pool_host *pool, uint64_t nodes, size_t bytes_each, size_t node_bytes)
{
    pool->bytes = (size_t)nodes * bytes_each;
    pool->by_machine = false;
    return reserve(pool, round_up(HUGE_PAGE / node_bytes * bytes_each, (size_t)sysconf(_SC_PAGESIZE)));
}

bool pool_host_open_scattered(pool_host *pool, size_t bytes)
{
    pool->bytes = bytes;
    pool->by_machine = false;
    return reserve(pool, round_up(bytes, HUGE_PAGE));
}

void pool_host_close(pool_host *pool)
{
    if (!pool->mapping) return;
    munmap(pool->mapping, pool->mapping_bytes);
    base_count_held(-1);
    pool->mapping = NULL;
}

/* Returns how many of the first bytes are in small pages at first. */
static size_t front_of(const pool_host *pool)
{
    size_t front = HUGE_PAGE - (uintptr_t)pool->nodes % HUGE_PAGE;
    return front < pool->bytes ? front : pool->bytes;
}

void pool_host_expect(pool_host *pool, size_t bytes)
{
    size_t front = front_of(pool);
    if (bytes > front) madvise(pool->nodes, front, MADV_HUGEPAGE);
}

void pool_host_trim(pool_host *pool, size_t from_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), front = front_of(pool);
    size_t from = round_up(from_bytes, page);
    char *nodes = pool->nodes;
    for (size_t i = from_bytes; i < from && i < pool->bytes; i++) nodes[i] = 0; /* the rest of a page that stays */
    if (from < pool->bytes) madvise(nodes + from, pool->bytes - from, MADV_DONTNEED);
    if (from <= front) madvise(nodes, front, MADV_NOHUGEPAGE);
}

bool pool_host_populate(pool_host *pool, size_t bytes)
{
    if (base_allocation_fails() || bytes > machine_memory()) return false;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes > pool->bytes) bytes = pool->bytes;
    size_t length = bytes / page * page;
    pool_host_expect(pool, bytes);
#ifdef MADV_POPULATE_WRITE
    if (length && madvise(pool->nodes, length, MADV_POPULATE_WRITE) != 0) return errno != ENOMEM;
#endif
    return true; /* on older kernels pages are mapped when they are written */
}
