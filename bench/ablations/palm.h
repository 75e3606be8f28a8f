/* palm.h - a small tree of 32-bit keys that takes sorted batches, as J. Sewall and others, PALM, do: all leaves are
 * found, then changed leaf by leaf, and new nodes go into their parents level by level. One thread; with two choices:
 *
 *   append     pairs of a leaf have no order: new ones are appended, the last one fills a gap, and splits sort them
 *   parents    nodes know their parents; else the way down is kept for every operation
 *
 * Nodes that lose keys are not merged.
 */
#ifndef PLEACH_BENCH_ABLATIONS_PALM_H
#define PLEACH_BENCH_ABLATIONS_PALM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tree_host.h"

enum { PALM_KEYS = 32, PALM_DEGREE = 30, PALM_FILL = 20, PALM_LEVELS = 12, PALM_BATCH = 8192 };
#define PALM_EMPTY UINT32_MAX /* no key */

/* Four lines. Inner nodes have the lowest key of each child, 0 in the leftmost, in order. Others are PALM_EMPTY. */
struct palm_node {
    uint32_t keys[PALM_KEYS];
    uint32_t below[PALM_DEGREE]; /* values, or children */
    uint32_t count, parent;
};

/* A new child on its way into its parent. */
struct palm_rise {
    uint32_t key, child, parent, op; /* op: one that passed through them */
};

struct palm {
    bool append, parents;
    struct palm_node *nodes;
    uint32_t root, height, taken, capacity;
    uint32_t *ways[PALM_LEVELS];      /* nodes by level and operation; with parents, one level */
    uint32_t way_height;              /* of the tree when they were made */
    uint32_t *keys, *below;           /* of a node with all that goes into it */
    struct palm_rise *rising, *risen; /* into the level, out of it */
    size_t risen_count;
    uint64_t splits, moved, parents_written; /* moved: pairs of leaves, to make or fill gaps */
};

/* Room for n keys, and for some more inserted. False: memory is lacking; palm_destroy is due in any case. */
bool palm_create(struct palm *tree, size_t n, size_t inserts);
void palm_destroy(struct palm *tree);

/* Made of n keys, in ascending order, each with its value. */
void palm_build(struct palm *tree, const uint32_t *keys, size_t n);

/* Takes the nodes of another tree of the same size. */
void palm_copy(struct palm *tree, const struct palm *from);

/* Ascending different keys, at most PALM_BATCH: odd ones are inserted, even ones erased. answers: whether it was new,
 * or there. False: no room. */
bool palm_update(struct palm *tree, const uint32_t *keys, size_t n, uint8_t *answers);

/* values: PALM_EMPTY where a key is not there. */
void palm_find(struct palm *tree, const uint32_t *keys, size_t n, uint32_t *values);

/* NULL, or what is wrong with the tree. */
const char *palm_check(const struct palm *tree, abl_content *content);

#endif
