/* graph_baseline_triangles.c - BASELINE: triangles by merging sorted rows of a graph oriented by degree. */
#define _DEFAULT_SOURCE 1
#include <stdatomic.h>
#include <stdlib.h>

#include "tools/common/clock.h"
#include "tools/edges/edge_sort.h"
#include "graph_baseline.h"

enum { VERTICES_AT_ONCE = 64 };

struct counting {
    const struct edge_list *list;
    uint64_t vertices;
    _Atomic uint32_t *degrees; /* later, by rank: how far each row is filled, then how long it is */
    uint32_t *ranks;           /* of the vertices, by degree: rows and all that is in them are ranks */
    uint64_t *words;           /* for the ranking: twice as many as vertices */
    uint64_t *begins;          /* of the rows */
    uint32_t *rows, *scratch;
    _Atomic uint64_t *per_vertex; /* by rank */
    atomic_uint_fast64_t next;    /* vertex that nobody has taken yet */
    atomic_uint_fast64_t sum;
};

/* The next vertices for a thread: rows differ too much in cost to be shared out beforehand. */
static bool take_vertices(struct counting *work, uint64_t *begin, uint64_t *end)
{
    *begin = atomic_fetch_add_explicit(&work->next, VERTICES_AT_ONCE, memory_order_relaxed);
    *end = *begin + VERTICES_AT_ONCE < work->vertices ? *begin + VERTICES_AT_ONCE : work->vertices;
    return *begin < work->vertices;
}

static void count_degrees(void *context, size_t begin, size_t end)
{
    struct counting *const work = context;
    for (size_t i = begin; i < end; i++) {
        if (work->list->from[i] == work->list->to[i]) continue;
        atomic_fetch_add_explicit(&work->degrees[work->list->from[i]], 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&work->degrees[work->list->to[i]], 1, memory_order_relaxed);
    }
}

/* Edges go from the lower rank to the higher, so that the rows of vertices with many are short. */
static void orient(const struct counting *work, size_t edge, uint32_t *low, uint32_t *high)
{
    const uint32_t from = work->ranks[work->list->from[edge]], to = work->ranks[work->list->to[edge]];
    *low = from < to ? from : to;
    *high = from < to ? to : from;
}

static void count_rows(void *context, size_t begin, size_t end)
{
    struct counting *const work = context;
    for (size_t i = begin; i < end; i++) {
        uint32_t low, high;
        orient(work, i, &low, &high);
        if (low != high) atomic_fetch_add_explicit(&work->degrees[low], 1, memory_order_relaxed);
    }
}

static void fill_rows(void *context, size_t begin, size_t end)
{
    struct counting *const work = context;
    for (size_t i = begin; i < end; i++) {
        uint32_t low, high;
        orient(work, i, &low, &high);
        if (low == high) continue;
        const uint32_t place = atomic_fetch_add_explicit(&work->degrees[low], 1, memory_order_relaxed);
        work->rows[work->begins[low] + place] = high;
    }
}

static void sort_rows(void *context, unsigned index)
{
    struct counting *const work = context;
    uint64_t begin, end, edges = 0;
    (void)index;
    while (take_vertices(work, &begin, &end)) {
        for (uint64_t vertex = begin; vertex < end; vertex++) {
            const uint64_t row = work->begins[vertex];
            const size_t length = (size_t)(work->begins[vertex + 1] - row);
            edge_sort_ids(work->rows + row, work->scratch + row, length);
            const size_t kept = edge_unique_ids(work->rows + row, length);
            atomic_store_explicit(&work->degrees[vertex], (uint32_t)kept, memory_order_relaxed);
            edges += kept;
        }
    }
    atomic_fetch_add_explicit(&work->sum, edges, memory_order_relaxed);
}

static void note_triangle(struct counting *work, uint32_t a, uint32_t b, uint32_t c)
{
    atomic_fetch_add_explicit(&work->per_vertex[a], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&work->per_vertex[b], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&work->per_vertex[c], 1, memory_order_relaxed);
}

/* What the rest of a row, from `at` on, and another row have in common. */
static uint64_t merge_rows(struct counting *work, uint32_t one, uint32_t at, uint32_t other)
{
    const uint32_t *a = work->rows + work->begins[one], *b = work->rows + work->begins[other];
    const uint32_t *const a_end = a + atomic_load_explicit(&work->degrees[one], memory_order_relaxed);
    const uint32_t *const b_end = b + atomic_load_explicit(&work->degrees[other], memory_order_relaxed);
    uint64_t found = 0;
    for (a += at; a < a_end && b < b_end;) {
        const uint32_t here = *a, there = *b;
        found += here == there;
        if (here == there && work->per_vertex != NULL) note_triangle(work, one, other, here);
        a += here <= there;
        b += there <= here;
    }
    return found;
}

/* A triangle is found once: in the row of its lowest vertex, at the middle one, with the highest further on in both. */
static void count_triangles(void *context, unsigned index)
{
    struct counting *const work = context;
    uint64_t begin, end, found = 0;
    (void)index;
    while (take_vertices(work, &begin, &end)) {
        for (uint64_t vertex = begin; vertex < end; vertex++) {
            const uint32_t *const row = work->rows + work->begins[vertex];
            const uint32_t length = atomic_load_explicit(&work->degrees[vertex], memory_order_relaxed);
            for (uint32_t i = 0; i < length; i++) found += merge_rows(work, (uint32_t)vertex, i + 1, row[i]);
        }
    }
    atomic_fetch_add_explicit(&work->sum, found, memory_order_relaxed);
}

static bool allocate(struct counting *work)
{
    work->degrees = calloc(work->vertices + 1, sizeof work->degrees[0]);
    work->ranks = calloc(work->vertices + 1, sizeof work->ranks[0]);
    work->words = calloc(2 * work->vertices + 2, sizeof work->words[0]);
    work->begins = calloc(work->vertices + 1, sizeof work->begins[0]);
    work->rows = calloc(work->list->count + 1, sizeof work->rows[0]);
    work->scratch = calloc(work->list->count + 1, sizeof work->scratch[0]);
    return work->degrees != NULL && work->ranks != NULL && work->words != NULL && work->begins != NULL &&
           work->rows != NULL && work->scratch != NULL;
}

static void release(struct counting *work)
{
    free((void *)work->degrees);
    free(work->ranks);
    free(work->words);
    free(work->begins);
    free(work->rows);
    free(work->scratch);
}

static void clear_degrees(struct counting *work)
{
    for (uint64_t i = 0; i < work->vertices; i++) atomic_store_explicit(&work->degrees[i], 0, memory_order_relaxed);
}

/* By degree, and by id where degrees are the same. */
static void rank_vertices(struct counting *work)
{
    for (uint64_t i = 0; i < work->vertices; i++)
        work->words[i] = edge_pack(atomic_load_explicit(&work->degrees[i], memory_order_relaxed), (uint32_t)i);
    edge_sort_words(work->words, work->words + work->vertices, work->vertices);
    for (uint64_t i = 0; i < work->vertices; i++) work->ranks[(uint32_t)work->words[i]] = (uint32_t)i;
    clear_degrees(work);
}

static void begin_rows(struct counting *work)
{
    for (uint64_t i = 0; i < work->vertices; i++)
        work->begins[i + 1] = work->begins[i] + atomic_load_explicit(&work->degrees[i], memory_order_relaxed);
    clear_degrees(work);
}

/* Hands a part to all threads; answers what they have summed up. */
static uint64_t run_part(struct crew *crew, crew_part *part, struct counting *work)
{
    atomic_store(&work->next, 0);
    atomic_store(&work->sum, 0);
    crew_run(crew, part, work);
    return atomic_load(&work->sum);
}

static void run_phases(struct crew *crew, struct counting *work, struct baseline_triangles *result)
{
    const double start = clock_seconds();
    crew_share(crew, work->list->count, count_degrees, work);
    rank_vertices(work);
    const double counted = clock_seconds();
    crew_share(crew, work->list->count, count_rows, work);
    begin_rows(work);
    crew_share(crew, work->list->count, fill_rows, work);
    const double built = clock_seconds();
    result->edges = run_part(crew, sort_rows, work);
    const double sorted = clock_seconds();
    result->triangles = run_part(crew, count_triangles, work);
    result->rank = counted - start;
    result->build = built - counted;
    result->sort = sorted - built;
    result->count = clock_seconds() - sorted;
}

static void copy_counts(const struct counting *work, uint64_t *per_vertex)
{
    for (uint64_t i = 0; i < work->vertices; i++)
        per_vertex[i] = atomic_load_explicit(&work->per_vertex[work->ranks[i]], memory_order_relaxed);
}

bool baseline_count_triangles(struct crew *crew, const struct edge_list *list, uint64_t vertices, uint64_t *per_vertex,
                              struct baseline_triangles *result)
{
    struct counting work = {.list = list, .vertices = vertices};
    *result = (struct baseline_triangles){0};
    if (per_vertex != NULL) work.per_vertex = calloc(vertices + 1, sizeof work.per_vertex[0]);
    const bool good = (per_vertex == NULL || work.per_vertex != NULL) && allocate(&work);
    if (good) run_phases(crew, &work, result);
    if (good && per_vertex != NULL) copy_counts(&work, per_vertex);
    free((void *)work.per_vertex);
    release(&work);
    return good;
}
