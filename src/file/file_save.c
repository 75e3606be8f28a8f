/* file/file_save.c - a snapshot, or a graph's edges, become a file. Block after block is read from the snapshot, which
 * holds still, or from arrays, and written; the number of pairs is known at the end, so the head is written last. A file
 * that somebody finds half written therefore begins with zeros, and is no file of pleach's. */
#include <string.h>

#include "../api/map_object.h"
#include "../base/memory.h"
#include "disk.h"
#include "file.h"
#include "file_format.h"

typedef struct writer {
    pleach_snapshot *snapshot;   /* or, with NULL, */
    const file_pairs *arrays;    /* 64-bit keys and values that ascend */
    unsigned key_bits;
    size_t key_bytes;
    uint32_t block_pairs;
    char *block; /* one block as it stands in the file */
    new_file file;
    uint64_t place; /* where the next block goes */
    uint64_t blocks, pairs, sums;
} writer;

/* The pairs from `from` on, as many as fit into a block, to their places in it. */
static pleach_status read_block(writer *w, key128 from, size_t *pairs)
{
    const pleach_map *map = w->snapshot->map;
    map_cell lo = map_cell_of(map, from), hi = map_cell_of(map, map_largest(map));
    uint64_t offsets[2];
    char *keys = w->block + sizeof(file_block), *values = keys + w->block_pairs * w->key_bytes;
    pleach_status status = pleach_snapshot_range(w->snapshot, 1, &lo, &hi, w->block_pairs, w->block_pairs, keys, values,
                                                 offsets, pairs);
    if (status == PLEACH_OK) memmove(keys + *pairs * w->key_bytes, values, *pairs * w->key_bytes);
    return status;
}

static key128 last_key(const writer *w, size_t pairs)
{
    map_cell cell = {.widest = 0};
    memcpy(&cell, w->block + sizeof(file_block) + (pairs - 1) * w->key_bytes, w->key_bytes);
    return map_number_of(w->snapshot->map, cell);
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

static pleach_status write_array_blocks(writer *w)
{
    const file_pairs *from = w->arrays;
    for (uint64_t at = 0, pairs; at < from->count; at += pairs) {
        pairs = from->count - at < w->block_pairs ? from->count - at : w->block_pairs;
        char *keys = w->block + sizeof(file_block);
        memcpy(keys, from->keys + at, pairs * w->key_bytes);
        memcpy(keys + pairs * w->key_bytes, from->values + at, pairs * w->key_bytes);
        pleach_status status = write_block(w, pairs);
        if (status != PLEACH_OK) return status;
    }
    return PLEACH_OK;
}

/* Progress: every block begins above the last key of the one before. */
static pleach_status write_snapshot_blocks(writer *w)
{
    key128 from = 0, greatest = map_largest(w->snapshot->map), last = greatest;
    size_t pairs;
    do {
        pleach_status status = read_block(w, from, &pairs);
        if (status == PLEACH_OK && pairs > 0) {
            last = last_key(w, pairs);
            status = write_block(w, pairs);
        }
        if (status != PLEACH_OK) return status;
        from = last + 1;
    } while (pairs == w->block_pairs && last < greatest); /* beyond the greatest key there is no `from` */
    return PLEACH_OK;
}

static pleach_status write_ends(writer *w)
{
    file_header header = {.byte_order = FILE_BYTE_ORDER, .version = PLEACH_FILE_VERSION, .key_bits = w->key_bits,
                          .block_pairs = w->block_pairs, .pairs = w->pairs};
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

static pleach_status save(writer w, const char *path)
{
    w.key_bytes = w.key_bits / 8;
    w.place = sizeof(file_header);
    w.block = base_alloc(1, file_block_bytes(w.key_bits, w.block_pairs) + sizeof(uint64_t));
    if (!w.block) return PLEACH_E_MEMORY;
    pleach_status status = write_file(&w, path);
    base_free(w.block);
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
