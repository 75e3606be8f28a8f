/* gpu.h - the emulated GPU inside: grids and their fibers (grid.c), streams and the thread that is the GPU (stream.c),
 * memory (memory.c), and the calls of CUDA (calls.c). */
#ifndef PLEACH_CUDA_HOST_GPU_H
#define PLEACH_CUDA_HOST_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/hostgpu.h"

/* ---- choices ---- */

/* How streams go on: each call waits until its work is done; work is done only when somebody waits for it; as the seed
 * says, a little at each call; or on its own, while the host goes on. The last does not repeat. */
typedef enum gpu_pace { PACE_AT_ONCE, PACE_LATE, PACE_BY_SEED, PACE_FREE } gpu_pace;

/* Which thread is next, and for how long: the one that waits longest, until it must wait; each for one access; or any,
 * for any number of accesses. */
typedef enum gpu_order { ORDER_LONG_TURNS, ORDER_LOCK_STEP, ORDER_RANDOM } gpu_order;

typedef struct gpu_choices {
    uint64_t random, host_random; /* states of the GPU's choices, and of the host's */
    uint64_t seed; /* PLEACH_CUDA_HOST_SEED; 0: at once, in long turns */
    gpu_pace pace;
    gpu_order order;
    unsigned resident;     /* threads that take turns; PLEACH_CUDA_HOST_THREADS */
    unsigned seconds;      /* of one grid: PLEACH_CUDA_HOST_SECONDS */
    uint64_t memory;       /* bytes: PLEACH_CUDA_HOST_MEMORY, in MiB */
    unsigned processors;
    uint64_t fault;        /* the grid that has one, from 1; 0: none has: PLEACH_CUDA_HOST_FAULT */
    bool protect; /* the device's memory, while the GPU does nothing: PLEACH_CUDA_HOST_PROTECT */
} gpu_choices;
extern gpu_choices gpu;

void gpu_choose(void); /* once, from the environment */
uint64_t gpu_random_of(uint64_t *state, uint64_t below);
static inline uint64_t gpu_random(uint64_t below) { return gpu_random_of(&gpu.random, below); } /* the GPU's thread */

/* Whether a kernel has had a fault (PLEACH_CUDA_HOST_FAULT): then no work is done any more, and calls fail for good. */
bool gpu_is_lost(void);
void gpu_lose(void);

/* Ends the program, as nothing that it did since would mean anything. Says what seed to repeat it with. */
void gpu_fatal(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* ---- grids: called by the GPU's own thread only ---- */

typedef struct gpu_grid {
    hostgpu_size blocks, threads;
    const char *name;
    bool together;
    void (*run)(void *);
    void (*drop)(void *);
    void *closure;
    uint64_t begun, ended, total; /* blocks */
    struct gpu_grid *next;        /* of those whose blocks may begin */
    uint64_t began_at;            /* seconds */
} gpu_grid;

void grid_begin(gpu_grid *grid);
static inline bool grid_has_ended(const gpu_grid *grid) { return grid->ended == grid->total; }

/* Threads take turns, at most so many, or until a grid has ended. False if there is no thread. */
bool grid_take_turns(uint64_t turns);

/* What runs now may touch: shared memory of the block. */
bool grid_owns(const volatile void *p, size_t bytes);

/* ---- memory ---- */

typedef enum memory_kind { MEMORY_NONE, MEMORY_DEVICE, MEMORY_MANAGED, MEMORY_PINNED } memory_kind;

cudaError_t memory_take(void **memory, size_t bytes, memory_kind kind);
bool memory_give(void *memory); /* false: it is not the beginning of live memory */
/* The kind of what holds `p`; *left is the number of bytes from there to its end. */
memory_kind memory_find(const volatile void *p, size_t *left);
size_t memory_left(void); /* bytes that can still be taken of the device's */
void *memory_driver_call(const char *name);
void memory_report_leaks(void);
/* With PLEACH_CUDA_HOST_PROTECT: whether the device's own memory can be read and written, by anybody. */
void memory_open(bool open);
void memory_spoil(void *at, size_t bytes); /* writes rubbish there */

/* ---- streams ---- */

typedef struct gpu_event gpu_event;

typedef enum work_kind { WORK_GRID, WORK_COPY, WORK_FILL, WORK_FREE, WORK_RECORD, WORK_WAIT } work_kind;

typedef struct gpu_work {
    work_kind kind;
    struct gpu_work *next; /* in its stream */
    uint64_t number;       /* in the order in which work was given, of all streams */
    bool begun;
    gpu_grid grid;         /* WORK_GRID */
    void *to;              /* WORK_COPY, _FILL, _FREE */
    const void *from;
    void *kept; /* a copy of pageable memory as it was, freed with the work */
    size_t bytes;
    int byte;
    gpu_event *event; /* WORK_RECORD, _WAIT */
    uint64_t ticket;
} gpu_work;

/* Puts a copy of `work` at the stream's end. False: there is no such stream. `wait`: until it is done. */
bool stream_give(cudaStream_t stream, const gpu_work *work, bool wait);
bool stream_wait(cudaStream_t stream);
void stream_wait_all(void);

#endif
