/* testkit/random.h - the tests' own random numbers (splitmix64), so that a seed means the same on every machine. */
#ifndef PLEACH_TESTS_RANDOM_H
#define PLEACH_TESTS_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rng {
    uint64_t state;
} rng;

/* A one-to-one scrambling of 64 bits. */
static inline uint64_t mix64(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t rng_next(rng *r)
{
    r->state += 0x9e3779b97f4a7c15u;
    return mix64(r->state);
}

/* Below n; n > 0. The bias of the remainder is harmless here. */
static inline uint64_t rng_below(rng *r, uint64_t n)
{
    return rng_next(r) % n;
}

static inline bool rng_percent(rng *r, unsigned percent)
{
    return rng_below(r, 100) < percent;
}

/* Independent numbers for each part of a test. */
static inline rng rng_for(uint64_t seed, uint64_t part)
{
    return (rng){mix64(seed) ^ mix64(part + 1)};
}

static inline void shuffle(rng *r, size_t n, uint64_t *items)
{
    for (size_t i = n; i > 1; i--) {
        size_t other = (size_t)rng_below(r, i);
        uint64_t kept = items[i - 1];
        items[i - 1] = items[other];
        items[other] = kept;
    }
}

#endif
