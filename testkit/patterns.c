#include "patterns.h"

#include <stdlib.h>

#include "buffers.h"

const char *pattern_name(pattern which)
{
    static const char *const names[PATTERNS] = {"sorted", "reverse",   "adjacent", "extremes",
                                                "spread", "clustered", "random"};
    return names[which];
}

/* One place of the key space for each key, so that keys are distinct: a random one in it. */
static uint64_t random_in_stratum(size_t i, size_t n, uint64_t top, rng *r)
{
    uint64_t width = top / n;
    return i * width + rng_below(r, width);
}

static uint64_t run_of_neighbours(size_t i, size_t n, uint64_t top, const uint64_t *starts)
{
    size_t runs = (n + 31) / 32;
    uint64_t width = top / runs;
    return (i / 32) * width + starts[i / 32] % (width - 32) + i % 32;
}

static uint64_t key_at(pattern which, size_t i, size_t n, uint64_t top, const uint64_t *starts, rng *r)
{
    uint64_t step = i / 2;
    switch (which) {
    case SORTED: return i;
    case REVERSE: return top - i;
    case ADJACENT: return i % 2 ? top / 2 - step : top / 2 + 1 + step;
    case EXTREMES: return i % 2 ? top - step : step;
    case SPREAD: return i * (top / n);
    case CLUSTERED: return run_of_neighbours(i, n, top, starts);
    default: return random_in_stratum(i, n, top, r);
    }
}

uint64_t *pattern_keys(pattern which, size_t n, uint64_t top, rng *r)
{
    uint64_t *keys = must_alloc(n, sizeof *keys);
    FREED uint64_t *starts = must_alloc(n / 32 + 1, sizeof *starts);
    for (size_t i = 0; i < n / 32 + 1; i++)
        starts[i] = rng_next(r);
    for (size_t i = 0; i < n; i++)
        keys[i] = key_at(which, i, n, top, starts, r);
    if (which == SPREAD || which == CLUSTERED || which == RANDOM)
        shuffle(r, n, keys);
    return keys;
}

uint64_t value_for(uint64_t key, uint64_t top, uint64_t salt)
{
    return mix64(key + mix64(salt)) & top;
}

uint64_t *values_for(size_t n, const uint64_t *keys, uint64_t top, uint64_t salt)
{
    uint64_t *values = must_alloc(n, sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = value_for(keys[i], top, salt);
    return values;
}
