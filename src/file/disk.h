/* file/disk.h - the operating system's files, as saving and loading need them. Each call of it that can fail asks
 * base_allocation_fails first, so that tests can make it fail; open files count as held.
 *
 * A function that answers PLEACH_E_FILE has set errno. */
#ifndef PLEACH_FILE_DISK_H
#define PLEACH_FILE_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "../../include/pleach/status.h"

/* ---- reading ---- */

typedef struct old_file {
    int descriptor;
    uint64_t bytes;
} old_file;

/* FILE also if it is no plain file: a pipe would be waited for, and a folder has no bytes. */
pleach_status old_file_open(old_file *file, const char *path);
void old_file_close(old_file *file); /* keeps errno */

/* The next `size` bytes; FORMAT if there are not so many. */
pleach_status old_file_read(const old_file *file, void *to, size_t size);

/* ---- writing: under a name of its own until it is complete ---- */

typedef struct new_file {
    char *target;      /* what it will be called: the path, or where a symbolic link there leads */
    char *temporary;   /* what it is called meanwhile: the same, and ".pleach-PROCESS-NUMBER.tmp" */
    int descriptor;
    unsigned mode;     /* what it will have unless it replaces a file */
} new_file;

/* FILE if what is at the path is no regular file (EISDIR, EINVAL), if it is a symbolic link that leads nowhere, or if
 * its owner or group could not be kept (EPERM). On success, either new_file_finish or new_file_discard must follow. */
pleach_status new_file_begin(new_file *file, const char *path);

pleach_status new_file_write(const new_file *file, const void *from, size_t size, uint64_t place);

/* The file is on the disk, and then has its name: with owner, group and mode of what it replaces, or with those of a new
 * file. On failure it is discarded; so it is if something that must not be replaced has come to the path. */
pleach_status new_file_finish(new_file *file);

void new_file_discard(new_file *file); /* keeps errno */

#endif
