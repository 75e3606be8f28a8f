/* file/file_format.h - the parts of a file of pairs; docs/file-format.md draws them.
 *
 * Numbers are in the byte order of the machine that wrote them, and the header states which one that is. Checksums are
 * XXH64: its specification will not change, and it is at least as fast as any disk.
 */
#ifndef PLEACH_FILE_FORMAT_H
#define PLEACH_FILE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL 1
#include <xxhash.h>

#include "../../include/pleach/file.h"

/* The first byte is not text, and the last is one that text conversions change. */
#define FILE_MAGIC "\x89pleach\n"
#define FILE_BYTE_ORDER UINT32_C(0x01020304)

/* More than any map can hold, and small enough that sizes computed from it do not overflow. */
#define FILE_MOST_PAIRS (UINT64_C(1) << 48)

/* The structure that the pairs belong to. A graph's pairs are 64-bit keys, which mean nothing to a map. */
enum file_holds { FILE_HOLDS_MAP, FILE_HOLDS_GRAPH, FILE_HOLDS };

/* The first 16 bytes have the same meaning in every version. */
typedef struct file_header {
    char magic[8];
    uint32_t byte_order;
    uint32_t version;
    uint16_t key_bits;
    uint16_t holds; /* enum file_holds */
    uint32_t block_pairs; /* in each block but the last, which has the remainder */
    uint64_t pairs;
    uint64_t sum; /* of everything before it */
} file_header;

/* Followed by the keys, the values, and the checksum of all three. */
typedef struct file_block {
    uint64_t index;
    uint32_t pairs;
    uint32_t reserved; /* 0 */
} file_block;

typedef struct file_trailer {
    uint64_t pairs;
    uint64_t sum; /* of all checksums before it, see file_sum_sums */
} file_trailer;

_Static_assert(sizeof(file_header) == 40 && sizeof(file_block) == 16 && sizeof(file_trailer) == 16, "no padding");

static inline uint64_t file_sum(const void *bytes, size_t size) { return XXH64(bytes, size, 0); }

static inline uint64_t file_header_sum(const file_header *header)
{
    return file_sum(header, offsetof(file_header, sum));
}

/* Combines checksums: those of the blocks, then the header's. So no block can come from another file or position. */
static inline uint64_t file_sum_sums(uint64_t sums, uint64_t next) { return XXH64(&next, sizeof next, sums); }

/* Returns the bytes of a block up to its checksum. */
static inline size_t file_block_bytes(unsigned key_bits, uint64_t pairs)
{
    return sizeof(file_block) + 2 * pairs * (key_bits / 8);
}

/* Returns the bytes of the whole file. */
static inline uint64_t file_bytes(const file_header *header)
{
    uint64_t blocks = header->pairs / header->block_pairs + (header->pairs % header->block_pairs != 0);
    return sizeof *header + blocks * (sizeof(file_block) + sizeof(uint64_t)) +
           header->pairs * 2 * (header->key_bits / 8) + sizeof(file_trailer);
}

#endif
