/* tree_host.h - trees of tree.h on the host: made of sorted keys, and checked while nobody is changing them. */
#ifndef PLEACH_BENCH_ABLATIONS_TREE_HOST_H
#define PLEACH_BENCH_ABLATIONS_TREE_HOST_H

#include "variants.h"

enum { ABL_FILL = 10 }; /* pairs of a node in a tree that is made at once */

/* Nodes for a tree that is made of n keys, and for as many more inserted one by one. */
size_t abl_nodes_for(size_t n, size_t inserts);

/* False: memory is lacking. */
bool abl_tree_create(abl_tree *tree, size_t capacity);
void abl_tree_destroy(abl_tree *tree);

/* A tree of keys in ascending order, each with its value. */
void abl_tree_build(abl_tree *tree, const uint32_t *keys, size_t n);

/* What the leaves hold: how many pairs, and a sum over their keys that tells sets of keys apart. */
typedef struct abl_content {
    uint64_t count, sum;
} abl_content;

uint64_t abl_key_sum(uint32_t key);

/* The whole tree: NULL, or what is wrong with it. */
const char *abl_tree_check(abl_tree tree, abl_content *content);

#endif
