/* bench_memory.h - arrays on the host and on a device that are given back together. If one cannot be had, those asked
 * for later are not either: so one look at `lacking`, after all of them, does for all. {0}: there are none. */
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

/* NULL if it is lacking. */
void *bench_memory_host(struct bench_memory *memory, size_t bytes);
void *bench_memory_zeros(struct bench_memory *memory, size_t bytes); /* on the host */
void *bench_memory_device(struct bench_memory *memory, const struct tool_device *device, size_t bytes);

/* The same, and on the host it begins where a line does. */
void *bench_memory_lines(struct bench_memory *memory, const struct tool_device *device, size_t bytes);

/* Of all arrays; then there are none. */
void bench_memory_release(struct bench_memory *memory);

#endif
