/* cuda/streams.h - which streams still have work of a map on them, so that exclusive calls can wait for it. */
#ifndef PLEACH_STREAMS_H
#define PLEACH_STREAMS_H

#include <pthread.h>
#include <stdint.h>

#include "cuda_base.h"

typedef struct stream_mark {
    unsigned long long stream_id; /* unique for the life of the process, unlike the handle */
    cudaEvent_t event;            /* behind the last work of the map on that stream */
    uint64_t nodes;               /* that this work may take from the pool */
    uint64_t updates;             /* elements of updates in it */
} stream_mark;

/* Not thread-safe: the map's mutex is held around these. */
typedef struct streams {
    stream_mark *mark;
    size_t marks, room;
} streams;

/* Notes that work was put on the stream: so many updates, which may take so many nodes. */
pleach_status streams_note(streams *s, cudaStream_t stream, uint64_t nodes, uint64_t updates);

/* Forgets the marks that the GPU has passed; answers the nodes that the others may still take, and how many updates
 * these are. */
uint64_t streams_pending_nodes(streams *s, uint64_t *updates);

pleach_status streams_wait(streams *s);
void streams_free(streams *s);

#endif
