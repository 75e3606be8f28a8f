/* stream.h - streams and events, between stream.c and calls.c. */
#ifndef PLEACH_CUDA_HOST_STREAM_H
#define PLEACH_CUDA_HOST_STREAM_H

#include <time.h>

#include "gpu.h"

enum { STREAM_MAGIC = 0x57e4 };

struct CUstream_st {
    unsigned magic; /* 0: destroyed */
    bool blocking;  /* waits for the legacy stream, and it for this one */
    unsigned long long id;
    gpu_work *first, *last;
    uint64_t given, done; /* numbers of work */
    struct CUstream_st *next;
};

struct gpu_event {
    unsigned magic;
    struct gpu_event *next; /* of all that there ever were */
    uint64_t given, done; /* tickets of its records */
    struct timespec at;
};

/* Before any other call: begins the GPU. */
void gpu_need(void);

struct CUstream_st *stream_new(bool blocking);
struct CUstream_st *stream_of(cudaStream_t handle); /* NULL: there is none */
bool stream_is_done(const struct CUstream_st *s);
bool event_is_done(gpu_event *event);
void event_wait(gpu_event *event);

#endif
