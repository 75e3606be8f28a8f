/* node/node_sizes.h - the size of a node in bytes, for code that handles nodes of any width without reading them. */
#ifndef PLEACH_NODE_SIZES_H
#define PLEACH_NODE_SIZES_H

#include <stddef.h>

#include "node_format.h"

/* A pair is a key and a value. node.h asserts that the result is the size of a node. */
static inline __attribute__((unused)) size_t node_bytes_with(unsigned slots, unsigned key_bits)
{
    return (size_t)slots * 2 * key_bits / 8;
}

static inline __attribute__((unused)) size_t node_bytes_of(unsigned key_bits)
{
    return node_bytes_with(NODE_SLOTS, key_bits);
}

#endif
