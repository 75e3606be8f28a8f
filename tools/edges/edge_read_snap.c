/* edge_read_snap.c - lines "u v [more]", or "u v t [more]" for a list with times, as the SNAP collection has them.
 *
 * Of the comments above the first edge two are understood, as SNAP writes them: "# Undirected graph ..." and
 * "# Nodes: N Edges: M".
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "edge_readers.h"

static bool read_id(struct edge_input *in, const char *what, uint32_t *id)
{
    uint64_t number = 0;
    if (!edge_read_number(in, what, &number)) return false;
    if (number > EDGE_MOST_ID)
        return edge_input_fail(in, "vertex id %llu is too large: ids go up to %u", (unsigned long long)number,
                               EDGE_MOST_ID);
    *id = (uint32_t)number;
    return true;
}

static bool read_edge(struct edge_input *in, struct edge_list *list)
{
    uint32_t from = 0, to = 0;
    uint64_t time = 0;
    if (!read_id(in, "the first vertex", &from) || !read_id(in, "the second vertex", &to)) return false;
    if (list->timed && !edge_read_time(in, &time)) return false;
    while (!edge_at_line_end(in))
        if (!edge_skip_value(in, "what follows the edge")) return false;
    return edge_input_good(in) && edge_keep(in, list, from, to, time);
}

static bool read_comment(struct edge_input *in, struct edge_list *list)
{
    char text[200];
    edge_read_rest(in, text, sizeof text);
    if (strncasecmp(text, "%%MatrixMarket", 14) == 0)
        return edge_input_fail(in, "this is a Matrix Market file, to be read with the format mtx");
    if (list->count > 0) return true;
    const char *const words = text + strspn(text, "#% \t");
    if (strncasecmp(words, "undirected", 10) == 0) list->undirected = true;
    if (strncasecmp(words, "nodes:", 6) == 0) {
        const unsigned long long declared = strtoull(words + 6, NULL, 10);
        list->declared = declared <= (uint64_t)EDGE_MOST_ID + 1 ? declared : 0; /* no such number can be true */
    }
    return true;
}

bool edge_read_snap(struct edge_input *in, struct edge_list *list)
{
    for (int byte; (byte = edge_look_word(in)) != EDGE_STOP; edge_next_line(in)) {
        if (byte == '\n') continue;
        if (!(byte == '#' || byte == '%' ? read_comment(in, list) : read_edge(in, list))) return false;
    }
    return edge_input_good(in);
}
