/* pleach/file.h - a map's pairs in a file, and back.
 *
 * Saving goes through a snapshot (pleach/snapshot.h): the file holds the map of one instant, and updates go on while it
 * is written. Loading replaces what a map holds, all or nothing: the file is read and verified to its last byte first,
 * while other calls go on, and then takes the place of the old contents at one instant.
 *
 * A file knows the width of its keys, and belongs to no map: what a versioned map has saved, on the CPU or on a GPU,
 * can be loaded into any map of that width, on either. Every byte of it is checksummed. docs/file-format.md has the
 * layout.
 *
 * These functions need xxHash when pleach is built. A build without it answers PLEACH_E_NO_FILES to all of them.
 */
#ifndef PLEACH_FILE_H
#define PLEACH_FILE_H

#include "snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The newest format that this version reads, and the one that it writes. */
#define PLEACH_FILE_VERSION 1

typedef struct pleach_file_info {
    unsigned version;  /* of the format */
    unsigned key_bits; /* 32, 64 or 128: what pleach_map_config wants for a map that can load it */
    uint64_t pairs;
    int holds_graph;   /* 1: a graph's, for pleach_graph_load_file; 0: a map's */
} pleach_file_info;

/* Writes the snapshot's pairs to the file `path`, which is made, or replaced when all is written: whoever opens `path`
 * sees the old file or the new one, whole, also after a power failure. (The new one is written under another name in
 * the same folder, synced, and renamed.)
 *
 * Only a regular file is replaced; a folder, pipe, device or socket at `path` is refused (FILE, errno EISDIR or
 * EINVAL). A symbolic link is followed: the file that it leads to is replaced, and the link stays; one that leads
 * nowhere is refused (ENOENT). The new file has the owner, group and mode of the one that it replaces; a caller who
 * cannot keep owner and group is refused (EPERM). A file that replaces none has the mode that the umask gives. While it
 * is written, it can be opened by its owner only.
 *
 * CAVEATS. Other names of the old file (hard links) keep the old contents; access lists and extended attributes are not
 * kept. A process that is killed while it saves leaves `path`.pleach-PROCESS-NUMBER.tmp behind: remove it when no save
 * to this path is running.
 * concurrency    with every call, also others of this snapshot.
 * memory         up to 18 MiB, whatever the size.
 * cost           reads all leaves of the snapshot twice.
 * errors         ARGUMENT (a pointer is NULL), MEMORY, FILE (errno tells more), NO_FILES. After an error nothing is
 *                left behind, and an older file at `path` is as it was. */
PLEACH_API pleach_status pleach_snapshot_save(pleach_snapshot *snapshot, const char *path);

/* Replaces all that the map holds by the file's pairs; fill as for pleach_map_load.
 * concurrency    with every call while it reads; then it passes the gate exclusively, as pleach_map_load does.
 * linearization  the passage: every other call sees either the old contents or the new ones.
 * memory         for the file's pairs, until it returns. It grows with what has been read and verified, so a file that
 *                only claims to be large, or is large and has nothing but holes, is refused before it costs memory.
 * CAVEATS. The checksums find accidents; they are no signature. A file that somebody has made on purpose can hold any
 * pairs, and there is no limit for one that is large in fact: pleach_file_get_info has the number of pairs.
 * errors         ARGUMENT (a pointer is NULL, or fill is out of range), FILE (errno tells more), FORMAT, NEWER, KIND
 *                (pleach_graph_save has written it), WIDTH (the map's keys have another width), MEMORY, FULL (the map's
 *                limit is too low for it), BUSY (a snapshot is live, or a device view is open), SIZE (a GPU map takes
 *                at most 2^31 pairs at once), CUDA, NO_FILES. After an error the map is as it was; only a GPU map after
 *                CUDA may hold anything. */
PLEACH_API pleach_status pleach_map_load_file(pleach_map *map, const char *path, double fill);

/* What the file says of itself. Its head and its size are verified, its pairs are not.
 * Errors: ARGUMENT, FILE, FORMAT, NEWER, NO_FILES; after NEWER info->version is the file's, else *info is zero. */
PLEACH_API pleach_status pleach_file_get_info(const char *path, pleach_file_info *info);

#ifdef __cplusplus
}
#endif
#endif
