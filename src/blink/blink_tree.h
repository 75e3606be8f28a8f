/* blink/blink_tree.h - what all agents of one map share, beside the nodes: host memory for a CPU map, device
 * memory for a GPU map. The same for both key widths. */
#ifndef PLEACH_BLINK_TREE_H
#define PLEACH_BLINK_TREE_H

#include "../base/op.h"
#include "../pool/pool.h"

enum { BLINK_STRIPES = 64, BLINK_MAX_LEVEL = 40 /* of a tree of 2^31 keys with two children a node, and some */ };

typedef struct blink_tree {
    uint64_t root;       /* level << 32 | node id; levels only grow */
    uint64_t root_latch; /* 0 or 1; held while a new root is put above the old one */
    uint64_t unposted;   /* splits whose separator found no room in the pool */
    /* Of a skiplist; else 0. */
    uint64_t restarts;   /* queries that read a chunk again, or began anew from the top */
    uint64_t returned;   /* chunks in the pool's free lists, more or less */
    uint64_t reclaimed;  /* chunks that ever went there */
    uint64_t reserved[2];
    pool_state pool;
    struct {
        uint64_t size;   /* keys inserted minus keys erased by the agents of this stripe; the sum is the map's size */
        uint64_t reserved[7];
    } stripe[BLINK_STRIPES];
} blink_tree;

#endif
