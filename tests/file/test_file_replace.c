/* test_file_replace.c - what saving does to what is at the path: only regular files are replaced, they keep owner and
 * mode, links are followed, and what a killed process leaves behind can be found. Maps and graphs alike. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/file.h"
#include "testkit/folder.h"
#include "testkit/harness.h"
#include "testkit/units.h"

#ifndef PLEACH_HAVE_XXHASH

static unit_case cases[] = {UNIT(there_are_no_files_in_this_build)};

#else

/* ---- what is saved ---- */

typedef struct saver {
    pleach_map *map;
    pleach_snapshot *snapshot;
    pleach_graph *graph; /* or this one */
    folder folder;
    file_image old; /* what is at folder.path, and must stay there while saving fails */
} saver;

static const int saves_graph = 1;

static pleach_status save_to(saver *s, const char *path)
{
    return s->graph ? pleach_graph_save(s->graph, path) : pleach_snapshot_save(s->snapshot, path);
}

static saver saver_begin(const void *argument)
{
    const pleach_map_config config = {.versioned = 1};
    const uint32_t from = 1, to = 2;
    saver s = {.folder = folder_open()};
    if (argument) {
        assert_ok(pleach_graph_create(&s.graph, NULL));
        assert_ok(pleach_graph_insert_edges(s.graph, 1, &from, &to, NULL, NULL, PLEACH_SYNC));
    } else {
        assert_ok(pleach_map_create(&s.map, &config));
        assert_ok(pleach_map_put_one(s.map, 1, 2, NULL, NULL));
        assert_ok(pleach_snapshot_take(s.map, &s.snapshot, PLEACH_SYNC));
    }
    file_image_write(s.folder.path, 4, (const uint8_t *)"old\n");
    s.old = file_image_read(s.folder.path);
    return s;
}

static void saver_end(saver *s)
{
    pleach_snapshot_release(s->snapshot);
    if (s->map) pleach_map_destroy(s->map);
    pleach_graph_destroy(s->graph);
    free(s->old.bytes);
    folder_close(&s->folder);
}

static void assert_unchanged(const saver *s, size_t entries)
{
    file_image now = file_image_read(s->folder.path);
    assert_int_equal(folder_entries(&s->folder), entries);
    assert_int_equal(now.size, s->old.size);
    assert_memory_equal(now.bytes, s->old.bytes, now.size);
    free(now.bytes);
}

static void assert_refused(saver *s, const char *path, int why)
{
    errno = 0;
    assert_int_equal(save_to(s, path), PLEACH_E_FILE);
    assert_int_equal(errno, why);
}

static void in_folder(const folder *f, const char *name, char *path) { snprintf(path, 300, "%s/%s", f->name, name); }

static struct stat stat_of(const char *path)
{
    struct stat about;
    assert_int_equal(lstat(path, &about), 0);
    return about;
}

/* ---- the operating system's calls, seen by standing in their place ---- */

static mode_t seen_modes; /* all bits that a file had while it was written */
static bool dies_at_write;
static const char *pipe_at_sync; /* where the sync of a file makes a pipe take the place of what is there */

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t place)
{
    struct stat about;
    if (dies_at_write) _exit(0);
    assert_int_equal(fstat(descriptor, &about), 0);
    seen_modes |= about.st_mode & 07777;
    const struct iovec all = {(void *)(uintptr_t)bytes, size};
    return pwritev(descriptor, &all, 1, place);
}

int fsync(int descriptor)
{
    if (pipe_at_sync) {
        assert_int_equal(unlink(pipe_at_sync), 0);
        assert_int_equal(mkfifo(pipe_at_sync, 0600), 0);
    }
    return fdatasync(descriptor);
}

/* ---- kinds of files ---- */

static void make_socket(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%.100s", path);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(descriptor >= 0);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&name, sizeof name), 0);
    close(descriptor);
}

/* Saves `through` a path that leads to what is at `path`, and looks whether that is still the same thing. */
static void assert_kept(saver *s, const char *path, const char *through, int why)
{
    const struct stat before = stat_of(path);
    assert_refused(s, through, why);
    const struct stat after = stat_of(path);
    assert_true(before.st_ino == after.st_ino && before.st_mode == after.st_mode);
}

/* A pipe, a socket and a device stay what they are. Only root can make a device, and not in every container. */
static void test_only_regular_files(const void *argument)
{
    saver s = saver_begin(argument);
    char fifo[300], named[300], device[300], link[300];
    in_folder(&s.folder, "pipe", fifo);
    in_folder(&s.folder, "socket", named);
    in_folder(&s.folder, "device", device);
    in_folder(&s.folder, "link", link);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    make_socket(named);
    const bool has_device = mknod(device, S_IFCHR | 0600, makedev(1, 3)) == 0;
    assert_int_equal(symlink("pipe", link), 0);
    assert_kept(&s, fifo, fifo, EINVAL);
    assert_kept(&s, named, named, EINVAL);
    if (has_device) assert_kept(&s, device, device, EINVAL);
    assert_kept(&s, fifo, link, EINVAL);
    assert_kept(&s, s.folder.name, s.folder.name, EISDIR);
    assert_unchanged(&s, has_device ? 5 : 4);
    saver_end(&s);
}

/* Another process can put a pipe there while the file is synced. */
static void test_late_pipe(const void *argument)
{
    saver s = saver_begin(argument);
    pipe_at_sync = s.folder.path;
    assert_refused(&s, s.folder.path, EINVAL);
    pipe_at_sync = NULL;
    assert_true(S_ISFIFO(stat_of(s.folder.path).st_mode));
    assert_int_equal(folder_entries(&s.folder), 1);
    saver_end(&s);
}

/* ---- modes and owners ---- */

static void save_with_mode(saver *s, const char *path, mode_t mode)
{
    seen_modes = 0;
    assert_ok(save_to(s, path));
    assert_int_equal(stat_of(path).st_mode, S_IFREG | mode);
    assert_int_equal(seen_modes, 0600); /* its owner's alone until it was complete */
}

static void test_modes(const void *argument)
{
    static const mode_t modes[] = {0600, 0400, 0644, 0666, 0750, 01604, 0};
    saver s = saver_begin(argument);
    char path[300];
    in_folder(&s.folder, "new", path);
    const mode_t mask = umask(022);
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        assert_int_equal(chmod(s.folder.path, modes[i]), 0);
        save_with_mode(&s, s.folder.path, modes[i]);
    }
    for (mode_t word = 0; word <= 077; word += 7) { /* a new one is as the umask has it */
        umask(word);
        save_with_mode(&s, path, 0666 & ~word);
        assert_int_equal(unlink(path), 0);
    }
    umask(mask);
    saver_end(&s);
}

/* Root keeps a stranger's ownership. A stranger is refused, and cannot take root's file over. */
static void try_as_root(saver *s)
{
    enum { STRANGER = 65534, GROUP = 65533 };
    assert_int_equal(chown(s->folder.path, STRANGER, GROUP), 0);
    assert_int_equal(chmod(s->folder.path, 0600), 0);
    save_with_mode(s, s->folder.path, 0600);
    assert_int_equal(stat_of(s->folder.path).st_uid, STRANGER);
    assert_int_equal(stat_of(s->folder.path).st_gid, GROUP);
    free(s->old.bytes);
    s->old = file_image_read(s->folder.path);
    assert_int_equal(chown(s->folder.path, 0, 0), 0);
    assert_int_equal(chmod(s->folder.name, 0777), 0);
    assert_int_equal(seteuid(STRANGER), 0);
    assert_refused(s, s->folder.path, EPERM);
    assert_int_equal(seteuid(0), 0);
    assert_unchanged(s, 1);
    assert_int_equal(stat_of(s->folder.path).st_mode, S_IFREG | 0600);
    assert_int_equal(stat_of(s->folder.path).st_uid, 0);
}

static void test_owners(const void *argument)
{
    saver s = saver_begin(argument);
    if (geteuid() == 0) try_as_root(&s);
    assert_int_equal(chmod(s.folder.path, 0640), 0);
    save_with_mode(&s, s.folder.path, 0640);
    assert_int_equal(stat_of(s.folder.path).st_uid, geteuid());
    saver_end(&s);
}

/* ---- links and names ---- */

/* The file that a link leads to is replaced, where it is, and the link stays. */
static void test_links(const void *argument)
{
    saver s = saver_begin(argument);
    folder links = folder_open();
    char link[300], second[300], nowhere[300], round[300];
    in_folder(&links, "link", link);
    in_folder(&links, "second", second);
    in_folder(&links, "nowhere", nowhere);
    in_folder(&links, "round", round);
    assert_true(symlink(s.folder.path, link) == 0 && symlink("link", second) == 0);
    assert_true(symlink("missing", nowhere) == 0 && symlink("round", round) == 0);
    assert_refused(&s, nowhere, ENOENT);
    assert_refused(&s, round, ELOOP);
    assert_unchanged(&s, 1);
    assert_int_equal(chmod(s.folder.path, 0640), 0);
    assert_ok(save_to(&s, second));
    assert_true(S_ISLNK(stat_of(link).st_mode) && S_ISLNK(stat_of(second).st_mode));
    assert_int_equal(stat_of(s.folder.path).st_mode, S_IFREG | 0640);
    assert_true(stat_of(s.folder.path).st_size > (off_t)s.old.size);
    assert_int_equal(folder_entries(&s.folder), 1);
    assert_int_equal(folder_entries(&links), 4);
    folder_close(&links);
    saver_end(&s);
}

/* The longest name that a file can have leaves no room for a longer one in the same folder. Its letters of two bytes
 * are not cut in half: some file systems refuse half a letter. */
static void test_long_names(const void *argument)
{
    saver s = saver_begin(argument);
    char name[256] = "", path[600];
    for (size_t length = 2; length <= 254; length += 2) memcpy(name + length - 2, "\u00e4", 3);
    for (size_t extra = 0; extra < 2; extra++) {
        snprintf(path, sizeof path, "%s/%s%s", s.folder.name, extra ? "x" : "", name);
        assert_ok(save_to(&s, path));
        assert_int_equal(unlink(path), 0);
    }
    assert_unchanged(&s, 1);
    saver_end(&s);
}

/* The name is the file's, with ".pleach-", the process and ".tmp" (docs/file-format.md). The child saves pairs from
 * arrays, because a child can do little with its parent's maps. */
static void test_leftovers(const void *argument)
{
    saver s = saver_begin(argument);
    char pattern[300];
    glob_t found;
    uint64_t key = 1, value = 2;
    const file_pairs arrays = {&key, &value, 1};
    const pid_t child = fork();
    if (child == 0) {
        dies_at_write = true;
        file_save_pairs(&arrays, s.folder.path);
        _exit(1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_unchanged(&s, 2);
    snprintf(pattern, sizeof pattern, "%s.pleach-%ld-*.tmp", s.folder.path, (long)child);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    assert_ok(save_to(&s, s.folder.path));
    assert_int_equal(unlink(found.gl_pathv[0]), 0);
    assert_int_equal(folder_entries(&s.folder), 1);
    globfree(&found);
    saver_end(&s);
}

#define BOTH(name, test) UNIT_WITH("map: " name, test, NULL), UNIT_WITH("graph: " name, test, &saves_graph)

static unit_case cases[] = {
    BOTH("only regular files are replaced", test_only_regular_files),
    BOTH("a pipe that comes late stays", test_late_pipe),
    BOTH("modes are kept", test_modes),
    BOTH("owners are kept", test_owners),
    BOTH("links are followed", test_links),
    BOTH("long names are saved", test_long_names),
    BOTH("leftovers can be found", test_leftovers),
};

#endif

int main(int argc, char **argv)
{
    return run_units("test_file_replace", argc, argv, cases, sizeof cases / sizeof cases[0]);
}
