/* edge_random.h - random numbers for made graphs (splitmix64): integers only, the same on every machine. */
#ifndef PLEACH_TOOLS_EDGE_RANDOM_H
#define PLEACH_TOOLS_EDGE_RANDOM_H

#include <stdint.h>

static inline uint64_t edge_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The number at a place of a seed's sequence. */
static inline uint64_t edge_random(uint64_t seed, uint64_t place)
{
    return edge_mix(edge_mix(seed + 0x9e3779b97f4a7c15u) + (place + 1) * 0x9e3779b97f4a7c15u);
}

/* A chance from 0 to 1 as a bound for 32 random bits: below it, it is so. */
static inline uint64_t edge_chance(double chance)
{
    return chance <= 0 ? 0 : chance >= 1 ? (uint64_t)1 << 32 : (uint64_t)(chance * 4294967296.0);
}

#endif
