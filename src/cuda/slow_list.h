/* cuda/slow_list.h - elements of an array call that a first kernel leaves to a second one.
 *
 * Most updates need no more than a bucket's first slab. The few that do need much code, and memory for what registers
 * have no room for, and a warp waits for them if it has a single one of them, as nearly every warp has. So the first
 * kernel does the others only, and these come to a list, in which they are warps of their own.
 */
#ifndef PLEACH_LATER_H
#define PLEACH_LATER_H

#include <stdint.h>

#include "staging.h"

typedef struct slow_list {
    uint64_t *count;
    uint32_t *elements; /* NULL: there is no list, the second kernel does them all */
} slow_list;

enum { LATER_FEW = 4096, LATER_BLOCKS = 1056 };

/* A list for an update of n elements. None if they are few, or too many to number, or there is no memory for it. */
slow_list slow_list_create(staging *s, size_t n);

#ifdef __CUDACC__
/* By all lanes of a warp: those with `mine` leave element i. */
PORT_FN void slow_list_push(slow_list later, bool mine, size_t i)
{
    uint32_t lanes = __ballot_sync(~0u, mine);
    unsigned lane = threadIdx.x % 32;
    unsigned long long first = 0;
    if (!lanes) return;
    if (lane == 0)
        first = atomicAdd((unsigned long long *)later.count, (unsigned long long)__popc(lanes));
    first = __shfl_sync(~0u, first, 0);
    if (mine) later.elements[first + __popc(lanes & ((1u << lane) - 1))] = (uint32_t)i;
}
#endif
#endif
