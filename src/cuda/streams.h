/* cuda/streams.h - records which streams have pending work of a map, so that exclusive calls can wait for it. */
#ifndef PLEACH_STREAMS_H
#define PLEACH_STREAMS_H

#include <pthread.h>
#include <stdint.h>

#include "cuda_base.h"

typedef struct stream_mark {
    unsigned long long stream_id; /* unique for the life of the process, unlike the handle */
    cudaEvent_t event;            /* recorded after the map's last work on that stream */
    uint64_t nodes;               /* nodes that this work may allocate from the pool */
    uint64_t updates;             /* update elements in it */
} stream_mark;

/* Not thread-safe: the caller must hold the map's mutex. */
typedef struct streams {
    stream_mark *mark;
    size_t marks, room;
} streams;

/* Records that work with `updates` updates, which may allocate up to `nodes` nodes, was queued on the stream. */
pleach_status streams_note(streams *s, cudaStream_t stream, uint64_t nodes, uint64_t updates);

/* Removes the marks that the GPU has passed. Returns the number of nodes that pending work may still allocate, and in
 * *updates how many updates that work has. */
uint64_t streams_pending_nodes(streams *s, uint64_t *updates);

pleach_status streams_wait(streams *s);
void streams_free(streams *s);

#endif
