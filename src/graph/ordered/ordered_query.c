/* graph/ordered/ordered_query.c - queries of an ordered graph, as it is or at a snapshot: edges, vertices, degrees,
 * neighbours. Composes keys, calls the map's public functions, and decodes the results. */

#include "../../base/memory.h"
#include "ordered.h"

enum { FEW = 32, CHUNK = 1 << 16 };

static const uint64_t NO_KEY = UINT64_MAX; /* the marker of PLEACH_NO_VERTEX, which never exists */

/* ---- the map, or a snapshot of it ---- */

pleach_status ordered_find_keys(ordered_view view, size_t n, const uint64_t *keys, uint64_t *values, uint8_t *found)
{
    if (view.at) return pleach_snapshot_find(view.at->of_map, n, keys, values, found, PLEACH_SYNC);
    return pleach_map_find(view.graph->map, n, keys, values, found, PLEACH_SYNC);
}

static pleach_status count_keys(ordered_view view, size_t n, const uint64_t *lo, const uint64_t *hi, uint64_t *counts)
{
    if (view.at) return pleach_snapshot_range_count(view.at->of_map, n, lo, hi, counts, PLEACH_SYNC);
    return pleach_map_range_count(view.graph->map, n, lo, hi, counts, PLEACH_SYNC);
}

pleach_status ordered_range(ordered_view view, size_t n, const uint64_t *lo, const uint64_t *hi, size_t capacity,
                            uint64_t *keys, uint64_t *values, uint64_t *offsets, size_t *total)
{
    if (view.at) return pleach_snapshot_range(view.at->of_map, n, lo, hi, 0, capacity, keys, values, offsets, total);
    return pleach_map_range(view.graph->map, n, lo, hi, 0, capacity, keys, values, offsets, total);
}

pleach_status ordered_row_count(ordered_view view, uint64_t *rows)
{
    uint64_t last = 0;
    uint8_t found = 0;
    pleach_status status = view.at ? pleach_snapshot_pred(view.at->of_map, 1, &NO_KEY, &last, NULL, &found, PLEACH_SYNC)
                                   : pleach_map_pred(view.graph->map, 1, &NO_KEY, &last, NULL, &found, PLEACH_SYNC);
    *rows = found ? (last >> 32) + 1 : 0;
    return status;
}

/* ---- elements ---- */

/* Memory for a part of the elements of a call. */
typedef struct query_room {
    uint64_t *keys, *ends, *results;
    uint8_t *found;
} query_room;

static uint64_t key_of(const graph_request *r, size_t i)
{
    if (r->kind == GRAPH_FIND_VERTICES) return ordered_marker(r->from[i]);
    return ordered_is_edge(r->from[i], r->to[i]) ? ordered_key(r->from[i], r->to[i]) : NO_KEY;
}

static pleach_status find_part(ordered_view view, const graph_request *r, size_t begin, size_t n, query_room *room)
{
    for (size_t i = 0; i < n; i++) room->keys[i] = key_of(r, begin + i);
    pleach_status status = ordered_find_keys(view, n, room->keys, r->out_values ? room->results : NULL, room->found);
    for (size_t i = 0; i < n && status == PLEACH_OK; i++) {
        if (r->flags) r->flags[begin + i] = room->found[i];
        if (r->out_values && room->found[i]) r->out_values[begin + i] = (uint32_t)room->results[i];
    }
    return status;
}

static pleach_status degrees_part(ordered_view view, const graph_request *r, size_t begin, size_t n, query_room *room)
{
    for (size_t i = 0; i < n; i++) {
        room->keys[i] = ordered_key(r->from[begin + i], 0);
        room->ends[i] = ordered_marker(r->from[begin + i]) - 1;
    }
    pleach_status status = count_keys(view, n, room->keys, room->ends, room->results);
    for (size_t i = 0; i < n && status == PLEACH_OK; i++) r->out_values[begin + i] = (uint32_t)room->results[i];
    return status;
}

static pleach_status ask_in_parts(ordered_view view, const graph_request *r, size_t part, query_room *room)
{
    pleach_status status = PLEACH_OK;
    for (size_t begin = 0; begin < r->n && status == PLEACH_OK; begin += part) {
        size_t n = r->n - begin < part ? r->n - begin : part;
        status = (r->kind == GRAPH_DEGREES ? degrees_part : find_part)(view, r, begin, n, room);
    }
    return status;
}

pleach_status ordered_ask(ordered_view view, const graph_request *r)
{
    uint64_t few[3 * FEW];
    uint8_t few_found[FEW];
    query_room room = {few, few + FEW, few + 2 * FEW, few_found};
    if (r->n <= FEW) return ask_in_parts(view, r, FEW, &room);
    size_t part = r->n < CHUNK ? r->n : CHUNK;
    uint64_t *words = base_alloc(3 * part, sizeof *words);
    uint8_t *found = base_alloc(part, 1);
    pleach_status status = PLEACH_E_MEMORY;
    if (words && found) {
        room = (query_room){words, words + part, words + 2 * part, found};
        status = ask_in_parts(view, r, part, &room);
    }
    base_free(words);
    base_free(found);
    return status;
}

/* ---- neighbours ---- */

typedef struct list_room {
    uint64_t *lo, *hi;
    uint64_t *keys, *values;
} list_room;

static void close_pairs(list_room *room)
{
    base_free(room->keys);
    base_free(room->values);
    room->keys = room->values = NULL;
}

/* One attempt. Returns PLEACH_E_SPACE if there were more than `pairs`. */
static pleach_status try_list(ordered_view view, size_t n, list_room *room, size_t pairs, bool with_values,
                              uint64_t *offsets, size_t *total)
{
    room->keys = base_alloc(pairs + 1, sizeof *room->keys);
    room->values = with_values ? base_alloc(pairs + 1, sizeof *room->values) : NULL;
    if (!room->keys || (with_values && !room->values)) return PLEACH_E_MEMORY;
    return ordered_range(view, n, room->lo, room->hi, pairs, room->keys, room->values, offsets, total);
}

/* Counts first, because the lengths of lists in a graph vary too much for a guess. If edges are inserted between
 * counting and listing, it counts again. Progress: the space grows with every attempt, up to the caller's capacity. */
static pleach_status list_pairs(ordered_view view, size_t n, list_room *room, size_t capacity, bool with_values,
                                uint64_t *offsets, size_t *total)
{
    pleach_status status = ordered_range(view, n, room->lo, room->hi, 0, NULL, NULL, offsets, total);
    if (status != PLEACH_OK) return status;
    for (status = PLEACH_E_SPACE; status == PLEACH_E_SPACE && *total <= capacity;) {
        size_t wanted = *total + *total / 16;
        close_pairs(room);
        status = try_list(view, n, room, wanted < capacity ? wanted : capacity, with_values, offsets, total);
    }
    return status;
}

static bool open_intervals(size_t n, const uint32_t *vertices, list_room *room)
{
    room->lo = base_alloc(n, sizeof *room->lo);
    room->hi = base_alloc(n, sizeof *room->hi);
    if (!room->lo || !room->hi) return false;
    for (size_t i = 0; i < n; i++) {
        room->lo[i] = ordered_key(vertices[i], 0);
        room->hi[i] = ordered_marker(vertices[i]) - 1;
    }
    return true;
}

pleach_status ordered_list(ordered_view view, size_t n, const uint32_t *vertices, size_t capacity,
                           uint32_t *neighbours, uint32_t *values, uint64_t *offsets, size_t *total)
{
    offsets[0] = *total = 0;
    if (n == 0) return PLEACH_OK;
    list_room room = {0};
    pleach_status status = PLEACH_E_MEMORY;
    if (open_intervals(n, vertices, &room)) {
        if (neighbours || values)
            status = list_pairs(view, n, &room, capacity, values != NULL, offsets, total);
        else
            status = ordered_range(view, n, room.lo, room.hi, 0, NULL, NULL, offsets, total);
    }
    for (size_t i = 0; i < *total && status == PLEACH_OK && room.keys; i++) {
        if (neighbours) neighbours[i] = (uint32_t)room.keys[i];
        if (values) values[i] = (uint32_t)room.values[i];
    }
    close_pairs(&room);
    base_free(room.lo);
    base_free(room.hi);
    return status;
}
