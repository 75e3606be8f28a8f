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

/* For allocations made elsewhere (mmap, CUDA): true if this one is to fail by order of a test. */
bool base_allocation_fails(void);

/* Tests only, process-wide: the n-th allocation from now fails (n = 1 is the next), once; 0 switches this off. Answers
 * how many allocations were asked for since the last call of this function. */
long base_fail_nth_allocation(long n);

#ifdef __cplusplus
}
#endif
#endif
