/* test_map_file.c - maps saved to files and loaded again: whatever was in the snapshot is in the map, and a save that
 * fails leaves nothing behind. What a file must not contain is test_file_format's business. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "file/file.h"
#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/folder.h"
#include "testkit/harness.h"
#include "testkit/pairs.h"
#include "testkit/random.h"

static uint64_t top_of(const setting *where) { return where->key_bits == 32 ? UINT32_MAX : UINT64_MAX; }

#ifdef PLEACH_HAVE_XXHASH

/* Another width than the setting's. */
static setting other_width(const setting *where)
{
    setting other = *where;
    other.key_bits = where->key_bits == 32 ? 64 : 32;
    return other;
}

/* Saves in blocks of this size, and checks that the file is all that there is afterwards. */
static void save(const setting *where, const pairs *content, const folder *f, uint32_t block_pairs)
{
    AT_END(wide_close) wide source = open_source(where, content);
    pleach_snapshot *snapshot = snapshot_of(&source);
    long held = base_held();
    if (block_pairs == FILE_BLOCK_PAIRS)
        assert_ok(pleach_snapshot_save(snapshot, f->path));
    else
        assert_ok(file_save(snapshot, f->path, block_pairs));
    assert_int_equal(base_held(), held);
    assert_int_equal(folder_entries(f), 1);
    pleach_snapshot_release(snapshot);
}

/* ---- what the operating system is asked for, seen by standing in its place ---- */

static char asked[8]; /* s: sync of a file, S: of a folder, r: rename */

static void note(char what)
{
    size_t length = strlen(asked);
    if (length + 1 < sizeof asked)
        asked[length] = what;
}

int fsync(int descriptor)
{
    struct stat about;
    note(fstat(descriptor, &about) == 0 && S_ISDIR(about.st_mode) ? 'S' : 's');
    return fdatasync(descriptor);
}

int rename(const char *from, const char *to)
{
    note('r');
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* In this order, a power failure finds the old file or the new one, whole. */
static void a_file_is_synced_before_it_has_its_name(const setting *where)
{
    AT_END(pairs_free) pairs content = pairs_spread(1000, top_of(where), 1);
    AT_END(folder_close) folder f = folder_open();
    memset(asked, 0, sizeof asked);
    save(where, &content, &f, FILE_BLOCK_PAIRS);
    assert_string_equal(asked, "srS");
}

/* ---- there and back ---- */

static void load_and_compare(const setting *where, const char *path, const pairs *expected, unsigned versioned)
{
    AT_END(pairs_free) pairs before = pairs_spread(100, top_of(where), 99);
    AT_END(wide_close) wide target = open_target(where, versioned, &before);
    long held = base_held();
    assert_ok(pleach_map_load_file(target.map, path, versioned ? 1 : 0));
    if (where->device == PLEACH_CPU)
        assert_int_equal(base_held(), held);
    assert_holds(&target, expected);
    assert_ok(pleach_map_put_one(target.map, 5, 55, NULL, NULL)); /* it goes on as any map does */
}

static void there_and_back(const setting *where, const pairs *content, uint32_t block_pairs)
{
    folder f = folder_open();
    pleach_file_info info;
    save(where, content, &f, block_pairs);
    assert_ok(pleach_file_get_info(f.path, &info));
    assert_int_equal(info.version, PLEACH_FILE_VERSION);
    assert_int_equal(info.key_bits, where->key_bits);
    assert_int_equal(info.pairs, content->n);
    load_and_compare(where, f.path, content, 0);
    if (where->device == PLEACH_CPU)
        load_and_compare(where, f.path, content, 1);
    folder_close(&f);
    count_checked(2 * content->n);
}

static void pairs_come_back(const setting *where)
{
    static const size_t counts[] = {0, 1, 2, 3, 14, 15, 1000, FILE_BLOCK_PAIRS - 1, FILE_BLOCK_PAIRS,
                                    FILE_BLOCK_PAIRS + 1, 2 * FILE_BLOCK_PAIRS, 3 * FILE_BLOCK_PAIRS + 7};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        AT_END(pairs_free) pairs content = pairs_spread(counts[i], top_of(where), i);
        there_and_back(where, &content, FILE_BLOCK_PAIRS);
    }
}

static void blocks_of_any_size_come_back(const setting *where)
{
    static const uint32_t sizes[] = {1, 2, 3, 7, 8};
    for (size_t n = 0; n < 20; n++)
        for (size_t i = 0; i < COUNT_OF(sizes); i++) {
            AT_END(pairs_free) pairs content = pairs_spread(n, top_of(where), n);
            there_and_back(where, &content, sizes[i]);
        }
}

/* A single key at the very end: there is no key behind it to go on with, and none before it. */
static void the_greatest_key_comes_back(const setting *where)
{
    AT_END(pairs_free) pairs content = pairs_spread(1, top_of(where), 1);
    content.keys[0] = top_of(where);
    there_and_back(where, &content, 1);
    there_and_back(where, &content, FILE_BLOCK_PAIRS);
}

/* The later file takes the place of all, also of a longer earlier one, and the memory goes back. */
static void loading_replaces(const setting *where)
{
    size_t many = shrunk(50000, 5000);
    AT_END(pairs_free) pairs large = pairs_spread(many, top_of(where), 1), small = pairs_spread(10, top_of(where), 2);
    AT_END(pairs_free) pairs none = pairs_spread(0, top_of(where), 0);
    folder f = folder_open(), g = folder_open(), h = folder_open();
    pleach_map_stats before, after;
    save(where, &large, &f, FILE_BLOCK_PAIRS);
    save(where, &small, &g, FILE_BLOCK_PAIRS);
    save(where, &none, &h, FILE_BLOCK_PAIRS);
    wide target = open_target(where, 0, &none);
    assert_ok(pleach_map_load_file(target.map, f.path, 0.5));
    assert_holds(&target, &large);
    assert_ok(pleach_map_get_stats(target.map, &before));
    assert_true(before.fill > 0.45 && before.fill < 0.55);
    assert_ok(pleach_map_load_file(target.map, g.path, 1));
    assert_holds(&target, &small);
    assert_ok(pleach_map_get_stats(target.map, &after));
    assert_true(after.reserved_bytes <= before.reserved_bytes);
    assert_ok(pleach_map_load_file(target.map, h.path, 0));
    assert_holds(&target, &none);
    assert_ok(pleach_map_load_file(target.map, f.path, 0));
    assert_holds(&target, &large);
    wide_close(&target);
    folder_close(&f);
    folder_close(&g);
    folder_close(&h);
    count_checked(3 * many);
}

/* ---- beside updates ---- */

enum { KEYS = 5000, SAVES = 6 };

typedef struct beside {
    wide source;
    folder folder;
    pleach_snapshot *snapshots[SAVES]; /* kept, to compare the files with */
} beside;

static void path_of(const folder *f, size_t number, char *path, size_t size)
{
    snprintf(path, size, "%s-%zu", f->path, number);
}

static void save_while_others_update(agent *a)
{
    beside *b = a->shared;
    for (size_t i = 0; i < SAVES && !stopped(a); i++) {
        char path[300];
        path_of(&b->folder, i, path, sizeof path);
        EXPECT_OK(a, pleach_snapshot_take(b->source.map, &b->snapshots[i], PLEACH_SYNC));
        EXPECT_OK(a, file_save(b->snapshots[i], path, 64)); /* small blocks, so that many updates come between them */
    }
    stop_all(a);
}

static void update_or_save(agent *a)
{
    beside *b = a->shared;
    if (a->index == 0) {
        save_while_others_update(a);
        return;
    }
    while (!stopped(a)) {
        uint64_t key = rng_below(&a->r, KEYS), value = rng_next(&a->r) & b->source.top;
        if (rng_percent(&a->r, 40))
            EXPECT_OK(a, pleach_map_erase_one(b->source.map, key, NULL, NULL));
        else
            EXPECT_OK(a, pleach_map_put_one(b->source.map, key, value, NULL, NULL));
    }
}

static void a_file_is_one_instant(const setting *where)
{
    AT_END(pairs_free) pairs start = pairs_spread(100, KEYS - 1, 1);
    beside b = {.source = open_source(where, &start), .folder = folder_open()};
    run_agents(calling_threads(), update_or_save, &b);
    for (size_t i = 0; i < SAVES; i++) {
        char path[300];
        path_of(&b.folder, i, path, sizeof path);
        AT_END(pairs_free) pairs expected = pairs_of_snapshot(b.snapshots[i], where->key_bits);
        load_and_compare(where, path, &expected, 0);
        pleach_snapshot_release(b.snapshots[i]);
        count_checked(expected.n);
    }
    assert_int_equal(folder_entries(&b.folder), SAVES);
    wide_close(&b.source);
    folder_close(&b.folder);
}

/* ---- saving that fails ---- */

typedef struct saving {
    wide source;
    pleach_snapshot *snapshot;
    folder folder;
    file_image old; /* what is at folder.path before and after */
} saving;

static saving saving_begin(const setting *where, size_t n)
{
    AT_END(pairs_free) pairs old = pairs_spread(7, top_of(where), 1), content = pairs_spread(n, top_of(where), 2);
    saving s = {.folder = folder_open()};
    save(where, &old, &s.folder, FILE_BLOCK_PAIRS);
    s.old = file_image_read(s.folder.path);
    s.source = open_source(where, &content);
    s.snapshot = snapshot_of(&s.source);
    return s;
}

static void saving_end(saving *s)
{
    pleach_snapshot_release(s->snapshot);
    wide_close(&s->source);
    folder_close(&s->folder);
    free(s->old.bytes);
}

static void assert_nothing_happened(const saving *s, size_t entries)
{
    file_image now = file_image_read(s->folder.path);
    assert_int_equal(folder_entries(&s->folder), entries);
    assert_int_equal(now.size, s->old.size);
    assert_memory_equal(now.bytes, s->old.bytes, now.size);
    free(now.bytes);
}

static void assert_not_saved(saving *s, const char *path, int why)
{
    errno = 0;
    assert_int_equal(pleach_snapshot_save(s->snapshot, path), PLEACH_E_FILE);
    assert_int_equal(errno, why);
}

static void bad_places_are_refused(const setting *where)
{
    saving s = saving_begin(where, 100);
    char path[300], long_path[5000];
    long held = base_held();
    snprintf(path, sizeof path, "%s/missing/pairs", s.folder.name);
    assert_not_saved(&s, path, ENOENT);
    snprintf(path, sizeof path, "%s/pairs", s.folder.path); /* in a file instead of a folder */
    assert_not_saved(&s, path, ENOTDIR);
    assert_not_saved(&s, s.folder.name, EISDIR); /* writes beside the folder, and fails to rename */
    snprintf(path, sizeof path, "%s/folder", s.folder.name);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_not_saved(&s, path, EISDIR);
    assert_not_saved(&s, "", ENOENT);
    assert_not_saved(&s, "/proc/pairs", ENOENT); /* a folder where nobody can write, root included */
    memset(long_path, 'x', sizeof long_path);
    long_path[0] = '/';
    long_path[sizeof long_path - 1] = '\0';
    assert_not_saved(&s, long_path, ENAMETOOLONG);
    assert_int_equal(pleach_snapshot_save(NULL, s.folder.path), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_snapshot_save(s.snapshot, NULL), PLEACH_E_ARGUMENT);
    assert_nothing_happened(&s, 2);
    assert_int_equal(base_held(), held);
    saving_end(&s);
    count_checked(9);
}

/* A folder's mode keeps out everybody but root, so root becomes nobody for a while. */
static void a_folder_without_write_permission_is_refused(const setting *where)
{
    enum { NOBODY = 65534 };
    saving s = saving_begin(where, 10);
    bool root = geteuid() == 0;
    assert_int_equal(chmod(s.folder.name, 0555), 0);
    if (root)
        assert_int_equal(seteuid(NOBODY), 0);
    errno = 0;
    pleach_status status = pleach_snapshot_save(s.snapshot, s.folder.path);
    int why = errno;
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(status, PLEACH_E_FILE);
    assert_int_equal(why, EACCES);
    assert_nothing_happened(&s, 1);
    assert_int_equal(chmod(s.folder.name, 0755), 0);
    saving_end(&s);
}

/* A file system with no more room for it: here, a limit on the size of files. */
static void a_file_that_cannot_grow_is_removed(const setting *where)
{
    saving s = saving_begin(where, 100000);
    struct rlimit before, now;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (rlim_t most = 0; most < 1000000; most = 3 * most + 1000) {
        now = (struct rlimit){.rlim_cur = most, .rlim_max = before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
        errno = 0;
        pleach_status status = pleach_snapshot_save(s.snapshot, s.folder.path);
        int why = errno;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        if (status == PLEACH_OK)
            break; /* 32-bit pairs may fit by now */
        assert_int_equal(status, PLEACH_E_FILE);
        assert_int_equal(why, EFBIG);
        assert_nothing_happened(&s, 1);
    }
    signal(SIGXFSZ, handler);
    saving_end(&s);
}

/* ---- every allocation, and every call of the operating system, fails in turn ---- */

static void every_step_of_a_save_fails(const setting *where)
{
    saving s = saving_begin(where, 1000);
    size_t failures = 0;
    for (long n = 1;; n++) {
        long held = base_held();
        base_fail_nth_allocation(n);
        pleach_status status = file_save(s.snapshot, s.folder.path, 300);
        long asked = base_fail_nth_allocation(0);
        assert_int_equal(base_held(), held);
        if (asked < n)
            break;
        if (status == PLEACH_OK) /* the folder's sync, which comes when all is done */
            file_image_write(s.folder.path, s.old.size, s.old.bytes);
        else
            assert_true(status == PLEACH_E_MEMORY || status == PLEACH_E_FILE);
        assert_nothing_happened(&s, 1);
        failures += status != PLEACH_OK;
    }
    assert_true(failures >= 12);
    saving_end(&s);
    count_checked(failures);
}

static void every_step_of_a_load_fails(const setting *where)
{
    AT_END(pairs_free) pairs content = pairs_spread(1000, top_of(where), 1);
    AT_END(pairs_free) pairs before = pairs_spread(50, top_of(where), 2);
    folder f = folder_open();
    save(where, &content, &f, 300);
    wide target = open_target(where, 0, &before);
    size_t failures = 0;
    for (long n = 1;; n++) {
        long held = base_held();
        base_fail_nth_allocation(n);
        pleach_status status = pleach_map_load_file(target.map, f.path, 0);
        long asked = base_fail_nth_allocation(0);
        if (where->device == PLEACH_CPU)
            assert_int_equal(base_held(), held);
        if (asked < n)
            break;
        assert_true(status == PLEACH_E_MEMORY || status == PLEACH_E_FILE ||
                    (status == PLEACH_OK && where->device == PLEACH_CUDA)); /* which may do without */
        assert_holds(&target, status == PLEACH_OK ? &content : &before);
        if (status == PLEACH_OK) {
            assert_ok(pleach_map_clear(target.map));
            assert_ok(wide_load(&target, before.n, before.keys, before.values, 0));
        }
        failures += status != PLEACH_OK;
    }
    assert_true(failures >= 10);
    assert_holds(&target, &content);
    wide_close(&target);
    folder_close(&f);
    count_checked(failures);
}

/* ---- loading that is refused, whatever the file ---- */

static void full_and_busy_maps_are_left_alone(const setting *where)
{
    AT_END(pairs_free) pairs content = pairs_spread(2000, top_of(where), 1);
    AT_END(pairs_free) pairs before = pairs_spread(10, top_of(where), 2);
    AT_END(folder_close) folder f = folder_open();
    save(where, &content, &f, FILE_BLOCK_PAIRS);
    wide target = open_source(where, &before);
    pleach_snapshot *snapshot = snapshot_of(&target);
    assert_int_equal(pleach_map_load_file(target.map, f.path, 0), PLEACH_E_BUSY);
    pleach_snapshot_release(snapshot);
    assert_holds(&target, &before);
    assert_ok(pleach_map_load_file(target.map, f.path, 0));
    assert_holds(&target, &content);
    wide_close(&target);

    AT_END(wide_close) wide limited = wide_open_limited(where, node_memory(where, 20));
    if (where->device == PLEACH_CPU) { /* a GPU's pool grows by megabytes */
        assert_ok(wide_put(&limited, before.n, before.keys, before.values, NULL, NULL));
        assert_int_equal(pleach_map_load_file(limited.map, f.path, 0), PLEACH_E_FULL);
        assert_holds(&limited, &before);
    }
}

static void what_is_no_file_is_refused(const setting *where)
{
    AT_END(pairs_free) pairs before = pairs_spread(10, top_of(where), 2);
    AT_END(folder_close) folder f = folder_open();
    AT_END(wide_close) wide target = open_target(where, 0, &before);
    pleach_file_info info;
    char pipe_path[300];
    const struct {
        const char *path;
        int why;
    } places[] = {{f.path, ENOENT}, {f.name, EISDIR}, {"", ENOENT}, {"/dev/null", EINVAL}, {pipe_path, EINVAL}};
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", f.name);
    assert_int_equal(mkfifo(pipe_path, 0666), 0);
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        errno = 0;
        assert_int_equal(pleach_map_load_file(target.map, places[i].path, 0), PLEACH_E_FILE);
        assert_int_equal(errno, places[i].why);
        errno = 0;
        assert_int_equal(pleach_file_get_info(places[i].path, &info), PLEACH_E_FILE);
        assert_int_equal(errno, places[i].why);
        assert_int_equal(info.version + info.key_bits + info.pairs, 0);
    }
    assert_holds(&target, &before);
}

static void the_other_width_is_refused(const setting *where)
{
    setting other = other_width(where);
    AT_END(pairs_free) pairs narrow = pairs_spread(30, UINT32_MAX, 1);
    AT_END(folder_close) folder f = folder_open();
    save(&other, &narrow, &f, FILE_BLOCK_PAIRS);
    AT_END(wide_close) wide target = open_target(where, 0, &narrow);
    assert_int_equal(pleach_map_load_file(target.map, f.path, 0), PLEACH_E_WIDTH);
    assert_holds(&target, &narrow);
}

#define FILE_CASES                                                                                               \
    CASE(a_file_is_synced_before_it_has_its_name), CASE(pairs_come_back), CASE(blocks_of_any_size_come_back),    \
        CASE(the_greatest_key_comes_back),                                                                       \
        CASE(loading_replaces), CASE(a_file_is_one_instant), CASE(bad_places_are_refused),                       \
        CASE(a_folder_without_write_permission_is_refused), CASE(a_file_that_cannot_grow_is_removed),            \
        CASE(every_step_of_a_save_fails), CASE(every_step_of_a_load_fails),                                      \
        CASE(full_and_busy_maps_are_left_alone), CASE(what_is_no_file_is_refused), CASE(the_other_width_is_refused)

#else

static void a_build_without_xxhash_says_so(const setting *where)
{
    AT_END(pairs_free) pairs content = pairs_spread(10, top_of(where), 1);
    AT_END(wide_close) wide source = open_source(where, &content), target = open_target(where, 0, &content);
    pleach_snapshot *snapshot = snapshot_of(&source);
    pleach_file_info info;
    AT_END(folder_close) folder f = folder_open();
    assert_int_equal(pleach_snapshot_save(snapshot, f.path), PLEACH_E_NO_FILES);
    assert_int_equal(folder_entries(&f), 0);
    assert_int_equal(pleach_map_load_file(target.map, f.path, 0), PLEACH_E_NO_FILES);
    assert_int_equal(pleach_file_get_info(f.path, &info), PLEACH_E_NO_FILES);
    pleach_snapshot_release(snapshot);
    assert_holds(&target, &content);
}

#define FILE_CASES CASE(a_build_without_xxhash_says_so)

#endif

static void bad_arguments_are_refused(const setting *where)
{
    static const double fills[] = {-1, 1.5, -1e-300};
    AT_END(pairs_free) pairs before = pairs_spread(10, top_of(where), 2);
    AT_END(wide_close) wide target = open_target(where, 0, &before);
    pleach_file_info info;
    assert_int_equal(pleach_map_load_file(NULL, "pairs", 0), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_map_load_file(target.map, NULL, 0), PLEACH_E_ARGUMENT);
    for (size_t i = 0; i < COUNT_OF(fills); i++)
        assert_int_equal(pleach_map_load_file(target.map, "pairs", fills[i]), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_file_get_info(NULL, &info), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_file_get_info("pairs", NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_snapshot_save(NULL, "pairs"), PLEACH_E_ARGUMENT);
    assert_holds(&target, &before);
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {FILE_CASES, CASE(bad_arguments_are_refused)};
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
