/* edge_bytes.h - the bytes of a file, plain or taken out of gzip or xz, as a stream.
 *
 * The first bytes decide, not the name. Which compressions a build can read depends on the libraries it was made with;
 * of one that it cannot read it says which package is missing.
 */
#ifndef PLEACH_TOOLS_EDGE_BYTES_H
#define PLEACH_TOOLS_EDGE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EDGE_RAW_BYTES = 1 << 18 };

struct edge_bytes;

/* One kind of compression. */
struct edge_codec {
    const char *name, *package; /* the package that a build without it lacks, by Debian's name */
    const unsigned char *magic;
    size_t magic_bytes;
    /* NULL where the build lacks it. `start` is false when memory is lacking. */
    bool (*start)(struct edge_bytes *bytes);
    /* As edge_bytes_read. */
    ptrdiff_t (*read)(struct edge_bytes *bytes, unsigned char *to, size_t size);
    void (*stop)(struct edge_bytes *bytes);
};

extern const struct edge_codec edge_gzip, edge_xz;

struct edge_bytes {
    int file;
    const struct edge_codec *codec; /* NULL: plain */
    void *state;                    /* the codec's */
    bool raw_ended;
    size_t raw_at, raw_end;
    uint64_t memory;     /* what unpacking takes */
    const char *why;     /* after a failure */
    bool lacks_codec;    /* the failure: this build cannot read such a file */
    bool system_failed;  /* the failure: the operating system or memory, not the file's contents */
    unsigned char raw[EDGE_RAW_BYTES]; /* as in the file */
};

/* Reads from an open file, which stays the caller's. False after a failure. */
bool edge_bytes_start(struct edge_bytes *bytes, int file);

/* Up to `size` bytes, 1 at least; 0 at the end; -1 after a failure. */
ptrdiff_t edge_bytes_read(struct edge_bytes *bytes, unsigned char *to, size_t size);

void edge_bytes_stop(struct edge_bytes *bytes);

/* For codecs: has more of the file in raw, behind what is there if nothing of it was used yet. False after a failure;
 * true with raw_at == raw_end only at the end. */
bool edge_bytes_fill(struct edge_bytes *bytes);

#endif
