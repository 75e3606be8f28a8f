#include "streams.h"

#include <string.h>

#include "../base/memory.h"

static pleach_status more_room(streams *s)
{
    size_t room = s->room ? 2 * s->room : 8;
    stream_mark *mark = base_alloc(room, sizeof *mark);
    if (!mark) return PLEACH_E_MEMORY;
    if (s->marks) memcpy(mark, s->mark, s->marks * sizeof *mark);
    base_free(s->mark);
    s->mark = mark;
    s->room = room;
    return PLEACH_OK;
}

static pleach_status mark_for(streams *s, unsigned long long stream_id, stream_mark **found)
{
    for (size_t i = 0; i < s->marks; i++)
        if (s->mark[i].stream_id == stream_id) {
            *found = &s->mark[i];
            return PLEACH_OK;
        }
    if (s->marks == s->room) {
        pleach_status status = more_room(s);
        if (status != PLEACH_OK) return status;
    }
    if (base_allocation_fails()) return PLEACH_E_MEMORY;
    stream_mark fresh = {.stream_id = stream_id};
    CUDA_TRY(cudaEventCreateWithFlags(&fresh.event, cudaEventDisableTiming));
    *found = &s->mark[s->marks++];
    **found = fresh;
    return PLEACH_OK;
}

pleach_status streams_note(streams *s, cudaStream_t stream, uint64_t nodes, uint64_t updates)
{
    unsigned long long stream_id;
    stream_mark *mark = NULL;
    CUDA_TRY(cudaStreamGetId(stream, &stream_id));
    pleach_status status = mark_for(s, stream_id, &mark);
    if (status != PLEACH_OK) return status;
    mark->nodes += nodes;
    mark->updates += updates;
    CUDA_TRY(cudaEventRecord(mark->event, stream)); /* in stream order, so it covers the earlier work too */
    return PLEACH_OK;
}

uint64_t streams_pending_nodes(streams *s, uint64_t *updates)
{
    uint64_t nodes = 0;
    *updates = 0;
    for (size_t i = 0; i < s->marks;) {
        if (cudaEventQuery(s->mark[i].event) == cudaSuccess) {
            cudaEventDestroy(s->mark[i].event);
            s->mark[i] = s->mark[--s->marks];
            continue;
        }
        *updates += s->mark[i].updates;
        nodes += s->mark[i++].nodes;
    }
    return nodes;
}

pleach_status streams_wait(streams *s)
{
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; i < s->marks; i++) {
        pleach_status passed = cuda_status(cudaEventSynchronize(s->mark[i].event));
        if (status == PLEACH_OK) status = passed; /* wait for the other streams in any case */
    }
    uint64_t updates;
    streams_pending_nodes(s, &updates);
    return status;
}

void streams_free(streams *s)
{
    for (size_t i = 0; i < s->marks; i++) cudaEventDestroy(s->mark[i].event);
    base_free(s->mark);
}
