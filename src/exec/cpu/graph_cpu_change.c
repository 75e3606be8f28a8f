/* exec/cpu/graph_cpu_change.c - by how many the triangles change with some edges, by somebody who is alone.
 *
 * The edges that come, or go, are numbered. A triangle that comes with several of them is counted at the largest of
 * their numbers, one that goes at the smallest. Each edge goes through the neighbours of the end that has fewer, and
 * asks for the third edge at the other end, and for the numbers of both.
 */
#include <stdatomic.h>

#include "../../base/memory.h"
#include "graph_cpu.h"

/* An edge, by the ids of its ends, and the element that it is; name 0, which is no edge's: nothing. */
typedef struct numbered { uint64_t name, element; } numbered;

typedef struct changes {
    cpu_graph *graph;
    const graph_request *request;
    uint8_t *counts;   /* by element: this edge is one of those that change, the only one of its kind */
    bool coming;
    numbered *numbers; /* at most half full; an edge is at the place that its hash names, or the next free one */
    uint64_t mask;     /* of places */
    size_t capacity;
    uint64_t *by_vertex;
    atomic_uint_fast64_t change;
} changes;

static uint64_t name_of(uint32_t one, uint32_t two)
{
    return one < two ? (uint64_t)one << 32 | two : (uint64_t)two << 32 | one;
}

/* ---- the numbers ---- */

/* All memory that counting needs: what has been applied must be counted. */
static bool open_numbers(changes *c)
{
    uint64_t places = 16;
    while (places < 2 * c->request->n) places *= 2;
    c->mask = places - 1;
    c->counts = base_alloc(c->request->n, 1);
    c->numbers = base_alloc(places, sizeof *c->numbers);
    return c->counts && c->numbers;
}

static void close_numbers(changes *c)
{
    base_free(c->counts);
    base_free(c->numbers);
}

/* Where the edge is, or where it would be. */
static numbered *place_of(const changes *c, uint64_t name)
{
    uint64_t hash = (name ^ name >> 33 ^ c->graph->seed) * 0xff51afd7ed558ccdu;
    uint64_t place = (hash ^ hash >> 33) & c->mask;
    while (c->numbers[place].name && c->numbers[place].name != name) place = (place + 1) & c->mask;
    return &c->numbers[place];
}

/* Elements whose edges change: outcome or presence says so, and of equal ones the first is kept. */
static void number_edges(changes *c)
{
    const graph_request *r = c->request;
    for (size_t i = 0; i < r->n; i++) {
        if (!c->counts[i]) continue;
        uint64_t name = name_of(r->from[i], r->to[i]);
        numbered *place = place_of(c, name);
        c->counts[i] = !place->name;
        if (!place->name) *place = (numbered){name, i};
    }
}

/* UINT64_MAX: this edge does not change. */
static uint64_t number_of(const changes *c, uint32_t one, uint32_t two)
{
    const numbered *place = place_of(c, name_of(one, two));
    return place->name ? place->element : UINT64_MAX;
}

/* ---- counting ---- */

typedef struct wedge {
    changes *c;
    const graph_place *place;
    uint64_t number;
    uint32_t few, many; /* the ends */
    uint64_t triangles;
} wedge;

/* Is a triangle with this edge to be counted at the other? */
static bool counted_later(const wedge *w, uint32_t end, uint32_t third)
{
    uint64_t number = number_of(w->c, end, third);
    if (number == UINT64_MAX) return false;
    return w->c->coming ? number > w->number : number < w->number;
}

static void charge(const wedge *w, uint32_t id, uint64_t triangles)
{
    changes *c = w->c;
    if (!c->by_vertex || id >= c->capacity || !triangles) return;
    __atomic_fetch_add(&c->by_vertex[id], c->coming ? triangles : 0 - triangles, __ATOMIC_RELAXED);
}

static bool close_triangle(void *context, graph_target third)
{
    wedge *w = context;
    uint32_t value;
    if (third.id == w->many || !w->c->graph->ops->find(w->place, w->many, third.id, &value)) return true;
    if (counted_later(w, w->few, third.id) || counted_later(w, w->many, third.id)) return true;
    w->triangles++;
    charge(w, third.id, 1);
    return true;
}

static void count_part(void *context, size_t begin, size_t end)
{
    changes *c = context;
    graph_place place = graph_place_of(c->graph);
    uint64_t change = 0;
    for (size_t i = begin; i < end; i++) {
        if (!c->counts[i]) continue;
        uint32_t from = c->request->from[i], to = c->request->to[i];
        bool from_has_fewer = slab_load(graph_vertex(&place, from)->load) < slab_load(graph_vertex(&place, to)->load);
        wedge w = {c, &place, i, from_has_fewer ? from : to, from_has_fewer ? to : from, 0};
        c->graph->ops->visit(&place, graph_vertex(&place, w.few), close_triangle, &w);
        charge(&w, w.few, w.triangles);
        charge(&w, w.many, w.triangles);
        change += w.triangles;
    }
    atomic_fetch_add(&c->change, change);
}

static void count_change(changes *c)
{
    number_edges(c);
    workers_run(c->graph->workers, c->request->n, 256, count_part, c);
}

/* Edges that come are counted when they are there. */
static pleach_status insert_counting(changes *c, uint8_t *outcomes)
{
    graph_request r = *c->request;
    r.flags = outcomes;
    pleach_status status = graph_cpu_run(c->graph, &r, PLEACH_SYNC);
    for (size_t i = 0; i < r.n; i++) c->counts[i] = outcomes[i] == PLEACH_EDGE_NEW;
    count_change(c);
    return status;
}

/* Edges that go are counted while they are there. */
static pleach_status erase_counting(changes *c)
{
    graph_request find = *c->request;
    find.kind = GRAPH_FIND_EDGES;
    find.flags = c->counts;
    graph_cpu_run(c->graph, &find, PLEACH_SYNC);
    count_change(c);
    return graph_cpu_run(c->graph, c->request, PLEACH_SYNC);
}

pleach_status graph_cpu_run_counting(void *exec, const graph_request *request, size_t capacity, uint64_t *by_vertex,
                                     uint64_t *change)
{
    changes c = {.graph = exec, .request = request, .coming = request->kind == GRAPH_INSERT_EDGES,
                 .capacity = capacity, .by_vertex = by_vertex};
    uint8_t *own = request->flags ? NULL : base_alloc(request->n, 1);
    pleach_status status = PLEACH_E_MEMORY;
    if (open_numbers(&c) && (request->flags || own))
        status = c.coming ? insert_counting(&c, own ? own : request->flags) : erase_counting(&c);
    close_numbers(&c);
    base_free(own);
    *change = atomic_load(&c.change);
    return status;
}
