/* hash/slabhash_format.h - slabs, and the words of a table made of slabs. For all key widths. */
#ifndef PLEACH_SLABHASH_FORMAT_H
#define PLEACH_SLABHASH_FORMAT_H

#include "../base/op.h"
#include "../pool/pool_runs.h"

#ifdef PLEACH_SIM
enum { SLAB_PAYLOAD = 2 }; /* so that few keys suffice for chains and growth */
#else
enum { SLAB_PAYLOAD = 14 };
#endif
enum { SLAB_WORDS = 16, SLAB_BYTES = 128, SLAB_HEADER = 0, SLAB_LINK = 1, SLAB_FIRST = 2 };

typedef struct slab { uint64_t word[SLAB_WORDS]; } slab;

/* ---- the header ----
 *
 *     bit 0 latch | 1 moved | 2 other | 3-30 which slots are taken | 31-63 version
 */
enum { SLAB_LATCHED = 1, SLAB_MOVED = 2, SLAB_OTHER = 4, SLAB_MASK_SHIFT = 3, SLAB_VERSION_SHIFT = 31 };
#define SLAB_VERSION ((uint64_t)1 << SLAB_VERSION_SHIFT) /* adds one to the version */

PORT_FN uint32_t slab_mask(uint64_t header) { return (uint32_t)(header >> SLAB_MASK_SHIFT) & 0xfffffff; }

/* Returns the position of the lowest bit. At least one bit must be set. */
PORT_FN unsigned slab_lowest(uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return (unsigned)__ffs((int)bits) - 1;
#else
    return (unsigned)__builtin_ctz(bits);
#endif
}

/* Returns a header with the next version, and the given flags and slots. */
PORT_FN uint64_t slab_next_header(uint64_t header, uint64_t flags, uint32_t mask)
{
    return ((header >> SLAB_VERSION_SHIFT) + 1) << SLAB_VERSION_SHIFT | (uint64_t)mask << SLAB_MASK_SHIFT | flags;
}

/* ---- groups, and the link ----
 *
 * A group of slots is a sector of a GPU's memory. A key is put into the group that its hash names, in its bucket's
 * first slab, as long as that has a free slot. Otherwise it is put elsewhere in the bucket, and the first slab's link
 * gets the group's displaced bit. A thread that does not find a key in its group, and sees no such bit, need not search
 * further.
 *
 *     link   bits 0-31 id of the next slab, or 0 | 32-35 in a first slab: displaced bits of groups 0-3
 */
#ifdef PLEACH_SIM
enum { SLAB_GROUPS = 2 };
PORT_FN unsigned slab_group(uint32_t hash) { return hash >> 31; }
#else
enum { SLAB_GROUPS = 4, SLAB_GROUP_WORDS = 4 }; /* group 0 includes header and link */
/* One key in seven goes to group 0 and two in seven to each other group, because group 0 has one pair of words and the
 * others have two. The low bits of the hash select the bucket; in a large table these are nearly all bits, so they must
 * also contribute to the group. */
PORT_FN unsigned slab_group(uint32_t hash)
{
    return ((unsigned)((uint64_t)(hash * 0x9e3779b1u) * 7 >> 32) + 1) / 2;
}
#endif

PORT_FN uint64_t slab_displaced_bit(unsigned group) { return (uint64_t)1 << (32 + group); }

/* Returns the link with another next slab and the same displaced bits. */
PORT_FN uint64_t slab_relink(uint64_t link, uint32_t next) { return link >> 32 << 32 | next; }

/* ---- the root ----
 *
 *     bits 0-31 id of the first slab, or 0 | 32-36 log of the number of buckets | 37-63 version
 */
PORT_FN uint32_t slab_root_first(uint64_t root) { return (uint32_t)root; }
PORT_FN unsigned slab_root_log(uint64_t root) { return (unsigned)(root >> 32) & 31; }
PORT_FN uint64_t slab_root_of(uint32_t first, unsigned log) { return (uint64_t)log << 32 | first; }
PORT_FN uint64_t slab_root_after(uint64_t root, uint64_t place)
{
    return ((root >> 37) + 1) << 37 | (place & (((uint64_t)1 << 37) - 1));
}

/* Returns the id of the first slab of the bucket of this hash. */
PORT_FN uint32_t slab_bucket(uint64_t root, uint32_t hash)
{
    return slab_root_first(root) + (hash & (((uint32_t)1 << slab_root_log(root)) - 1));
}

/* ---- a table ---- */

/* All zeros is an empty table. 32 bytes, one sector of a GPU's memory. */
typedef struct slab_table {
    uint64_t root;
    uint64_t next;   /* root that it moves to, without version; 0 if it does not move, 1 if about to */
    uint64_t cursor; /* while it moves: first slab's id there << 32 | buckets that threads have claimed to move */
    uint64_t load;   /* bits 0-31 overflow slabs, or keys: slab_ref | 32 the owner's | 33-63 buckets that moved */
} slab_table;
enum { SLAB_NEXT_CLAIMED = 1, SLAB_MOVED_SHIFT = 33 };
#define SLAB_OWNERS ((uint64_t)1 << 32)

/* The hash function's seed, the same for all tables of a structure, its copies and its views. */
typedef struct slab_seed { uint64_t by, plus, low; } slab_seed;

/* How a thread reaches tables. */
typedef struct slab_ref {
    pool_runs_place runs;
    slab_seed seed;
    uint32_t load_of_keys; /* not 0: `load` counts keys, and a table grows at this many keys per 1,024 slots. 0: `load`
                            * counts overflow slabs, and it grows at one per SLAB_OVERFLOW_PART buckets */
    uint32_t hopeful;      /* 1: the pool gets more memory soon. An insert that needs growth, and cannot have it, is not
                            * applied, because the chain that it would lengthen could become very long */
} slab_ref;
enum { SLAB_OVERFLOW_PART = 8 };

PORT_FN slab *slab_at(const slab_ref *place, uint32_t id)
{
    return (slab *)pool_address(place->runs.nodes, id, SLAB_BYTES);
}

PORT_FN uint32_t slab_load(uint64_t load) { return (uint32_t)load; }
PORT_FN uint64_t slab_moved(uint64_t load) { return load >> SLAB_MOVED_SHIFT; }

typedef enum slab_step { SLAB_DONE, SLAB_AGAIN, SLAB_NEEDS_SLOW_PATH } slab_step;

#endif
