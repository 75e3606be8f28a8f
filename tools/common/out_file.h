/* out_file.h - the files that the commands write. As when a map is saved (src/file/disk.h), a file is written under a
 * name of its own and renamed when it is complete, keeps the owner and the mode of what it replaces, and replaces
 * nothing but a regular file. So a command that fails or is killed leaves the old file as it was. */
#ifndef PLEACH_TOOLS_OUT_FILE_H
#define PLEACH_TOOLS_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "file/disk.h"

struct out_file {
    FILE *stream;
    bool standard; /* the path was "-": standard output */
    struct new_file file;
};

/* On success, out_file_close must follow; otherwise errno is set. */
bool out_file_open(struct out_file *out, const char *path);

/* Gives the file its name if all was written; otherwise discards it and sets errno. */
bool out_file_close(struct out_file *out);

/* Whether the path could be written now. A command asks before it works for minutes. Otherwise errno is set. */
bool out_file_possible(const char *path);

/* The text of an error of these functions. */
const char *out_file_reason(int error);

#endif
