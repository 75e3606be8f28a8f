/* testkit/nodes/node_access.h - the words of nodes, for tests that look at nodes of either key width. */
#ifndef NODE_ACCESS_H
#define NODE_ACCESS_H

#include <stdint.h>

/* Any pair, for either width. */
typedef struct entry {
    uint64_t key, value;
} entry;

/* node_access.c is compiled once for each width. */
typedef struct node_access {
    entry (*load)(const void *node, unsigned slot);
    void (*store)(void *node, unsigned slot, entry entry);
    uint64_t *(*header)(void *node);
} node_access;

extern const node_access node_access_32, node_access_64;

static inline const node_access *node_access_of(unsigned key_bits)
{
    return key_bits == 32 ? &node_access_32 : &node_access_64;
}

#endif
