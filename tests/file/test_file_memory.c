/* test_file_memory.c - files that claim more than they hold. A file can be as long as it says and be made of holes,
 * which take no room on the disk; loading it must take no more memory than what it has in fact, and a fixed step. Each
 * is loaded in a process of its own, whose memory is measured. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testkit/buffers.h"
#include "testkit/folder.h"
#include "testkit/harness.h"
#include "testkit/units.h"

#ifndef PLEACH_HAVE_XXHASH

static unit_case cases[] = {UNIT(there_are_no_files_in_this_build)};

#else

#include "file/file.h"
#include "file/file_format.h"

/* Steps, a small map, and what a sanitizer adds to them. */
enum { MOST_KIB = 64 << 10 };

typedef struct claim {
    uint16_t key_bits, holds;
    uint32_t block_pairs;
    uint64_t pairs;
} claim;

/* A file of holes whose header is right, for claims as in `c`. */
static int open_holes(const folder *f, const claim *c)
{
    file_header header = {.magic = FILE_MAGIC, .byte_order = FILE_BYTE_ORDER, .version = PLEACH_FILE_VERSION,
                          .key_bits = c->key_bits, .holds = c->holds, .block_pairs = c->block_pairs,
                          .pairs = c->pairs};
    header.sum = file_header_sum(&header);
    const int descriptor = open(f->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(descriptor >= 0);
    assert_int_equal(pwrite(descriptor, &header, sizeof header, 0), sizeof header);
    assert_int_equal(ftruncate(descriptor, (off_t)file_bytes(&header)), 0);
    return descriptor;
}

static void put(int descriptor, const void *bytes, size_t size, uint64_t place)
{
    assert_int_equal(pwrite(descriptor, bytes, size, (off_t)place), size);
}

/* The first block's head as it should be. */
static void put_block_head(int descriptor, const claim *c)
{
    const file_block head = {.pairs = (uint32_t)(c->pairs < c->block_pairs ? c->pairs : c->block_pairs)};
    put(descriptor, &head, sizeof head, sizeof(file_header));
}

static long peak_kib(void)
{
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    return used.ru_maxrss;
}

/* In a child: what loading the file says, and how much more memory than before it took. */
static int load_in_child(const char *path, const claim *c)
{
    pleach_status status;
    long before;
    if (c->holds == FILE_HOLDS_GRAPH) {
        pleach_graph *graph;
        assert_ok(pleach_graph_create(&graph, &(pleach_graph_config){.threads = 1}));
        before = peak_kib();
        status = pleach_graph_load_file(graph, path);
    } else {
        pleach_map *map;
        assert_ok(pleach_map_create(&map, &(pleach_map_config){.key_bits = c->key_bits, .threads = 1}));
        before = peak_kib();
        status = pleach_map_load_file(map, path, 0);
    }
    const long more = peak_kib() - before;
    if (status != PLEACH_E_FORMAT || more > MOST_KIB)
        fprintf(stderr, "%s, and %ld KiB\n", pleach_status_name(status), more);
    return status == PLEACH_E_FORMAT && more <= MOST_KIB ? 0 : 1;
}

static void assert_little_memory(const folder *f, const claim *c)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        _exit(load_in_child(f->path, c));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static const claim claims[] = {
    {64, FILE_HOLDS_MAP, FILE_BLOCK_PAIRS, 40000000},
    {32, FILE_HOLDS_MAP, FILE_BLOCK_PAIRS, 1000000000},
    {64, FILE_HOLDS_MAP, FILE_BLOCK_PAIRS, 1000000000},
    {128, FILE_HOLDS_MAP, FILE_BLOCK_PAIRS, 1000000000},
    {64, FILE_HOLDS_GRAPH, FILE_BLOCK_PAIRS, 1000000000},
    {64, FILE_HOLDS_MAP, UINT32_MAX, 1000000000},
    {128, FILE_HOLDS_MAP, UINT32_MAX, UINT64_C(20000000000)},
    {64, FILE_HOLDS_MAP, 1, 1000000000},
};

/* File systems have their own limits of length. */
static bool can_be_so_long(const claim *c)
{
    AT_END(folder_close) folder f = folder_open();
    const int descriptor = open(f.path, O_RDWR | O_CREAT, 0600);
    const file_header header = {.key_bits = c->key_bits, .block_pairs = c->block_pairs, .pairs = c->pairs};
    const bool can = ftruncate(descriptor, (off_t)file_bytes(&header)) == 0;
    close(descriptor);
    return can;
}

/* The header alone, and the header with the head of the first block. */
static void test_holes(void)
{
    for (size_t i = 0; i < COUNT_OF(claims); i++) {
        if (!can_be_so_long(&claims[i])) continue;
        AT_END(folder_close) folder f = folder_open();
        const int descriptor = open_holes(&f, &claims[i]);
        assert_little_memory(&f, &claims[i]);
        put_block_head(descriptor, &claims[i]);
        assert_little_memory(&f, &claims[i]);
        close(descriptor);
    }
}

/* Some keys that ascend, and no more; in one block that should have 10^9 of them. */
static void test_some_keys(void)
{
    enum { KEYS = 500000 };
    const claim c = {64, FILE_HOLDS_MAP, UINT32_MAX, 1000000000};
    FREED uint64_t *keys = must_alloc(KEYS, sizeof *keys);
    folder f = folder_open();
    const int descriptor = open_holes(&f, &c);
    for (uint64_t i = 0; i < KEYS; i++) keys[i] = i * 1000;
    put_block_head(descriptor, &c);
    put(descriptor, keys, KEYS * sizeof *keys, sizeof(file_header) + sizeof(file_block));
    assert_little_memory(&f, &c);
    close(descriptor);
    folder_close(&f);
}

/* A file that becomes shorter after its length was asked for cannot be had here; one that is shorter can. */
static void test_one_byte_short(void)
{
    for (size_t i = 0; i < COUNT_OF(claims); i++) {
        if (!can_be_so_long(&claims[i])) continue;
        AT_END(folder_close) folder f = folder_open();
        const int descriptor = open_holes(&f, &claims[i]);
        struct stat about;
        assert_int_equal(fstat(descriptor, &about), 0);
        assert_int_equal(ftruncate(descriptor, about.st_size - 1), 0);
        assert_little_memory(&f, &claims[i]);
        close(descriptor);
    }
}

static unit_case cases[] = {
    UNIT_NAMED("files of holes", test_holes),
    UNIT_NAMED("some keys, then holes", test_some_keys),
    UNIT_NAMED("one byte short", test_one_byte_short),
};

#endif

int main(int argc, char **argv)
{
    return run_units("test_file_memory", argc, argv, cases, sizeof cases / sizeof cases[0]);
}
