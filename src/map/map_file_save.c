/* map/map_file_save.c - writes a snapshot, or a graph's edges, to a file. Pairs are read from the snapshot, which does
 * not change, some blocks at a time, or taken from arrays. The number of pairs is known only at the end, so the header
 * is written last. A file that was written only in part therefore begins with zeros, and is not a valid pleach file. */
#include <string.h>

#include "map_object.h"
#include "../base/memory.h"
#include "../file/disk.h"
#include "../file/file.h"
#include "../file/file_format.h"

typedef struct writer {
    pleach_snapshot *snapshot;   /* or, if NULL, */
    const file_pairs *arrays;    /* 64-bit keys and values that ascend */
    unsigned key_bits;
    size_t key_bytes;
    uint32_t block_pairs;
    char *block; /* one block, in the format of the file */
    char *keys, *values;  /* buffers for read_pairs pairs of a snapshot */
    size_t read_pairs;
    new_file file;
    uint64_t place; /* where the next block goes */
    uint64_t blocks, pairs, sums;
} writer;

enum { READ_BYTES = 16 << 20 }; /* per call, because a call has a fixed cost, above all on a GPU */

/* Reads the pairs from `from` on, up to the size of the buffers. */
static pleach_status read_pairs(writer *w, key128 from, size_t *pairs)
{
    const pleach_map *map = w->snapshot->map;
    map_cell lo = map_cell_of(map, from), hi = map_cell_of(map, map_largest(map));
    uint64_t offsets[2];
    return pleach_snapshot_range(w->snapshot, 1, &lo, &hi, (uint32_t)w->read_pairs, w->read_pairs, w->keys, w->values,
                                 offsets, pairs);
}

static key128 last_key(const writer *w, size_t pairs)
{
    map_cell cell = {.widest = 0};
    memcpy(&cell, w->keys + (pairs - 1) * w->key_bytes, w->key_bytes);
    return w->key_bits == 32 ? cell.narrow : w->key_bits == 64 ? cell.wide : cell.widest;
}

static pleach_status write_block(writer *w, size_t pairs)
{
    file_block head = {.index = w->blocks, .pairs = (uint32_t)pairs};
    memcpy(w->block, &head, sizeof head);
    size_t bytes = file_block_bytes(w->key_bits, pairs);
    uint64_t sum = file_sum(w->block, bytes);
    memcpy(w->block + bytes, &sum, sizeof sum);
    pleach_status status = new_file_write(&w->file, w->block, bytes + sizeof sum, w->place);
    w->place += bytes + sizeof sum;
    w->blocks++;
    w->pairs += pairs;
    w->sums = file_sum_sums(w->sums, sum);
    return status;
}

/* Writes pairs, in order, as blocks; all blocks but the last are full. */
static pleach_status write_blocks(writer *w, const char *keys, const char *values, uint64_t count)
{
    for (uint64_t at = 0, pairs; at < count; at += pairs) {
        pairs = count - at < w->block_pairs ? count - at : w->block_pairs;
        char *to = w->block + sizeof(file_block);
        memcpy(to, keys + at * w->key_bytes, pairs * w->key_bytes);
        memcpy(to + pairs * w->key_bytes, values + at * w->key_bytes, pairs * w->key_bytes);
        pleach_status status = write_block(w, pairs);
        if (status != PLEACH_OK) return status;
    }
    return PLEACH_OK;
}

static pleach_status write_array_blocks(writer *w)
{
    return write_blocks(w, (const char *)w->arrays->keys, (const char *)w->arrays->values, w->arrays->count);
}

/* Progress: every read begins above the last key of the one before. Each read is a whole number of blocks. */
static pleach_status write_snapshot_blocks(writer *w)
{
    key128 from = 0, greatest = map_largest(w->snapshot->map), last = greatest;
    size_t pairs;
    do {
        pleach_status status = read_pairs(w, from, &pairs);
        if (status == PLEACH_OK && pairs > 0) {
            last = last_key(w, pairs);
            status = write_blocks(w, w->keys, w->values, pairs);
        }
        if (status != PLEACH_OK) return status;
        from = last + 1;
    } while (pairs == w->read_pairs && last < greatest); /* above the greatest key there is no `from` */
    return PLEACH_OK;
}

static pleach_status write_ends(writer *w)
{
    file_header header = {.byte_order = FILE_BYTE_ORDER, .version = PLEACH_FILE_VERSION,
                          .block_pairs = w->block_pairs, .pairs = w->pairs};
    header.key_bits = (uint16_t)w->key_bits;
    header.holds = w->snapshot ? FILE_HOLDS_MAP : FILE_HOLDS_GRAPH;
    memcpy(header.magic, FILE_MAGIC, sizeof header.magic);
    header.sum = file_header_sum(&header);
    file_trailer trailer = {.pairs = w->pairs, .sum = file_sum_sums(w->sums, header.sum)};
    pleach_status status = new_file_write(&w->file, &trailer, sizeof trailer, w->place);
    return status == PLEACH_OK ? new_file_write(&w->file, &header, sizeof header, 0) : status;
}

static pleach_status write_file(writer *w, const char *path)
{
    pleach_status status = new_file_begin(&w->file, path);
    if (status != PLEACH_OK) return status;
    status = w->snapshot ? write_snapshot_blocks(w) : write_array_blocks(w);
    if (status == PLEACH_OK) status = write_ends(w);
    if (status == PLEACH_OK) return new_file_finish(&w->file);
    new_file_discard(&w->file);
    return status;
}

/* Allocates buffers for as many whole blocks as READ_BYTES holds, but at least one. A small map leaves most of their
 * pages untouched. */
static bool room_to_read(writer *w)
{
    const size_t blocks = READ_BYTES / (2 * w->key_bytes * w->block_pairs);
    w->read_pairs = (blocks > 1 ? blocks : 1) * w->block_pairs;
    w->keys = base_grow(NULL, w->read_pairs, w->key_bytes); /* unlike base_alloc, it does not zero them */
    w->values = base_grow(NULL, w->read_pairs, w->key_bytes);
    return w->keys && w->values;
}

static pleach_status save(writer w, const char *path)
{
    w.key_bytes = w.key_bits / 8;
    w.place = sizeof(file_header);
    w.block = base_alloc(1, file_block_bytes(w.key_bits, w.block_pairs) + sizeof(uint64_t));
    pleach_status status = PLEACH_E_MEMORY;
    if (w.block && (!w.snapshot || room_to_read(&w))) status = write_file(&w, path);
    base_free(w.block);
    base_free(w.keys);
    base_free(w.values);
    return status;
}

pleach_status file_save(pleach_snapshot *snapshot, const char *path, uint32_t block_pairs)
{
    return save((writer){.snapshot = snapshot, .key_bits = snapshot->map->key_bits, .block_pairs = block_pairs}, path);
}

pleach_status file_save_pairs(const file_pairs *pairs, const char *path)
{
    return save((writer){.arrays = pairs, .key_bits = 64, .block_pairs = FILE_BLOCK_PAIRS}, path);
}
