/* graph/ordered/ordered_edges.c - inserts and erases edges of an ordered graph: one batch per call. */
#include <string.h>

#include "../../base/memory.h"
#include "ordered.h"

enum { CHUNK = 1 << 14 };

/* Converts the flags of the batch, which has the edges first and in order, to outcomes. Returns how many elements have
 * an id that is no vertex. */
static size_t hand_out(const ordered_graph *graph, const graph_request *r, const uint8_t *flags)
{
    size_t at = 0, no_vertex = 0;
    for (size_t i = 0; i < r->n; i++) {
        uint8_t outcome = PLEACH_EDGE_LOOP;
        if (r->from[i] == PLEACH_NO_VERTEX || r->to[i] == PLEACH_NO_VERTEX) {
            outcome = PLEACH_EDGE_NOT_APPLIED;
            no_vertex++;
        } else if (r->from[i] != r->to[i]) {
            outcome = flags[at]; /* an edge's outcome has the same number as its key's */
            at += ordered_halves(graph);
        }
        if (r->flags) r->flags[i] = outcome;
    }
    return no_vertex;
}

_Static_assert(PLEACH_EDGE_NEW == (int)PLEACH_INSERTED && PLEACH_EDGE_REPLACED == (int)PLEACH_REPLACED &&
                   PLEACH_EDGE_ERASED == (int)PLEACH_ERASED && PLEACH_EDGE_ABSENT == (int)PLEACH_ABSENT &&
                   PLEACH_EDGE_NOT_APPLIED == (int)PLEACH_NOT_APPLIED,
               "outcomes of keys are handed out as outcomes of edges");

static pleach_status finish(ordered_graph *graph, const graph_request *r, ordered_batch *b)
{
    pleach_status status = ordered_batch_apply(graph, b);
    if (status != PLEACH_OK) return status;
    return hand_out(graph, r, b->flags) ? PLEACH_E_VERTEX : PLEACH_OK;
}

static pleach_status refuse(const graph_request *r, pleach_status status)
{
    if (r->flags && status != PLEACH_E_VERTEX && status != PLEACH_OK) memset(r->flags, 0, r->n);
    return status;
}

static size_t count_edges(const graph_request *r)
{
    size_t edges = 0;
    for (size_t i = 0; i < r->n; i++) edges += ordered_is_edge(r->from[i], r->to[i]);
    return edges;
}

/* ---- endpoints ---- */

/* Finds out which endpoints exist already: there[2 * i] and there[2 * i + 1]. Usually most do, and to query them is
 * cheaper than to put them into the batch. Only exclusive calls erase vertices, so the result stays valid. */
static pleach_status find_ends(const ordered_graph *graph, const graph_request *r, uint8_t *there)
{
    size_t room = r->n < CHUNK ? r->n : CHUNK;
    uint64_t *markers = base_alloc(2 * room, sizeof *markers);
    pleach_status status = markers ? PLEACH_OK : PLEACH_E_MEMORY;
    for (size_t begin = 0; begin < r->n && status == PLEACH_OK; begin += room) {
        size_t n = r->n - begin < room ? r->n - begin : room;
        for (size_t i = 0; i < n; i++) {
            markers[2 * i] = ordered_marker(r->from[begin + i]);
            markers[2 * i + 1] = ordered_marker(r->to[begin + i]);
        }
        status = pleach_map_contains(graph->map, 2 * n, markers, there + 2 * begin, PLEACH_SYNC);
    }
    base_free(markers);
    return status;
}

static size_t count_missing(const graph_request *r, const uint8_t *there)
{
    size_t missing = 0;
    for (size_t i = 0; i < r->n; i++)
        if (ordered_is_edge(r->from[i], r->to[i])) missing += !there[2 * i] + !there[2 * i + 1];
    return missing;
}

static void compose_insert(const ordered_graph *graph, const graph_request *r, const uint8_t *there, ordered_batch *b)
{
    for (size_t i = 0; i < r->n; i++)
        if (ordered_is_edge(r->from[i], r->to[i]))
            ordered_batch_add_edge(graph, b, PLEACH_OP_PUT, r->from[i], r->to[i], r->values ? r->values[i] : 0);
    for (size_t i = 0; i < r->n; i++) {
        if (!ordered_is_edge(r->from[i], r->to[i])) continue;
        if (!there[2 * i]) ordered_batch_add(b, PLEACH_OP_ADD, ordered_marker(r->from[i]), 0);
        if (!there[2 * i + 1]) ordered_batch_add(b, PLEACH_OP_ADD, ordered_marker(r->to[i]), 0);
    }
}

/* ---- calls ---- */

pleach_status ordered_insert_edges(ordered_graph *graph, const graph_request *r)
{
    ordered_batch b = {0};
    uint8_t *there = base_alloc(r->n, 2);
    pleach_status status = there ? find_ends(graph, r, there) : PLEACH_E_MEMORY;
    if (status == PLEACH_OK)
        status = ordered_batch_open(&b, count_edges(r) * ordered_halves(graph) + count_missing(r, there));
    if (status == PLEACH_OK) {
        compose_insert(graph, r, there, &b);
        status = finish(graph, r, &b);
    }
    ordered_batch_close(&b);
    base_free(there);
    return refuse(r, status);
}

pleach_status ordered_erase_edges(ordered_graph *graph, const graph_request *r)
{
    ordered_batch b;
    pleach_status status = ordered_batch_open(&b, count_edges(r) * ordered_halves(graph));
    if (status == PLEACH_OK) {
        for (size_t i = 0; i < r->n; i++)
            if (ordered_is_edge(r->from[i], r->to[i]))
                ordered_batch_add_edge(graph, &b, PLEACH_OP_ERASE, r->from[i], r->to[i], 0);
        status = finish(graph, r, &b);
    }
    ordered_batch_close(&b);
    return refuse(r, status);
}
