#include "pool_host.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__linux__) && !defined(MADV_COLLAPSE)
#include <asm/mman.h> /* C libraries may be older than the kernel */
#endif

#include "../base/memory.h"

/* The kernel lets a process have 65,530 mappings by default. A pool with huge pages takes two. If there are many pools,
 * none is large, so the others do without. */
enum { HUGE_PAGE = 2 << 20, MOST_HUGE = 8192 };

/* Pools that are limited by the machine's memory only, and pools with huge pages. */
static atomic_size_t unlimited_pools, huge_pools;

static uint64_t machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : (uint64_t)1 << 32;
}

static uint64_t limit_of(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

/* Returns the part of the machine's memory that a pool may have if there are so many other unlimited ones: all of it
 * for the first ones, less for later ones. So a thousand of them have fewer addresses than the process may have
 * (ulimit -v and -d), and 100,000 of them have about half of the 2^47 that there are on x86-64. */
static uint64_t share_of_memory(uint64_t others)
{
    const uint64_t least = (uint64_t)1 << 20, memory = machine_memory();
    uint64_t addresses = (uint64_t)1 << 46;
    if (addresses > limit_of(RLIMIT_AS)) addresses = limit_of(RLIMIT_AS);
    if (addresses > limit_of(RLIMIT_DATA)) addresses = limit_of(RLIMIT_DATA);
    uint64_t share = addresses / 8 / (others + 1);
    if (share < least) share = least;
    return share < memory ? share : memory;
}

static size_t round_up(size_t bytes, size_t piece) { return (bytes + piece - 1) / piece * piece; }

/* Reserves pool->bytes and `more`. The kernel aligns large mappings to huge pages. So that there are no gaps between
 * them, which would keep neighbours apart, each takes a whole number of these. */
static bool reserve(pool_host *pool, size_t more)
{
    pool->mapping_bytes = round_up(pool->bytes + more, HUGE_PAGE);
    void *mapping = mmap(NULL, pool->mapping_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    pool->mapping = mapping == MAP_FAILED ? NULL : mapping; /* if NULL, pool_host_close does nothing */
    pool->huge = false;
    atomic_store(&pool->front_huge, false);
    if (!pool->mapping) return false;
    base_count_held(1);
    return true;
}

/* Counts the pool as one with huge pages. Returns false if there are enough. */
static bool count_huge(pool_host *pool)
{
    pool->huge = atomic_fetch_add(&huge_pools, 1) < MOST_HUGE;
    if (!pool->huge) atomic_fetch_sub(&huge_pools, 1);
    return pool->huge;
}

/* Reserves pool->bytes; those from `front` on, if any, may be in huge pages. */
static bool reserve_with_front(pool_host *pool, size_t front)
{
    if (!reserve(pool, HUGE_PAGE)) return false;
    char *start = pool->mapping, *end = start + pool->mapping_bytes;
    char *huge = start + front + (0 - ((uintptr_t)start + front)) % HUGE_PAGE;
    pool->nodes = huge - front;
    if (front >= pool->bytes || !count_huge(pool)) huge = end;
    /* The front is excluded explicitly, because some machines are set to use huge pages wherever they can. All of the
     * mapping has one of the two advices, so that it is in two parts at most, and a part may be one with that of a
     * neighbour: the kernel limits their number. */
    madvise(start, (size_t)(huge - start), MADV_NOHUGEPAGE);
    if (huge < end) madvise(huge, (size_t)(end - huge), MADV_HUGEPAGE);
    return true;
}

/* If the system allows less. Reserves a quarter of the largest part that it allows, found by halving: the rest is for
 * other arrays, other structures and the program. */
static bool reserve_quarter(pool_host *pool, size_t node_bytes)
{
    enum { LEAST = 4 << 20 };
    for (uint64_t bytes = pool->bytes / 2; bytes >= LEAST; bytes /= 2) {
        pool->bytes = bytes;
        if (!reserve(pool, 0)) continue;
        pool_host_close(pool);
        pool->bytes = bytes / 4 / node_bytes * node_bytes;
        return reserve_with_front(pool, HUGE_PAGE);
    }
    return false;
}

/* For a pool that has been counted as unlimited. */
static bool reserve_unlimited(pool_host *pool, size_t node_bytes)
{
    pool->by_machine = false; /* until it is reserved, pool_host_close must not subtract it */
    bool reserved = reserve_with_front(pool, HUGE_PAGE) || (node_bytes && reserve_quarter(pool, node_bytes));
    pool->by_machine = true;
    if (!reserved) atomic_fetch_sub(&unlimited_pools, 1);
    return reserved;
}

bool pool_host_open(pool_host *pool, uint64_t max_bytes, size_t node_bytes)
{
    if (base_allocation_fails()) return false;
    const uint64_t most = ((uint64_t)1 << 31) * node_bytes; /* ids are 31 bits wide */
    uint64_t bytes = max_bytes ? max_bytes : share_of_memory(atomic_fetch_add(&unlimited_pools, 1));
    if (bytes > most) bytes = most;
    pool->bytes = (size_t)(bytes / node_bytes * node_bytes);
    pool->by_machine = false;
    return max_bytes ? reserve_with_front(pool, HUGE_PAGE) : reserve_unlimited(pool, node_bytes);
}

bool pool_host_open_like(pool_host *pool, const pool_host *other)
{
    if (base_allocation_fails()) return false;
    pool->bytes = other->bytes;
    pool->by_machine = false;
    if (!other->by_machine) return reserve_with_front(pool, HUGE_PAGE);
    atomic_fetch_add(&unlimited_pools, 1);
    return reserve_unlimited(pool, 0);
}

bool pool_host_open_per_node(pool_host *pool, uint64_t nodes, size_t bytes_each, size_t node_bytes)
{
    if (base_allocation_fails()) return false;
    pool->bytes = (size_t)nodes * bytes_each;
    pool->by_machine = false;
    return reserve_with_front(pool, round_up(HUGE_PAGE / node_bytes * bytes_each, (size_t)sysconf(_SC_PAGESIZE)));
}

bool pool_host_open_small_pages(pool_host *pool, size_t bytes)
{
    if (base_allocation_fails()) return false;
    pool->bytes = bytes;
    pool->by_machine = false;
    if (!reserve(pool, 0)) return false;
    pool->nodes = pool->mapping;
    madvise(pool->mapping, pool->mapping_bytes, MADV_NOHUGEPAGE);
    return true;
}

void pool_host_close(pool_host *pool)
{
    if (!pool->mapping) return;
    /* The kernel refuses a gap if there are too many mappings already; then only the memory is freed. */
    if (munmap(pool->mapping, pool->mapping_bytes) != 0) madvise(pool->mapping, pool->mapping_bytes, MADV_DONTNEED);
    base_count_held(-1);
    pool->mapping = NULL;
    if (pool->by_machine) atomic_fetch_sub(&unlimited_pools, 1);
    if (pool->huge) atomic_fetch_sub(&huge_pools, 1);
}

/* Returns how many of the first bytes are in small pages at first. */
static size_t front_of(const pool_host *pool)
{
    size_t front = HUGE_PAGE - (uintptr_t)pool->nodes % HUGE_PAGE;
    return front < pool->bytes ? front : pool->bytes;
}

void pool_host_expect(pool_host *pool, size_t bytes)
{
    if (bytes <= front_of(pool) || atomic_exchange(&pool->front_huge, true)) return;
    madvise(pool->nodes, pool->bytes, MADV_HUGEPAGE);
}

void pool_host_grown(pool_host *pool, size_t bytes)
{
    if (bytes < 2 * HUGE_PAGE || atomic_load_explicit(&pool->front_huge, memory_order_relaxed)) return;
    pool_host_expect(pool, bytes);
#ifdef MADV_COLLAPSE
    madvise(pool->nodes, front_of(pool), MADV_COLLAPSE); /* on older kernels khugepaged does this, some time later */
#endif
}

void pool_host_trim(pool_host *pool, size_t from_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), front = front_of(pool);
    size_t from = round_up(from_bytes, page);
    char *nodes = pool->nodes;
    for (size_t i = from_bytes; i < from && i < pool->bytes; i++) nodes[i] = 0; /* the rest of a page that stays */
    if (from < pool->bytes) madvise(nodes + from, pool->bytes - from, MADV_DONTNEED);
    if (from > front) return;
    madvise(nodes, front, MADV_NOHUGEPAGE);
    atomic_store(&pool->front_huge, false);
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
