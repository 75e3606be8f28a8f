/* graph/ordered/ordered_vertices.c - vertices of an ordered graph: their markers, and the edges erased with them. */
#include <string.h>

#include "../../base/memory.h"
#include "../../cpu/sort.h"
#include "ordered.h"

/* ---- inserting ---- */

static pleach_status put_markers(ordered_graph *graph, const graph_request *r, ordered_batch *b)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->from[i] != PLEACH_NO_VERTEX) ordered_batch_add(b, PLEACH_OP_ADD, ordered_marker(r->from[i]), 0);
    pleach_status status = ordered_batch_apply(graph, b);
    if (status != PLEACH_OK) return status;
    size_t at = 0;
    for (size_t i = 0; i < r->n; i++) {
        uint8_t outcome = PLEACH_EDGE_NOT_APPLIED;
        if (r->from[i] != PLEACH_NO_VERTEX)
            outcome = b->flags[at++] == PLEACH_INSERTED ? PLEACH_EDGE_NEW : PLEACH_EDGE_REPLACED;
        if (r->flags) r->flags[i] = outcome;
    }
    return at < r->n ? PLEACH_E_VERTEX : PLEACH_OK;
}

pleach_status ordered_insert_vertices(ordered_graph *graph, const graph_request *r)
{
    ordered_batch b;
    pleach_status status = ordered_batch_open(&b, r->n);
    if (status == PLEACH_OK) status = put_markers(graph, r, &b);
    ordered_batch_close(&b);
    if (r->flags && status != PLEACH_OK && status != PLEACH_E_VERTEX) memset(r->flags, 0, r->n);
    return status;
}

/* ---- new ids ---- */

/* Finds the n smallest free ids, beginning with the lowest that may be free. Returns PLEACH_E_FULL if there are
 * fewer. */
static pleach_status find_free(const ordered_graph *graph, size_t n, uint32_t *ids)
{
    enum { AT_ONCE = 1024 };
    uint64_t markers[AT_ONCE], next = graph->lowest_free;
    uint8_t found[AT_ONCE];
    size_t at = 0;
    while (at < n) {
        size_t count = 0;
        for (; count < AT_ONCE && next + count < PLEACH_NO_VERTEX; count++)
            markers[count] = ordered_marker((uint32_t)(next + count));
        if (count == 0) return PLEACH_E_FULL;
        pleach_status status = pleach_map_contains(graph->map, count, markers, found, PLEACH_SYNC);
        if (status != PLEACH_OK) return status;
        for (size_t i = 0; i < count && at < n; i++)
            if (!found[i]) ids[at++] = (uint32_t)(next + i);
        next += count;
    }
    return PLEACH_OK;
}

pleach_status ordered_new_vertices(void *exec, size_t n, uint32_t *vertices)
{
    ordered_graph *graph = exec;
    if (n == 0) return PLEACH_OK;
    ordered_batch b = {0};
    pleach_status status = find_free(graph, n, vertices);
    if (status == PLEACH_OK) status = ordered_batch_open(&b, n);
    if (status == PLEACH_OK) {
        for (size_t i = 0; i < n; i++) ordered_batch_add(&b, PLEACH_OP_ADD, ordered_marker(vertices[i]), 0);
        status = ordered_batch_apply(graph, &b);
    }
    if (status == PLEACH_OK) graph->lowest_free = (uint64_t)vertices[n - 1] + 1;
    for (size_t i = 0; i < n && status != PLEACH_OK; i++) vertices[i] = PLEACH_NO_VERTEX;
    ordered_batch_close(&b);
    return status;
}

/* ---- erasing ---- */

static bool is_one_of(const uint32_t *ids, size_t n, uint32_t id)
{
    size_t begin = 0, end = n;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (ids[middle] == id) return true;
        if (ids[middle] < id)
            begin = middle + 1;
        else
            end = middle;
    }
    return false;
}

/* Outcomes are those of the markers, which come first. Of equal ids, the first one is erased. */
static pleach_status open_erase(ordered_batch *b, size_t n, const uint32_t *vertices, size_t keys)
{
    pleach_status status = ordered_batch_open(b, n + keys);
    for (size_t i = 0; i < n && status == PLEACH_OK; i++)
        ordered_batch_add(b, PLEACH_OP_ERASE, ordered_marker(vertices[i]), 0);
    return status;
}

/* Undirected: the row of an erased vertex has all its edges. */
static pleach_status compose_undirected(const ordered_graph *graph, size_t n, const uint32_t *vertices, size_t dying,
                                        const uint32_t *ids, ordered_batch *b)
{
    ordered_view view = {graph, NULL};
    size_t total = 0;
    uint64_t *offsets = base_alloc(dying + 1, sizeof *offsets);
    uint32_t *neighbours = NULL;
    pleach_status status = PLEACH_E_MEMORY;
    if (offsets) status = ordered_list(view, dying, ids, 0, NULL, NULL, offsets, &total);
    if (status == PLEACH_OK) {
        neighbours = base_alloc(total + 1, sizeof *neighbours);
        status = PLEACH_E_MEMORY;
    }
    if (neighbours) status = ordered_list(view, dying, ids, total, neighbours, NULL, offsets, &total);
    if (status == PLEACH_OK) status = open_erase(b, n, vertices, 2 * total);
    for (size_t i = 0; i < dying && status == PLEACH_OK; i++)
        for (uint64_t k = offsets[i]; k < offsets[i + 1]; k++)
            ordered_batch_add_edge(graph, b, PLEACH_OP_ERASE, ids[i], neighbours[k], 0);
    base_free(offsets);
    base_free(neighbours);
    return status;
}

static bool goes(uint64_t key, size_t dying, const uint32_t *ids)
{
    if (ordered_is_marker(key)) return false;
    return is_one_of(ids, dying, (uint32_t)(key >> 32)) || is_one_of(ids, dying, (uint32_t)key);
}

/* Directed: edges that lead to erased vertices may be in any row. */
static pleach_status compose_directed(const ordered_graph *graph, size_t n, const uint32_t *vertices, size_t dying,
                                      const uint32_t *ids, ordered_batch *b)
{
    ordered_keys all;
    size_t edges = 0;
    pleach_status status = ordered_keys_open((ordered_view){graph, NULL}, false, &all);
    for (size_t i = 0; i < all.n && status == PLEACH_OK; i++) edges += goes(all.keys[i], dying, ids);
    if (status == PLEACH_OK) status = open_erase(b, n, vertices, edges);
    for (size_t i = 0; i < all.n && status == PLEACH_OK; i++)
        if (goes(all.keys[i], dying, ids)) ordered_batch_add(b, PLEACH_OP_ERASE, all.keys[i], 0);
    ordered_keys_close(&all);
    return status;
}

pleach_status ordered_erase_vertices(void *exec, size_t n, const uint32_t *vertices, uint8_t *outcomes)
{
    ordered_graph *graph = exec;
    void *ids = NULL, *same = NULL;
    ordered_batch b = {0};
    size_t dying = sort_distinct(32, vertices, vertices, n, &ids, &same);
    pleach_status status = dying == SIZE_MAX ? PLEACH_E_MEMORY : PLEACH_OK;
    if (status == PLEACH_OK)
        status = (graph->directed ? compose_directed : compose_undirected)(graph, n, vertices, dying, ids, &b);
    if (status == PLEACH_OK) status = ordered_batch_apply(graph, &b);
    if (status == PLEACH_OK && *(uint32_t *)ids < graph->lowest_free) graph->lowest_free = *(uint32_t *)ids;
    if (outcomes && status == PLEACH_OK) memcpy(outcomes, b.flags, n);
    if (outcomes && status != PLEACH_OK) memset(outcomes, 0, n);
    ordered_batch_close(&b);
    base_free(ids);
    base_free(same);
    return status;
}
