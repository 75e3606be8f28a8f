/* base/memory.h - all host and GPU allocations pass through here, so that tests can make each of them fail. */
#ifndef PLEACH_BASE_MEMORY_H
#define PLEACH_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates zeroed memory on cache lines of its own. Returns NULL if there is no memory or count * size overflows. */
void *base_alloc(size_t count, size_t size);
void base_free(void *memory);

/* Resizes an allocation and keeps its contents; `memory` may be NULL. Returns NULL if there is no memory, and then the
 * old allocation is unchanged. Alignment is malloc's. New bytes are not zeroed: they take no pages until written. */
void *base_grow(void *memory, size_t count, size_t size);

/* For allocations made elsewhere (mmap, CUDA): returns true if this one must fail because a test asked for it. */
bool base_allocation_fails(void);

/* Counts allocations made elsewhere: 1 when one is made, -1 when freed. base_alloc and base_free do this themselves. */
void base_count_held(long change);

/* Tests only, process-wide: the allocations first .. first + count - 1 from now on fail (1 is the next); count = 0
 * switches this off. Returns the number of allocations that were requested since the last call of this function. */
long base_fail_allocations(long first, long count);

/* Tests only: the n-th allocation from now on fails, once; 0 switches this off. Returns as base_fail_allocations. */
long base_fail_nth_allocation(long n);

/* Tests only: returns the number of allocations that are held now. */
long base_held(void);

#ifdef __cplusplus
}
#endif
#endif
