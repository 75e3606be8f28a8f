/* testkit/patterns.h - key sequences that have broken ordered maps before. */
#ifndef PLEACH_TESTS_PATTERNS_H
#define PLEACH_TESTS_PATTERNS_H

#include <stddef.h>
#include <stdint.h>

#include "random.h"

typedef enum pattern {
    SORTED,     /* 0, 1, 2 ... */
    REVERSE,    /* top, top-1 ... */
    ADJACENT,   /* both sides of the middle of the key space, outwards */
    EXTREMES,   /* 0, top, 1, top-1 ... */
    SPREAD,     /* equal distances over the whole key space, shuffled */
    CLUSTERED,  /* runs of neighbours at random places */
    RANDOM,     /* anywhere */
    PATTERNS
} pattern;

const char *pattern_name(pattern which);

/* n distinct keys up to top, in the pattern's order; must be freed. */
uint64_t *pattern_keys(pattern which, size_t n, uint64_t top, rng *r);

/* values[i] belongs to keys[i] and to nothing else; must be freed. */
uint64_t *values_for(size_t n, const uint64_t *keys, uint64_t top, uint64_t salt);

/* The value that values_for gives one key. */
uint64_t value_for(uint64_t key, uint64_t top, uint64_t salt);

#endif
