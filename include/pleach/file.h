/* pleach/file.h - saving a map to a file and loading it.
 *
 * Saving uses a snapshot (pleach/snapshot.h): the file holds the map as it was at one instant, and updates continue
 * while it is written. Loading replaces the contents of a map, all or nothing: the file is first read and verified to
 * its last byte, concurrently with other calls, and then replaces the old contents at one instant.
 *
 * A file records the width of its keys and is not tied to a map: a file saved from a versioned map, on the CPU or on a
 * GPU, can be loaded into any map of that width on either. Every byte is checksummed. Layout: docs/file-format.md.
 *
 * These functions need xxHash when pleach is built. In a build without it they all return PLEACH_E_NO_FILES.
 */
#ifndef PLEACH_FILE_H
#define PLEACH_FILE_H

#include "snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The format that this version writes, and the newest that it reads. */
#define PLEACH_FILE_VERSION 1

typedef struct pleach_file_info {
    unsigned version;  /* of the format */
    unsigned key_bits; /* 32, 64 or 128: the key_bits of a map that can load the file */
    uint64_t pairs;
    int holds_graph;   /* 1: a graph, for pleach_graph_load_file; 0: a map */
} pleach_file_info;

/* Writes the snapshot's pairs to the file `path`, which is created or, once everything is written, replaced. At any
 * time `path` is either the complete old file or the complete new one, even after a power failure: the new file is
 * written under another name in the same folder, synced, and renamed.
 *
 * Only a regular file is replaced; a folder, pipe, device or socket at `path` is refused (FILE, errno EISDIR or
 * EINVAL). A symbolic link is followed: its target is replaced, and the link stays; a dangling link is refused
 * (ENOENT). The new file has the owner, group and mode of the file that it replaces; if the caller may not set that
 * owner and group, the call is refused (EPERM). A file that replaces none gets its mode from the umask. While it is
 * written, only its owner can open it.
 *
 * memory         up to 18 MiB, whatever the size.
 * concurrency    with every call, including others on this snapshot.
 * cost           reads all leaves of the snapshot twice.
 * errors         ARGUMENT (a pointer is NULL), MEMORY, FILE (errno has the reason), NO_FILES. After an error nothing is
 *                left behind, and an older file at `path` is unchanged.
 * CAVEATS        Other names of the old file (hard links) keep the old contents. Access lists and extended attributes
 *                are not copied. A process that is killed while it saves leaves `path`.pleach-PROCESS-NUMBER.tmp
 *                behind: remove it when no save to this path is running. */
PLEACH_API pleach_status pleach_snapshot_save(pleach_snapshot *snapshot, const char *path);

/* Replaces the contents of the map by the file's pairs; fill as for pleach_map_load.
 * memory         for the file's pairs, until the call returns. It grows with what has been read and verified, so a file
 *                that only claims to be large, or consists of holes, is refused before it costs memory.
 * concurrency    with every call while it reads the file; exclusive, like pleach_map_load, while it replaces.
 * linearization  the exclusive part: every other call sees either the old contents or the new ones.
 * errors         ARGUMENT (a pointer is NULL, or fill is out of range), FILE (errno has the reason), FORMAT, NEWER,
 *                KIND (written by pleach_graph_save), WIDTH (the map's keys have another width), MEMORY, FULL (above
 *                the map's limit), BUSY (a snapshot is live, or a device view is open), SIZE (a GPU map accepts at most
 *                2^31 pairs at once), CUDA, NO_FILES. After an error the map is unchanged, except that the contents of
 *                a GPU map are unspecified after CUDA.
 * CAVEATS        The checksums detect accidents; they are not a signature, so a crafted file can hold any pairs. A file
 *                that really is large costs that much memory. Remedy: pleach_file_get_info reports the number of pairs
 *                beforehand. */
PLEACH_API pleach_status pleach_map_load_file(pleach_map *map, const char *path, double fill);

/* Reads the file's header. Verifies the header and the file size, but not the pairs.
 * errors         ARGUMENT, FILE, FORMAT, NEWER, NO_FILES. After NEWER info->version is the file's version; after any
 *                other error *info is zero. */
PLEACH_API pleach_status pleach_file_get_info(const char *path, pleach_file_info *info);

#ifdef __cplusplus
}
#endif
#endif
