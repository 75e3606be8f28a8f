/* tool_device_host.c - data and timed calls in host memory. */
#define _DEFAULT_SOURCE 1
#include <stdlib.h>
#include <string.h>

#include "tool_device.h"
#include "cli.h"
#include "clock.h"
#include "machine.h"

static bool host_copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return true;
}

static bool host_fill(void *memory, int byte, size_t bytes)
{
    memset(memory, byte, bytes);
    return true;
}

static pleach_status host_time(tool_call *call, void *context, double *seconds)
{
    const double start = clock_seconds();
    const pleach_status status = call(context, PLEACH_SYNC);
    *seconds = clock_seconds() - start;
    return status;
}

static bool host_open_stream(pleach_stream *stream)
{
    *stream = PLEACH_SYNC;
    return true;
}

static bool host_wait_stream(pleach_stream stream)
{
    (void)stream;
    return true;
}

static void host_close_stream(pleach_stream stream) { (void)stream; }

bool tool_device_take(struct cli *cli, enum tool_where *where, bool all)
{
    static const char *const two[] = {"cpu", "cuda", NULL}, *const three[] = {"cpu", "cuda", "all", NULL};
    size_t index = *where;
    if (!cli_take_choice(cli, "--device", all ? three : two, &index)) return false;
    *where = (enum tool_where)index;
    return true;
}

const struct tool_device *tool_device_choose(const char *command, enum tool_where where)
{
    char line[512];
    const char *why = line;
    const struct tool_device *gpu = NULL;
    if (where != TOOL_ON_CPU && pleach_gpu_info(0, line, sizeof line) == PLEACH_OK)
        gpu = tool_device_cuda(&why);
    else
        machine_gpu(line, sizeof line); /* why there is none */
    if (gpu != NULL || where != TOOL_ON_CUDA) return gpu != NULL ? gpu : tool_device_host();
    cli_complain(command, "--device cuda: %s", why);
    return NULL;
}

const struct tool_device *tool_device_host(void)
{
    static const struct tool_device device = {
        .name = "cpu",
        .kind = PLEACH_CPU,
        .allocate = malloc,
        .release = free,
        .copy_in = host_copy,
        .copy_out = host_copy,
        .fill = host_fill,
        .time = host_time,
        .open_stream = host_open_stream,
        .wait_stream = host_wait_stream,
        .close_stream = host_close_stream,
    };
    return &device;
}
