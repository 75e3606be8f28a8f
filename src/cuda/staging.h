/* cuda/staging.h - device memory for one call: copies of host arrays, results to be copied back, and scratch. All of it
 * is allocated from the map's memory pool, and freed to it, in stream order. */
#ifndef PLEACH_STAGING_H
#define PLEACH_STAGING_H

#include <stdbool.h>

#include "cuda_base.h"
#include "transfer.h"

enum { STAGING_MOST = 40 };

typedef struct staging {
    cudaMemPool_t pool;
    cudaStream_t stream;
    int gpu;
    struct transfer *transfer; /* for large results of calls that wait for their results; otherwise NULL */
    unsigned buffers, results;
    void *buffer[STAGING_MOST];
    struct {
        void *host, *device;
        size_t bytes;
    } result[STAGING_MOST];
} staging;

/* Creates a pool for the scratch memory of one structure, which keeps the memory between calls. */
pleach_status staging_open_pool(int gpu, cudaMemPool_t *pool);

/* Sets *device to memory from which the GPU reads the array: the array itself, or a copy. NULL stays NULL. Returns
 * POINTER if the array belongs to another GPU. */
pleach_status staging_input(staging *s, const void *array, size_t bytes, const void **device);

/* Sets *device to memory to which the GPU writes results. Results for a host array are copied back by
 * staging_return_results. With `sparse`, elements that a kernel does not write keep the host's values. */
pleach_status staging_output(staging *s, void *array, size_t bytes, bool sparse, void **device);

/* Returns true for ordinary or pinned host memory, and for NULL. */
bool staging_is_host(const staging *s, const void *array);

pleach_status staging_scratch(staging *s, size_t bytes, void **device);

/* Makes a CUB call twice: the first for the scratch size. On failure returns a status from the enclosing function. */
#define WITH_SCRATCH(s, call, ...)                                                                               \
    do {                                                                                                         \
        size_t bytes_ = 0;                                                                                       \
        void *scratch_ = NULL;                                                                                   \
        CUDA_TRY(call(NULL, &bytes_, __VA_ARGS__));                                                              \
        pleach_status status_ = staging_scratch(s, bytes_, &scratch_);                                           \
        if (status_ != PLEACH_OK) return status_;                                                                \
        CUDA_TRY(call(scratch_, &bytes_, __VA_ARGS__));                                                          \
    } while (0)

/* Starts the copies of results; with a transfer, waits for the large ones. */
pleach_status staging_return_results(staging *s);

/* Must be called on every path out; does not wait. */
void staging_free(staging *s);

#endif
