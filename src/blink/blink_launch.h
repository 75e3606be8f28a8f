/* blink/blink_launch.h - launch shapes, and code shared by the kernels of several files. Included by .cu files. */
#ifndef PLEACH_LAUNCH_H
#define PLEACH_LAUNCH_H

#include "../level/level_tree.h"
#include "../node/node_format.h"
#include "blink_cuda.h"

enum { BLOCK_THREADS = 128 };

/* Adds the block's insertions and erasures to the map's size, in one addition per block. */
PORT_FN void count_outcomes(blink_tree *tree, bool inserted, bool erased, bool refused, update_notes *notes)
{
    int grown = __syncthreads_count(inserted), shrunk = __syncthreads_count(erased);
    int missing = __syncthreads_count(refused);
    if (threadIdx.x != 0) return;
    if (grown != shrunk)
        port_fetch_add(&tree->stripe[blockIdx.x % BLINK_STRIPES].size, (uint64_t)(int64_t)(grown - shrunk));
    if (missing) port_fetch_add(&notes->not_applied, (uint64_t)missing);
}

static unsigned blocks_for(uint64_t threads) { return (unsigned)((threads + BLOCK_THREADS - 1) / BLOCK_THREADS); }

/* If there are few ranges, each has a team of its own: one query per 2^apart threads. If there are many, each team
 * reads the queries of its threads in turn. The threshold is lower if each block takes a snapshot, because more blocks
 * then take more snapshots. */
static inline unsigned range_apart(const request *r, bool takes_instants)
{
    enum { FEW = 1 << 14, FEW_WITH_INSTANTS = 1 << 10, APART = 3 };
    return r->n <= (takes_instants ? FEW_WITH_INSTANTS : FEW) ? APART : 0;
}

/* Launches a kernel with one thread per element, and returns from the enclosing function. First drops an error left on
 * this thread by an earlier call of the user, which would otherwise be mistaken for the launch's. */
#define LAUNCH(kernel, threads, ...)                                                                             \
    do {                                                                                                         \
        if ((threads) == 0) return cudaSuccess;                                                                  \
        cudaGetLastError();                                                                                      \
        kernel<<<blocks_for(threads), BLOCK_THREADS, 0, stream>>>(__VA_ARGS__);                                  \
        return cudaGetLastError();                                                                               \
    } while (0)

#endif
