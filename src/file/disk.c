#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/memory.h"

/* Returns true if this call must fail because a test asked for it. */
static bool fails_by_order(void)
{
    if (!base_allocation_fails()) return false;
    errno = EIO;
    return true;
}

/* Returns a descriptor, or -1. On network file systems a signal may interrupt the call. */
static int open_counted(const char *path, int flags, mode_t mode)
{
    if (fails_by_order()) return -1;
    int descriptor;
    do descriptor = open(path, flags | O_CLOEXEC, mode);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor >= 0) base_count_held(1);
    return descriptor;
}

/* Ignores errors of close, because fsync has reported them before. */
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
    /* O_NONBLOCK, because opening a pipe without a writer would block. */
    file->descriptor = open_counted(path, O_RDONLY | O_NONBLOCK, 0);
    if (file->descriptor < 0) return PLEACH_E_FILE;
    if (is_plain(file->descriptor, &file->bytes)) return PLEACH_OK;
    old_file_close(file);
    return PLEACH_E_FILE;
}

void old_file_close(old_file *file) { close_counted(file->descriptor); }

pleach_status old_file_read(const old_file *file, void *to, size_t size)
{
    char *at = to;
    while (size > 0) { /* progress: a signal interrupts, everything else advances or ends the loop */
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

/* Examines what is at the path now, if anything. Returns FILE if it must not be replaced, or cannot be examined. */
static pleach_status look_at(const char *path, struct stat *about, bool *there)
{
    *there = !fails_by_order() && lstat(path, about) == 0;
    if (!*there) return errno == ENOENT ? PLEACH_OK : PLEACH_E_FILE;
    if (S_ISREG(about->st_mode)) return PLEACH_OK;
    errno = S_ISDIR(about->st_mode) ? EISDIR : S_ISLNK(about->st_mode) ? ELOOP : EINVAL;
    return PLEACH_E_FILE;
}

/* Copies the path, or the target of the symbolic link there. stat comes first because the kernel then refuses a link
 * that another user has put into a world-writable folder; realpath alone would follow it. */
static bool follow(const char *path, char *target)
{
    struct stat about;
    strcpy(target, path);
    if (fails_by_order() || lstat(path, &about) != 0) return errno == ENOENT;
    if (!S_ISLNK(about.st_mode)) return true;
    return !fails_by_order() && stat(path, &about) == 0 && realpath(path, target);
}

/* Returns the length of the path's folder including its last slash; 0 for the current folder. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

enum { NAME_ROOM = 64, LONGEST_START = 200, MOST_NAMES = 1000 };

/* Returns how much of the path the temporary name begins with: all of it, unless its last component is too long to be
 * extended. A UTF-8 character is never split. */
static size_t start_length(const char *path)
{
    size_t length = strlen(path), most = folder_length(path) + LONGEST_START;
    if (length <= most) return length;
    while (most > 0 && ((unsigned char)path[most] & 0xc0) == 0x80) most--;
    return most;
}

/* Creates a new file in the same folder. A name is in use only if a process with the same process number was killed
 * while it saved, so the next name is free. */
static int open_beside(new_file *file, mode_t mode)
{
    static atomic_uint number;
    size_t start = start_length(file->target);
    memcpy(file->temporary, file->target, start);
    int descriptor = -1;
    for (unsigned tries = 0; tries < MOST_NAMES && descriptor < 0; tries++) {
        snprintf(file->temporary + start, NAME_ROOM, ".pleach-%ld-%u.tmp", (long)getpid(),
                 atomic_fetch_add(&number, 1));
        descriptor = open_counted(file->temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
        if (descriptor < 0 && errno != EEXIST) break;
    }
    return descriptor;
}

/* Sets the owner and the group of the file that will be replaced. */
static bool keep_owner(const new_file *file, const struct stat *old)
{
    struct stat now;
    if (fails_by_order() || fstat(file->descriptor, &now) != 0) return false;
    if (now.st_uid == old->st_uid && now.st_gid == old->st_gid) return true;
    return !fails_by_order() && fchown(file->descriptor, old->st_uid, old->st_gid) == 0;
}

/* Stores the mode that the umask, or the folder, has given to the new file, and denies other users access until the
 * file is complete. A file system without modes refuses the change, which is harmless there. */
static bool begin_mode(new_file *file)
{
    struct stat now;
    if (fails_by_order() || fstat(file->descriptor, &now) != 0) return false;
    file->mode = now.st_mode & 07777;
    fchmod(file->descriptor, 0600);
    return true;
}

/* Sets owner and group at once, so that a caller that cannot keep them is refused before much is written. If there is
 * nothing to replace, the file is created like any new file, because only that shows the mode it should have; other
 * users lose access while it is still empty. */
static pleach_status open_temporary(new_file *file)
{
    struct stat old;
    bool there;
    if (look_at(file->target, &old, &there) != PLEACH_OK) return PLEACH_E_FILE;
    file->descriptor = open_beside(file, there ? 0600 : 0666);
    if (file->descriptor < 0) return PLEACH_E_FILE;
    if (there ? keep_owner(file, &old) : begin_mode(file)) return PLEACH_OK;
    int kept = errno;
    unlink(file->temporary);
    close_counted(file->descriptor);
    errno = kept;
    return PLEACH_E_FILE;
}

static void free_names(new_file *file)
{
    base_free(file->target);
    base_free(file->temporary);
}

pleach_status new_file_begin(new_file *file, const char *path)
{
    size_t length = strlen(path) + 1;
    length = length > PATH_MAX ? length : PATH_MAX; /* realpath writes up to PATH_MAX bytes */
    file->target = base_alloc(length, 1);
    file->temporary = base_alloc(length + NAME_ROOM, 1);
    pleach_status status = PLEACH_E_MEMORY;
    if (file->target && file->temporary)
        status = follow(path, file->target) ? open_temporary(file) : PLEACH_E_FILE;
    if (status != PLEACH_OK) free_names(file);
    return status;
}

pleach_status new_file_write(const new_file *file, const void *from, size_t size, uint64_t place)
{
    const char *at = from;
    while (size > 0) { /* progress: as in old_file_read */
        ssize_t put = fails_by_order() ? -1 : pwrite(file->descriptor, at, size, (off_t)place);
        if (put < 0 && errno == EINTR) continue;
        if (put == 0) errno = ENOSPC; /* otherwise this loop would never end */
        if (put <= 0) return PLEACH_E_FILE;
        at += put;
        place += (uint64_t)put;
        size -= (size_t)put;
    }
    return PLEACH_OK;
}

/* Makes the new name survive a power failure. A failure is not reported: not every file system can do this, and the
 * file is already in place. */
static void sync_folder(new_file *file)
{
    size_t folder = folder_length(file->target);
    file->temporary[folder] = '\0'; /* the temporary name is no longer needed */
    int descriptor = open_counted(folder ? file->temporary : ".", O_RDONLY | O_DIRECTORY, 0);
    if (descriptor < 0) return;
    fsync(descriptor);
    close_counted(descriptor);
}

static bool sync_file(int descriptor)
{
    int result;
    do result = fails_by_order() ? -1 : fsync(descriptor);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

/* Sets the final owner and mode. The mode comes last because a change of owner clears bits of it. */
static bool end_mode(const new_file *file)
{
    struct stat old, now;
    bool there;
    if (look_at(file->target, &old, &there) != PLEACH_OK || (there && !keep_owner(file, &old))) return false;
    mode_t mode = there ? old.st_mode & 07777 : file->mode;
    if (fails_by_order() || fstat(file->descriptor, &now) != 0) return false;
    return (now.st_mode & 07777) == mode || (!fails_by_order() && fchmod(file->descriptor, mode) == 0);
}

/* Checks the target again, because the sync can take long: another process may have created a pipe there. */
static bool rename_over(const new_file *file)
{
    struct stat old;
    bool there;
    return look_at(file->target, &old, &there) == PLEACH_OK && !fails_by_order() &&
           rename(file->temporary, file->target) == 0;
}

pleach_status new_file_finish(new_file *file)
{
    /* Without the first sync the new name could reach the disk before the bytes. */
    if (!end_mode(file) || !sync_file(file->descriptor) || !rename_over(file)) {
        new_file_discard(file);
        return PLEACH_E_FILE;
    }
    close_counted(file->descriptor);
    sync_folder(file);
    free_names(file);
    return PLEACH_OK;
}

void new_file_discard(new_file *file)
{
    int kept = errno;
    unlink(file->temporary);
    close_counted(file->descriptor);
    free_names(file);
    errno = kept;
}
