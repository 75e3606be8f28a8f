/* cuda/staging.h - device memory for one call: copies of host arrays, results on their way back, scratch. All of
 * it comes from the map's memory pool in stream order and goes back there in stream order. */
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
    struct transfer *transfer; /* of calls that wait for their results: large ones take this way; or NULL */
    unsigned buffers, results;
    void *buffer[STAGING_MOST];
    struct {
        void *host, *device;
        size_t bytes;
    } result[STAGING_MOST];
} staging;

/* A pool for the scratch memory of one structure, which keeps it between calls. */
pleach_status staging_open_pool(int gpu, cudaMemPool_t *pool);

/* *device = memory that the GPU reads the array from: the array itself, or a copy. NULL stays NULL. POINTER if it
 * belongs to another GPU. */
pleach_status staging_input(staging *s, const void *array, size_t bytes, const void **device);

/* *device = memory that the GPU writes results to. For a host array they are copied there by staging_return_results.
 * With `sparse`, elements that a kernel leaves alone keep the host's values. */
pleach_status staging_output(staging *s, void *array, size_t bytes, bool sparse, void **device);

/* Ordinary or pinned memory of the host, or NULL. */
bool staging_is_host(const staging *s, const void *array);

pleach_status staging_scratch(staging *s, size_t bytes, void **device);

/* A call of CUB's, which is made twice: first to say how much scratch memory it needs. Leaves the enclosing function,
 * which answers a pleach_status, if anything fails. */
#define WITH_SCRATCH(s, call, ...)                                                                               \
    do {                                                                                                         \
        size_t bytes_ = 0;                                                                                       \
        void *scratch_ = NULL;                                                                                   \
        CUDA_TRY(call(NULL, &bytes_, __VA_ARGS__));                                                              \
        pleach_status status_ = staging_scratch(s, bytes_, &scratch_);                                           \
        if (status_ != PLEACH_OK) return status_;                                                                \
        CUDA_TRY(call(scratch_, &bytes_, __VA_ARGS__));                                                          \
    } while (0)

/* Starts the copies; with a transfer, of large results waits for them. */
pleach_status staging_return_results(staging *s);

/* On every path out; waits for nothing. */
void staging_free(staging *s);

#endif
