/* graph/graph_cpu_rows.c - lists of neighbours, in order: of some vertices, of all as rows, or of all as edges. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"
#include "graph_cpu.h"

enum { CHUNK = 512 }; /* vertices that one thread processes at a time */

static int by_id(const void *a, const void *b)
{
    uint32_t one = ((const graph_target *)a)->id, two = ((const graph_target *)b)->id;
    return (one > two) - (one < two);
}

static void sort_few(graph_target *targets, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++) {
        graph_target moving = targets[i];
        uint64_t at = i;
        for (; at > 0 && targets[at - 1].id > moving.id; at--) targets[at] = targets[at - 1];
        targets[at] = moving;
    }
}

static uint32_t middle_id(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Partitions around the median id of three, and returns the size of the lower part. Neither part is empty: of the
 * three, one is at most the median, and one is at least the median. */
static uint64_t part_targets(graph_target *targets, uint64_t n)
{
    const uint32_t middle = middle_id(targets[0].id, targets[n / 2].id, targets[n - 1].id);
    uint64_t low = 0, high = n - 1;
    for (;; low++, high--) {
        while (targets[low].id < middle) low++;
        while (targets[high].id > middle) high--;
        if (low >= high) return high + 1;
        graph_target moving = targets[low];
        targets[low] = targets[high];
        targets[high] = moving;
    }
}

/* Most lists are short. In longer ones, qsort's calls of the comparison function would be half of the time of listing.
 * So qsort sorts only lists that many partitions have hardly shortened. */
static void sort_targets(graph_target *targets, uint64_t n)
{
    enum { SHORT = 24, MOST_PARTS = 64 };
    for (unsigned parts = 0; n > SHORT; parts++) {
        if (parts == MOST_PARTS) {
            qsort(targets, n, sizeof *targets, by_id);
            return;
        }
        const uint64_t lower = part_targets(targets, n), upper = n - lower;
        if (lower < upper) { /* recurse into the shorter part, which bounds the depth */
            sort_targets(targets, lower);
            targets += lower;
            n = upper;
        } else {
            sort_targets(targets + lower, upper);
            n = lower;
        }
    }
    sort_few(targets, n);
}

/* ---- lists of some vertices, concurrent with updates: each chunk has memory of its own ---- */

typedef struct chunk_lists {
    graph_target *targets;
    uint64_t count, room;
} chunk_lists;

typedef struct lists_job {
    const cpu_graph *graph;
    const uint32_t *vertices;
    size_t n;
    chunk_lists *chunks;
    uint64_t *counts;
    atomic_bool failed;
} lists_job;

static bool chunk_widen(chunk_lists *chunk, uint64_t least)
{
    uint64_t room = chunk->room * 2 > least ? chunk->room * 2 : least;
    graph_target *wider = base_alloc(room, sizeof *wider);
    if (!wider) return false;
    if (chunk->count) memcpy(wider, chunk->targets, chunk->count * sizeof *wider);
    base_free(chunk->targets);
    chunk->targets = wider;
    chunk->room = room;
    return true;
}

/* The length of a list is known only after it has been listed. If there was too little space, it is listed again. */
static bool list_vertex(const graph_ref *place, const lists_job *job, size_t i, chunk_lists *chunk)
{
    for (;;) {
        uint64_t room = chunk->room - chunk->count;
        uint64_t n = job->graph->ops->list(place, job->vertices[i], chunk->targets + chunk->count, room);
        if (n <= room) {
            sort_targets(chunk->targets + chunk->count, n);
            chunk->count += n;
            job->counts[i] = n;
            return true;
        }
        if (!chunk_widen(chunk, chunk->count + n + n / 8)) return false;
    }
}

static void list_chunks(void *context, size_t begin, size_t end)
{
    lists_job *job = context;
    graph_ref place = graph_place_of(job->graph);
    for (size_t c = begin; c < end; c++) {
        chunk_lists *chunk = &job->chunks[c];
        bool fine = chunk_widen(chunk, 4 * CHUNK);
        for (size_t i = c * CHUNK; fine && i < job->n && i < (c + 1) * CHUNK; i++)
            fine = list_vertex(&place, job, i, chunk);
        if (!fine) atomic_store(&job->failed, true);
    }
}

static void hand_out(const lists_job *job, size_t chunks, uint32_t *neighbours, uint32_t *values)
{
    uint64_t at = 0;
    for (size_t c = 0; c < chunks; c++)
        for (uint64_t k = 0; k < job->chunks[c].count; k++, at++) {
            if (neighbours) neighbours[at] = job->chunks[c].targets[k].id;
            if (values) values[at] = job->chunks[c].targets[k].value;
        }
}

pleach_status graph_cpu_neighbours(void *exec, size_t n, const uint32_t *vertices, size_t capacity,
                                   uint32_t *neighbours, uint32_t *values, uint64_t *offsets, size_t *total)
{
    cpu_graph *graph = exec;
    size_t chunks = n / CHUNK + 1;
    lists_job job = {.graph = graph, .vertices = vertices, .n = n, .counts = offsets + 1};
    job.chunks = base_alloc(chunks, sizeof *job.chunks);
    if (!job.chunks) return PLEACH_E_MEMORY;
    workers_run(graph->workers, chunks, 1, list_chunks, &job);
    pleach_status status = atomic_load(&job.failed) ? PLEACH_E_MEMORY : PLEACH_OK;
    if (status == PLEACH_OK) {
        offsets[0] = 0;
        for (size_t i = 0; i < n; i++) offsets[i + 1] += offsets[i];
        *total = offsets[n];
        if (*total > capacity && (neighbours || values))
            status = PLEACH_E_SPACE;
        else
            hand_out(&job, chunks, neighbours, values);
    }
    for (size_t c = 0; c < chunks; c++) base_free(job.chunks[c].targets);
    base_free(job.chunks);
    return status;
}

/* ---- all vertices, with exclusive access, so degrees do not change ---- */

typedef struct rows_job {
    const cpu_graph *graph;
    bool once;         /* list an undirected edge only at its smaller endpoint */
    const uint32_t *ids; /* of the rows' vertices; if NULL, row i is vertex i */
    uint64_t rows;
    uint64_t *offsets; /* rows + 1 */
    uint32_t *from, *targets, *values;
    atomic_bool failed;
} rows_job;

static uint64_t degree_of(const graph_ref *place, uint64_t id)
{
    const slab_table *vertex = graph_vertex(place, (uint32_t)id);
    return vertex ? slab_load(vertex->load) : 0;
}

/* Lists a vertex's neighbours in order, in memory that grows as needed. */
static uint64_t list_in_order(const rows_job *job, const graph_ref *place, uint64_t id, chunk_lists *room)
{
    uint64_t degree = degree_of(place, id), kept = 0;
    if (degree > room->room && !chunk_widen(room, degree)) return UINT64_MAX;
    uint64_t n = job->graph->ops->list(place, (uint32_t)id, room->targets, room->room);
    for (uint64_t k = 0; k < n; k++)
        if (!job->once || room->targets[k].id > id) room->targets[kept++] = room->targets[k];
    if (job->targets) sort_targets(room->targets, kept);
    return kept;
}

/* Counts, or writes if there are arrays to write to. */
static void rows_part(void *context, size_t begin, size_t end)
{
    rows_job *job = context;
    graph_ref place = graph_place_of(job->graph);
    chunk_lists room = {0};
    for (uint64_t row = begin; row < end; row++) {
        uint64_t id = job->ids ? job->ids[row] : row, n = list_in_order(job, &place, id, &room);
        if (n == UINT64_MAX) {
            atomic_store(&job->failed, true);
            break;
        }
        if (!job->targets) job->offsets[row + 1] = n;
        for (uint64_t k = 0; job->targets && k < n; k++) {
            uint64_t at = job->offsets[row] + k;
            if (job->from) job->from[at] = (uint32_t)id;
            job->targets[at] = room.targets[k].id;
            if (job->values) job->values[at] = room.targets[k].value;
        }
    }
    base_free(room.targets);
}

static uint64_t count_rows(const cpu_graph *graph)
{
    graph_ref place = graph_place_of(graph);
    uint64_t first, end, rows = 0;
    for (uint64_t segment = graph->state->segments; segment-- > 0;)
        for (bool made = graph_segment(&place, segment, &first, &end); made && end > first; end--) {
            if (!graph_vertex_is_there(graph_table(&place, (uint32_t)(end - 1)))) continue;
            if (!graph->sparse) return end;
            uint64_t id = graph_id(&place, (uint32_t)(end - 1));
            if (id >= rows) rows = id + 1;
        }
    return rows;
}

static int by_number(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
    return (one > two) - (one < two);
}

/* Counts the existing vertices, or lists them if `ids` is given. Visits only allocated segments, so that a few large
 * ids cost little. */
static uint64_t list_there(const cpu_graph *graph, uint32_t *ids)
{
    graph_ref place = graph_place_of(graph);
    uint64_t count = 0, number, end;
    for (uint64_t segment = 0; segment < graph->state->segments; segment++)
        for (bool made = graph_segment(&place, segment, &number, &end); made && number < end; number++) {
            if (!graph_vertex_is_there(graph_table(&place, (uint32_t)number))) continue;
            if (ids) ids[count] = graph_id(&place, (uint32_t)number);
            count++;
        }
    if (ids && graph->sparse) qsort(ids, count, sizeof *ids, by_number);
    return count;
}

pleach_status graph_cpu_list_vertices(void *exec, size_t capacity, uint32_t *ids, uint64_t *count)
{
    cpu_graph *graph = exec;
    *count = list_there(graph, NULL);
    if (!ids) return PLEACH_OK;
    if (*count > capacity) return PLEACH_E_SPACE;
    list_there(graph, ids);
    return PLEACH_OK;
}

static bool count_entries(rows_job *job)
{
    workers_run(job->graph->workers, job->rows, CHUNK, rows_part, job);
    job->offsets[0] = 0;
    for (uint64_t i = 0; i < job->rows; i++) job->offsets[i + 1] += job->offsets[i];
    return !atomic_load(&job->failed);
}

pleach_status graph_cpu_export_rows(void *exec, graph_rows *out)
{
    cpu_graph *graph = exec;
    uint64_t edges;
    graph_exec_cpu.size(exec, NULL, &edges);
    out->rows = count_rows(graph);
    out->entries = graph->directed ? edges : 2 * edges;
    if (!out->offsets) return PLEACH_OK;
    if (out->rows > out->row_capacity || out->entries > out->entry_capacity) return PLEACH_E_SPACE;
    rows_job job = {.graph = graph, .rows = out->rows, .offsets = out->offsets};
    if (!count_entries(&job)) return PLEACH_E_MEMORY;
    job.targets = out->targets;
    job.values = out->values;
    if (job.targets) workers_run(graph->workers, job.rows, CHUNK, rows_part, &job);
    return atomic_load(&job.failed) ? PLEACH_E_MEMORY : PLEACH_OK;
}

pleach_status graph_cpu_export_edges(void *exec, size_t capacity, uint32_t *from, uint32_t *to, uint32_t *values,
                                     uint64_t *edges)
{
    cpu_graph *graph = exec;
    graph_exec_cpu.size(exec, NULL, edges);
    if (!from && !to) return PLEACH_OK;
    if (*edges > capacity) return PLEACH_E_SPACE;
    uint64_t rows = list_there(graph, NULL);
    uint32_t *ids = base_alloc(rows + 1, sizeof *ids);
    rows_job job = {.graph = graph, .once = !graph->directed, .ids = ids, .rows = rows};
    job.offsets = base_alloc(rows + 1, sizeof *job.offsets);
    bool fine = ids && job.offsets;
    if (fine) {
        list_there(graph, ids);
        fine = count_entries(&job);
    }
    if (fine) {
        job.from = from;
        job.targets = to;
        job.values = values;
        workers_run(graph->workers, job.rows, CHUNK, rows_part, &job);
        fine = !atomic_load(&job.failed);
    }
    base_free(ids);
    base_free(job.offsets);
    return fine ? PLEACH_OK : PLEACH_E_MEMORY;
}
