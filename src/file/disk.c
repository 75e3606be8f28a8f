#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/memory.h"

/* True if this call is to fail by order of a test. */
static bool fails_by_order(void)
{
    if (!base_allocation_fails()) return false;
    errno = EIO;
    return true;
}

/* A descriptor, or -1. */
static int open_counted(const char *path, int flags)
{
    if (fails_by_order()) return -1;
    int descriptor = open(path, flags | O_CLOEXEC, 0666);
    if (descriptor >= 0) base_count_held(1);
    return descriptor;
}

/* What close would complain of, fsync has told before. */
static void close_counted(int descriptor)
{
    int kept = errno;
    close(descriptor);
    base_count_held(-1);
    errno = kept;
}

/* ---- reading ---- */

static bool is_plain(int descriptor, uint64_t *bytes)
{
    struct stat about;
    if (fails_by_order() || fstat(descriptor, &about) != 0) return false;
    *bytes = (uint64_t)about.st_size;
    errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
    return S_ISREG(about.st_mode);
}

pleach_status old_file_open(old_file *file, const char *path)
{
    file->descriptor = open_counted(path, O_RDONLY | O_NONBLOCK); /* a pipe without a writer must not be waited for */
    if (file->descriptor < 0) return PLEACH_E_FILE;
    if (is_plain(file->descriptor, &file->bytes)) return PLEACH_OK;
    old_file_close(file);
    return PLEACH_E_FILE;
}

void old_file_close(old_file *file) { close_counted(file->descriptor); }

pleach_status old_file_read(const old_file *file, void *to, size_t size)
{
    char *at = to;
    while (size > 0) { /* progress: a signal interrupts, everything else advances or ends it */
        ssize_t got = fails_by_order() ? -1 : read(file->descriptor, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return PLEACH_E_FILE;
        if (got == 0) return PLEACH_E_FORMAT;
        at += got;
        size -= (size_t)got;
    }
    return PLEACH_OK;
}

/* ---- writing ---- */

/* The length of the path's folder with its last slash; 0: the current folder. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

enum { NAME_ROOM = 64, MOST_NAMES = 1000 };

/* A file in the same folder that was not there before. Only a process with our number that was killed while it saved
 * can have taken a name, so the next one is free. */
static int open_beside(new_file *file)
{
    static atomic_uint number;
    size_t folder = folder_length(file->path);
    memcpy(file->temporary, file->path, folder);
    int descriptor = -1;
    for (unsigned tries = 0; tries < MOST_NAMES && descriptor < 0; tries++) {
        snprintf(file->temporary + folder, NAME_ROOM, ".pleach-%ld-%u.tmp", (long)getpid(),
                 atomic_fetch_add(&number, 1));
        descriptor = open_counted(file->temporary, O_WRONLY | O_CREAT | O_EXCL);
        if (descriptor < 0 && errno != EEXIST) break;
    }
    return descriptor;
}

pleach_status new_file_begin(new_file *file, const char *path)
{
    file->path = path;
    file->temporary = base_alloc(folder_length(path) + NAME_ROOM, 1);
    if (!file->temporary) return PLEACH_E_MEMORY;
    file->descriptor = open_beside(file);
    if (file->descriptor >= 0) return PLEACH_OK;
    base_free(file->temporary);
    return PLEACH_E_FILE;
}

pleach_status new_file_write(const new_file *file, const void *from, size_t size, uint64_t place)
{
    const char *at = from;
    while (size > 0) { /* progress: as in old_file_read */
        ssize_t put = fails_by_order() ? -1 : pwrite(file->descriptor, at, size, (off_t)place);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return PLEACH_E_FILE;
        at += put;
        place += (uint64_t)put;
        size -= (size_t)put;
    }
    return PLEACH_OK;
}

/* Then the new name outlasts a power failure, too. Not every file system can do this, and the file is in its place by
 * now, so nobody is told if it fails. */
static void sync_folder(new_file *file)
{
    size_t folder = folder_length(file->path);
    file->temporary[folder] = '\0'; /* its name is not needed any more */
    int descriptor = open_counted(folder ? file->temporary : ".", O_RDONLY | O_DIRECTORY);
    if (descriptor < 0) return;
    fsync(descriptor);
    close_counted(descriptor);
}

pleach_status new_file_finish(new_file *file)
{
    /* Without the first sync the new name could come to the disk before the bytes. */
    bool synced = !fails_by_order() && fsync(file->descriptor) == 0;
    if (!synced || fails_by_order() || rename(file->temporary, file->path) != 0) {
        new_file_discard(file);
        return PLEACH_E_FILE;
    }
    close_counted(file->descriptor);
    sync_folder(file);
    base_free(file->temporary);
    return PLEACH_OK;
}

void new_file_discard(new_file *file)
{
    int kept = errno;
    unlink(file->temporary);
    close_counted(file->descriptor);
    base_free(file->temporary);
    errno = kept;
}
