/* exec/cpu/graph_cpu_triangles.c - all triangles of a graph, by somebody who is alone.
 *
 * Vertices get new numbers by falling degree, and each keeps its neighbours with smaller numbers only: no list of these
 * is longer than the square root of twice the number of edges. A triangle a < b < c is found at c: with the list of c
 * as bits, every list of a member b of it is gone through, and those members a that have their bit are counted. So
 * nothing is sorted; and the bits that are asked for most, of vertices with many neighbours, are next to each other.
 */
#include <stdatomic.h>
#include <string.h>

#include "../../base/memory.h"
#include "graph_cpu.h"

enum { CHUNK = 256 };

typedef struct oriented {
    cpu_graph *graph;
    uint64_t n;
    uint32_t *number;  /* by id: the new number */
    uint32_t *id;      /* by number */
    uint64_t *offsets; /* by number, n + 1 */
    uint32_t *targets; /* numbers */
    uint64_t *by_vertex;
    atomic_uint_fast64_t total;
    atomic_bool failed;
} oriented;

static uint32_t degree_of(const graph_place *place, uint64_t id)
{
    const slab_table *vertex = graph_vertex(place, (uint32_t)id);
    return vertex ? slab_load(vertex->load) : 0;
}

/* Counting sort. Degrees above a limit, of which there are few, count as equal: any order will do. */
static bool number_by_degree(oriented *o)
{
    enum { LIMIT = 1 << 16 };
    uint64_t *first = base_alloc(LIMIT + 1, sizeof *first);
    if (!first) return false;
    graph_place place = graph_place_of(o->graph);
    for (uint64_t id = 0; id < o->n; id++) {
        uint32_t degree = degree_of(&place, id);
        first[degree < LIMIT ? degree : LIMIT]++;
    }
    uint64_t sum = 0;
    for (uint64_t degree = LIMIT + 1; degree-- > 0;) {
        uint64_t count = first[degree];
        first[degree] = sum;
        sum += count;
    }
    for (uint64_t id = 0; id < o->n; id++) {
        uint32_t degree = degree_of(&place, id);
        uint64_t number = first[degree < LIMIT ? degree : LIMIT]++;
        o->number[id] = (uint32_t)number;
        o->id[number] = (uint32_t)id;
    }
    base_free(first);
    return true;
}

/* ---- lists ---- */

typedef struct filling {
    const oriented *o;
    uint32_t number;
    uint64_t at;
} filling;

static bool keep_smaller(void *context, graph_target target)
{
    filling *f = context;
    uint32_t number = f->o->number[target.id];
    if (number > f->number) return true;
    if (f->o->targets) f->o->targets[f->at] = number;
    f->at++;
    return true;
}

/* Counts, or, where there are targets, writes. */
static void fill_part(void *context, size_t begin, size_t end)
{
    oriented *o = context;
    graph_place place = graph_place_of(o->graph);
    for (uint64_t number = begin; number < end; number++) {
        const slab_table *vertex = graph_vertex(&place, o->id[number]);
        filling f = {o, (uint32_t)number, o->targets ? o->offsets[number] : 0};
        if (vertex) o->graph->ops->visit(&place, vertex, keep_smaller, &f);
        if (!o->targets) o->offsets[number + 1] = f.at;
    }
}

/* ---- counting ---- */

static bool has_bit(const uint64_t *bits, uint32_t number) { return bits[number / 64] >> number % 64 & 1; }

static uint64_t count_at(const oriented *o, const uint64_t *bits, uint64_t number)
{
    uint64_t count = 0;
    for (uint64_t i = o->offsets[number]; i < o->offsets[number + 1]; i++) {
        const uint32_t *list = o->targets + o->offsets[o->targets[i]];
        const uint32_t *end = o->targets + o->offsets[o->targets[i] + 1];
        for (; list < end; list++) count += has_bit(bits, *list);
    }
    return count;
}

static void charge(uint64_t *by_vertex, uint32_t id, uint64_t triangles)
{
    if (triangles) __atomic_fetch_add(&by_vertex[id], triangles, __ATOMIC_RELAXED);
}

static uint64_t count_by_vertex(const oriented *o, const uint64_t *bits, uint64_t number)
{
    uint64_t count = 0;
    for (uint64_t i = o->offsets[number]; i < o->offsets[number + 1]; i++) {
        uint32_t middle = o->targets[i];
        uint64_t here = 0;
        for (uint64_t k = o->offsets[middle]; k < o->offsets[middle + 1]; k++) {
            if (!has_bit(bits, o->targets[k])) continue;
            here++;
            charge(o->by_vertex, o->id[o->targets[k]], 1);
        }
        charge(o->by_vertex, o->id[middle], here);
        count += here;
    }
    charge(o->by_vertex, o->id[number], count);
    return count;
}

static void count_part(void *context, size_t begin, size_t end)
{
    oriented *o = context;
    uint64_t *bits = base_alloc(o->n / 64 + 1, sizeof *bits), total = 0;
    if (!bits) {
        atomic_store(&o->failed, true);
        return;
    }
    for (uint64_t number = begin; number < end; number++) {
        for (uint64_t i = o->offsets[number]; i < o->offsets[number + 1]; i++)
            bits[o->targets[i] / 64] |= (uint64_t)1 << o->targets[i] % 64;
        total += o->by_vertex ? count_by_vertex(o, bits, number) : count_at(o, bits, number);
        for (uint64_t i = o->offsets[number]; i < o->offsets[number + 1]; i++) bits[o->targets[i] / 64] = 0;
    }
    base_free(bits);
    atomic_fetch_add(&o->total, total);
}

static pleach_status count_oriented(oriented *o)
{
    if (!number_by_degree(o)) return PLEACH_E_MEMORY;
    workers *all = o->graph->workers;
    workers_run(all, o->n, CHUNK, fill_part, o);
    for (uint64_t i = 0; i < o->n; i++) o->offsets[i + 1] += o->offsets[i];
    uint32_t *targets = base_alloc(o->offsets[o->n] + 1, sizeof *targets);
    if (!targets) return PLEACH_E_MEMORY;
    o->targets = targets;
    workers_run(all, o->n, CHUNK, fill_part, o);
    /* Every part clears bits of its own, n of them: so parts are long where n is. */
    size_t part = o->n / (64 * (size_t)o->graph->threads);
    workers_run(all, o->n, part > CHUNK ? part : CHUNK, count_part, o);
    base_free(targets);
    return atomic_load(&o->failed) ? PLEACH_E_MEMORY : PLEACH_OK;
}

pleach_status graph_cpu_triangles(void *exec, size_t capacity, uint64_t *by_vertex, uint64_t *total)
{
    oriented o = {.graph = exec};
    graph_rows rows = {0};
    graph_cpu_export_rows(exec, &rows); /* how many there are */
    o.n = rows.rows;
    o.by_vertex = by_vertex;
    if (by_vertex && o.n > capacity) return PLEACH_E_SPACE;
    if (by_vertex) memset(by_vertex, 0, capacity * sizeof *by_vertex);
    o.number = base_alloc(o.n + 1, sizeof *o.number);
    o.id = base_alloc(o.n + 1, sizeof *o.id);
    o.offsets = base_alloc(o.n + 1, sizeof *o.offsets);
    pleach_status status = o.number && o.id && o.offsets ? count_oriented(&o) : PLEACH_E_MEMORY;
    base_free(o.number);
    base_free(o.id);
    base_free(o.offsets);
    *total = atomic_load(&o.total);
    return status;
}
