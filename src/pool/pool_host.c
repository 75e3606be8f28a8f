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

bool pool_host_open(pool_host *pool, uint64_t max_bytes, size_t node_bytes)
{
    uint64_t most = ((uint64_t)1 << 31) * node_bytes; /* ids are 31 bits wide */
    uint64_t bytes = max_bytes ? max_bytes : machine_memory();
    if (bytes > most) bytes = most;
    pool->bytes = (size_t)(bytes / node_bytes * node_bytes);
    pool->by_machine = max_bytes == 0;
    pool->mapping_bytes = pool->bytes + HUGE_PAGE;
    if (base_allocation_fails()) return false;
    pool->mapping = mmap(NULL, pool->mapping_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pool->mapping == MAP_FAILED) pool->mapping = NULL; /* nothing for pool_host_close to unmap */
    if (!pool->mapping) return false;
    base_count_held(1);
    uintptr_t start = ((uintptr_t)pool->mapping + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    pool->nodes = (void *)start;
    /* A descent visits a node per level, each on another page: huge pages save most of the address translation. This is
     * a hint to the kernel. Small pools do without, so that a few nodes do not take two megabytes. */
    if (pool->bytes >= HUGE_PAGE) madvise(pool->nodes, pool->bytes, MADV_HUGEPAGE);
    return true;
}

void pool_host_close(pool_host *pool)
{
    if (!pool->mapping) return;
    munmap(pool->mapping, pool->mapping_bytes);
    base_count_held(-1);
    pool->mapping = NULL;
}

void pool_host_trim(pool_host *pool, size_t from_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t from = (from_bytes + page - 1) / page * page;
    char *nodes = pool->nodes;
    for (size_t i = from_bytes; i < from && i < pool->bytes; i++) nodes[i] = 0; /* the rest of a page that stays */
    if (from < pool->bytes) madvise(nodes + from, pool->bytes - from, MADV_DONTNEED);
}

bool pool_host_populate(pool_host *pool, size_t bytes)
{
    if (base_allocation_fails() || bytes > machine_memory()) return false;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes > pool->bytes) bytes = pool->bytes;
    size_t length = bytes / page * page;
#ifdef MADV_POPULATE_WRITE
    if (length && madvise(pool->nodes, length, MADV_POPULATE_WRITE) != 0) return errno != ENOMEM;
#endif
    return true; /* on older kernels pages are mapped when they are written */
}
