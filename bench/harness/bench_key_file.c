/* bench_key_file.c - keys of a file: their number and then so many in ascending order, all as 64-bit words with the
 * lowest byte first; plain, or compressed as edge_bytes.h knows it. */
#define _DEFAULT_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "tools/common/cli.h"
#include "tools/common/memory_limit.h"
#include "tools/edges/edge_bytes.h"

/* Fills `words`; false with the reason where the file ends before, or cannot be read. */
static bool read_words(struct edge_bytes *bytes, uint64_t *words, size_t count, char *why, size_t size)
{
    unsigned char *const to = (unsigned char *)words;
    const size_t wanted = count * sizeof *words;
    size_t done = 0;
    while (done < wanted) {
        const ptrdiff_t got = edge_bytes_read(bytes, to + done, wanted - done);
        if (got <= 0) {
            snprintf(why, size, "%s", got < 0 ? bytes->why : "it ends before its last key");
            return false;
        }
        done += (size_t)got;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t word = 0;
        for (unsigned byte = 0; byte < sizeof word; byte++) word |= (uint64_t)to[i * sizeof word + byte] << (8 * byte);
        words[i] = word;
    }
    return true;
}

/* As many keys as the file says, in steps: memory grows with what has been read. */
static bool read_growing(struct edge_bytes *bytes, struct bench_key_file *file, size_t count, char *why, size_t size)
{
    enum { STEP = 1 << 20 };
    size_t room = 0;
    while (file->count < count) {
        const size_t n = count - file->count < STEP ? count - file->count : STEP;
        if (file->count + n > room) {
            room = 2 * room + STEP < count ? 2 * room + STEP : count;
            uint64_t *const keys =
                memory_allows(room * sizeof *keys + bytes->memory) ? realloc(file->keys, room * sizeof *keys) : NULL;
            if (keys == NULL) {
                snprintf(why, size, "%zu keys: %s", count, memory_lack());
                return false;
            }
            file->keys = keys;
        }
        if (!read_words(bytes, file->keys + file->count, n, why, size)) return false;
        file->count += n;
    }
    return true;
}

/* All but opening: the number, the keys, their order, and that nothing follows. */
static bool read_keys(struct edge_bytes *bytes, struct bench_key_file *file, char *why, size_t size)
{
    unsigned char more;
    uint64_t count;
    if (!read_words(bytes, &count, 1, why, size)) return false;
    if (count < BENCH_LEAST_KEYS || count > BENCH_MOST_KEYS) {
        snprintf(why, size, "it tells of %" PRIu64 " keys, and %d to %d can be measured", count, BENCH_LEAST_KEYS,
                 BENCH_MOST_KEYS);
        return false;
    }
    if (!read_growing(bytes, file, (size_t)count, why, size)) return false;
    for (size_t i = 1; i < file->count; i++) {
        if (file->keys[i - 1] < file->keys[i]) continue;
        snprintf(why, size, "key %zu is not above the one before it", i);
        return false;
    }
    const ptrdiff_t behind = edge_bytes_read(bytes, &more, 1);
    if (behind == 0) return true;
    snprintf(why, size, "%s", behind < 0 ? bytes->why : "there is something behind its last key");
    return false;
}

static bool open_and_read(struct bench_key_file *file, const char *path, char *why, size_t size)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct edge_bytes *const bytes = malloc(sizeof *bytes);
    bool good = descriptor >= 0 && bytes != NULL;
    if (!good) snprintf(why, size, "%s", strerror(errno));
    if (good) {
        good = edge_bytes_start(bytes, descriptor);
        if (!good && bytes->lacks_codec)
            snprintf(why, size, "this build cannot read %s; it was made without %s", bytes->codec->name,
                     bytes->codec->package);
        else if (!good)
            snprintf(why, size, "%s", bytes->why);
        else
            good = read_keys(bytes, file, why, size);
        edge_bytes_stop(bytes);
    }
    free(bytes);
    if (descriptor >= 0) close(descriptor);
    return good;
}

bool bench_key_file_read(struct bench_key_file *file, const char *path, const char *command)
{
    char why[512];
    *file = (struct bench_key_file){0};
    if (path == NULL || open_and_read(file, path, why, sizeof why)) return true;
    cli_complain(command, "%s: %s", path, why);
    bench_key_file_drop(file);
    return false;
}

void bench_key_file_drop(struct bench_key_file *file)
{
    free(file->keys);
    *file = (struct bench_key_file){0};
}
