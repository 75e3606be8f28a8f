#include "memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

static atomic_long allocations_asked;
static atomic_long failing_allocation; /* ordinal within allocations_asked; 0: none */

bool base_allocation_fails(void)
{
    long ordinal = atomic_fetch_add(&allocations_asked, 1) + 1;
    return ordinal == atomic_load(&failing_allocation);
}

long base_fail_nth_allocation(long n)
{
    atomic_store(&failing_allocation, 0);
    long asked = atomic_exchange(&allocations_asked, 0);
    atomic_store(&failing_allocation, n);
    return asked;
}

void *base_alloc(size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - CACHE_LINE) / size) return NULL;
    if (base_allocation_fails()) return NULL;
    size_t bytes = (count * size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    void *memory = aligned_alloc(CACHE_LINE, bytes ? bytes : CACHE_LINE);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

void base_free(void *memory) { free(memory); }
