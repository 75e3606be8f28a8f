/* level/map_ref.h - a reference to a map's memory, passed by value to CPU loops and kernels alike. The pointers of a GPU
 * map are device pointers. */
#ifndef PLEACH_MAP_REF_H
#define PLEACH_MAP_REF_H

#include "../version/version.h"
#include "level_tree.h"

typedef struct map_ref {
    blink_tree *tree;
    void *nodes;
    struct versions versions; /* in a map with versions; in a skiplist only its epoch; otherwise all zeros */
    uint64_t raise;           /* in a skiplist: of 2^32 new chunks, how many get a pair in the level above */
} map_ref;

#endif
