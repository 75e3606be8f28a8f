/* graph/graph_cuda.c - graphs in GPU memory: graph_exec_ops for CUDA; array calls, and the graph's life.
 *
 * A kernel cannot allocate memory from the system, and how much an insertion needs depends on which ids are new and
 * which tables grow. So the host provides some memory, launches, counts what was not applied for lack of memory,
 * provides more, and repeats only these elements. Such a call waits for its kernels, also on a stream. Between two
 * rounds, segments of vertices are allocated or, in a sparse graph, numbers are assigned to new ids
 * (graph_cuda_sparse_ids.c).
 */
#include "graph_cuda.h"

#include "../base/memory.h"
#include "../hash/slabhash_seed.h"
#include "../sync/gate.h"

/* ---- array calls ---- */

static bool inserts(const graph_request *r)
{
    return r->kind == GRAPH_INSERT_EDGES || r->kind == GRAPH_INSERT_VERTICES;
}

pleach_status graph_cuda_stage(const graph_request *r, staging *s, graph_request *staged)
{
    size_t ids = r->n * sizeof(uint32_t);
    *staged = *r;
    pleach_status status = staging_input(s, r->from, ids, (const void **)&staged->from);
    if (status == PLEACH_OK) status = staging_input(s, r->to, ids, (const void **)&staged->to);
    if (status == PLEACH_OK) status = staging_input(s, r->values, ids, (const void **)&staged->values);
    if (status == PLEACH_OK)
        status = staging_output(s, r->out_values, ids, r->kind != GRAPH_DEGREES, (void **)&staged->out_values);
    if (status == PLEACH_OK) status = staging_output(s, r->flags, r->n, false, (void **)&staged->flags);
    return status;
}

pleach_status graph_cuda_end(staging *s, pleach_status status)
{
    staging_free(s);
    pleach_status finished = cuda_status(cudaStreamSynchronize(s->stream));
    return status != PLEACH_OK ? status : finished;
}

/* Counters of one launch. */
typedef struct run_notes {
    graph_result result;
    uint64_t lacking; /* number of segments */
    uint64_t used;    /* ids of the pool that are in use afterwards */
} run_notes;

static pleach_status insert_once(cuda_graph *graph, staging *s, const graph_request *r, bool again, bool last,
                                 slow_list later, run_notes *there, run_notes *notes)
{
    name_notes names = {0, 0};
    graph_on_gpu hopeful = graph_on(graph);
    hopeful.hopeful = !last;
    CUDA_TRY(cudaMemsetAsync(there, 0, sizeof *there, s->stream));
    if (graph->sparse) {
        pleach_status status = graph_cuda_name(graph, r, s->stream, &names);
        bool lacks = status == PLEACH_E_MEMORY && again; /* some elements are applied; flags report the rest */
        if (status != PLEACH_OK && !lacks) return status;
    } else if (again) {
        CUDA_TRY(edges_cuda_mark_segments(graph_on(graph), r->n, r->from, r->to, graph->marks, s->stream));
        CUDA_TRY(edges_cuda_make_segments(graph_on(graph), graph->marks, &there->lacking, s->stream));
    }
    CUDA_TRY(graph->kernels->run(hopeful, r, again, later, &there->result, s->stream));
    CUDA_TRY(cudaMemcpyAsync(&there->used, &graph_on(graph).state->pool.next, sizeof there->used,
                             cudaMemcpyDeviceToDevice, s->stream));
    CUDA_TRY(cudaMemcpyAsync(notes, there, sizeof *notes, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    notes->lacking += names.lacking;
    pthread_mutex_lock(&graph->slabs.mutex);
    graph->slabs.used_bound = notes->used; /* exact, because only one call inserts at a time */
    pthread_mutex_unlock(&graph->slabs.mutex);
    return PLEACH_OK;
}

/* Provides more memory: for the lacking segments, and half as much again as there is. Returns false if there is no
 * more. */
static bool more_memory(cuda_graph *graph, const run_notes *notes)
{
    slabs_cuda *slabs = &graph->slabs;
    pthread_mutex_lock(&slabs->mutex);
    uint64_t before = slabs->capacity, segments = notes->lacking * graph_segment_slabs(graph);
    slabs_make_room(slabs, segments + before / 2 + 2 * notes->result.not_applied + 1024);
    bool more = slabs->capacity > before;
    pthread_mutex_unlock(&slabs->mutex);
    return more;
}

/* The first round allocates no segments, because usually all exist. The last one manages with the memory that there is.
 * The loop terminates: each round in between has got more memory, which is limited. */
pleach_status graph_cuda_insert_staged(cuda_graph *graph, staging *s, const graph_request *r, graph_result *result)
{
    run_notes *there, notes;
    slow_list later = r->kind == GRAPH_INSERT_EDGES ? slow_list_create(s, r->n) : (slow_list){NULL, NULL};
    pleach_status status = staging_scratch(s, sizeof *there, (void **)&there);
    for (bool again = false, last = false; status == PLEACH_OK; again = true) {
        status = insert_once(graph, s, r, again, last, later, there, &notes);
        if (status != PLEACH_OK) break;
        if (!again) *result = notes.result;
        result->not_applied = notes.result.not_applied;
        if (!notes.result.not_applied || last) break;
        last = again && !more_memory(graph, &notes);
    }
    return status;
}

/* Provides some memory beforehand: graphs usually need no more than a slab for every fourth endpoint. */
static void room_for(cuda_graph *graph, const graph_request *r)
{
    pthread_mutex_lock(&graph->slabs.mutex);
    slabs_make_room(&graph->slabs, r->n / 2 + 4096);
    pthread_mutex_unlock(&graph->slabs.mutex);
}

static pleach_status status_of(const graph_result *result)
{
    if (result->not_applied) return PLEACH_E_FULL; /* PLEACH_E_VERTEX implies that all else was applied */
    return result->no_vertex ? PLEACH_E_VERTEX : PLEACH_OK;
}

static pleach_status insert(cuda_graph *graph, const graph_request *r, cudaStream_t stream)
{
    staging s = slabs_staging(&graph->slabs, stream);
    graph_request staged;
    graph_result result = {0, 0, 0, 0};
    pthread_mutex_lock(&graph->inserting);
    room_for(graph, r);
    pleach_status status = graph_cuda_stage(r, &s, &staged);
    if (status == PLEACH_OK && !staged.flags) status = staging_scratch(&s, r->n, (void **)&staged.flags);
    if (status == PLEACH_OK) status = graph_cuda_insert_staged(graph, &s, &staged, &result);
    if (status == PLEACH_OK) status = staging_return_results(&s);
    status = graph_cuda_end(&s, status);
    pthread_mutex_unlock(&graph->inserting);
    return status != PLEACH_OK ? status : status_of(&result);
}

static pleach_status launch(cuda_graph *graph, const graph_request *r, staging *s, graph_result **there)
{
    graph_request staged;
    pleach_status status = graph_cuda_stage(r, s, &staged);
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof **there, (void **)there);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(*there, 0, sizeof **there, s->stream));
    slow_list later = r->kind == GRAPH_ERASE_EDGES ? slow_list_create(s, r->n) : (slow_list){NULL, NULL};
    CUDA_TRY(graph->kernels->run(graph_on(graph), &staged, false, later, *there, s->stream));
    return staging_return_results(s);
}

static pleach_status run_synchronously(cuda_graph *graph, const graph_request *r)
{
    staging s = slabs_staging(&graph->slabs, slabs_stream(&graph->slabs));
    graph_result *there, result = {0, 0, 0, 0};
    pleach_status status = launch(graph, r, &s, &there);
    if (status == PLEACH_OK && r->kind == GRAPH_ERASE_EDGES)
        status = cuda_status(cudaMemcpyAsync(&result, there, sizeof result, cudaMemcpyDeviceToHost, s.stream));
    status = graph_cuda_end(&s, status);
    return status != PLEACH_OK ? status : status_of(&result);
}

static pleach_status run_on_stream(cuda_graph *graph, const graph_request *r, cudaStream_t stream)
{
    staging s = slabs_staging(&graph->slabs, stream);
    graph_result *there;
    pleach_status status = launch(graph, r, &s, &there);
    staging_free(&s);
    pleach_status noted = slabs_left_on(&graph->slabs, stream, (slabs_room){0, 0});
    return status != PLEACH_OK ? status : noted;
}

static pleach_status run(cuda_graph *graph, const graph_request *r, pleach_stream stream)
{
    bool sync = stream == PLEACH_SYNC;
    if (r->kind == GRAPH_INSERT_EDGES || r->kind == GRAPH_ERASE_EDGES) graph_cuda_forget_triangles(graph);
    if (inserts(r)) return insert(graph, r, sync ? slabs_stream(&graph->slabs) : (cudaStream_t)stream);
    return sync ? run_synchronously(graph, r) : run_on_stream(graph, r, (cudaStream_t)stream);
}

static pleach_status cuda_run(void *exec, const graph_request *r, pleach_stream stream)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, run(graph, r, stream));
}

pleach_status graph_cuda_size_of(const cuda_graph *graph, uint64_t *vertices, uint64_t *edges)
{
    graph_state *state = base_alloc(1, sizeof *state);
    pleach_status status = state ? slabs_read(&graph->slabs, state, sizeof *state) : PLEACH_E_MEMORY;
    int64_t vertex_sum = 0, edge_sum = 0;
    for (unsigned i = 0; status == PLEACH_OK && i < GRAPH_STRIPES; i++) {
        vertex_sum += (int64_t)state->stripe[i].vertices;
        edge_sum += (int64_t)state->stripe[i].edges;
    }
    if (vertices) *vertices = vertex_sum < 0 ? 0 : (uint64_t)vertex_sum;
    if (edges) *edges = edge_sum < 0 ? 0 : (uint64_t)edge_sum;
    base_free(state);
    return status;
}

static pleach_status cuda_size(void *exec, uint64_t *vertices, uint64_t *edges)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, graph_cuda_size_of(graph, vertices, edges));
}

static pleach_status cuda_neighbours(void *exec, size_t n, const uint32_t *vertices, size_t capacity,
                                     uint32_t *neighbours, uint32_t *values, uint64_t *offsets, size_t *total)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, graph_cuda_list(graph, n, vertices, capacity, neighbours, values, offsets, total));
}

/* User kernels cannot allocate memory, and the graph does not know what they will do. So it provides some spare
 * memory. */
static pleach_status open_view(cuda_graph *graph)
{
    graph_cuda_forget_triangles(graph);
    pthread_mutex_lock(&graph->slabs.mutex);
    slabs_make_room(&graph->slabs, graph->slabs.capacity / 8 + 4096);
    pthread_mutex_unlock(&graph->slabs.mutex);
    return slabs_view(&graph->slabs, 1);
}

static pleach_status cuda_view(void *exec, pleach_graph_view *view)
{
    cuda_graph *graph = exec;
    *view = (pleach_graph_view){.state = graph->slabs.state, .slabs = slabs_nodes(&graph->slabs),
                                .directory = graph->directory, .names = graph_on(graph).names,
                                .seed = {graph->seed.by, graph->seed.plus, graph->seed.low},
                                .load = graph->load, .directed = graph->directed, .values = graph->values};
    ON_GPU(&graph->slabs, open_view(graph));
}

static void cuda_view_closed(void *exec)
{
    cuda_graph *graph = exec;
    graph_cuda_forget_triangles(graph);
    slabs_view(&graph->slabs, -1);
}

static pleach_status cuda_quiesce(void *exec)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, slabs_quiesce(&graph->slabs));
}

/* ---- exclusive ---- */

static pleach_status cuda_build(void *exec, size_t n, const uint32_t *from, const uint32_t *to, const uint32_t *values)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, graph_cuda_build(graph, n, from, to, values));
}

static pleach_status cuda_new_vertices(void *exec, size_t n, uint32_t *vertices)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, graph_cuda_new(graph, n, vertices));
}

static pleach_status cuda_erase_vertices(void *exec, size_t n, const uint32_t *vertices, uint8_t *outcomes)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, graph_cuda_erase(graph, n, vertices, outcomes));
}

static pleach_status cuda_export_rows(void *exec, graph_rows *rows)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, graph_cuda_export_rows(graph, rows));
}

static pleach_status cuda_export_edges(void *exec, size_t capacity, uint32_t *from, uint32_t *to, uint32_t *values,
                                       uint64_t *edges)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, graph_cuda_export_edges(graph, capacity, from, to, values, edges));
}

static pleach_status cuda_list_vertices(void *exec, size_t capacity, uint32_t *ids, uint64_t *count)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, graph_cuda_export_vertices(graph, capacity, ids, count));
}

static pleach_status cuda_stats(void *exec, pleach_graph_stats *stats)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, graph_cuda_inspect(graph, stats, NULL, 0));
}

static pleach_status cuda_validate(void *exec, char *message, size_t message_size)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, graph_cuda_inspect(graph, NULL, message, message_size));
}

static pleach_status cuda_triangles(void *exec, size_t capacity, uint64_t *by_vertex, uint64_t *total)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, graph_cuda_triangles(graph, capacity, by_vertex, total));
}

static pleach_status cuda_run_counting(void *exec, const graph_request *r, size_t capacity, uint64_t *by_vertex,
                                       uint64_t *change)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, graph_cuda_count_change(graph, r, capacity, by_vertex, change));
}

/* ---- life ---- */

pleach_status graph_cuda_reset(cuda_graph *graph)
{
    graph->lowest_free = 0;
    graph_cuda_forget_triangles(graph);
    CUDA_TRY(cudaMemsetAsync(graph->directory, 0, graph_directory_bytes(graph), graph->slabs.control));
    CUDA_TRY(cudaMemsetAsync(graph->marks, 0, GRAPH_SEGMENTS / 8, graph->slabs.control));
    return slabs_reset(&graph->slabs, 0);
}

static pleach_status cuda_clear(void *exec)
{
    cuda_graph *graph = exec;
    ON_GPU(&graph->slabs, graph_cuda_reset(graph));
}

static pleach_status destroy(cuda_graph *graph)
{
    if (graph->directory) cudaFree(graph->directory);
    if (graph->marks) cudaFree(graph->marks);
    slabs_close(&graph->slabs);
    pthread_mutex_destroy(&graph->inserting);
    base_free(graph);
    return PLEACH_OK;
}

static void cuda_destroy(void *exec)
{
    cuda_graph *graph = exec;
    int before = -1;
    cudaGetDevice(&before);
    cudaSetDevice(graph->slabs.gpu);
    destroy(graph);
    if (before >= 0) cudaSetDevice(before);
}

static pleach_status open_memory(cuda_graph *graph, int gpu)
{
    pleach_status status = slabs_open(&graph->slabs, gpu, graph->max_bytes, sizeof(graph_state));
    if (status == PLEACH_OK && base_allocation_fails()) status = PLEACH_E_MEMORY;
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMalloc((void **)&graph->directory, graph_directory_bytes(graph)));
    if (base_allocation_fails()) return PLEACH_E_MEMORY;
    CUDA_TRY(cudaMalloc((void **)&graph->marks, GRAPH_SEGMENTS / 8));
    return graph_cuda_reset(graph);
}

static pleach_status create_on(cuda_graph **out, const pleach_graph_config *config)
{
    pleach_status status = cuda_use(config->gpu);
    if (status != PLEACH_OK) return status;
    cuda_graph *graph = base_alloc(1, sizeof *graph);
    if (!graph) return PLEACH_E_MEMORY;
    graph->directed = config->directed;
    graph->values = config->values;
    graph->kernels = graph_kernels_choose(config->values, config->sparse_ids);
    graph->sparse = config->sparse_ids;
    graph->seed = slabhash_seed(config->seed, config->fixed_seed);
    graph->load = (uint32_t)(config->load * 1024);
    graph->max_bytes = config->max_bytes;
    pthread_mutex_init(&graph->inserting, NULL);
    status = open_memory(graph, config->gpu);
    if (status != PLEACH_OK) {
        destroy(graph);
        return status;
    }
    *out = graph;
    return PLEACH_OK;
}

static pleach_status cuda_create(void **exec, const pleach_graph_config *config)
{
    int before = -1;
    cudaGetDevice(&before);
    cudaGetLastError();
    cuda_graph *graph = NULL;
    pleach_status status = create_on(&graph, config);
    if (before >= 0) cudaSetDevice(before);
    *exec = graph;
    return status;
}

const graph_exec_ops graph_exec_cuda = {
    .create = cuda_create,
    .destroy = cuda_destroy,
    .run = cuda_run,
    .neighbours = cuda_neighbours,
    .size = cuda_size,
    .view = cuda_view,
    .view_closed = cuda_view_closed,
    .quiesce = cuda_quiesce,
    .build = cuda_build,
    .new_vertices = cuda_new_vertices,
    .erase_vertices = cuda_erase_vertices,
    .export_rows = cuda_export_rows,
    .export_edges = cuda_export_edges,
    .list_vertices = cuda_list_vertices,
    .clear = cuda_clear,
    .stats = cuda_stats,
    .validate = cuda_validate,
    .triangles = cuda_triangles,
    .run_counting = cuda_run_counting,
};
