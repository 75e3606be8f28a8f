/* test_file_calls.c - every call of the operating system that saving and loading make fails in turn, alone or with all
 * that come after it; is interrupted; or does a part of what it was asked for. The status and errno are right, the old
 * file is intact or the new one is complete, and no file, descriptor or memory is left. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "testkit/folder.h"
#include "testkit/harness.h"
#include "testkit/units.h"

#ifndef PLEACH_HAVE_XXHASH

static unit_case cases[] = {UNIT(there_are_no_files_in_this_build)};

#else

#include "base/memory.h"
#include "file/file.h"

/* ---- the calls, stood in for ---- */

enum call { OPEN, READ, PWRITE, FSYNC, RENAME, FSTAT, LSTAT, STAT, FCHOWN, FCHMOD, CLOSE, UNLINK, REALPATH, CALLS };
static const char *const call_names[CALLS] = {"open", "read", "pwrite", "fsync", "rename", "fstat", "lstat", "stat",
                                              "fchown", "fchmod", "close", "unlink", "realpath"};

typedef struct fault {
    unsigned calls;     /* bits of those that are counted, and can fail */
    long first, last;   /* the calls to fail, counted from 1 */
    int error;          /* 0: there is nothing more to read, or room for nothing */
    size_t most_bytes;  /* of a read or a write; 0: all */
} fault;

static fault now;
static bool armed, renamed;
static long counted;
static int first_failed; /* its kind; or -1 */
static unsigned seen;    /* bits of the calls that were made */

static bool fails(enum call call)
{
    if (!armed) return false;
    seen |= 1u << call;
    if (!(now.calls >> call & 1)) return false;
    counted++;
    if (counted < now.first || counted > now.last) return false;
    if (first_failed < 0) first_failed = (int)call;
    errno = now.error;
    return true;
}

static size_t part_of(size_t size) { return armed && now.most_bytes && now.most_bytes < size ? now.most_bytes : size; }

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return fails(OPEN) ? -1 : openat(AT_FDCWD, path, flags, mode);
}

ssize_t read(int descriptor, void *bytes, size_t size)
{
    if (fails(READ)) return now.error ? -1 : 0;
    return syscall(SYS_read, descriptor, bytes, part_of(size));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t place)
{
    if (fails(PWRITE)) return now.error ? -1 : 0;
    const struct iovec part = {(void *)(uintptr_t)bytes, part_of(size)};
    return pwritev(descriptor, &part, 1, place);
}

/* Nothing here is about power failures. */
int fsync(int descriptor)
{
    (void)descriptor;
    return fails(FSYNC) ? -1 : 0;
}

int rename(const char *from, const char *to)
{
    if (fails(RENAME)) return -1;
    const int result = renameat(AT_FDCWD, from, AT_FDCWD, to);
    renamed |= armed && result == 0;
    return result;
}

int fstat(int descriptor, struct stat *about)
{
    return fails(FSTAT) ? -1 : fstatat(descriptor, "", about, AT_EMPTY_PATH);
}

int lstat(const char *path, struct stat *about)
{
    return fails(LSTAT) ? -1 : fstatat(AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW);
}

int stat(const char *path, struct stat *about) { return fails(STAT) ? -1 : fstatat(AT_FDCWD, path, about, 0); }

int fchown(int descriptor, uid_t owner, gid_t group)
{
    return fails(FCHOWN) ? -1 : fchownat(descriptor, "", owner, group, AT_EMPTY_PATH);
}

int fchmod(int descriptor, mode_t mode) { return fails(FCHMOD) ? -1 : (int)syscall(SYS_fchmod, descriptor, mode); }

/* A close that fails has closed. */
int close(int descriptor)
{
    const bool failed = fails(CLOSE);
    const int why = errno, result = (int)syscall(SYS_close, descriptor);
    if (failed) errno = why;
    return failed ? -1 : result;
}

int unlink(const char *path) { return fails(UNLINK) ? -1 : unlinkat(AT_FDCWD, path, 0); }

char *realpath(const char *path, char *target)
{
    char *(*real)(const char *, char *);
    void *symbol = dlsym(RTLD_NEXT, "realpath");
    memcpy(&real, &symbol, sizeof real);
    return fails(REALPATH) ? NULL : real(path, target);
}

/* ---- what is saved and loaded ---- */

enum { PAIRS = 100, BLOCK = 16, OLD_MODE = 0640 };

typedef struct trial {
    bool graphs;
    pleach_map *map, *target;
    pleach_snapshot *snapshot;
    pleach_graph *graph, *target_graph;
    folder folder;
    char path[300];   /* the file, or a link to it, or another name */
    file_image good;  /* what saving makes */
    bool replaces;
} trial;

typedef struct form {
    bool graphs, replaces, by_link, other_owner;
} form;

static void make_maps(trial *t)
{
    assert_ok(pleach_map_create(&t->map, &(pleach_map_config){.versioned = 1}));
    assert_ok(pleach_map_create(&t->target, NULL));
    for (uint64_t i = 0; i < PAIRS; i++) assert_ok(pleach_map_put_one(t->map, 7 * i, i, NULL, NULL));
    assert_ok(pleach_map_put_one(t->target, 1, 2, NULL, NULL));
    assert_ok(pleach_snapshot_take(t->map, &t->snapshot, PLEACH_SYNC));
}

static void make_graphs(trial *t)
{
    uint32_t from[PAIRS], to[PAIRS];
    for (uint32_t i = 0; i < PAIRS; i++) {
        from[i] = i;
        to[i] = 3 * i + 1;
    }
    assert_ok(pleach_graph_create(&t->graph, NULL));
    assert_ok(pleach_graph_create(&t->target_graph, NULL));
    assert_ok(pleach_graph_insert_edges(t->graph, PAIRS, from, to, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_graph_insert_edges(t->target_graph, 1, from + 1, to, NULL, NULL, PLEACH_SYNC));
}

static pleach_status save(trial *t)
{
    return t->graphs ? pleach_graph_save(t->graph, t->path) : file_save(t->snapshot, t->path, BLOCK);
}

static pleach_status load(trial *t)
{
    return t->graphs ? pleach_graph_load_file(t->target_graph, t->path)
                     : pleach_map_load_file(t->target, t->path, 0);
}

/* Elements of what is loaded into. */
static uint64_t held_by_target(trial *t)
{
    uint64_t n = 0;
    if (t->graphs)
        assert_ok(pleach_graph_export_edges(t->target_graph, 0, NULL, NULL, NULL, &n));
    else
        assert_ok(pleach_map_size(t->target, &n));
    return n;
}

static trial trial_begin(const form *f)
{
    trial t = {.graphs = f->graphs, .replaces = f->replaces, .folder = folder_open()};
    if (f->graphs)
        make_graphs(&t);
    else
        make_maps(&t);
    snprintf(t.path, sizeof t.path, "%s", t.folder.path);
    assert_ok(save(&t));
    t.good = file_image_read(t.folder.path);
    if (f->by_link) {
        snprintf(t.path, sizeof t.path, "%s/link", t.folder.name);
        assert_int_equal(symlink("pairs", t.path), 0);
    }
    return t;
}

static void trial_end(trial *t)
{
    pleach_snapshot_release(t->snapshot);
    if (t->map) pleach_map_destroy(t->map);
    if (t->target) pleach_map_destroy(t->target);
    pleach_graph_destroy(t->graph);
    pleach_graph_destroy(t->target_graph);
    free(t->good.bytes);
    folder_close(&t->folder);
}

/* ---- before and after ---- */

static size_t open_descriptors(void)
{
    size_t count = 0;
    DIR *entries = opendir("/proc/self/fd");
    if (!entries) return 0;
    while (readdir(entries)) count++;
    closedir(entries);
    return count;
}

/* What is at the path before a save: "old" with a mode of its own, or nothing. */
static void put_old(const trial *t, const form *f)
{
    unlink(t->folder.path);
    if (!t->replaces) return;
    file_image_write(t->folder.path, 4, (const uint8_t *)"old\n");
    assert_int_equal(chmod(t->folder.path, OLD_MODE), 0);
    if (f->other_owner) assert_int_equal(chown(t->folder.path, 65534, 65533), 0);
}

static void assert_file(const trial *t, size_t size, const uint8_t *bytes, mode_t mode)
{
    struct stat about;
    assert_int_equal(lstat(t->folder.path, &about), 0);
    assert_int_equal(about.st_mode, S_IFREG | mode);
    file_image is = file_image_read(t->folder.path);
    assert_int_equal(is.size, size);
    assert_memory_equal(is.bytes, bytes, size);
    free(is.bytes);
}

/* Removes what a failed unlink has left; how many there were. */
static size_t remove_leftovers(const trial *t)
{
    size_t count = 0;
    DIR *entries = opendir(t->folder.name);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, "pairs.pleach-", 13) != 0) continue;
        assert_int_equal(unlinkat(dirfd(entries), entry->d_name, 0), 0);
        count++;
    }
    closedir(entries);
    return count;
}

typedef struct outcome {
    pleach_status status;
    int error;
} outcome;

static outcome attempt(trial *t, pleach_status (*make)(trial *), const fault *f)
{
    const long held = base_held();
    const size_t descriptors = open_descriptors();
    outcome o;
    now = *f;
    counted = 0;
    renamed = false;
    first_failed = -1;
    errno = 0;
    armed = true;
    o.status = make(t);
    armed = false;
    o.error = errno;
    assert_int_equal(open_descriptors(), descriptors);
    assert_int_equal(base_held(), held);
    count_checked(1);
    return o;
}

/* ---- saving ---- */

/* The calls that may fail without harm: closing; all after the renaming; and closing a new file to other users, which a
 * file system without modes refuses. */
static bool may_be_ignored(const trial *t)
{
    return first_failed == CLOSE || renamed || (first_failed == FCHMOD && !t->replaces);
}

static void assert_saved_or_not(const trial *t, const outcome *o, const fault *f, mode_t mode)
{
    if (o->status == PLEACH_OK) {
        const bool ignored = first_failed < 0 || may_be_ignored(t);
        if (!ignored) fail_msg("%s failed, and saving did not", call_names[first_failed]);
        assert_file(t, t->good.size, t->good.bytes, mode);
    } else {
        assert_int_equal(o->status, PLEACH_E_FILE);
        assert_int_equal(o->error, f->error);
        assert_false(renamed);
        if (t->replaces)
            assert_file(t, 4, (const uint8_t *)"old\n", OLD_MODE);
        else
            assert_int_equal(access(t->folder.path, F_OK), -1);
    }
    const size_t left = remove_leftovers(t);
    const bool could_remove = f->first == f->last || !(f->calls >> UNLINK & 1);
    if (left > (could_remove ? 0u : 1u)) fail_msg("%zu files left", left);
}

enum { ALL_CALLS = (1u << CALLS) - 1 };

static long fail_saves(trial *t, const form *form, int error, bool for_good, unsigned calls)
{
    const mode_t mask = umask(027), mode = t->replaces ? OLD_MODE : 0640;
    fault f = {.calls = calls, .error = error};
    long failures = 0;
    outcome o;
    do {
        f.first = f.last = failures + 1;
        if (for_good) f.last = 1000000;
        put_old(t, form);
        o = attempt(t, save, &f);
        assert_saved_or_not(t, &o, &f, mode);
        failures++;
        assert_true(failures < 1000);
    } while (counted >= f.first);
    assert_int_equal(o.status, PLEACH_OK);
    umask(mask);
    return failures - 1;
}

static const int errors[] = {EIO, ENOSPC, EACCES, EMFILE};

static void test_saves(const void *argument)
{
    const form *form = argument;
    if (form->other_owner && geteuid() != 0) return;
    trial t = trial_begin(form);
    long failures = 0;
    seen = 0;
    for (size_t i = 0; i < COUNT_OF(errors); i++)
        for (int for_good = 0; for_good < (i == 0 ? 2 : 1); for_good++)
            failures += fail_saves(&t, form, errors[i], for_good, ALL_CALLS);
    unsigned expected = 1u << OPEN | 1u << PWRITE | 1u << FSYNC | 1u << RENAME | 1u << FSTAT | 1u << LSTAT |
                        1u << CLOSE | 1u << UNLINK | 1u << FCHMOD;
    if (form->by_link) expected |= 1u << STAT | 1u << REALPATH;
    if (form->other_owner) expected |= 1u << FCHOWN;
    assert_int_equal(seen & expected, expected);
    printf("%ld failures\n", failures);
    trial_end(&t);
}

/* A file that no byte can be written to, without an error, is a full disk. */
static void test_room_for_nothing(const void *argument)
{
    const form *form = argument;
    trial t = trial_begin(form);
    const fault f = {.calls = 1u << PWRITE, .first = 1, .last = 1000000};
    put_old(&t, form);
    const outcome o = attempt(&t, save, &f);
    assert_int_equal(o.status, PLEACH_E_FILE);
    assert_int_equal(o.error, ENOSPC);
    assert_file(&t, 4, (const uint8_t *)"old\n", OLD_MODE);
    assert_int_equal(remove_leftovers(&t), 0);
    trial_end(&t);
}

/* Signals interrupt each call that they can interrupt, once, and three times in a row. */
static void test_interrupted_saves(const void *argument)
{
    const form *form = argument;
    trial t = trial_begin(form);
    fault f = {.calls = 1u << OPEN | 1u << PWRITE | 1u << FSYNC | 1u << CLOSE, .error = EINTR};
    for (long times = 1; times <= 3; times += 2) {
        f.first = 1;
        do {
            f.last = f.first + times - 1;
            put_old(&t, form);
            const outcome o = attempt(&t, save, &f);
            assert_int_equal(o.status, PLEACH_OK);
            assert_file(&t, t.good.size, t.good.bytes, OLD_MODE);
            assert_int_equal(remove_leftovers(&t), 0);
            f.first++;
        } while (counted >= f.first - 1);
    }
    trial_end(&t);
}

static void test_partial_writes(const void *argument)
{
    const form *form = argument;
    trial t = trial_begin(form);
    for (size_t most = 1; most < 2000; most = most * 3 + 1) {
        put_old(&t, form);
        const outcome o = attempt(&t, save, &(fault){.most_bytes = most});
        assert_int_equal(o.status, PLEACH_OK);
        assert_file(&t, t.good.size, t.good.bytes, OLD_MODE);
    }
    trial_end(&t);
}

/* ---- loading ---- */

static void test_loads(const void *argument)
{
    const form *form = argument;
    trial t = trial_begin(form);
    const uint64_t before = held_by_target(&t);
    seen = 0;
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        fault f = {.calls = ALL_CALLS, .error = errors[i]};
        for (;;) {
            f.first++;
            f.last = f.first + (i % 2 ? 0 : 1000000);
            const outcome o = attempt(&t, load, &f);
            if (first_failed < 0 || first_failed == CLOSE) {
                assert_int_equal(o.status, PLEACH_OK);
                break; /* closing comes last */
            }
            assert_int_equal(o.status, PLEACH_E_FILE);
            assert_int_equal(o.error, errors[i]);
            assert_int_equal(held_by_target(&t), before);
        }
        assert_true(f.first > 5);
        trial_end(&t);
        t = trial_begin(form);
    }
    const unsigned expected = 1u << OPEN | 1u << READ | 1u << FSTAT | 1u << CLOSE;
    assert_int_equal(seen & expected, expected);
    trial_end(&t);
}

/* Reads that are interrupted, or have a part; and a file that ends while it is read. */
static void test_partial_reads(const void *argument)
{
    const form *form = argument;
    trial t = trial_begin(form);
    const uint64_t before = held_by_target(&t);
    fault ends = {.calls = 1u << READ};
    for (;;) {
        ends.first = ends.last = ends.first + 1;
        const outcome o = attempt(&t, load, &ends);
        if (first_failed < 0) break;
        assert_int_equal(o.status, PLEACH_E_FORMAT);
        assert_int_equal(held_by_target(&t), before);
    }
    fault interrupted = {.calls = 1u << OPEN | 1u << READ | 1u << CLOSE, .error = EINTR};
    do {
        interrupted.first++;
        interrupted.last = interrupted.first + 2;
        assert_ok(attempt(&t, load, &interrupted).status);
    } while (first_failed >= 0);
    for (size_t most = 1; most < 2000; most = most * 3 + 1)
        assert_ok(attempt(&t, load, &(fault){.most_bytes = most}).status);
    assert_int_equal(held_by_target(&t), PAIRS);
    trial_end(&t);
}

static const form forms[] = {
    {.replaces = true}, {0}, {.replaces = true, .by_link = true}, {.replaces = true, .other_owner = true},
    {.graphs = true, .replaces = true}, {.graphs = true},
};

#define MAP_AND_GRAPH(name, test) UNIT_WITH("map: " name, test, &forms[0]), UNIT_WITH("graph: " name, test, &forms[4])

static unit_case cases[] = {
    UNIT_WITH("saving a map fails", test_saves, &forms[0]),
    UNIT_WITH("saving a new file fails", test_saves, &forms[1]),
    UNIT_WITH("saving by a link fails", test_saves, &forms[2]),
    UNIT_WITH("saving over another user's file fails", test_saves, &forms[3]),
    UNIT_WITH("saving a graph fails", test_saves, &forms[4]),
    UNIT_WITH("saving a new graph fails", test_saves, &forms[5]),
    MAP_AND_GRAPH("room for nothing", test_room_for_nothing),
    MAP_AND_GRAPH("interrupted saves", test_interrupted_saves),
    MAP_AND_GRAPH("partial writes", test_partial_writes),
    MAP_AND_GRAPH("loading fails", test_loads),
    MAP_AND_GRAPH("partial reads", test_partial_reads),
};

#endif

int main(int argc, char **argv)
{
    return run_units("test_file_calls", argc, argv, cases, sizeof cases / sizeof cases[0]);
}
