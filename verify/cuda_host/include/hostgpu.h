/* hostgpu.h - what compiled kernels call: their place in the grid, meetings of lanes and threads, launches. Kernels run
 * as fibers of one OS thread (grid.c), so none of these functions is called by two threads at once. */
#ifndef PLEACH_HOSTGPU_H
#define PLEACH_HOSTGPU_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hostgpu_size { unsigned x, y, z; } hostgpu_size;

/* The thread of a kernel that is running now. */
typedef struct hostgpu_place {
    hostgpu_size thread, block, threads, blocks;
    unsigned turn; /* accesses to shared memory until others have their turn */
} hostgpu_place;
extern hostgpu_place *hostgpu_now;

/* Others have their turn. A thread that pauses expects something of them. */
void hostgpu_give_way(void);
void hostgpu_pause(unsigned nanoseconds);

/* Called before each access to shared memory by PTX or an atomic: `p` is memory that a GPU can use, and aligned. */
void hostgpu_check_address(const volatile void *p, unsigned bytes);
static inline void hostgpu_touch(const volatile void *p, unsigned bytes)
{
    hostgpu_check_address(p, bytes);
    if (--hostgpu_now->turn == 0) hostgpu_give_way();
}

/* The order of all accesses by PTX and of atomics: fibers need none. To ThreadSanitizer each of these puts in order what
 * it can, so that what it reports are accesses that nothing puts in order; whether the orders suffice is the simulator's. */
#ifdef __SANITIZE_THREAD__
enum { HOSTGPU_LOAD = __ATOMIC_ACQUIRE, HOSTGPU_STORE = __ATOMIC_RELEASE, HOSTGPU_BOTH = __ATOMIC_ACQ_REL };
#else
enum { HOSTGPU_LOAD = __ATOMIC_RELAXED, HOSTGPU_STORE = __ATOMIC_RELAXED, HOSTGPU_BOTH = __ATOMIC_RELAXED };
#endif

/* Lanes of a warp wait for all lanes of the mask that have not ended. */
void hostgpu_warp_sync(unsigned mask);
unsigned hostgpu_vote(unsigned mask, bool yes);                            /* the lanes that said yes */
uint64_t hostgpu_shuffle(unsigned mask, uint64_t value, unsigned source); /* what lane `source` brought */

/* All threads of the block that have not ended; returns how many said yes, and in *all how many came. */
unsigned hostgpu_block_sync(bool yes, unsigned *all);

/* The block's variable that `tag` stands for: new to the first who asks, and filled with rubbish. */
void *hostgpu_shared(const void *tag, size_t bytes, size_t alignment);

/* Puts a grid into the stream. `run` is called once for each thread, `drop` once when all have ended, or at once if the
 * launch is refused. In a grid that is `together` all blocks run at the same time. */
cudaError_t hostgpu_launch(hostgpu_size blocks, hostgpu_size threads, cudaStream_t stream, bool together,
                           const char *name, void (*run)(void *), void (*drop)(void *), void *closure);

#ifdef __cplusplus
}
#endif
#endif
