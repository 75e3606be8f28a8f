/* level/level_tree.h - the shared state of a map apart from its nodes: in host memory for a CPU map, in device memory
 * for a GPU map. The same for all key widths. */
#ifndef PLEACH_LEVEL_TREE_H
#define PLEACH_LEVEL_TREE_H

#include "../base/op.h"
#include "../pool/pool.h"

enum { BLINK_STRIPES = 64, BLINK_MAX_LEVEL = 40 /* a tree of 2^31 keys with two children per node, and reserve */ };

typedef struct blink_tree {
    uint64_t root;       /* level << 32 | node id; levels only grow */
    uint64_t root_latch; /* 0 or 1; held while a new root is installed above the old one */
    uint64_t unposted;   /* splits whose separator was not posted because the pool was empty */
    /* In a skiplist; otherwise 0. */
    uint64_t restarts;   /* queries that read a chunk again or restarted from the top */
    uint64_t returned;   /* chunks in the pool's free lists, approximately */
    uint64_t reclaimed;  /* chunks ever returned to the free lists */
    uint64_t reserved[2];
    pool_state pool;
    struct {
        uint64_t size;   /* keys inserted minus keys erased by the threads of this stripe; the sum is the map's size */
        uint64_t reserved[7];
    } stripe[BLINK_STRIPES];
} blink_tree;

#endif
