/* edge_read_metis.c - METIS files: "n m [fmt [ncon]]", then for each vertex a line with its neighbours.
 *
 * fmt has three digits, leading zeros may be left out: 1xx, vertices have sizes; x1x, ncon weights (1 by default); xx1,
 * each neighbour has an edge weight behind it. Sizes and weights are passed over. The list has each edge from both
 * ends, as the file does.
 */
#include "edge_readers.h"

struct metis {
    uint64_t vertices, edges;
    uint64_t skipped; /* numbers before the neighbours */
    bool edge_weights;
};

static bool read_form(struct edge_input *in, struct metis *metis)
{
    uint64_t form = 0, weights = 1;
    if (!edge_at_line_end(in) && !edge_read_number(in, "the form (fmt)", &form)) return false;
    if (form > 111 || form % 10 > 1 || form / 10 % 10 > 1)
        return edge_input_fail(in, "the form (fmt) should be three digits, each 0 or 1, not %llu",
                               (unsigned long long)form);
    const bool sizes = form >= 100, vertex_weights = form / 10 % 10 == 1;
    if (!edge_at_line_end(in) && !edge_read_number(in, "the number of vertex weights (ncon)", &weights)) return false;
    if (weights > 1000) return edge_input_fail(in, "more than 1000 weights for each vertex");
    metis->edge_weights = form % 10 == 1;
    metis->skipped = (sizes ? 1 : 0) + (vertex_weights ? weights : 0);
    return true;
}

static bool read_header(struct edge_input *in, struct metis *metis)
{
    edge_skip_comments(in, '%');
    if (!edge_read_number(in, "the number of vertices", &metis->vertices) ||
        !edge_read_number(in, "the number of edges", &metis->edges) || !read_form(in, metis))
        return false;
    if (!edge_at_line_end(in)) return edge_input_fail(in, "after 'n m fmt ncon' the header should end");
    if (metis->vertices > (uint64_t)EDGE_MOST_ID + 1)
        return edge_input_fail(in, "%llu vertices are too many: %llu is the most", (unsigned long long)metis->vertices,
                               (unsigned long long)EDGE_MOST_ID + 1);
    if (metis->edges > UINT64_MAX / 2) return edge_input_fail(in, "the number of edges is too large");
    edge_next_line(in);
    return edge_input_good(in);
}

/* A line; blank is a vertex without neighbours. */
static bool read_vertex(struct edge_input *in, const struct metis *metis, uint32_t vertex, struct edge_list *list)
{
    for (uint64_t i = 0; i < metis->skipped; i++)
        if (!edge_skip_value(in, "the size or weight of the vertex")) return false;
    while (!edge_at_line_end(in)) {
        uint64_t neighbour = 0;
        if (!edge_read_number(in, "a neighbour", &neighbour)) return false;
        if (neighbour < 1 || neighbour > metis->vertices)
            return edge_input_fail(in, "neighbour %llu of vertex %llu: the vertices are 1 to %llu",
                                   (unsigned long long)neighbour, (unsigned long long)vertex + 1,
                                   (unsigned long long)metis->vertices);
        if (metis->edge_weights && !edge_skip_value(in, "the weight of an edge")) return false;
        if (!edge_keep(in, list, vertex, (uint32_t)(neighbour - 1), 0)) return false;
    }
    return edge_input_good(in);
}

static bool read_vertices(struct edge_input *in, const struct metis *metis, struct edge_list *list)
{
    uint64_t vertex = 0;
    while (vertex < metis->vertices && edge_look(in) != EDGE_STOP) {
        if (edge_look_word(in) == '%')
            edge_read_rest(in, NULL, 0);
        else if (!read_vertex(in, metis, (uint32_t)vertex++, list))
            return false;
        edge_next_line(in);
    }
    if (vertex < metis->vertices)
        return edge_input_fail(in, "the file ends after the lines of %llu vertices, but its header says %llu",
                               (unsigned long long)vertex, (unsigned long long)metis->vertices);
    return true;
}

bool edge_read_metis(struct edge_input *in, struct edge_list *list)
{
    struct metis metis = {0};
    if (!read_header(in, &metis) || !edge_keep_room(in, list, 2 * metis.edges)) return false;
    list->declared = metis.vertices;
    list->undirected = true;
    if (!read_vertices(in, &metis, list)) return false;
    if (edge_skip_comments(in, '%') != EDGE_STOP)
        return edge_input_fail(in, "more lines than the %llu vertices of the header",
                               (unsigned long long)metis.vertices);
    if (edge_input_good(in) && list->count != 2 * metis.edges)
        return edge_input_fail(in, "the header says %llu edges, so %llu neighbours in all, but there are %llu",
                               (unsigned long long)metis.edges, 2 * (unsigned long long)metis.edges,
                               (unsigned long long)list->count);
    return edge_input_good(in);
}
