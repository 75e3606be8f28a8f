/* test_file_format.c - files that are not as pleach writes them. Every one is refused, and the map that should have
 * been loaded stays as it was: cut short at any byte, any bit altered, parts exchanged, and files whose checksums are
 * right and whose contents are nonsense. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/folder.h"
#include "testkit/harness.h"
#include "testkit/pairs.h"

#ifndef PLEACH_HAVE_XXHASH

/* test_map_file sees that such a build says so. */
static void without_files(const setting *where)
{
    (void)where;
    there_are_no_files_in_this_build();
}

static const test_case cases[] = {{.name = "there_are_no_files_in_this_build", .run = without_files}};

#else

#include "base/memory.h"
#include "file/file.h"
#include "file/file_format.h"

enum { PAIRS = 10, BLOCK = 4, BLOCKS = 3, HELD = 20 };

/* A file of three blocks, and a map to load its like into. */
typedef struct trial {
    unsigned key_bits;
    folder folder;
    file_image good;
    wide target;
    pairs held; /* by the target */
} trial;

static file_image make_file(const setting *where, const folder *f, uint64_t salt)
{
    uint64_t top = where->key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    AT_END(pairs_free) pairs content = pairs_spread(PAIRS, top, salt);
    wide source = open_source(where, &content);
    pleach_snapshot *snapshot = snapshot_of(&source);
    assert_ok(file_save(snapshot, f->path, BLOCK));
    pleach_snapshot_release(snapshot);
    wide_close(&source);
    return file_image_read(f->path);
}

static trial trial_open(const setting *where)
{
    trial t = {.key_bits = where->key_bits, .folder = folder_open()};
    t.good = make_file(where, &t.folder, 1);
    t.held = pairs_spread(HELD, 1000, 2);
    t.target = open_target(where, 0, &t.held);
    return t;
}

/* The good file can still be loaded; so the refusals were not for another reason. */
static void trial_close(trial *t)
{
    file_image_write(t->folder.path, t->good.size, t->good.bytes);
    assert_ok(pleach_map_load_file(t->target.map, t->folder.path, 0));
    wide_close(&t->target);
    pairs_free(&t->held);
    free(t->good.bytes);
    folder_close(&t->folder);
}

/* Writes the bytes, tries to load them, and looks at the map. */
static pleach_status load_bytes(trial *t, size_t size, const uint8_t *bytes)
{
    file_image_write(t->folder.path, size, bytes);
    pleach_status status = pleach_map_load_file(t->target.map, t->folder.path, 0);
    if (status != PLEACH_OK)
        assert_holds(&t->target, &t->held);
    count_checked(1);
    return status;
}

static void assert_bad(trial *t, size_t size, const uint8_t *bytes)
{
    assert_int_equal(load_bytes(t, size, bytes), PLEACH_E_FORMAT);
}

/* ---- places in the file ---- */

static uint8_t *copy_of(const trial *t)
{
    uint8_t *copy = must_alloc(t->good.size, 1);
    memcpy(copy, t->good.bytes, t->good.size);
    return copy;
}

static size_t pairs_in(size_t block) { return block < BLOCKS - 1 ? BLOCK : PAIRS - (BLOCKS - 1) * BLOCK; }

static size_t block_size(const trial *t, size_t block)
{
    return file_block_bytes(t->key_bits, pairs_in(block)) + sizeof(uint64_t);
}

static size_t block_place(const trial *t, size_t block)
{
    return sizeof(file_header) + block * block_size(t, 0);
}

/* All checksums as they should be for what the file says now; what is wrong is something else then. */
static void repair(const trial *t, uint8_t *bytes)
{
    file_header header;
    uint64_t sum, sums = 0;
    memcpy(&header, bytes, sizeof header);
    header.sum = file_header_sum(&header);
    memcpy(bytes, &header, sizeof header);
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t size = block_size(t, i) - sizeof sum;
        sum = file_sum(bytes + block_place(t, i), size);
        memcpy(bytes + block_place(t, i) + size, &sum, sizeof sum);
        sums = file_sum_sums(sums, sum);
    }
    sum = file_sum_sums(sums, header.sum);
    memcpy(bytes + t->good.size - sizeof sum, &sum, sizeof sum);
}

/* The good file with other bytes somewhere, checksums repaired. */
static uint8_t *with_bytes(const trial *t, size_t place, const void *bytes, size_t size)
{
    uint8_t *copy = copy_of(t);
    memcpy(copy + place, bytes, size);
    repair(t, copy);
    return copy;
}

static pleach_status load_with(trial *t, size_t place, const void *bytes, size_t size)
{
    FREED uint8_t *copy = with_bytes(t, place, bytes, size);
    return load_bytes(t, t->good.size, copy);
}

static pleach_status load_with_number(trial *t, size_t place, uint32_t number)
{
    return load_with(t, place, &number, sizeof number);
}

/* ---- damage ---- */

static void a_good_file_is_taken(const setting *where)
{
    AT_END(trial_close) trial t = trial_open(where);
    FREED uint8_t *same = copy_of(&t);
    repair(&t, same); /* what this program knows of the format is right */
    assert_memory_equal(same, t.good.bytes, t.good.size);
    assert_ok(load_bytes(&t, t.good.size, same));
}

static void a_file_cut_short_or_too_long_is_refused(const setting *where)
{
    AT_END(trial_close) trial t = trial_open(where);
    for (size_t size = 0; size < t.good.size; size++)
        assert_bad(&t, size, t.good.bytes);
    size_t more = block_size(&t, 0);
    FREED uint8_t *longer = must_alloc(t.good.size + more, 1);
    memcpy(longer, t.good.bytes, t.good.size);
    memcpy(longer + t.good.size, t.good.bytes + block_place(&t, 0), more);
    for (size_t size = t.good.size + 1; size <= t.good.size + more; size++)
        assert_bad(&t, size, longer);
}

/* No bit of the file is without effect. A changed version may be a newer one for all that the reader knows. */
static void every_altered_bit_is_noticed(const setting *where)
{
    AT_END(trial_close) trial t = trial_open(where);
    FREED uint8_t *copy = copy_of(&t);
    size_t version = offsetof(file_header, version);
    pleach_file_info info;
    size_t step = where->device == PLEACH_CUDA ? 13 : 1; /* every look at a GPU map takes its time */
    for (size_t bit = 0; bit < 8 * t.good.size; bit += step) {
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        pleach_status status = load_bytes(&t, t.good.size, copy);
        bool in_version = bit / 8 >= version && bit / 8 < version + sizeof(uint32_t);
        assert_true(status == PLEACH_E_FORMAT || (in_version && status == PLEACH_E_NEWER));
        if (bit / 8 < sizeof(file_header))
            assert_int_equal(pleach_file_get_info(t.folder.path, &info), status);
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void exchanged_blocks_are_noticed(const setting *where)
{
    AT_END(trial_close) trial t = trial_open(where);
    AT_END(folder_close) folder elsewhere = folder_open();
    FREED uint8_t *copy = copy_of(&t);
    size_t size = block_size(&t, 0);
    memcpy(copy + block_place(&t, 0), t.good.bytes + block_place(&t, 1), size);
    memcpy(copy + block_place(&t, 1), t.good.bytes + block_place(&t, 0), size);
    assert_bad(&t, t.good.size, copy);
    memcpy(copy + block_place(&t, 0), t.good.bytes + block_place(&t, 0), size); /* the same one twice */
    assert_bad(&t, t.good.size, copy);
    memcpy(copy, t.good.bytes, t.good.size);
    file_image other = make_file(where, &elsewhere, 3); /* the same keys with other values */
    assert_int_equal(other.size, t.good.size);
    memcpy(copy + block_place(&t, 1), other.bytes + block_place(&t, 1), size);
    assert_bad(&t, t.good.size, copy);
    memcpy(copy, t.good.bytes, t.good.size);
    memcpy(copy, other.bytes, sizeof(file_header));
    assert_ok(load_bytes(&t, t.good.size, copy)); /* both begin alike */
    free(other.bytes);
}

/* ---- right checksums, wrong contents ---- */

static void foreign_and_newer_files_are_refused(const setting *where)
{
    AT_END(trial_close) trial t = trial_open(where);
    size_t version = offsetof(file_header, version);
    pleach_file_info info;
    uint8_t magic[8] = FILE_MAGIC;
    assert_int_equal(load_with_number(&t, offsetof(file_header, byte_order), __builtin_bswap32(FILE_BYTE_ORDER)),
                     PLEACH_E_FORMAT);
    assert_int_equal(load_with_number(&t, version, 0), PLEACH_E_FORMAT);
    assert_int_equal(pleach_file_get_info(t.folder.path, &info), PLEACH_E_FORMAT);
    assert_int_equal(info.version, 0);
    assert_int_equal(load_with_number(&t, version, PLEACH_FILE_VERSION + 1), PLEACH_E_NEWER);
    assert_int_equal(load_with_number(&t, version, UINT32_MAX), PLEACH_E_NEWER);
    assert_int_equal(pleach_file_get_info(t.folder.path, &info), PLEACH_E_NEWER);
    assert_int_equal(info.version, UINT32_MAX);
    assert_int_equal(info.key_bits, 0);
    for (size_t i = 0; i < sizeof magic; i++) {
        magic[i]++;
        assert_int_equal(load_with(&t, 0, magic, sizeof magic), PLEACH_E_FORMAT);
        magic[i]--;
    }
}

/* The head is right, and says that the pairs are a graph's, whose keys have 64 bits. */
static void graphs_are_refused(const setting *where)
{
    AT_END(trial_close) trial t = trial_open(where);
    uint16_t holds = FILE_HOLDS_GRAPH;
    pleach_file_info info;
    pleach_status expected = t.key_bits == 64 ? PLEACH_E_KIND : PLEACH_E_FORMAT;
    assert_int_equal(load_with(&t, offsetof(file_header, holds), &holds, sizeof holds), expected);
    assert_int_equal(pleach_file_get_info(t.folder.path, &info), t.key_bits == 64 ? PLEACH_OK : PLEACH_E_FORMAT);
    assert_int_equal(info.holds_graph, t.key_bits == 64);
    for (uint32_t other = FILE_HOLDS; other <= UINT16_MAX; other = other * 2 + 1) {
        holds = (uint16_t)other;
        assert_int_equal(load_with(&t, offsetof(file_header, holds), &holds, sizeof holds), PLEACH_E_FORMAT);
    }
}

static void heads_that_make_no_sense_are_refused(const setting *where)
{
    static const uint32_t widths[] = {0, 1, 16, 31, 33, 63, 65, 128, UINT32_MAX};
    static const uint32_t blocks[] = {0, 1, BLOCK - 1, BLOCK + 1, PAIRS, UINT32_MAX};
    AT_END(trial_close) trial t = trial_open(where);
    for (size_t i = 0; i < COUNT_OF(widths); i++)
        assert_int_equal(load_with_number(&t, offsetof(file_header, key_bits), widths[i]), PLEACH_E_FORMAT);
    for (size_t i = 0; i < COUNT_OF(blocks); i++)
        assert_int_equal(load_with_number(&t, offsetof(file_header, block_pairs), blocks[i]), PLEACH_E_FORMAT);
}

/* Sizes that are not the file's are noticed before any memory is asked for: opening, asking for the size, and reading
 * the head are all that is done. The last number makes the file's size overflow to what it is. */
static void absurd_sizes_cost_nothing(const setting *where)
{
    static const uint64_t numbers[] = {0, 1, PAIRS - 1, PAIRS + 1, (uint64_t)1 << 32, FILE_MOST_PAIRS - 1,
                                       FILE_MOST_PAIRS, FILE_MOST_PAIRS + 1, (uint64_t)1 << 60, (uint64_t)1 << 63,
                                       UINT64_MAX, UINT64_MAX / 8, UINT64_MAX / 16 + 1, PAIRS + ((uint64_t)1 << 63)};
    AT_END(trial_close) trial t = trial_open(where);
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        FREED uint8_t *copy = with_bytes(&t, offsetof(file_header, pairs), &numbers[i], sizeof numbers[i]);
        file_image_write(t.folder.path, t.good.size, copy);
        base_fail_allocations(0, 0);
        assert_int_equal(pleach_map_load_file(t.target.map, t.folder.path, 0), PLEACH_E_FORMAT);
        assert_int_equal(base_fail_allocations(0, 0), 3);
        assert_holds(&t.target, &t.held);
    }
}

static void blocks_that_make_no_sense_are_refused(const setting *where)
{
    AT_END(trial_close) trial t = trial_open(where);
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t place = block_place(&t, i);
        assert_int_equal(load_with_number(&t, place, (uint32_t)i + 1), PLEACH_E_FORMAT); /* index */
        assert_int_equal(load_with_number(&t, place + 8, (uint32_t)pairs_in(i) + 1), PLEACH_E_FORMAT);
        assert_int_equal(load_with_number(&t, place + 8, 0), PLEACH_E_FORMAT);
        assert_int_equal(load_with_number(&t, place + 12, 1), PLEACH_E_FORMAT); /* reserved */
    }
    assert_int_equal(load_with_number(&t, t.good.size - sizeof(file_trailer), PAIRS - 1), PLEACH_E_FORMAT);
}

/* Each key in turn becomes equal to the one before, which may be in another block. */
static void keys_out_of_order_are_refused(const setting *where)
{
    AT_END(trial_close) trial t = trial_open(where);
    size_t bytes = t.key_bits / 8;
    uint8_t previous[8] = {0};
    for (size_t i = 0; i < PAIRS; i++) {
        size_t place = block_place(&t, i / BLOCK) + sizeof(file_block) + i % BLOCK * bytes;
        if (i > 0)
            assert_int_equal(load_with(&t, place, previous, bytes), PLEACH_E_FORMAT);
        memcpy(previous, t.good.bytes + place, bytes);
    }
    uint64_t top = UINT64_MAX; /* the first key of all; then the second is less */
    assert_int_equal(load_with(&t, block_place(&t, 0) + sizeof(file_block), &top, bytes), PLEACH_E_FORMAT);
}

static const test_case cases[] = {
    CASE(a_good_file_is_taken),
    CASE(a_file_cut_short_or_too_long_is_refused),
    CASE(every_altered_bit_is_noticed),
    CASE(exchanged_blocks_are_noticed),
    CASE(foreign_and_newer_files_are_refused),
    CASE(graphs_are_refused),
    CASE(heads_that_make_no_sense_are_refused),
    CASE(absurd_sizes_cost_nothing),
    CASE(blocks_that_make_no_sense_are_refused),
    CASE(keys_out_of_order_are_refused),
};

#endif

int main(int argc, char **argv)
{
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
