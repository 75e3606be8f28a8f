/* bench_memory.c - see bench_memory.h. */
#include "bench_memory.h"

#include <stdlib.h>

static void *keep(struct bench_memory *memory, void *at, void (*release)(void *at))
{
    memory->lacking = at == NULL;
    if (at != NULL) memory->arrays[memory->count++] = (struct bench_array){at, release};
    return at;
}

static bool has_room(struct bench_memory *memory)
{
    memory->lacking = memory->lacking || memory->count == BENCH_MOST_ARRAYS;
    return !memory->lacking;
}

void *bench_memory_host(struct bench_memory *memory, size_t bytes)
{
    return has_room(memory) ? keep(memory, malloc(bytes > 0 ? bytes : 1), free) : NULL;
}

void *bench_memory_zeros(struct bench_memory *memory, size_t bytes)
{
    return has_room(memory) ? keep(memory, calloc(bytes > 0 ? bytes : 1, 1), free) : NULL;
}

void *bench_memory_device(struct bench_memory *memory, const struct tool_device *device, size_t bytes)
{
    return has_room(memory) ? keep(memory, device->allocate(bytes), device->release) : NULL;
}

void *bench_memory_lines(struct bench_memory *memory, const struct tool_device *device, size_t bytes)
{
    enum { LINE_BYTES = 128 };
    if (device->kind != PLEACH_CPU) return bench_memory_device(memory, device, bytes);
    const size_t lines = bytes / LINE_BYTES + 1;
    return has_room(memory) ? keep(memory, aligned_alloc(LINE_BYTES, lines * LINE_BYTES), free) : NULL;
}

void bench_memory_release(struct bench_memory *memory)
{
    while (memory->count > 0) {
        const struct bench_array last = memory->arrays[--memory->count];
        last.release(last.at);
    }
    memory->lacking = false;
}
