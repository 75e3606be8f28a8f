/* mix.h - scrambling functions: where the tools need random-looking keys, orders and values.
 *
 * All of them are computed from an index, so that a generated array can be checked without keeping another one.
 * Multiplying by an odd number and xoring a number with its own upper bits are both invertible, on any word of k
 * bits; so are chains of them. That is why mix_key and mix_order never give the same output twice.
 */
#ifndef PLEACH_TOOLS_MIX_H
#define PLEACH_TOOLS_MIX_H

#include <stdint.h>

static inline uint64_t mix64(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 29;
    x *= 0xa0761d6478bd642fu;
    x ^= x >> 32;
    return x;
}

static inline uint32_t mix32(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

/* A one-to-one scrambling of all keys of the given width. */
static inline uint64_t mix_key(unsigned bits, uint64_t i)
{
    return bits == 32 ? mix32((uint32_t)i + 0x9e3779b9u) : mix64(i + 0x9e3779b97f4a7c15u);
}

/* A one-to-one scrambling of 0 .. count-1. Works on the enclosing power of two, and where that leads outside applies
 * itself again: the orbit of an inside point comes back inside, after less than two rounds on average. */
struct mix_order {
    uint64_t count, mask, seed;
    unsigned shift;
};

static inline struct mix_order mix_order_make(uint64_t count, uint64_t seed)
{
    unsigned bits = 1;
    while (bits < 63 && ((uint64_t)1 << bits) < count) bits++;
    return (struct mix_order){count, ((uint64_t)1 << bits) - 1, mix64(seed), (bits + 1) / 2};
}

static inline uint64_t mix_order_at(const struct mix_order *order, uint64_t i)
{
    uint64_t x = i;
    do {
        x = (x ^ order->seed) & order->mask;
        for (int round = 0; round < 3; round++) {
            x = (x * 0xa0761d6478bd642fu + (order->seed >> 7)) & order->mask;
            x ^= x >> order->shift;
        }
    } while (x >= order->count);
    return x;
}

/* A small random number generator: a counter, scrambled. */
struct mix_random {
    uint64_t state;
};

static inline uint64_t mix_next(struct mix_random *random) { return mix64(random->state += 0x9e3779b97f4a7c15u); }

/* A number below bound, which is at most 2^32. */
static inline uint64_t mix_below(struct mix_random *random, uint64_t bound)
{
    return ((mix_next(random) >> 32) * bound) >> 32;
}

#endif
