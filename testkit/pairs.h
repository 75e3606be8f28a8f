/* testkit/pairs.h - pairs that a map should hold, and maps that hold them. */
#ifndef PLEACH_TESTS_PAIRS_H
#define PLEACH_TESTS_PAIRS_H

#include "wide.h"

typedef struct pairs {
    size_t n;
    uint64_t *keys, *values; /* keys ascend */
} pairs;

/* n keys over the whole of the key space: a single one is 0; of more the first is 0 and the last is `top`. The salt
 * makes other values of it. */
pairs pairs_spread(size_t n, uint64_t top, uint64_t salt);

/* What the map, or the snapshot, holds. */
pairs pairs_of_map(const wide *w);
pairs pairs_of_snapshot(pleach_snapshot *snapshot, unsigned key_bits);

void pairs_free(pairs *p);

/* Fails the test if the map is not valid, or holds anything but these. */
void assert_holds(const wide *w, const pairs *expected);

/* A map on the CPU that can have snapshots (a tree), of the setting's width, with these pairs in it; and a map of the
 * setting, with versions (a tree) or without, with these in it. */
wide open_source(const setting *where, const pairs *content);
wide open_target(const setting *where, unsigned versioned, const pairs *content);

pleach_snapshot *snapshot_of(const wide *w);

#endif
