/* base/memory.h - every allocation that pleach makes on the host or on a GPU asks here first, so that tests can make
 * each of them fail in turn. */
#ifndef PLEACH_BASE_MEMORY_H
#define PLEACH_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed memory on its own cache lines; NULL if there is none, or on count * size overflow. */
void *base_alloc(size_t count, size_t size);
void base_free(void *memory);

/* Memory of another size with the contents of the old, which may be NULL; NULL if there is none, and then the old is as
 * it was. Its alignment is malloc's, and what is new in it is not zeroed, so it is no page until it is written to. */
void *base_grow(void *memory, size_t count, size_t size);

/* For allocations made elsewhere (mmap, CUDA): true if this one is to fail by order of a test. */
bool base_allocation_fails(void);

/* They are counted too: 1 more is held, or -1. What base_alloc gives and base_free takes counts by itself. */
void base_count_held(long change);

/* Tests only, process-wide: the allocations first .. first + count - 1 from now fail (1 is the next); count = 0
 * switches this off. Answers how many allocations were asked for since the last call of this function. */
long base_fail_allocations(long first, long count);

/* Tests only: the n-th allocation from now fails, once; 0 switches this off. Answers as base_fail_allocations. */
long base_fail_nth_allocation(long n);

/* Tests only: allocations that are held now. */
long base_held(void);

#ifdef __cplusplus
}
#endif
#endif
