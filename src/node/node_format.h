/* node/node_format.h - the constants of the node format that do not depend on the key width; drawn in node.h. */
#ifndef PLEACH_NODE_FORMAT_H
#define PLEACH_NODE_FORMAT_H

#include "../port/port.h"

/* A file that processes skiplist chunks may define 32 before it includes this header. */
#ifndef PLEACH_NODE_SLOTS
#define PLEACH_NODE_SLOTS 16
#endif

enum {
    NODE_SLOTS = PLEACH_NODE_SLOTS,
    NODE_CAPACITY = NODE_SLOTS - 2, /* pairs */
    NODE_LINK_SLOT = NODE_SLOTS - 2,
    NODE_HEADER_SLOT = NODE_SLOTS - 1
};

enum { NODE_OLD_IMAGE = 0x7f }; /* level of a node that holds an old version of a leaf */

#define NODE_LINK 0x80000000u
#define NODE_NONE 0u

#ifndef NODE_HIT_WAITS
#define NODE_HIT_WAITS 0
#endif

typedef enum node_answer { NODE_FOUND, NODE_ABSENT, NODE_RIGHT, NODE_CHANGED } node_answer;

#define HEADER_LATCHED ((uint64_t)1)
#define HEADER_VERSION_ONE ((uint64_t)1 << 16)

/* Fields of `header`. The same in C and CUDA, and on the host too (the validator reads copies of device nodes). */
#ifdef __CUDACC__
#define NODE_ASSERT(condition) static_assert(condition, #condition)
#define HEADER_FN static __host__ __device__ __forceinline__
#else
#define NODE_ASSERT(condition) _Static_assert(condition, #condition)
#define HEADER_FN static inline __attribute__((unused))
#endif
HEADER_FN unsigned header_level(uint64_t header) { return (unsigned)(header >> 1) & 0x7f; }
HEADER_FN unsigned header_count(uint64_t header) { return (unsigned)(header >> 8) & 0xff; }
HEADER_FN uint64_t header_first(unsigned level, unsigned count)
{
    return (uint64_t)level << 1 | (uint64_t)count << 8 | HEADER_VERSION_ONE; /* 0 is memory that was never a node */
}
/* Returns the header to release a latch with: the next version, unlatched, with a new count. */
HEADER_FN uint64_t header_next(uint64_t latched, unsigned count)
{
    return ((latched & ~((uint64_t)0xff << 8) & ~HEADER_LATCHED) | (uint64_t)count << 8) + HEADER_VERSION_ONE;
}

#endif
