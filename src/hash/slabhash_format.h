/* hash/slabhash_format.h - slabs, and the words of a table that is made of them. For all key widths. */
#ifndef PLEACH_SLABHASH_FORMAT_H
#define PLEACH_SLABHASH_FORMAT_H

#include "../base/op.h"
#include "../pool/pool_runs.h"

#ifdef PLEACH_SIM
enum { SLAB_PAYLOAD = 2 }; /* so that chains and growth come with few keys */
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
#define SLAB_VERSION ((uint64_t)1 << SLAB_VERSION_SHIFT) /* one */

PORT_FN uint32_t slab_mask(uint64_t header) { return (uint32_t)(header >> SLAB_MASK_SHIFT) & 0xfffffff; }

/* The lowest of some bits. */
PORT_FN unsigned slab_lowest(uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return (unsigned)__ffs((int)bits) - 1;
#else
    return (unsigned)__builtin_ctz(bits);
#endif
}

/* The next version of a header, with other flags and slots. */
PORT_FN uint64_t slab_next_header(uint64_t header, uint64_t flags, uint32_t mask)
{
    return ((header >> SLAB_VERSION_SHIFT) + 1) << SLAB_VERSION_SHIFT | (uint64_t)mask << SLAB_MASK_SHIFT | flags;
}

/* ---- groups, and the link ----
 *
 * A key is put into the group of slots that its hash names, which are a sector of a GPU's memory, as long as that has
 * room in its bucket's first slab. Else it is put elsewhere in the bucket, and the first slab's link says that keys of
 * this group are: who does not find a key in its group, and sees no such mark, need not look further.
 *
 *     link   bits 0-31 the next slab's id, 0: there is none | 32-35 of a first slab: group 0-3 has keys elsewhere
 */
#ifdef PLEACH_SIM
enum { SLAB_GROUPS = 2 };
PORT_FN unsigned slab_group(uint32_t hash) { return hash >> 31; }
#else
enum { SLAB_GROUPS = 4, SLAB_GROUP_WORDS = 4 }; /* the first one has header and link as well */
/* By seven pairs of words, because the first group has one and the others two. The bucket has the hash's low bits; of a
 * large table nearly all of them, so they must come in as well. */
PORT_FN unsigned slab_group(uint32_t hash)
{
    return ((unsigned)((uint64_t)(hash * 0x9e3779b1u) * 7 >> 32) + 1) / 2;
}
#endif

PORT_FN uint64_t slab_displaced_bit(unsigned group) { return (uint64_t)1 << (32 + group); }

/* Another next slab, and the marks as they were. */
PORT_FN uint64_t slab_relink(uint64_t link, uint32_t next) { return link >> 32 << 32 | next; }

/* ---- the root ----
 *
 *     bits 0-31 the first slab's id, 0: there is none | 32-36 log of the number of buckets | 37-63 version
 */
PORT_FN uint32_t slab_root_first(uint64_t root) { return (uint32_t)root; }
PORT_FN unsigned slab_root_log(uint64_t root) { return (unsigned)(root >> 32) & 31; }
PORT_FN uint64_t slab_root_of(uint32_t first, unsigned log) { return (uint64_t)log << 32 | first; }
PORT_FN uint64_t slab_root_after(uint64_t root, uint64_t place)
{
    return ((root >> 37) + 1) << 37 | (place & (((uint64_t)1 << 37) - 1));
}

/* The id of the slab where the bucket of this hash begins. */
PORT_FN uint32_t slab_bucket(uint64_t root, uint32_t hash)
{
    return slab_root_first(root) + (hash & (((uint32_t)1 << slab_root_log(root)) - 1));
}

/* ---- a table ---- */

/* Zeros: an empty table. 32 bytes, one sector of a GPU's memory. */
typedef struct slab_table {
    uint64_t root;
    uint64_t next;   /* the root that it moves to, without a version; 0: it does not move. 1: about to */
    uint64_t cursor; /* while it moves: first slab's id there << 32 | buckets that somebody has set out to move */
    uint64_t load;   /* bits 0-31 overflow slabs, or keys: slab_ref | 32 the owner's | 33-63 buckets that moved */
} slab_table;
enum { SLAB_NEXT_CLAIMED = 1, SLAB_MOVED_SHIFT = 33 };
#define SLAB_OWNERS ((uint64_t)1 << 32)

/* The hash function's seed. All tables of a structure, its copies and its views have the same. */
typedef struct slab_seed { uint64_t by, plus, low; } slab_seed;

/* How an agent reaches tables. */
typedef struct slab_ref {
    pool_runs_place runs;
    slab_seed seed;
    uint32_t load_of_keys; /* `load` counts keys, and this is how many of them in 1,024 slots are too many; 0: it
                            * counts overflow slabs, and more than one for OVERFLOW_PART buckets are too many */
    uint32_t hopeful;      /* 1: there will be more memory soon. Who wants to grow a table, and cannot, is not applied,
                            * because a chain that takes the growth's place may come to be very long */
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
