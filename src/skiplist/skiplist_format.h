/* skiplist/skiplist_format.h - chunks: nodes (node/node.h) with a state, and the numbers of the structure. */
#ifndef PLEACH_SKIPLIST_FORMAT_H
#define PLEACH_SKIPLIST_FORMAT_H

#include "../epoch/epoch_participant.h"
#include "../node/node_format.h"
#include "../pool/pool.h"
#include "../blink/blink_tree.h"

enum {
    SKIPLIST_LEVELS = 24, /* more than 2^31 chunks need with three pairs a chunk */
    CHUNK_FEW = NODE_CAPACITY / 3,     /* with fewer pairs a chunk takes its right neighbour in, */
    CHUNK_MUCH = NODE_CAPACITY * 3 / 4 /* if no more than these come together */
};

/* How a chunk stands with the level above. */
enum {
    CHUNK_LOW,     /* it has no pair there */
    CHUNK_RAISING, /* one agent is about to put its pair there, or to remove it; nobody else may */
    CHUNK_RAISED,  /* it has one */
    CHUNK_ZOMBIE   /* its left neighbour has taken its pairs; all that is left in it is the way there */
};

/* The header's bits for the level hold both: five bits and two. */
HEADER_FN unsigned chunk_level(uint64_t header) { return header_level(header) & 31; }
HEADER_FN unsigned chunk_state(uint64_t header) { return header_level(header) >> 5; }
HEADER_FN unsigned chunk_bits(unsigned level, unsigned state) { return level | state << 5; }
HEADER_FN uint64_t header_with_state(uint64_t header, unsigned state)
{
    return (header & ~((uint64_t)3 << 6)) | (uint64_t)state << 6;
}

/* The head array: the first chunks of all levels are the first of the pool, and stay. */
HEADER_FN uint32_t skiplist_head(uint32_t level) { return 1 + level; }
HEADER_FN uint64_t skiplist_root(uint32_t level) { return (uint64_t)level << 32 | skiplist_head(level); }

#endif
