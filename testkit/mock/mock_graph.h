/* testkit/mock_graph.h - an executor of graphs that writes down what it is handed, and answers what the case
 * wants. For test_graph_arguments.c, which compiles the api layer into itself. */
#ifndef PLEACH_TESTS_COUNTERFEIT_GRAPH_H
#define PLEACH_TESTS_COUNTERFEIT_GRAPH_H

#include <graph/base/graph_backend.h>

typedef struct mock_graph {
    pleach_status answer;         /* of every call but these: */
    pleach_status quiesce_answer, export_answer;
    size_t fails_after;           /* so many exports that succeed: then export_answer */
    size_t calls, exports, quiesced, views_closed;
    uint64_t rows;                /* written by export_rows */
    uint64_t vertices;            /* written by size */
    graph_request request;        /* of the last run, build or erase_vertices */
    size_t capacity;              /* of the last call that has one */
    pleach_stream stream;
} mock_graph;

static pleach_status answer_once(void *exec)
{
    mock_graph *c = exec;
    c->calls++;
    return c->answer;
}

static void mock_destroy(void *exec) { ((mock_graph *)exec)->calls++; }

static pleach_status mock_run(void *exec, const graph_request *r, pleach_stream stream)
{
    mock_graph *c = exec;
    c->request = *r;
    c->stream = stream;
    return answer_once(exec);
}

static pleach_status mock_neighbours(void *exec, size_t n, const uint32_t *vertices, size_t capacity,
                                            uint32_t *neighbours, uint32_t *values, uint64_t *offsets, size_t *total)
{
    mock_graph *c = exec;
    c->request = (graph_request){.n = n, .from = vertices, .to = neighbours, .values = values};
    c->capacity = capacity;
    offsets[0] = 0;
    *total = 11;
    return answer_once(exec);
}

static pleach_status mock_size(void *exec, uint64_t *vertices, uint64_t *edges)
{
    if (vertices)
        *vertices = ((mock_graph *)exec)->vertices;
    if (edges)
        *edges = 1;
    return answer_once(exec);
}

static pleach_status mock_view(void *exec, pleach_graph_view *view)
{
    *view = (pleach_graph_view){.state = exec, .slabs = exec, .directory = exec, .seed = {3, 2, 1}, .load = 4, .directed = 1};
    return answer_once(exec);
}

static void mock_view_closed(void *exec) { ((mock_graph *)exec)->views_closed++; }

static pleach_status mock_quiesce(void *exec)
{
    mock_graph *c = exec;
    c->quiesced++;
    return c->quiesce_answer;
}

static pleach_status mock_build(void *exec, size_t n, const uint32_t *from, const uint32_t *to,
                                       const uint32_t *values)
{
    ((mock_graph *)exec)->request = (graph_request){.n = n, .from = from, .to = to, .values = values};
    return answer_once(exec);
}

static pleach_status mock_new_vertices(void *exec, size_t n, uint32_t *vertices)
{
    ((mock_graph *)exec)->request = (graph_request){.n = n, .from = vertices};
    return answer_once(exec);
}

static pleach_status mock_erase_vertices(void *exec, size_t n, const uint32_t *vertices, uint8_t *outcomes)
{
    ((mock_graph *)exec)->request = (graph_request){.n = n, .from = vertices, .flags = outcomes};
    return answer_once(exec);
}

static pleach_status mock_list_vertices(void *exec, size_t capacity, uint32_t *vertices, uint64_t *n)
{
    mock_graph *c = exec;
    c->request = (graph_request){.from = vertices};
    c->capacity = capacity;
    *n = 4;
    return answer_once(exec);
}

static pleach_status mock_export_rows(void *exec, graph_rows *rows)
{
    mock_graph *c = exec;
    rows->rows = c->rows;
    rows->entries = 6;
    c->capacity = rows->row_capacity;
    c->calls++;
    if (rows->offsets)
        for (uint64_t i = 0; i <= rows->rows; i++)
            rows->offsets[i] = 3 * i;
    return c->exports++ < c->fails_after ? PLEACH_OK : c->export_answer;
}

static pleach_status mock_export_edges(void *exec, size_t capacity, uint32_t *from, uint32_t *to,
                                              uint32_t *values, uint64_t *edges)
{
    mock_graph *c = exec;
    c->request = (graph_request){.from = from, .to = to, .values = values};
    c->capacity = capacity;
    *edges = 3;
    return answer_once(exec);
}

static pleach_status mock_clear(void *exec) { return answer_once(exec); }

static pleach_status mock_stats(void *exec, pleach_graph_stats *stats)
{
    stats->edges = 5;
    return answer_once(exec);
}

static pleach_status mock_validate(void *exec, char *message, size_t message_size)
{
    if (message_size > 1)
        message[0] = 'G', message[1] = 0;
    return answer_once(exec);
}

static pleach_status mock_triangles(void *exec, size_t capacity, uint64_t *by_vertex, uint64_t *total)
{
    mock_graph *c = exec;
    c->capacity = capacity;
    for (size_t i = 0; by_vertex && i < c->rows; i++)
        by_vertex[i] = 1;
    *total = 8;
    return answer_once(exec);
}

static pleach_status mock_run_counting(void *exec, const graph_request *r, size_t capacity, uint64_t *by_vertex,
                                              uint64_t *change)
{
    mock_graph *c = exec;
    (void)by_vertex;
    c->request = *r;
    c->capacity = capacity;
    *change = 9;
    return answer_once(exec);
}

static const graph_exec_ops mock_ops = {
    .destroy = mock_destroy,
    .run = mock_run,
    .neighbours = mock_neighbours,
    .size = mock_size,
    .view = mock_view,
    .view_closed = mock_view_closed,
    .quiesce = mock_quiesce,
    .build = mock_build,
    .new_vertices = mock_new_vertices,
    .erase_vertices = mock_erase_vertices,
    .list_vertices = mock_list_vertices,
    .export_rows = mock_export_rows,
    .export_edges = mock_export_edges,
    .clear = mock_clear,
    .stats = mock_stats,
    .validate = mock_validate,
    .triangles = mock_triangles,
    .run_counting = mock_run_counting,
};

#endif
