/* graph_baseline_vectors.c - BASELINE: an array of neighbours for each vertex, sorted, that grows by doubling.
 *
 * A batch is dealt out by owner, a thread for each vertex, in two passes: every thread counts, for its share of the
 * batch, the edges of each owner, and then puts them where the counts say. Each owner then works on its vertices alone,
 * so nothing is locked.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tools/edges/edge_sort.h"
#include "graph_baseline.h"

struct vector {
    uint32_t *ids;
    uint32_t sorted, count, capacity; /* ids up to `sorted` ascend; those behind came with this batch */
};

/* What a thread has for itself. */
struct owner {
    uint32_t *touched; /* vertices with new ids */
    size_t touched_count, touched_capacity;
    uint32_t *scratch;
    size_t scratch_capacity;
    uint64_t edges;
    bool failed; /* no memory */
    char apart[128]; /* from the next thread's cache lines */
};

struct baseline_vectors {
    struct crew *crew;
    unsigned threads;
    uint64_t vertices;
    struct vector *vectors;
    struct owner *owners;
    /* The batch: what came, how many edges each thread has for each owner (later: where they go), and the edges dealt
     * out, by owner. */
    size_t count;
    const uint32_t *from, *to;
    size_t *places; /* rows by thread, on cache lines of their own */
    size_t row;
    uint64_t *dealt;
    size_t dealt_capacity;
};

static bool ensure(void **array, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity) return true;
    const size_t grown = count > 2 * *capacity ? count : 2 * *capacity;
    void *const moved = grown <= SIZE_MAX / size ? realloc(*array, grown * size) : NULL;
    if (moved == NULL) return false;
    *array = moved;
    *capacity = grown;
    return true;
}

struct baseline_vectors *baseline_vectors_create(struct crew *crew, uint64_t vertices)
{
    struct baseline_vectors *const graph = calloc(1, sizeof *graph);
    if (graph == NULL) return NULL;
    graph->crew = crew;
    graph->threads = crew_threads(crew);
    graph->vectors = calloc(vertices + 1, sizeof graph->vectors[0]);
    graph->owners = calloc(graph->threads, sizeof graph->owners[0]);
    graph->row = (graph->threads + 31) / 16 * 16;
    graph->places = calloc(graph->threads * graph->row, sizeof graph->places[0]);
    if (graph->vectors != NULL && graph->owners != NULL && graph->places != NULL) {
        graph->vertices = vertices;
        return graph;
    }
    baseline_vectors_destroy(graph);
    return NULL;
}

void baseline_vectors_destroy(struct baseline_vectors *graph)
{
    if (graph == NULL) return;
    for (uint64_t i = 0; i < graph->vertices; i++) free(graph->vectors[i].ids);
    for (unsigned i = 0; graph->owners != NULL && i < graph->threads; i++) {
        free(graph->owners[i].touched);
        free(graph->owners[i].scratch);
    }
    free(graph->vectors);
    free(graph->owners);
    free(graph->places);
    free(graph->dealt);
    free(graph);
}

/* ---- a batch is dealt out ---- */

static void slice_of(const struct baseline_vectors *graph, unsigned thread, size_t *begin, size_t *end)
{
    *begin = graph->count / graph->threads * thread;
    *end = thread + 1 == graph->threads ? graph->count : graph->count / graph->threads * (thread + 1);
}

static size_t *place_of(struct baseline_vectors *graph, unsigned owner, unsigned thread)
{
    return &graph->places[thread * graph->row + owner];
}

static void count_by_owner(void *context, unsigned thread)
{
    struct baseline_vectors *const graph = context;
    size_t begin, end;
    slice_of(graph, thread, &begin, &end);
    for (size_t i = begin; i < end; i++) ++*place_of(graph, graph->from[i] % graph->threads, thread);
}

static void deal(void *context, unsigned thread)
{
    struct baseline_vectors *const graph = context;
    size_t begin, end;
    slice_of(graph, thread, &begin, &end);
    for (size_t i = begin; i < end; i++)
        graph->dealt[(*place_of(graph, graph->from[i] % graph->threads, thread))++] =
            edge_pack(graph->from[i], graph->to[i]);
}

/* Counts become the places where each thread puts an owner's first edge. All edges of an owner lie together. */
static void sum_places(struct baseline_vectors *graph)
{
    size_t sum = 0;
    for (unsigned owner = 0; owner < graph->threads; owner++) {
        for (unsigned thread = 0; thread < graph->threads; thread++) {
            const size_t count = *place_of(graph, owner, thread);
            *place_of(graph, owner, thread) = sum;
            sum += count;
        }
    }
}

/* ---- an owner works ---- */

static bool append(struct owner *owner, struct vector *vector, uint32_t vertex, uint32_t id)
{
    size_t capacity = vector->capacity;
    void *ids = vector->ids;
    if (vector->count == vector->sorted) {
        void *touched = owner->touched;
        const bool noted = ensure(&touched, &owner->touched_capacity, owner->touched_count + 1, sizeof(uint32_t));
        owner->touched = touched;
        if (!noted) return false;
        owner->touched[owner->touched_count++] = vertex;
    }
    if (vector->count == UINT32_MAX || !ensure(&ids, &capacity, (size_t)vector->count + 1, sizeof(uint32_t)))
        return false;
    vector->ids = ids;
    vector->capacity = capacity < UINT32_MAX ? (uint32_t)capacity : UINT32_MAX;
    vector->ids[vector->count++] = id;
    return true;
}

/* Sorted new ids, in scratch, between the old ones, from the highest down: the place written is never below the one
 * read, for it is ahead by as many as are still to come. An id that both have leaves a gap, which the end closes. */
static void merge_new(struct vector *vector, const uint32_t *fresh, size_t fresh_count)
{
    size_t old = vector->sorted, left = fresh_count, place = vector->sorted + fresh_count;
    const size_t top = place;
    while (left > 0) {
        if (old > 0 && vector->ids[old - 1] == fresh[left - 1])
            left--; /* the old one stays, and is moved in its turn */
        else if (old > 0 && vector->ids[old - 1] > fresh[left - 1])
            vector->ids[--place] = vector->ids[--old];
        else
            vector->ids[--place] = fresh[--left];
    }
    memmove(vector->ids + old, vector->ids + place, (top - place) * sizeof vector->ids[0]);
    vector->count = vector->sorted = (uint32_t)(old + top - place);
}

static bool settle(struct owner *owner, struct vector *vector)
{
    const uint32_t before = vector->sorted;
    const size_t added = vector->count - before;
    void *scratch = owner->scratch;
    if (added == 0) return true; /* there was no memory for its first one */
    const bool room = ensure(&scratch, &owner->scratch_capacity, 2 * added, sizeof(uint32_t));
    owner->scratch = scratch;
    if (!room) {
        vector->count = before;
        return false;
    }
    memcpy(owner->scratch, vector->ids + before, added * sizeof(uint32_t));
    edge_sort_ids(owner->scratch, owner->scratch + added, added);
    merge_new(vector, owner->scratch, edge_unique_ids(owner->scratch, added));
    owner->edges += vector->count - before;
    return true;
}

static void work_on_own(void *context, unsigned index)
{
    struct baseline_vectors *const graph = context;
    struct owner *const owner = &graph->owners[index];
    /* After dealing places are where each thread's part ends; the last one's is where the owner's ends. */
    const size_t begin = index == 0 ? 0 : *place_of(graph, index - 1, graph->threads - 1);
    const size_t end = *place_of(graph, index, graph->threads - 1);
    owner->touched_count = 0;
    for (size_t i = begin; i < end && !owner->failed; i++) {
        const uint32_t vertex = (uint32_t)(graph->dealt[i] >> 32);
        owner->failed = !append(owner, &graph->vectors[vertex], vertex, (uint32_t)graph->dealt[i]);
    }
    for (size_t i = 0; i < owner->touched_count; i++)
        if (!settle(owner, &graph->vectors[owner->touched[i]])) owner->failed = true;
}

/* ---- for callers ---- */

bool baseline_vectors_insert(struct baseline_vectors *graph, size_t count, const uint32_t *from, const uint32_t *to)
{
    void *dealt = graph->dealt;
    const bool room = ensure(&dealt, &graph->dealt_capacity, count, sizeof graph->dealt[0]);
    graph->dealt = dealt;
    if (!room) return false;
    graph->count = count;
    graph->from = from;
    graph->to = to;
    memset(graph->places, 0, graph->threads * graph->row * sizeof graph->places[0]);
    crew_run(graph->crew, count_by_owner, graph);
    sum_places(graph);
    crew_run(graph->crew, deal, graph);
    crew_run(graph->crew, work_on_own, graph);
    bool good = true;
    for (unsigned i = 0; i < graph->threads; i++) {
        good = good && !graph->owners[i].failed;
        graph->owners[i].failed = false;
    }
    return good;
}

uint64_t baseline_vectors_edges(const struct baseline_vectors *graph)
{
    uint64_t edges = 0;
    for (unsigned i = 0; i < graph->threads; i++) edges += graph->owners[i].edges;
    return edges;
}

const uint32_t *baseline_vectors_neighbours(const struct baseline_vectors *graph, uint32_t vertex, size_t *count)
{
    *count = graph->vectors[vertex].count;
    return graph->vectors[vertex].ids;
}

bool baseline_vectors_has(const struct baseline_vectors *graph, uint32_t from, uint32_t to)
{
    size_t count;
    const uint32_t *ids = baseline_vectors_neighbours(graph, from, &count);
    while (count > 1) { /* if it is anywhere, it is among these */
        const size_t half = count / 2;
        const bool upper = ids[half] <= to;
        ids += upper ? half : 0;
        count = upper ? count - half : half;
    }
    return count == 1 && ids[0] == to;
}
