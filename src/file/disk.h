/* file/disk.h - the operating system's files, as saving and loading need them. Each system call that can fail asks
 * base_allocation_fails first, so that tests can make it fail; open files count as held.
 *
 * A function that returns PLEACH_E_FILE has set errno. */
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

/* Returns FILE also if it is not a regular file: opening a pipe would block, and a folder has no bytes. */
pleach_status old_file_open(old_file *file, const char *path);
void old_file_close(old_file *file); /* keeps errno */

/* Reads the next `size` bytes. Returns FORMAT if there are fewer. */
pleach_status old_file_read(const old_file *file, void *to, size_t size);

/* ---- writing: under a name of its own until it is complete ---- */

typedef struct new_file {
    char *target;      /* final name: the path, or the target of a symbolic link there */
    char *temporary;   /* name until then: the same, and ".pleach-PROCESS-NUMBER.tmp" */
    int descriptor;
    unsigned mode;     /* mode it will have unless it replaces a file */
} new_file;

/* Returns FILE if what is at the path is no regular file (EISDIR, EINVAL), if it is a dangling symbolic link, or if its
 * owner or group could not be kept (EPERM). On success, new_file_finish or new_file_discard must follow. */
pleach_status new_file_begin(new_file *file, const char *path);

pleach_status new_file_write(const new_file *file, const void *from, size_t size, uint64_t place);

/* Writes the file to the disk, and then gives it its name, with owner, group and mode of the file that it replaces, or
 * with those of a new file. On failure, also if the path by now names what must not be replaced, it is discarded. */
pleach_status new_file_finish(new_file *file);

void new_file_discard(new_file *file); /* keeps errno */

#endif
