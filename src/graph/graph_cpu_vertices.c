/* graph/graph_cpu_vertices.c - exclusive operations on vertices: building, new ids, erasing. */
#include <stdatomic.h>

#include "../base/memory.h"
#include "graph_cpu.h"

/* Processes segments in small parts, unless there are so many that most of them must be empty. */
static void run_segments(const cpu_graph *graph, work_fn *work, void *context)
{
    uint64_t segments = graph->state->segments;
    workers_run(graph->workers, segments, segments >> 12 ? segments >> 12 : 1, work, context);
}

/* ---- building: degrees first ---- */

typedef struct build_job {
    const cpu_graph *graph;
    const uint32_t *from, *to;
    atomic_bool failed;
} build_job;

static bool count_end(const graph_ref *place, uint32_t id)
{
    slab_table *vertex = graph_vertex_or_create(place, id);
    if (vertex) port_fetch_add(&vertex->load, 1);
    return vertex != NULL;
}

static void count_part(void *context, size_t begin, size_t end)
{
    enum { AHEAD = 16 };
    build_job *job = context;
    graph_ref place = graph_place_of(job->graph);
    for (size_t i = begin; i < end; i++) {
        uint32_t from = job->from[i], to = job->to[i];
        if (i + AHEAD < end) {
            port_prefetch(graph_vertex(&place, job->from[i + AHEAD]));
            port_prefetch(graph_vertex(&place, job->to[i + AHEAD]));
        }
        if (from == to || from == GRAPH_NO_VERTEX || to == GRAPH_NO_VERTEX) continue;
        if (!count_end(&place, from) || (!place.directed && !count_end(&place, to))) {
            atomic_store(&job->failed, true);
            return;
        }
    }
}

/* Creates buckets for the counted degree. Duplicate edges were counted twice; that only makes the table larger than
 * needed. */
static bool open_vertex(const cpu_graph *graph, const graph_ref *place, slab_table *vertex)
{
    uint64_t degree = vertex->load;
    unsigned slots = graph->ops->slots;
    if (!degree) return true;
    vertex->load = 0;
    return graph->ops->open(place, vertex, degree <= slots ? 0 : slabhash_log_for(degree, slots, graph->load / 1024.0));
}

static void open_part(void *context, size_t begin, size_t end)
{
    build_job *job = context;
    graph_ref place = graph_place_of(job->graph);
    uint64_t number, stop;
    for (size_t segment = begin; segment < end; segment++)
        for (bool made = graph_segment(&place, segment, &number, &stop); made && number < stop; number++)
            if (!open_vertex(job->graph, &place, graph_table(&place, (uint32_t)number)))
                atomic_store(&job->failed, true);
}

static void empty_part(void *context, size_t begin, size_t end)
{
    const cpu_graph *graph = context;
    graph_ref place = graph_place_of(graph);
    uint64_t number, stop;
    for (size_t segment = begin; segment < end; segment++)
        for (bool made = graph_segment(&place, segment, &number, &stop); made && number < stop; number++)
            graph->ops->drop(&place, graph_table(&place, (uint32_t)number));
}

/* Empties the graph when there is no memory for a reset: it keeps its memory, which becomes free. */
static void empty_in_place(cpu_graph *graph)
{
    graph_ref place = graph_place_of(graph);
    run_segments(graph, empty_part, graph);
    graph_run_map32.drop(&place, &graph->state->dictionary);
    graph->state->numbers = graph->state->free_numbers = 0;
    for (unsigned i = 0; i < GRAPH_STRIPES; i++) graph->state->stripe[i].edges = graph->state->stripe[i].vertices = 0;
}

pleach_status graph_cpu_build(void *exec, size_t n, const uint32_t *from, const uint32_t *to, const uint32_t *values)
{
    cpu_graph *graph = exec;
    uint64_t vertices, edges;
    graph_exec_cpu.size(exec, &vertices, &edges);
    if (vertices || edges) return PLEACH_E_NOT_EMPTY;
    build_job job = {graph, from, to, false};
    workers_run(graph->workers, n, 1 << 14, count_part, &job);
    run_segments(graph, open_part, &job);
    graph_request r = {.kind = GRAPH_INSERT_EDGES, .n = n, .from = from, .to = to, .values = values};
    pleach_status status = atomic_load(&job.failed) ? PLEACH_E_FULL : graph_cpu_run(exec, &r, PLEACH_SYNC);
    bool applied = status == PLEACH_OK || status == PLEACH_E_VERTEX;
    if (!applied && graph_cpu_clear(exec) != PLEACH_OK) empty_in_place(graph);
    return status;
}

/* ---- new ids ---- */

pleach_status graph_cpu_new_vertices(void *exec, size_t n, uint32_t *vertices)
{
    cpu_graph *graph = exec;
    graph_ref place = graph_place_of(graph);
    graph_result result = {0};
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; i < n; i++) vertices[i] = GRAPH_NO_VERTEX;
    for (size_t i = 0; i < n && status == PLEACH_OK;) {
        if (graph->lowest_free == GRAPH_NO_VERTEX) {
            status = PLEACH_E_FULL;
            break;
        }
        uint32_t id = (uint32_t)graph->lowest_free++;
        slab_table *vertex = graph_vertex_or_create(&place, id);
        if (!vertex) {
            graph->lowest_free--;
            status = PLEACH_E_FULL;
        } else if (graph_vertex_put(vertex)) {
            result.vertices++;
            vertices[i++] = id;
        }
    }
    graph_count_changes(graph, &result);
    return status;
}

/* ---- erasing: allocates nothing, so it cannot fail half-way ---- */

typedef struct erase_job {
    cpu_graph *graph;
    const uint32_t *vertices;
    const uint8_t *outcomes; /* vertices with PLEACH_EDGE_ERASED are to be erased; they are marked as not existing */
    atomic_uint_fast64_t edges;
} erase_job;

static bool stays(const graph_ref *place, uint32_t id) { return graph_vertex_is_there(graph_vertex(place, id)); }

typedef struct mirrors {
    const erase_job *job;
    const graph_ref *place;
    uint32_t id;
    uint64_t edges;
} mirrors;

/* Undirected: erases the half at a neighbour that remains. An edge between two erased vertices is counted at the
 * smaller one. */
static bool erase_mirror(void *context, graph_target target)
{
    mirrors *m = context;
    bool erase = stays(m->place, target.id);
    m->edges += erase || m->id < target.id;
    if (erase) m->job->graph->ops->erase_half(m->place, graph_vertex(m->place, target.id), m->id);
    return true;
}

static void mirrors_part(void *context, size_t begin, size_t end)
{
    erase_job *job = context;
    graph_ref place = graph_place_of(job->graph);
    uint64_t edges = 0;
    for (size_t i = begin; i < end; i++) {
        if (job->outcomes[i] != PLEACH_EDGE_ERASED) continue;
        mirrors m = {job, &place, job->vertices[i], 0};
        job->graph->ops->visit(&place, graph_vertex(&place, job->vertices[i]), erase_mirror, &m);
        edges += m.edges;
    }
    atomic_fetch_add(&job->edges, edges);
}

enum { SOME = 64 };

/* Some neighbours that are being erased. */
typedef struct gone {
    const graph_ref *place;
    uint32_t ids[SOME];
    unsigned count;
} gone;

static bool note_gone(void *context, graph_target target)
{
    gone *g = context;
    if (!stays(g->place, target.id)) g->ids[g->count++] = target.id;
    return g->count < SOME;
}

/* Directed: erases edges of remaining vertices to erased ones, and counts all edges of erased ones. Returns how
 * many. */
static uint64_t sweep_vertex(const erase_job *job, const graph_ref *place, slab_table *vertex)
{
    uint64_t edges = 0;
    if (!graph_vertex_is_there(vertex)) return slab_load(vertex->load);
    gone g = {.place = place, .count = SOME};
    while (g.count == SOME) {
        g.count = 0;
        job->graph->ops->visit(place, vertex, note_gone, &g);
        for (unsigned k = 0; k < g.count; k++) job->graph->ops->erase_half(place, vertex, g.ids[k]);
        edges += g.count;
    }
    return edges;
}

static void sweep_part(void *context, size_t begin, size_t end)
{
    erase_job *job = context;
    graph_ref place = graph_place_of(job->graph);
    uint64_t edges = 0, number, stop;
    for (size_t segment = begin; segment < end; segment++)
        for (bool made = graph_segment(&place, segment, &number, &stop); made && number < stop; number++)
            edges += sweep_vertex(job, &place, graph_table(&place, (uint32_t)number));
    atomic_fetch_add(&job->edges, edges);
}

static void drop_part(void *context, size_t begin, size_t end)
{
    erase_job *job = context;
    graph_ref place = graph_place_of(job->graph);
    for (size_t i = begin; i < end; i++)
        if (job->outcomes[i] == PLEACH_EDGE_ERASED) {
            job->graph->ops->drop(&place, graph_vertex(&place, job->vertices[i]));
            if (job->graph->sparse) graph_remove_id(&place, job->vertices[i]);
        }
}

static void forget_part(void *context, size_t begin, size_t end)
{
    graph_ref place = graph_place_of(context);
    for (size_t number = begin; number < end; number++) graph_forget_unused(&place, (uint32_t)number);
}

/* Sparse graphs: removes ids that have a number but do not exist, if there are any. Otherwise a caller that inserts new
 * ids while memory is lacking would leave more and more of them. */
static void forget_unused(cpu_graph *graph)
{
    const graph_state *state = graph->state;
    uint64_t vertices;
    if (!graph->sparse) return;
    graph_exec_cpu.size(graph, &vertices, NULL);
    if (state->numbers == state->free_numbers + vertices) return;
    workers_run(graph->workers, state->numbers, 1 << 12, forget_part, graph);
}

/* Marks these vertices as not existing. Of equal ids, the first one is erased. */
static uint64_t mark_dying(cpu_graph *graph, size_t n, const uint32_t *vertices, uint8_t *outcomes)
{
    graph_ref place = graph_place_of(graph);
    uint64_t dying = 0;
    for (size_t i = 0; i < n; i++) {
        slab_table *vertex = vertices[i] == GRAPH_NO_VERTEX ? NULL : graph_vertex(&place, vertices[i]);
        outcomes[i] = graph_vertex_is_there(vertex) ? PLEACH_EDGE_ERASED : PLEACH_EDGE_ABSENT;
        if (outcomes[i] == PLEACH_EDGE_ABSENT) continue;
        vertex->load &= ~SLAB_OWNERS;
        if (vertices[i] < graph->lowest_free) graph->lowest_free = vertices[i];
        dying++;
    }
    return dying;
}

pleach_status graph_cpu_erase_vertices(void *exec, size_t n, const uint32_t *vertices, uint8_t *outcomes)
{
    cpu_graph *graph = exec;
    uint8_t *own = outcomes ? NULL : base_alloc(n, 1);
    if (!outcomes) outcomes = own;
    if (!outcomes) return PLEACH_E_MEMORY;
    erase_job job = {graph, vertices, outcomes, 0};
    graph_result result = {.vertices = -(int64_t)mark_dying(graph, n, vertices, outcomes)};
    if (graph->directed)
        run_segments(graph, sweep_part, &job);
    else
        workers_run(graph->workers, n, 64, mirrors_part, &job);
    workers_run(graph->workers, n, 64, drop_part, &job);
    result.edges = -(int64_t)atomic_load(&job.edges);
    graph_count_changes(graph, &result);
    forget_unused(graph);
    base_free(own);
    return PLEACH_OK;
}
