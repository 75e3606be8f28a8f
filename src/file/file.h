/* file/file.h - saving and loading, as the public functions use them; only in builds with xxHash. */
#ifndef PLEACH_FILE_FILE_H
#define PLEACH_FILE_FILE_H

#include "../../include/pleach/file.h"

/* Pairs per block: reading one takes a moment, and needs 1 MiB of memory. */
enum { FILE_BLOCK_PAIRS = 1 << 16 };

/* Block sizes other than FILE_BLOCK_PAIRS are for tests. */
pleach_status file_save(pleach_snapshot *snapshot, const char *path, uint32_t block_pairs);

pleach_status file_load(pleach_map *map, const char *path, double fill);

/* Arrays of 64-bit pairs with strictly ascending keys: the form in which graphs are saved (docs/file-format.md). A
 * saved file is marked as a graph's, and a map refuses to load it; a loaded file may lack the mark. */
typedef struct file_pairs {
    uint64_t *keys, *values;
    uint64_t count;
} file_pairs;

pleach_status file_save_pairs(const file_pairs *pairs, const char *path);
pleach_status file_load_pairs(file_pairs *pairs, const char *path); /* after OK, the caller must call file_free_pairs */
void file_free_pairs(file_pairs *pairs);

pleach_status file_read_info(const char *path, pleach_file_info *info);

#endif
