/* cuda/warps.h - sums over the lanes of a warp, on every architecture. */
#ifndef PLEACH_WARPS_H
#define PLEACH_WARPS_H

PORT_FN int warp_sum(int mine)
{
    for (unsigned step = 16; step; step /= 2) mine += __shfl_xor_sync(~0u, mine, step);
    return mine;
}

PORT_FN uint32_t warp_least(uint32_t mine)
{
    for (unsigned step = 16; step; step /= 2) {
        uint32_t other = __shfl_xor_sync(~0u, mine, step);
        if (other < mine) mine = other;
    }
    return mine;
}

#endif
