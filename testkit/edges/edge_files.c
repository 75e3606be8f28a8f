#include "edge_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../buffers.h"
#include "../harness.h"

void name_file(folder *f, const char *name)
{
    const int length = snprintf(f->path, sizeof f->path, "%s/%s", f->name, name);
    assert_true(length > 0 && (size_t)length < sizeof f->path);
}

#ifdef PLEACH_HAVE_ZLIB
#include <zlib.h>

/* One gzip member; how many bytes it has. */
static size_t add_member(size_t size, const void *bytes, uint8_t *to, size_t room)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = to;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(deflateEnd(&stream), Z_OK);
    return room - stream.avail_out;
}

file_image gzip_of(size_t size, const void *bytes, unsigned parts)
{
    const size_t room = size + size / 8 + 100;
    file_image image = {0, must_alloc(parts, room)};
    for (unsigned part = 0; part < parts; part++) {
        const size_t begin = size * part / parts, end = size * (part + 1) / parts;
        image.size += add_member(end - begin, (const char *)bytes + begin, image.bytes + image.size, room);
    }
    return image;
}
#endif

#ifdef PLEACH_HAVE_LZMA
#include <lzma.h>

file_image xz_of(size_t size, const void *bytes, unsigned parts)
{
    const size_t room = parts * lzma_stream_buffer_bound(size);
    file_image image = {0, must_alloc(room, 1)};
    for (unsigned part = 0; part < parts; part++) {
        const size_t begin = size * part / parts, end = size * (part + 1) / parts;
        assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)bytes + begin, end - begin,
                                                 image.bytes, &image.size, room), LZMA_OK);
    }
    return image;
}
#endif

char *text_of_list(const struct edge_list *list)
{
    const size_t room = 50 * list->count + 1;
    char *text = must_alloc(room, 1);
    size_t used = 0;
    for (size_t i = 0; i < list->count; i++) {
        used += (size_t)snprintf(text + used, room - used, "%s%u>%u", i ? " " : "", list->from[i], list->to[i]);
        if (list->timed) used += (size_t)snprintf(text + used, room - used, "@%llu", (unsigned long long)list->time[i]);
    }
    return text;
}

void assert_same_lists(const struct edge_list *one, const struct edge_list *other)
{
    assert_int_equal(one->count, other->count);
    assert_int_equal(one->declared, other->declared);
    assert_int_equal(one->undirected, other->undirected);
    if (one->count == 0) return;
    assert_memory_equal(one->from, other->from, one->count * sizeof one->from[0]);
    assert_memory_equal(one->to, other->to, one->count * sizeof one->to[0]);
    if (one->timed) assert_memory_equal(one->time, other->time, one->count * sizeof one->time[0]);
}
