#include "edge_read.h"

#include <string.h>
#include <strings.h>

#include "edge_readers.h"

const char *const edge_format_names[] = {"auto", "snap", "mtx", "metis", NULL};

/* Whether the name of that length ends so. */
static bool ends_with(const char *name, size_t length, const char *end)
{
    const size_t tail = strlen(end);
    return length >= tail && strncasecmp(name + length - tail, end, tail) == 0;
}

enum edge_format edge_format_of(const char *path)
{
    size_t length = strlen(path);
    if (ends_with(path, length, ".gz") || ends_with(path, length, ".xz")) length -= 3;
    if (ends_with(path, length, ".mtx")) return EDGE_MTX;
    if (ends_with(path, length, ".graph") || ends_with(path, length, ".metis")) return EDGE_METIS;
    return EDGE_SNAP;
}

static bool read_format(struct edge_input *in, enum edge_format format, struct edge_list *list)
{
    if (format == EDGE_SNAP) return edge_read_snap(in, list);
    if (list->timed) return edge_input_fail(in, "only files of 'u v t' lines have times");
    return format == EDGE_MTX ? edge_read_mtx(in, list) : edge_read_metis(in, list);
}

bool edge_read(const char *path, const struct edge_read_options *options, struct edge_list *list,
               struct edge_error *error)
{
    static const struct edge_read_options usual;
    if (options == NULL) options = &usual;
    edge_list_start(list, options->temporal);
    list->limited = true;
    struct edge_input *const in = edge_input_open(path, error);
    if (in == NULL) return false;
    const enum edge_format format = options->format == EDGE_BY_NAME ? edge_format_of(path) : options->format;
    const bool good = read_format(in, format, list) && edge_input_good(in);
    edge_input_close(in);
    list->other_bytes = 0;
    if (!good) edge_list_free(list);
    return good;
}
