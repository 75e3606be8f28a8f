/* cuda/slow_list.h - elements of an array call that a fast-path kernel leaves to a slow-path kernel.
 *
 * Most updates touch only the first slab of their bucket. The others run a long code path that spills registers, and a
 * single such lane stalls its warp; nearly every warp has one. The first kernel therefore runs the fast path only and
 * appends the other elements to a list, which a second kernel processes in full warps.
 */
#ifndef PLEACH_LATER_H
#define PLEACH_LATER_H

#include <stdint.h>

#include "staging.h"

typedef struct slow_list {
    uint64_t *count;
    uint32_t *elements; /* NULL if there is no list: the second kernel processes all elements */
} slow_list;

enum { LATER_FEW = 4096, LATER_BLOCKS = 1056 };

/* Returns a list for an update of n elements; none if they are few, or too many to index, or if there is no memory. */
slow_list slow_list_create(staging *s, size_t n);

#ifdef __CUDACC__
/* Must be called by all lanes of a warp: each lane with `mine` appends its element i. */
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
