#include "memory.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

static atomic_long allocations_asked;
static atomic_long first_failing, last_failing; /* ordinals within allocations_asked; none if last is below first */
static atomic_long allocations_held;

bool base_allocation_fails(void)
{
    long ordinal = atomic_fetch_add(&allocations_asked, 1) + 1;
    return ordinal <= atomic_load(&last_failing) && ordinal >= atomic_load(&first_failing);
}

long base_fail_allocations(long first, long count)
{
    atomic_store(&last_failing, 0);
    long asked = atomic_exchange(&allocations_asked, 0);
    atomic_store(&first_failing, first);
    atomic_store(&last_failing, count > LONG_MAX - first ? LONG_MAX : first + count - 1);
    return asked;
}

long base_fail_nth_allocation(long n) { return base_fail_allocations(n, n > 0); }

void base_count_held(long change) { atomic_fetch_add(&allocations_held, change); }

long base_held(void) { return atomic_load(&allocations_held); }

void *base_alloc(size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - CACHE_LINE) / size) return NULL;
    if (base_allocation_fails()) return NULL;
    size_t bytes = (count * size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    void *memory = aligned_alloc(CACHE_LINE, bytes ? bytes : CACHE_LINE);
    if (!memory) return NULL;
    base_count_held(1);
    return memset(memory, 0, bytes);
}

void *base_grow(void *memory, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) return NULL;
    if (base_allocation_fails()) return NULL;
    const size_t bytes = count * size;
    void *grown = realloc(memory, bytes > 0 ? bytes : 1);
    if (grown && !memory) base_count_held(1);
    return grown;
}

void base_free(void *memory)
{
    if (memory) base_count_held(-1);
    free(memory);
}
