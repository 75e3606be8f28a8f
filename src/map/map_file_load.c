/* map/map_file_load.c - reads a file into a map. The file is not trusted: its size must be the one that its header
 * implies before any memory is allocated, every byte is covered by a checksum, and data with a correct checksum must
 * still be consistent. The map is changed only after all of that has been checked.
 *
 * MEMORY. A file can be long although it contains nothing: holes are read as zeros, and occupy no disk space. So memory
 * grows in steps with what has been read, and what was read must be consistent before the next step: a block's header
 * is checked before its keys are read, and the keys must ascend, which zeros do not. The values that belong to
 * ascending keys may be zeros. So memory never exceeds twice the file's real contents plus one step. */
#include <stdbool.h>
#include <string.h>

#include "map_object.h"
#include "../base/memory.h"
#include "../file/disk.h"
#include "../file/file.h"
#include "../file/file_format.h"

/* Keys or values: those that have been read, and space for more. */
typedef struct column {
    char *cells;
    uint64_t room;
} column;

typedef struct reader {
    old_file file;
    file_header header;
    uint64_t sums;
    column keys, values;
} reader;

/* ---- the header ---- */

static bool is_width(uint32_t key_bits) { return key_bits == 32 || key_bits == 64 || key_bits == 128; }

static bool header_makes_sense(const file_header *header, uint64_t bytes)
{
    return header->sum == file_header_sum(header) && is_width(header->key_bits) && header->holds < FILE_HOLDS &&
           (header->holds == FILE_HOLDS_MAP || header->key_bits == 64) && header->block_pairs > 0 &&
           header->pairs <= FILE_MOST_PAIRS && bytes == file_bytes(header);
}

static pleach_status read_header(reader *r)
{
    file_header *header = &r->header;
    pleach_status status = old_file_read(&r->file, header, sizeof *header);
    if (status != PLEACH_OK) return status;
    if (memcmp(header->magic, FILE_MAGIC, sizeof header->magic) != 0) return PLEACH_E_FORMAT;
    if (header->byte_order != FILE_BYTE_ORDER || header->version == 0) return PLEACH_E_FORMAT;
    if (header->version > PLEACH_FILE_VERSION) return PLEACH_E_NEWER; /* the format of what follows may have changed */
    return header_makes_sense(header, r->file.bytes) ? PLEACH_OK : PLEACH_E_FORMAT;
}

pleach_status file_read_info(const char *path, pleach_file_info *info)
{
    reader r = {0};
    pleach_status status = old_file_open(&r.file, path);
    if (status != PLEACH_OK) return status;
    status = read_header(&r);
    old_file_close(&r.file);
    if (status == PLEACH_OK || status == PLEACH_E_NEWER) info->version = r.header.version;
    if (status != PLEACH_OK) return status;
    info->key_bits = r.header.key_bits;
    info->pairs = r.header.pairs;
    info->holds_graph = r.header.holds == FILE_HOLDS_GRAPH;
    return PLEACH_OK;
}

/* ---- the blocks ---- */

enum { STEP_PAIRS = 1 << 16 };

static key128 key_at(const reader *r, uint64_t i)
{
    const char *keys = r->keys.cells;
    if (r->header.key_bits == 32) return ((const uint32_t *)keys)[i];
    return r->header.key_bits == 64 ? ((const uint64_t *)keys)[i] : ((const key128 *)keys)[i];
}

/* Begins with the key before the first of them, so that the order is checked across steps and blocks too. */
static bool keys_ascend(const reader *r, uint64_t first, uint64_t pairs)
{
    for (uint64_t i = first ? first : 1; i < first + pairs; i++)
        if (key_at(r, i) <= key_at(r, i - 1)) return false;
    return true;
}

/* Makes space for `wanted` cells, or for twice as many as before, so that the total cost of moving them stays low. */
static bool grow(const reader *r, column *c, uint64_t wanted)
{
    if (wanted <= c->room) return true;
    uint64_t room = wanted > 2 * c->room ? wanted : 2 * c->room;
    room = room < r->header.pairs ? room : r->header.pairs;
    char *cells = base_grow(c->cells, room, r->header.key_bits / 8);
    if (!cells) return false;
    *c = (column){cells, room};
    return true;
}

/* Reads the block's keys, or its values, from pair `first` on. */
static pleach_status read_column(reader *r, column *c, uint64_t first, uint64_t pairs, XXH64_state_t *sum)
{
    const size_t cell = r->header.key_bits / 8;
    for (uint64_t end = first + pairs, n; first < end; first += n) {
        n = end - first < STEP_PAIRS ? end - first : STEP_PAIRS;
        if (!grow(r, c, first + n)) return PLEACH_E_MEMORY;
        pleach_status status = old_file_read(&r->file, c->cells + first * cell, n * cell);
        if (status != PLEACH_OK) return status;
        if (c == &r->keys && !keys_ascend(r, first, n)) return PLEACH_E_FORMAT;
        XXH64_update(sum, c->cells + first * cell, n * cell);
    }
    return PLEACH_OK;
}

static pleach_status read_block(reader *r, uint64_t index, uint64_t first, uint64_t pairs)
{
    XXH64_state_t state;
    uint64_t sum;
    file_block head;
    pleach_status status = old_file_read(&r->file, &head, sizeof head);
    if (status != PLEACH_OK) return status;
    if (head.index != index || head.pairs != pairs || head.reserved != 0) return PLEACH_E_FORMAT;
    XXH64_reset(&state, 0);
    XXH64_update(&state, &head, sizeof head);
    status = read_column(r, &r->keys, first, pairs, &state);
    if (status == PLEACH_OK) status = read_column(r, &r->values, first, pairs, &state);
    if (status == PLEACH_OK) status = old_file_read(&r->file, &sum, sizeof sum);
    if (status != PLEACH_OK) return status;
    r->sums = file_sum_sums(r->sums, sum);
    return sum == XXH64_digest(&state) ? PLEACH_OK : PLEACH_E_FORMAT;
}

static pleach_status read_blocks(reader *r)
{
    uint64_t first = 0, most = r->header.block_pairs;
    for (uint64_t index = 0; first < r->header.pairs; index++) {
        uint64_t left = r->header.pairs - first, pairs = left < most ? left : most;
        pleach_status status = read_block(r, index, first, pairs);
        if (status != PLEACH_OK) return status;
        first += pairs;
    }
    return PLEACH_OK;
}

static pleach_status read_trailer(reader *r)
{
    file_trailer trailer;
    pleach_status status = old_file_read(&r->file, &trailer, sizeof trailer);
    if (status != PLEACH_OK) return status;
    bool right = trailer.pairs == r->header.pairs && trailer.sum == file_sum_sums(r->sums, r->header.sum);
    return right ? PLEACH_OK : PLEACH_E_FORMAT;
}

/* ---- the whole file ---- */

static pleach_status read_pairs(reader *r, unsigned key_bits, enum file_holds most)
{
    pleach_status status = read_header(r);
    if (status != PLEACH_OK) return status;
    if (r->header.holds > most) return PLEACH_E_KIND;
    if (r->header.key_bits != key_bits) return PLEACH_E_WIDTH;
    status = read_blocks(r);
    return status == PLEACH_OK ? read_trailer(r) : status;
}

/* Reads a file that holds a map's pairs or, if most is FILE_HOLDS_GRAPH, also one that holds a graph. The caller must
 * free the keys and values, whatever the status. */
static pleach_status read_file(reader *r, unsigned key_bits, enum file_holds most, const char *path)
{
    pleach_status status = old_file_open(&r->file, path);
    if (status != PLEACH_OK) return status;
    status = read_pairs(r, key_bits, most);
    old_file_close(&r->file);
    return status;
}

pleach_status file_load(pleach_map *map, const char *path, double fill)
{
    reader r = {0};
    pleach_status status = read_file(&r, map->key_bits, FILE_HOLDS_MAP, path);
    if (status == PLEACH_OK) status = map_replace(map, r.header.pairs, r.keys.cells, r.values.cells, fill);
    base_free(r.keys.cells);
    base_free(r.values.cells);
    return status;
}

pleach_status file_load_pairs(file_pairs *pairs, const char *path)
{
    reader r = {0};
    /* Files that are not marked as a graph's are accepted too: check_pairs decides. */
    pleach_status status = read_file(&r, 64, FILE_HOLDS_GRAPH, path);
    *pairs = (file_pairs){(uint64_t *)r.keys.cells, (uint64_t *)r.values.cells, r.header.pairs};
    if (status == PLEACH_OK) return PLEACH_OK;
    file_free_pairs(pairs);
    return status;
}

void file_free_pairs(file_pairs *pairs)
{
    base_free(pairs->keys);
    base_free(pairs->values);
    *pairs = (file_pairs){0};
}
