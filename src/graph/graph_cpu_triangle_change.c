/* graph/graph_cpu_triangle_change.c - counts how many triangles some edges add or remove. Exclusive. Either the
 * wedges at each edge are examined (graph/triangles/triangle_change.h numbers edges and decides); or, if that is less
 * work, all rows of the graph are searched for triangles with such an edge. */
#include "../base/memory.h"
#include "graph_cpu.h"

typedef struct change_job {
    cpu_graph *graph;
    triangle_change change;
} change_job;

typedef struct wedge {
    const change_job *job;
    const graph_ref *place;
    uint64_t number;
    uint32_t many; /* the endpoint with more neighbours */
    uint64_t triangles;
} wedge;

static bool close_triangle(void *context, graph_target third)
{
    wedge *w = context;
    uint32_t value;
    if (third.id == w->many || !w->job->graph->ops->find(w->place, w->many, third.id, &value)) return true;
    w->triangles += counted_at_this_edge(&w->job->change, w->number, third.id);
    return true;
}

static void count_part(void *context, size_t begin, size_t end)
{
    change_job *job = context;
    graph_ref place = graph_place_of(job->graph);
    for (size_t i = begin; i < end; i++) {
        if (!job->change.counts[i]) continue;
        uint32_t from = job->change.request->from[i], to = job->change.request->to[i];
        bool from_has_fewer = slab_load(graph_vertex(&place, from)->load) < slab_load(graph_vertex(&place, to)->load);
        wedge w = {job, &place, i, from_has_fewer ? to : from, 0};
        job->graph->ops->visit(&place, graph_vertex(&place, from_has_fewer ? from : to), close_triangle, &w);
        if (w.triangles) change_add(&job->change, i, w.triangles);
    }
}

/* Wedges need no memory, so they are always possible. */
static void count_change(change_job *job)
{
    change_number(&job->change);
    if (graph_cpu_rows_are_less_work(job->graph, &job->change) && graph_cpu_triangles_of(job->graph, &job->change))
        return;
    workers_run(job->graph->workers, job->change.request->n, 256, count_part, job);
}

/* Counts after the edges are inserted. */
static pleach_status insert_counting(change_job *job, uint8_t *outcomes)
{
    graph_request r = *job->change.request;
    r.flags = outcomes;
    pleach_status status = graph_cpu_run(job->graph, &r, PLEACH_SYNC);
    for (size_t i = 0; i < r.n; i++) job->change.counts[i] = outcomes[i] == PLEACH_EDGE_NEW;
    count_change(job);
    return status;
}

/* Counts before the edges are erased. */
static pleach_status erase_counting(change_job *job)
{
    graph_request find = *job->change.request;
    find.kind = GRAPH_FIND_EDGES;
    find.flags = job->change.counts;
    graph_cpu_run(job->graph, &find, PLEACH_SYNC);
    count_change(job);
    return graph_cpu_run(job->graph, job->change.request, PLEACH_SYNC);
}

pleach_status graph_cpu_run_counting(void *exec, const graph_request *request, size_t capacity, uint64_t *by_vertex,
                                     uint64_t *change)
{
    change_job job = {exec, {.request = request, .coming = request->kind == GRAPH_INSERT_EDGES, .capacity = capacity,
                             .by_vertex = by_vertex}};
    uint8_t *own = request->flags ? NULL : base_alloc(request->n, 1);
    pleach_status status = PLEACH_E_MEMORY;
    if (change_open(&job.change) && (request->flags || own))
        status = job.change.coming ? insert_counting(&job, own ? own : request->flags) : erase_counting(&job);
    change_close(&job.change);
    base_free(own);
    *change = atomic_load(&job.change.change);
    return status;
}
