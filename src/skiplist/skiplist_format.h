/* skiplist/skiplist_format.h - chunks: nodes (node/node.h) with a state, and the constants of the structure. */
#ifndef PLEACH_SKIPLIST_FORMAT_H
#define PLEACH_SKIPLIST_FORMAT_H

#include "../epoch/epoch_participant.h"
#include "../node/node_format.h"
#include "../pool/pool.h"
#include "../level/level_tree.h"

enum {
    SKIPLIST_LEVELS = 24, /* more than 2^31 chunks need with three pairs per chunk */
    CHUNK_FEW = NODE_CAPACITY / 3,     /* a chunk with fewer pairs merges with its right neighbour, */
    CHUNK_MUCH = NODE_CAPACITY * 3 / 4 /* if together they have no more than this, or one of the two is empty */
};

/* The state of a chunk with respect to the level above. */
enum {
    CHUNK_LOW,     /* it has no pair there */
    CHUNK_RAISING, /* one thread is inserting or removing its pair there; no other may */
    CHUNK_RAISED,  /* it has one pair there */
    CHUNK_ZOMBIE   /* its left neighbour has taken its pairs; it only links to that neighbour */
};

/* The level bits of the header hold both: five bits of level and two of state. */
HEADER_FN unsigned chunk_level(uint64_t header) { return header_level(header) & 31; }
HEADER_FN unsigned chunk_state(uint64_t header) { return header_level(header) >> 5; }
HEADER_FN unsigned chunk_bits(unsigned level, unsigned state) { return level | state << 5; }
HEADER_FN uint64_t header_with_state(uint64_t header, unsigned state)
{
    return (header & ~((uint64_t)3 << 6)) | (uint64_t)state << 6;
}

/* The head array: the heads of all levels are the first chunks of the pool, and are never removed. */
HEADER_FN uint32_t skiplist_head(uint32_t level) { return 1 + level; }
HEADER_FN uint64_t skiplist_root(uint32_t level) { return (uint64_t)level << 32 | skiplist_head(level); }

#endif
