/* graph/graph_cuda_sparse_ids.c - ids of a sparse graph in GPU memory. A call that inserts first finds out which of its
 * ids have no number, provides memory for exactly that many, and assigns numbers to them. After that, the kernels of
 * array calls find all vertices. */
#include "../base/memory.h"
#include "graph_cuda.h"
#include "../cuda/sort_cuda.h"

/* ---- new ids ---- */

/* Removes duplicates from some ids. */
static pleach_status each_once(staging *s, uint64_t n, const uint32_t *ids, uint32_t **each, uint64_t *count)
{
    uint32_t *sorted, *unwanted;
    uint8_t *first;
    uint64_t *there;
    pleach_status status = staging_scratch(s, n * sizeof *sorted, (void **)&sorted);
    if (status == PLEACH_OK) status = staging_scratch(s, n * sizeof *unwanted, (void **)&unwanted);
    if (status == PLEACH_OK) status = staging_scratch(s, n * sizeof **each, (void **)each);
    if (status == PLEACH_OK) status = staging_scratch(s, n, (void **)&first);
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status != PLEACH_OK) return status;
    WITH_SCRATCH(s, sort_cuda_pairs, 32, 32, ids, sorted, ids, unwanted, n, s->stream);
    CUDA_TRY(sparse_ids_cuda_firsts(n, sorted, first, s->stream));
    WITH_SCRATCH(s, sort_cuda_select, 32, sorted, first, *each, there, n, s->stream);
    CUDA_TRY(cudaMemcpyAsync(count, there, sizeof *count, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    return PLEACH_OK;
}

static void room_for(cuda_graph *graph, uint64_t slabs)
{
    pthread_mutex_lock(&graph->slabs.mutex);
    slabs_make_room(&graph->slabs, slabs);
    pthread_mutex_unlock(&graph->slabs.mutex);
}

/* Records how many slabs are in use. This is exact, because only one call inserts at a time. */
static pleach_status note_used(cuda_graph *graph, staging *s)
{
    uint64_t used;
    const graph_state *state = graph->slabs.state;
    CUDA_TRY(cudaMemcpyAsync(&used, &state->pool.next, sizeof used, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    pthread_mutex_lock(&graph->slabs.mutex);
    graph->slabs.used_bound = used;
    pthread_mutex_unlock(&graph->slabs.mutex);
    return PLEACH_OK;
}

/* Returns how many numbers may be assigned that never were. Within the limit, there must remain memory for the
 * dictionary in addition to their segments; half a slab per number covers that and all else. Numbers that already have
 * a segment count too. */
static uint64_t most_fresh(const cuda_graph *graph, uint64_t numbers, uint64_t used)
{
    uint64_t limit = slabs_limit(&graph->slabs), room = limit > used ? 2 * (limit - used) : 0;
    uint64_t begun = (0 - numbers) & (((uint64_t)1 << GRAPH_SEGMENT_LOG) - 1), left = GRAPH_NO_VERTEX - numbers;
    uint64_t most = room > begun ? room : begun;
    return most < left ? most : left;
}

/* Provides numbers for up to `ids` ids; *numbered is how many there are in the end. */
static pleach_status make_numbers(cuda_graph *graph, staging *s, uint64_t ids, uint64_t *numbered, uint64_t *lacking)
{
    uint64_t was[2], used; /* state->numbers and state->free_numbers */
    segment_notes *there, notes = {0, UINT64_MAX};
    const graph_state *state = graph->slabs.state;
    pleach_status status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemcpyAsync(was, &state->numbers, sizeof was, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaMemcpyAsync(&used, &state->pool.next, sizeof used, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    uint64_t fresh = ids > was[1] ? ids - was[1] : 0, most = most_fresh(graph, was[0], used);
    if (fresh > most) fresh = most;
    uint64_t begin = was[0] >> GRAPH_SEGMENT_LOG, end = fresh ? ((was[0] + fresh - 1) >> GRAPH_SEGMENT_LOG) + 1 : begin;
    room_for(graph, (end - begin) * graph_segment_slabs(graph) + ids / 4 + 64);
    CUDA_TRY(cudaMemcpyAsync(there, &notes, sizeof notes, cudaMemcpyHostToDevice, s->stream));
    CUDA_TRY(sparse_ids_cuda_make_segments(graph_on(graph), begin, end, there, s->stream));
    CUDA_TRY(cudaMemcpyAsync(&notes, there, sizeof notes, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    if (notes.lacking) { /* those below the first lacking segment are usable */
        uint64_t beyond = notes.end << GRAPH_SEGMENT_LOG;
        fresh = beyond > was[0] ? beyond - was[0] : 0;
    }
    *lacking = notes.lacking;
    *numbered = was[1] + fresh < ids ? was[1] + fresh : ids;
    return PLEACH_OK;
}

static pleach_status give_numbers(cuda_graph *graph, staging *s, uint64_t ids, const uint32_t *each, name_notes *notes)
{
    uint64_t numbered = 0, *there, refused;
    uint32_t *list;
    unsigned log = 0;
    pleach_status status = make_numbers(graph, s, ids, &numbered, &notes->lacking);
    notes->left = ids;
    if (status == PLEACH_OK && !numbered) status = note_used(graph, s);
    if (status != PLEACH_OK || !numbered) return status;
    status = staging_scratch(s, numbered * sizeof *list, (void **)&list);
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status != PLEACH_OK) return status;
    while (log < POOL_RUN_LOGS - 1 && numbered * 1024 > ((uint64_t)SLAB_PAYLOAD << log) * graph->load) log++;
    CUDA_TRY(sparse_ids_cuda_open(graph_on(graph), log, s->stream));
    CUDA_TRY(sparse_ids_cuda_add(graph_on(graph), numbered, each, list, there, s->stream));
    CUDA_TRY(cudaMemcpyAsync(&refused, there, sizeof refused, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    notes->left = ids - numbered + refused;
    return note_used(graph, s);
}

static pleach_status name_staged(cuda_graph *graph, staging *s, const graph_request *r, name_notes *notes)
{
    uint64_t missing, ids, *there;
    uint32_t *list, *each;
    pleach_status status = staging_scratch(s, (r->to ? 2 : 1) * r->n * sizeof *list, (void **)&list);
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(there, 0, sizeof *there, s->stream));
    CUDA_TRY(sparse_ids_cuda_missing(graph_on(graph), r->n, r->from, r->to, list, there, s->stream));
    CUDA_TRY(cudaMemcpyAsync(&missing, there, sizeof missing, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    if (!missing) return PLEACH_OK;
    status = each_once(s, missing, list, &each, &ids);
    return status == PLEACH_OK ? give_numbers(graph, s, ids, each, notes) : status;
}

pleach_status graph_cuda_name(cuda_graph *graph, const graph_request *r, cudaStream_t stream, name_notes *notes)
{
    staging s = slabs_staging(&graph->slabs, stream);
    notes->left = notes->lacking = 0;
    pleach_status status = name_staged(graph, &s, r, notes);
    staging_free(&s);
    return status;
}

/* The loop terminates: each round but the last has got more memory, which is limited. */
pleach_status graph_cuda_name_all(cuda_graph *graph, const graph_request *r, cudaStream_t stream)
{
    for (;;) {
        name_notes notes;
        pleach_status status = graph_cuda_name(graph, r, stream, &notes);
        if (status != PLEACH_OK || !notes.left) return status;
        uint64_t before = graph->slabs.capacity;
        room_for(graph, notes.lacking * graph_segment_slabs(graph) + before / 2 + notes.left + 1024);
        if (graph->slabs.capacity == before) return PLEACH_E_FULL;
    }
}

/* ---- the smallest free ids ---- */

/* A window of consecutive ids: whether they exist, and which of them were chosen because they are free. */
typedef struct window {
    size_t size, chosen;
    uint32_t *ids, *ids_there;
    uint8_t *flags, *flags_there;
} window;

static pleach_status open_window(staging *s, window *w)
{
    w->ids = base_alloc(w->size, sizeof *w->ids);
    w->flags = base_alloc(w->size, 1);
    if (!w->ids || !w->flags) return PLEACH_E_MEMORY;
    pleach_status status = staging_scratch(s, w->size * sizeof *w->ids, (void **)&w->ids_there);
    return status == PLEACH_OK ? staging_scratch(s, w->size, (void **)&w->flags_there) : status;
}

/* Chooses the first free ids, up to `wanted`. *next becomes the id after the last that was examined. */
static pleach_status choose(const cuda_graph *graph, staging *s, window *w, size_t wanted, uint64_t *next)
{
    graph_result *there;
    graph_request find = {.kind = GRAPH_FIND_VERTICES, .n = w->size, .from = w->ids_there, .flags = w->flags_there};
    uint64_t first = *next;
    pleach_status status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status != PLEACH_OK) return status;
    for (size_t i = 0; i < w->size; i++) w->ids[i] = (uint32_t)(first + i);
    CUDA_TRY(cudaMemcpyAsync(w->ids_there, w->ids, w->size * sizeof *w->ids, cudaMemcpyHostToDevice, s->stream));
    CUDA_TRY(graph->kernels->run(graph_on(graph), &find, false, (slow_list){NULL, NULL}, there, s->stream));
    CUDA_TRY(cudaMemcpyAsync(w->flags, w->flags_there, w->size, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    for (*next = first; *next < first + w->size && w->chosen < wanted; ++*next)
        if (!w->flags[*next - first]) w->ids[w->chosen++] = (uint32_t)*next;
    return PLEACH_OK;
}

/* Inserts the chosen ids as vertices, up to the first for which there is no memory. */
static pleach_status put_chosen(cuda_graph *graph, staging *s, window *w)
{
    graph_request put = {.kind = GRAPH_INSERT_VERTICES, .n = w->chosen, .from = w->ids_there, .flags = w->flags_there};
    graph_result result = {0, 0, 0, 0};
    size_t refused = 0;
    if (!w->chosen) return PLEACH_OK;
    CUDA_TRY(cudaMemcpyAsync(w->ids_there, w->ids, w->chosen * sizeof *w->ids, cudaMemcpyHostToDevice, s->stream));
    pleach_status status = graph_cuda_insert_staged(graph, s, &put, &result);
    if (status != PLEACH_OK || !result.not_applied) return status;
    CUDA_TRY(cudaMemcpyAsync(w->flags, w->flags_there, w->chosen, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    while (w->flags[refused] != PLEACH_EDGE_NOT_APPLIED) refused++;
    status = graph_cuda_erase(graph, w->chosen - refused, w->ids + refused, NULL);
    w->chosen = refused;
    return status == PLEACH_OK ? PLEACH_E_FULL : status;
}

/* Processes one window. Appends new ids to `ids`, also if it returns PLEACH_E_FULL. */
static pleach_status new_in_window(cuda_graph *graph, size_t size, size_t wanted, uint32_t *ids, size_t *have)
{
    staging s = slabs_staging(&graph->slabs, slabs_stream(&graph->slabs));
    window w = {.size = size};
    uint64_t next = graph->lowest_free;
    pleach_status status = open_window(&s, &w);
    if (status == PLEACH_OK) status = choose(graph, &s, &w, wanted, &next);
    if (status == PLEACH_OK) {
        uint32_t *chosen = w.ids;
        status = put_chosen(graph, &s, &w);
        if (status == PLEACH_OK) graph->lowest_free = next;
        if (status == PLEACH_E_FULL) graph->lowest_free = chosen[w.chosen];
        bool handed_out = status == PLEACH_OK || status == PLEACH_E_FULL;
        for (size_t i = 0; handed_out && i < w.chosen; i++) ids[(*have)++] = chosen[i];
    }
    base_free(w.ids);
    base_free(w.flags);
    return graph_cuda_end(&s, status);
}

pleach_status graph_cuda_new_sparse(cuda_graph *graph, staging *s, size_t n, uint32_t *vertices)
{
    enum { LEAST = 1024, MOST = 1 << 24 };
    uint32_t *there = NULL, *ids = base_alloc(n, sizeof *ids);
    size_t have = 0;
    uint64_t size = LEAST;
    pleach_status status = ids ? staging_output(s, vertices, n * sizeof *ids, false, (void **)&there) : PLEACH_E_MEMORY;
    for (size_t i = 0; status == PLEACH_OK && i < n; i++) ids[i] = GRAPH_NO_VERTEX;
    while (status == PLEACH_OK && have < n) {
        uint64_t left = GRAPH_NO_VERTEX - graph->lowest_free;
        if (size < n - have) size = n - have;
        if (size > MOST) size = MOST;
        status = left ? new_in_window(graph, size < left ? size : left, n - have, ids, &have) : PLEACH_E_FULL;
        size *= 2;
    }
    pleach_status told = status == PLEACH_E_FULL ? PLEACH_OK : status;
    if (told == PLEACH_OK)
        told = cuda_status(cudaMemcpyAsync(there, ids, n * sizeof *ids, cudaMemcpyHostToDevice, s->stream));
    if (told == PLEACH_OK) told = staging_return_results(s);
    if (told == PLEACH_OK) told = cuda_status(cudaStreamSynchronize(s->stream));
    base_free(ids);
    return told == PLEACH_OK ? status : told;
}

/* ---- removing ids ---- */

/* Removes unused ids, if there are any. Otherwise a caller that inserts new ids while memory is lacking would leave
 * more and more of them. */
static pleach_status forget_unused(cuda_graph *graph, staging *s)
{
    uint64_t numbers[2], vertices; /* state->numbers and state->free_numbers */
    const graph_state *state = graph->slabs.state;
    CUDA_TRY(cudaMemcpyAsync(numbers, &state->numbers, sizeof numbers, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    pleach_status status = graph_cuda_size_of(graph, &vertices, NULL);
    if (status == PLEACH_E_MEMORY) return PLEACH_OK; /* the vertices are erased; the ids can wait for the next call */
    if (status != PLEACH_OK || numbers[0] == numbers[1] + vertices) return status;
    CUDA_TRY(sparse_ids_cuda_forget_unused(graph_on(graph), numbers[0], s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    return PLEACH_OK;
}

pleach_status graph_cuda_forget(cuda_graph *graph, staging *s, size_t n, const uint32_t *vertices,
                                const uint8_t *outcomes)
{
    CUDA_TRY(sparse_ids_cuda_forget(graph_on(graph), n, vertices, outcomes, s->stream));
    return forget_unused(graph, s);
}
