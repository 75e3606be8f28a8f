/* tool_device.h - where the data of a benchmark or a stress test lies and how a call on it is timed: in host memory by the
 * clock, or in GPU memory by CUDA events. */
#ifndef PLEACH_TOOLS_DEVICE_H
#define PLEACH_TOOLS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "pleach/pleach.h"

/* A library call, synchronous or on the stream. */
typedef pleach_status tool_call(void *context, pleach_stream stream);

struct tool_device {
    const char *name;
    pleach_device kind;
    void *(*allocate)(size_t bytes); /* NULL when there is none left */
    void (*release)(void *memory);
    bool (*copy_in)(void *memory, const void *host, size_t bytes);
    bool (*copy_out)(void *host, const void *memory, size_t bytes);
    bool (*fill)(void *memory, int byte, size_t bytes);
    /* Makes the call and waits for it; *seconds is what it took. */
    pleach_status (*time)(tool_call *call, void *context, double *seconds);
    /* A stream for work beside the timed call, before which it goes when both wait. */
    bool (*open_stream)(pleach_stream *stream);
    bool (*wait_stream)(pleach_stream stream);
    void (*close_stream)(pleach_stream stream);
};

const struct tool_device *tool_device_host(void);

/* What --device says; "all" is anywhere. */
enum tool_where { TOOL_ON_CPU, TOOL_ON_CUDA, TOOL_ANYWHERE };

/* Reads --device cpu|cuda, or cpu|cuda|all for commands that use all devices in turn. Returns whether the current word
 * was this option. */
struct cli;
bool tool_device_take(struct cli *cli, enum tool_where *where, bool all);

/* Anywhere is the GPU, or the CPU where there is none. NULL after an error message of `command`. */
const struct tool_device *tool_device_choose(const char *command, enum tool_where where);

/* NULL when there is no GPU, or this command was built without CUDA; *why then says so. */
#ifdef PLEACH_TOOLS_CUDA
const struct tool_device *tool_device_cuda(const char **why);
#else
static inline const struct tool_device *tool_device_cuda(const char **why)
{
    *why = "this command was built without CUDA";
    return NULL;
}
#endif

#endif
