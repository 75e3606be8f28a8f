/* graph/ordered/ordered_change.c - counts how many triangles of an ordered graph some edges add or remove. Exclusive.
 *
 * It processes some edges at a time. First it finds the endpoint with fewer neighbours, by reading both rows page by
 * page until one ends, so a long row costs no more than the short one. Then it reads the short row again, page by page,
 * and looks the third edges up in one array. The memory for the pages is allocated before anything changes, so that
 * what has been applied can be counted. The same holds for the memory of a map on a GPU: a call of the largest size
 * comes first.
 */
#include <string.h>

#include "../../base/memory.h"
#include "ordered.h"
#include "../triangles/triangle_change.h"

enum { CURSORS = 512, ROOM = 1 << 15 };

typedef struct cursor {
    uint64_t number; /* the element */
    uint32_t few, many;
    uint32_t first, count; /* where its page begins in the third edges, and its length */
} cursor;

typedef struct pages {
    ordered_graph *graph;
    triangle_change change;
    cursor cursors[CURSORS];
    unsigned n; /* cursors in use */
    uint64_t lo[2 * CURSORS], hi[2 * CURSORS];
    uint32_t counts[2 * CURSORS];
    uint64_t keys[ROOM], thirds[ROOM];
    uint8_t found[ROOM];
} pages;

/* A map on a GPU keeps the memory that calls have used. So if it lacks some now, a call of another thread is using it,
 * for a short time. */
enum { MOST_TRIES = 8 };

static pleach_status read_page(pages *p, unsigned queries, uint32_t limit)
{
    pleach_status status = PLEACH_E_MEMORY;
    for (unsigned i = 0; i < MOST_TRIES && status == PLEACH_E_MEMORY; i++)
        status = pleach_map_range_limit(p->graph->map, queries, p->lo, p->hi, limit, p->keys, NULL, p->counts,
                                        PLEACH_SYNC);
    return status;
}

static pleach_status ask_thirds(pages *p, size_t n)
{
    pleach_status status = PLEACH_E_MEMORY;
    for (unsigned i = 0; i < MOST_TRIES && status == PLEACH_E_MEMORY; i++)
        status = pleach_map_contains(p->graph->map, n, p->thirds, p->found, PLEACH_SYNC);
    return status;
}

/* Makes the map allocate the memory that the largest calls need. */
static pleach_status warm_up(pages *p)
{
    if (p->graph->on_cpu) return PLEACH_OK;
    pleach_status status = pleach_map_range_limit(p->graph->map, 2 * CURSORS, p->lo, p->hi, ROOM / (2 * CURSORS),
                                                  p->keys, NULL, p->counts, PLEACH_SYNC);
    if (status != PLEACH_OK) return status;
    return pleach_map_contains(p->graph->map, ROOM, p->thirds, p->found, PLEACH_SYNC);
}

static void open_row(pages *p, unsigned query, uint32_t vertex)
{
    p->lo[query] = ordered_key(vertex, 0);
    p->hi[query] = ordered_marker(vertex) - 1;
}

/* Continues after a full page, because there may be more. */
static void next_page(pages *p, unsigned from, unsigned to, uint32_t limit)
{
    p->lo[to] = p->keys[(size_t)from * limit + limit - 1] + 1;
    p->hi[to] = p->hi[from];
}

/* ---- the endpoint with fewer neighbours ---- */

/* Edge i has the queries 2i and 2i + 1, one for each endpoint. Decided edges are moved behind the open ones. Returns
 * how many are open. */
static unsigned decide(pages *p, unsigned open, uint32_t limit)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < open; i++) {
        cursor c = p->cursors[i];
        bool from_ends = p->counts[2 * i] < limit, to_ends = p->counts[2 * i + 1] < limit;
        bool from_is_few = from_ends && (!to_ends || p->counts[2 * i] < p->counts[2 * i + 1]);
        uint32_t from = p->change.request->from[c.number], to = p->change.request->to[c.number];
        c.few = from_is_few ? from : to;
        c.many = from_is_few ? to : from;
        p->cursors[i] = c;
        if (from_ends || to_ends) continue;
        next_page(p, 2 * i, 2 * kept, limit);
        next_page(p, 2 * i + 1, 2 * kept + 1, limit);
        p->cursors[i] = p->cursors[kept];
        p->cursors[kept++] = c;
    }
    return kept;
}

/* Progress: every round reads one page of each open row. */
static pleach_status find_fewer(pages *p)
{
    for (unsigned i = 0; i < p->n; i++) {
        open_row(p, 2 * i, p->change.request->from[p->cursors[i].number]);
        open_row(p, 2 * i + 1, p->change.request->to[p->cursors[i].number]);
    }
    pleach_status status = PLEACH_OK;
    for (unsigned open = p->n; open > 0 && status == PLEACH_OK;) {
        uint32_t limit = ROOM / (2 * open);
        status = read_page(p, 2 * open, limit);
        if (status == PLEACH_OK) open = decide(p, open, limit);
    }
    return status;
}

/* ---- wedges ---- */

static size_t compose_thirds(pages *p, uint32_t limit)
{
    size_t at = 0;
    for (unsigned i = 0; i < p->n; i++) {
        cursor *c = &p->cursors[i];
        c->first = (uint32_t)at;
        for (uint32_t k = 0; k < p->counts[i]; k++) {
            uint32_t third = (uint32_t)p->keys[(size_t)i * limit + k];
            if (third != c->many) p->thirds[at++] = ordered_key(c->many, third);
        }
        c->count = (uint32_t)at - c->first;
    }
    return at;
}

static void judge_part(void *context, size_t begin, size_t end)
{
    pages *p = context;
    for (size_t i = begin; i < end; i++) {
        const cursor *c = &p->cursors[i];
        uint64_t triangles = 0;
        for (uint32_t k = c->first; k < c->first + c->count; k++)
            if (p->found[k]) triangles += counted_at_this_edge(&p->change, c->number, (uint32_t)p->thirds[k]);
        if (triangles) change_add(&p->change, c->number, triangles);
    }
}

static pleach_status close_wedges(pages *p)
{
    pleach_status status = PLEACH_OK;
    for (unsigned i = 0; i < p->n; i++) open_row(p, i, p->cursors[i].few);
    while (p->n > 0 && status == PLEACH_OK) {
        uint32_t limit = ROOM / p->n;
        status = read_page(p, p->n, limit);
        if (status != PLEACH_OK) return status;
        size_t thirds = compose_thirds(p, limit);
        if (thirds > 0) status = ask_thirds(p, thirds);
        if (status != PLEACH_OK) return status;
        workers_run(p->graph->workers, p->n, 16, judge_part, p);
        unsigned kept = 0;
        for (unsigned i = 0; i < p->n; i++) {
            if (p->counts[i] < limit) continue;
            next_page(p, i, kept, limit);
            p->cursors[kept++] = p->cursors[i];
        }
        p->n = kept;
    }
    return status;
}

static pleach_status count_change(pages *p)
{
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; i < p->change.request->n && status == PLEACH_OK;) {
        for (p->n = 0; i < p->change.request->n && p->n < CURSORS; i++)
            if (p->change.counts[i]) p->cursors[p->n++] = (cursor){.number = i};
        status = find_fewer(p);
        if (status == PLEACH_OK) status = close_wedges(p);
    }
    return status;
}

/* ---- calls ---- */

/* Counts after the edges are inserted. */
static pleach_status insert_counting(pages *p, uint8_t *outcomes)
{
    graph_request r = *p->change.request;
    r.flags = outcomes;
    pleach_status status = ordered_insert_edges(p->graph, &r);
    for (size_t i = 0; i < r.n; i++) p->change.counts[i] = outcomes[i] == PLEACH_EDGE_NEW;
    change_number(&p->change);
    pleach_status counted = count_change(p);
    return counted != PLEACH_OK ? counted : status;
}

/* Counts before the edges are erased. If they cannot be erased, because a snapshot is live and there is no memory for
 * copies, they are counted once more and subtracted. */
static pleach_status erase_counting(pages *p)
{
    graph_request find = *p->change.request;
    find.kind = GRAPH_FIND_EDGES;
    find.flags = p->change.counts;
    pleach_status status = ordered_ask((ordered_view){p->graph, NULL}, &find);
    if (status != PLEACH_OK) return status;
    change_number(&p->change);
    status = count_change(p);
    if (status != PLEACH_OK) return status;
    status = ordered_erase_edges(p->graph, p->change.request);
    if (status == PLEACH_OK || status == PLEACH_E_VERTEX) return status;
    p->change.back = true;
    pleach_status taken_back = count_change(p);
    return taken_back != PLEACH_OK ? taken_back : status;
}

pleach_status ordered_run_counting(void *exec, const graph_request *request, size_t capacity, uint64_t *by_vertex,
                                   uint64_t *change)
{
    if (request->flags) memset(request->flags, 0, request->n);
    pages *p = base_alloc(1, sizeof *p);
    if (!p) return PLEACH_E_MEMORY;
    uint8_t *own = request->flags ? NULL : base_alloc(request->n, 1);
    p->graph = exec;
    p->change = (triangle_change){.request = request, .coming = request->kind == GRAPH_INSERT_EDGES,
                                  .capacity = capacity, .by_vertex = by_vertex};
    bool opened = change_open(&p->change) && (request->flags || own);
    pleach_status status = opened ? warm_up(p) : PLEACH_E_MEMORY;
    if (status == PLEACH_OK)
        status = p->change.coming ? insert_counting(p, own ? own : request->flags) : erase_counting(p);
    *change = atomic_load(&p->change.change);
    change_close(&p->change);
    base_free(own);
    base_free(p);
    return status;
}
