/* bench_memory.h - arrays in host and device memory that are freed together. After the first allocation that fails,
 * later ones return NULL too, so that the caller checks `lacking` once, after all of them. {0} holds no arrays. */
#ifndef PLEACH_BENCH_MEMORY_H
#define PLEACH_BENCH_MEMORY_H

#include "tools/common/tool_device.h"

enum { BENCH_MOST_ARRAYS = 24 };

struct bench_memory {
    struct bench_array {
        void *at;
        void (*release)(void *at);
    } arrays[BENCH_MOST_ARRAYS];
    size_t count;
    bool lacking;
};

/* Each returns NULL if memory is lacking. */
void *bench_memory_host(struct bench_memory *memory, size_t bytes);
void *bench_memory_zeros(struct bench_memory *memory, size_t bytes); /* in host memory */
void *bench_memory_device(struct bench_memory *memory, const struct tool_device *device, size_t bytes);

/* The same; in host memory the array is aligned to cache lines. */
void *bench_memory_lines(struct bench_memory *memory, const struct tool_device *device, size_t bytes);

/* Frees all arrays. */
void bench_memory_release(struct bench_memory *memory);

#endif
