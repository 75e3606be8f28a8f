/* blink/blink_check.h - the validator, and counts over all nodes. Both read a quiescent tree in host memory: a CPU map
 * itself, or a copy of a GPU map. */
#ifndef PLEACH_BLINK_CHECK_H
#define PLEACH_BLINK_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "../level/level_tree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct blink_counts {
    uint64_t keys, leaves, empty_leaves, inner;
    uint64_t shape;  /* the sum of the nodes' digests (blink_shape.h) */
    uint64_t images; /* nodes that hold old versions of leaves, in a map with versions */
} blink_counts;

/* Counts every node ever allocated (concurrent operations free none). */
void blink_count_nodes(unsigned key_bits, const blink_tree *tree, void *nodes, blink_counts *counts);

/* Returns true if every invariant of blink.h holds; otherwise the message names the first violation and its node. */
bool blink_validate(unsigned key_bits, const blink_tree *tree, void *nodes, char *message, size_t message_size);

/* The same for one key width: blink_check_width.c is compiled once for each. */
typedef struct blink_checks {
    void (*count_nodes)(const blink_tree *tree, void *nodes, blink_counts *counts);
    bool (*validate)(const blink_tree *tree, void *nodes, char *message, size_t message_size);
} blink_checks;

extern const blink_checks blink_checks_32, blink_checks_64, blink_checks_128;

/* The sum of the stripes' sizes. */
uint64_t blink_stripes_sum(const blink_tree *tree);

/* The number of keys: exact in a quiescent tree. */
uint64_t blink_size(const blink_tree *tree);

/* The number of ids that were handed out, including id 0. */
uint64_t blink_used_ids(const blink_tree *tree);

#ifdef __cplusplus
}
#endif
#endif
