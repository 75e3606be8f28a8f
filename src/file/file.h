/* file/file.h - saving and loading, behind the public functions; in builds with xxHash. */
#ifndef PLEACH_FILE_FILE_H
#define PLEACH_FILE_FILE_H

#include "../../include/pleach/file.h"

/* Pairs in a block: reading one takes a moment, and the memory for it is 1 MiB. */
enum { FILE_BLOCK_PAIRS = 1 << 16 };

/* Blocks of another size than FILE_BLOCK_PAIRS are for tests. */
pleach_status file_save(pleach_snapshot *snapshot, const char *path, uint32_t block_pairs);

pleach_status file_load(pleach_map *map, const char *path, double fill);

/* 64-bit pairs in arrays, whose keys ascend strictly: graphs are saved as such (docs/file-format.md). What is saved is
 * marked as a graph's, and a map will not load it; what is loaded may lack the mark. */
typedef struct file_pairs {
    uint64_t *keys, *values;
    uint64_t count;
} file_pairs;

pleach_status file_save_pairs(const file_pairs *pairs, const char *path);
pleach_status file_load_pairs(file_pairs *pairs, const char *path); /* after OK, file_free_pairs */
void file_free_pairs(file_pairs *pairs);

pleach_status file_read_info(const char *path, pleach_file_info *info);

#endif
