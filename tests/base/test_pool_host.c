/* test_pool_host.c - the memory behind a pool of a structure on the CPU: its size, its pages, and how many such pools a
 * process can have. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "pool/pool_host.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/units.h"

enum { NODE_BYTES = 128, HUGE_PAGE = 2 << 20 };

static void assert_zeros(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            fail_msg("byte %zu of %zu is %u, not 0", i, n, bytes[i]);
}

static void host_pool_has_the_size_asked_for(void)
{
    static const uint64_t asked[] = {NODE_BYTES, 10 * NODE_BYTES + 1, 20 * NODE_BYTES - 1, HUGE_PAGE,
                                     3 * HUGE_PAGE + 5000};
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        pool_host pool = {0};
        assert_true(pool_host_open(&pool, asked[i], NODE_BYTES));
        assert_int_equal(pool.bytes, asked[i] / NODE_BYTES * NODE_BYTES);
        assert_int_equal((uintptr_t)pool.nodes % HUGE_PAGE, 0);
        assert_zeros(pool.nodes, pool.bytes);
        memset(pool.nodes, 0xff, pool.bytes); /* all of it is there */
        pool_host_close(&pool);
        pool_host_close(&pool); /* nothing left to do */
    }
}

static void host_pool_without_a_limit(void)
{
    enum { SMALL_NODE = 16 }; /* so that all ids together are not more address space than a test should take */
    const uint64_t most = ((uint64_t)1 << 31) * SMALL_NODE;
    pool_host pool = {0};
    assert_true(pool_host_open(&pool, UINT64_MAX, SMALL_NODE));
    assert_int_equal(pool.bytes, most);
    memset((char *)pool.nodes + most - SMALL_NODE, 0xff, SMALL_NODE);
    pool_host_close(&pool);
    assert_true(pool_host_open(&pool, 0, SMALL_NODE));
    assert_in_range(pool.bytes, SMALL_NODE, most);
    assert_int_equal(pool.bytes % SMALL_NODE, 0);
    pool_host_close(&pool);
}

/* The pages of a range that have memory behind them, by what the operating system says. */
static size_t pages_with_memory(void *from, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), n = bytes / page, count = 0;
    unsigned char *resident = must_alloc(n, 1);
    assert_int_equal(mincore(from, n * page, resident), 0);
    for (size_t i = 0; i < n; i++)
        count += resident[i] & 1;
    free(resident);
    return count;
}

static void check_trim(size_t pool_bytes, size_t from)
{
    pool_host pool = {0};
    assert_true(pool_host_open(&pool, pool_bytes, NODE_BYTES));
    unsigned char *bytes = pool.nodes;
    memset(bytes, 0xff, pool.bytes);
    pool_host_trim(&pool, from);
    for (size_t i = 0; i < from && i < pool.bytes; i++)
        assert_int_equal(bytes[i], 0xff);
    if (from < pool.bytes)
        assert_zeros(bytes + from, pool.bytes - from);
    if (from < pool.bytes) {
        memset(bytes + from, 0xaa, pool.bytes - from); /* and can be written again */
        assert_int_equal(bytes[pool.bytes - 1], 0xaa);
    }
    pool_host_close(&pool);
}

static void trimmed_memory_reads_as_zeros(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), odd = 5 * page + 3 * NODE_BYTES; /* ends within a page */
    const size_t from[] = {0, 1, NODE_BYTES, page - NODE_BYTES, page - 1, page, page + 1, 2 * page + 7 * NODE_BYTES,
                           4 * page, 5 * page, 5 * page + NODE_BYTES, odd - 1, odd, odd + NODE_BYTES, 7 * page};
    for (size_t i = 0; i < COUNT_OF(from); i++) {
        check_trim(odd, from[i]);
        check_trim(5 * page, from[i] < 5 * page ? from[i] : 5 * page);
    }
    check_trim(NODE_BYTES, 0);
    check_trim(2 * HUGE_PAGE + NODE_BYTES, HUGE_PAGE + page + NODE_BYTES); /* within a huge page */
}

static void trimming_gives_pages_back(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    pool_host pool = {0};
    assert_true(pool_host_open(&pool, 64 * page, NODE_BYTES));
    memset(pool.nodes, 0xff, pool.bytes);
    assert_int_equal(pages_with_memory(pool.nodes, pool.bytes), 64);
    pool_host_trim(&pool, 10 * page + NODE_BYTES);
    assert_int_equal(pages_with_memory(pool.nodes, pool.bytes), 11);
    pool_host_close(&pool);
}

/* How many pages of these bytes have memory after a write to one of them: one, or many if it is in a huge page. */
static size_t pages_of_a_write(unsigned char *bytes, size_t size)
{
    bytes[size / 2] = 1;
    return pages_with_memory(bytes, size);
}

/* Huge pages cannot be insisted on: the kernel may have none. */
static void front_is_in_small_pages(void)
{
    pool_host pool = {0};
    assert_true(pool_host_open(&pool, 4 * HUGE_PAGE, NODE_BYTES));
    assert_int_equal(pages_of_a_write(pool.nodes, HUGE_PAGE), 1);
    assert_true(pages_of_a_write((unsigned char *)pool.nodes + HUGE_PAGE, HUGE_PAGE) >= 1);
    pool_host_close(&pool);
}

/* Once a pool is trimmed, as if nothing had been expected. */
static void what_is_expected_beyond_the_front(void)
{
    pool_host pool = {0};
    assert_true(pool_host_open(&pool, 4 * HUGE_PAGE, NODE_BYTES));
    unsigned char *bytes = pool.nodes;
    pool_host_expect(&pool, HUGE_PAGE);
    assert_int_equal(pages_of_a_write(bytes, HUGE_PAGE), 1);
    pool_host_trim(&pool, 0);
    pool_host_expect(&pool, 3 * HUGE_PAGE);
    assert_true(pages_of_a_write(bytes, HUGE_PAGE) >= 1);
    pool_host_trim(&pool, HUGE_PAGE / 2 + NODE_BYTES);
    assert_int_equal(bytes[HUGE_PAGE / 2], 1);
    pool_host_trim(&pool, 0);
    assert_int_equal(pages_of_a_write(bytes, HUGE_PAGE), 1);
    assert_int_equal(bytes[0], 0);
    pool_host_close(&pool);
}

/* The front moves to a huge page if there is one, with what is in it, and only if the pool has outgrown it. */
static void a_front_that_was_outgrown(void)
{
    pool_host pool = {0};
    assert_true(pool_host_open(&pool, 4 * HUGE_PAGE, NODE_BYTES));
    unsigned char *bytes = pool.nodes;
    for (size_t i = 0; i < HUGE_PAGE; i += 4 * NODE_BYTES) bytes[i] = (unsigned char)(i / NODE_BYTES);
    pool_host_grown(&pool, HUGE_PAGE + NODE_BYTES);
    assert_false(pool.front_huge);
    for (size_t twice = 0; twice < 2; twice++) {
        pool_host_grown(&pool, 2 * HUGE_PAGE);
        assert_true(pool.front_huge);
        for (size_t i = 0; i < HUGE_PAGE; i += 4 * NODE_BYTES)
            assert_int_equal(bytes[i], (unsigned char)(i / NODE_BYTES));
    }
    pool_host_trim(&pool, 0);
    assert_false(pool.front_huge);
    assert_int_equal(pages_of_a_write(bytes, HUGE_PAGE), 1);
    pool_host_close(&pool);
}

/* The front of an array with elements for nodes has the elements of the front's nodes. */
static void arrays_of_a_pool(void)
{
    enum { NODES = 1 << 20, EACH = 4, FRONT = HUGE_PAGE / NODE_BYTES * EACH };
    size_t page = (size_t)sysconf(_SC_PAGESIZE), front = (FRONT + page - 1) / page * page;
    pool_host pool = {0};
    assert_true(pool_host_open_per_node(&pool, NODES, EACH, NODE_BYTES));
    assert_int_equal(pool.bytes, NODES * EACH);
    assert_int_equal(((uintptr_t)pool.nodes + front) % HUGE_PAGE, 0);
    assert_int_equal(pages_of_a_write(pool.nodes, front), 1);
    memset(pool.nodes, 0xff, pool.bytes); /* all of it is there */
    pool_host_close(&pool);
}

static void arrays_without_huge_pages(void)
{
    enum { PARTS = 7, PART = 3 * HUGE_PAGE / 2 };
    pool_host pool = {0};
    assert_true(pool_host_open_small_pages(&pool, PARTS * PART + 64));
    assert_int_equal(pool.bytes, PARTS * PART + 64);
    for (size_t i = 0; i < PARTS; i++)
        assert_int_equal(pages_of_a_write((unsigned char *)pool.nodes + i * PART, PART), 1);
    memset(pool.nodes, 0xff, pool.bytes);
    pool_host_close(&pool);
}

/* The sanitizers leave a program few addresses. */
enum {
    SANITIZED = ADDRESS_SANITIZER || THREAD_SANITIZER,
    MANY_POOLS = SANITIZED ? 2000 : 70000,
    UNLIMITED_POOLS = SANITIZED ? 10 : 30000
};

/* More pools than a process may have mappings: by default 65,530. */
static void more_pools_than_mappings(void)
{
    pool_host *pools = must_alloc(MANY_POOLS, sizeof *pools);
    const long held = base_held();
    for (size_t i = 0; i < MANY_POOLS; i++) {
        bool array = i % 2; /* of another size, which must leave no gap before the next pool */
        assert_true(array ? pool_host_open_small_pages(&pools[i], 5000)
                          : pool_host_open(&pools[i], 8 * HUGE_PAGE, NODE_BYTES));
        memset(pools[i].nodes, 0xff, 10);
    }
    for (size_t i = 0; i < MANY_POOLS; i += 2)
        pool_host_close(&pools[i]);
    for (size_t i = 1; i < MANY_POOLS; i += 2)
        pool_host_close(&pools[i]);
    assert_int_equal(base_held(), held);
    free(pools);
}

/* Each of them has all of the machine's memory while they are few. Later ones have parts of it, so that all of them
 * have less than half of the addresses. */
static void many_pools_without_a_limit(void)
{
    pool_host *pools = must_alloc(UNLIMITED_POOLS, sizeof *pools);
    uint64_t all = 0;
    for (size_t i = 0; i < UNLIMITED_POOLS; i++) {
        assert_true(pool_host_open(&pools[i], 0, NODE_BYTES));
        assert_true(i == 0 || pools[i].bytes <= pools[i - 1].bytes);
        all += pools[i].bytes;
    }
    assert_true(all < (uint64_t)1 << 46 && pools[UNLIMITED_POOLS - 1].bytes >= 16 * HUGE_PAGE);
    const size_t first = pools[0].bytes;
    for (size_t i = 0; i < UNLIMITED_POOLS; i++)
        pool_host_close(&pools[i]);
    assert_true(pool_host_open(&pools[0], 0, NODE_BYTES));
    assert_int_equal(pools[0].bytes, first);
    pool_host_close(&pools[0]);
    free(pools);
}

/* Also when a new one without a limit would have less by now. */
static void successors_have_the_same_limit(void)
{
    static const uint64_t asked[] = {0, 3 * HUGE_PAGE + NODE_BYTES};
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        pool_host pool = {0}, successor = {0};
        assert_true(pool_host_open(&pool, asked[i], NODE_BYTES));
        for (size_t j = 0; j < 4; j++) {
            assert_true(pool_host_open_like(&successor, &pool));
            assert_int_equal(successor.bytes, pool.bytes);
            assert_int_equal(successor.by_machine, pool.by_machine);
            assert_zeros(successor.nodes, HUGE_PAGE);
            pool_host_close(&pool);
            pool = successor;
        }
        pool_host_close(&pool);
    }
}

/* True if this kernel can populate; on an older one the pages come when they are written. */
static bool kernel_populates(void *page_start, size_t page)
{
#ifdef MADV_POPULATE_WRITE
    return madvise(page_start, page, MADV_POPULATE_WRITE) == 0;
#else
    (void)page_start;
    (void)page;
    return false;
#endif
}

static void populating_changes_no_byte(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    pool_host pool = {0};
    assert_true(pool_host_open(&pool, 64 * page + NODE_BYTES, NODE_BYTES));
    unsigned char *bytes = pool.nodes;
    memset(bytes + page, 0xee, 10);
    const size_t asked[] = {0, 1, page, 3 * page + 1, 32 * page, 64 * page + NODE_BYTES, 1000 * page};
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        assert_true(pool_host_populate(&pool, asked[i]));
        assert_zeros(bytes, page);
        for (size_t j = 0; j < 10; j++)
            assert_int_equal(bytes[page + j], 0xee);
        assert_zeros(bytes + page + 10, pool.bytes - page - 10);
    }
    pool_host_close(&pool);
}

static void populated_pages_have_memory(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    pool_host pool = {0};
    assert_true(pool_host_open(&pool, 64 * page, NODE_BYTES));
    assert_int_equal(pages_with_memory(pool.nodes, pool.bytes), 0);
    assert_true(pool_host_populate(&pool, 20 * page + NODE_BYTES));
    size_t expected = kernel_populates(pool.nodes, page) ? 20 : 0;
    assert_in_range(pages_with_memory(pool.nodes, pool.bytes), expected, expected + 1);
    pool_host_close(&pool);
}

static void failing_allocations_are_reported(void)
{
    pool_host pool = {0};
    base_fail_nth_allocation(1);
    assert_false(pool_host_open(&pool, 10 * NODE_BYTES, NODE_BYTES));
    assert_int_equal(base_fail_nth_allocation(0), 1);
    pool_host_close(&pool); /* nothing to do */
    base_fail_nth_allocation(1);
    assert_false(pool_host_open_per_node(&pool, 10, 4, NODE_BYTES));
    base_fail_nth_allocation(1);
    assert_false(pool_host_open_small_pages(&pool, 1000));
    base_fail_nth_allocation(1);
    assert_false(pool_host_open_like(&pool, &(pool_host){.bytes = 10 * NODE_BYTES, .by_machine = true}));
    base_fail_nth_allocation(0);
    pool_host_close(&pool);
    assert_true(pool_host_open(&pool, 10 * NODE_BYTES, NODE_BYTES));
    base_fail_nth_allocation(1);
    assert_false(pool_host_populate(&pool, 10 * NODE_BYTES));
    base_fail_nth_allocation(0);
    assert_true(pool_host_populate(&pool, 10 * NODE_BYTES));
    assert_zeros(pool.nodes, pool.bytes);
    pool_host_close(&pool);
}

static unit_case cases[] = {
    UNIT(host_pool_has_the_size_asked_for),
    UNIT(host_pool_without_a_limit),
    UNIT(trimmed_memory_reads_as_zeros),
    UNIT(trimming_gives_pages_back),
    UNIT(front_is_in_small_pages),
    UNIT(what_is_expected_beyond_the_front),
    UNIT(a_front_that_was_outgrown),
    UNIT(arrays_of_a_pool),
    UNIT(arrays_without_huge_pages),
    UNIT(more_pools_than_mappings),
    UNIT(many_pools_without_a_limit),
    UNIT(successors_have_the_same_limit),
    UNIT(populating_changes_no_byte),
    UNIT(populated_pages_have_memory),
    UNIT(failing_allocations_are_reported),
};

int main(int argc, char **argv)
{
    return run_units("test_pool_host", argc, argv, cases, COUNT_OF(cases));
}
