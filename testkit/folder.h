/* testkit/folder.h - a folder of a test's own, and files in it as bytes. */
#ifndef PLEACH_TESTS_FOLDER_H
#define PLEACH_TESTS_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "harness.h"

typedef struct folder {
    char name[200];
    char path[240]; /* of a file in it, which is not made */
} folder;

typedef struct file_image {
    size_t size;
    uint8_t *bytes; /* must be freed */
} file_image;

/* All of these fail the test where the operating system refuses. */
folder folder_open(void);
void folder_close(folder *f); /* removes the files in it, too */
size_t folder_entries(const folder *f);

file_image file_image_read(const char *path);
void file_image_write(const char *path, size_t size, const uint8_t *bytes);

/* The only case of a program for files, in a build that has none. It is not in folder.c, because some programs that link
 * that have nothing of src/file. */
static inline void there_are_no_files_in_this_build(void)
{
    pleach_file_info info;
    assert_int_equal(pleach_file_get_info("pairs", &info), PLEACH_E_NO_FILES);
}

#endif
