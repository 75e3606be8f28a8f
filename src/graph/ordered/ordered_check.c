/* graph/ordered/ordered_check.c - validates a quiescent ordered graph, and collects statistics. */
#include <inttypes.h>
#include <stdio.h>

#include "../../base/memory.h"
#include "ordered.h"

typedef struct check {
    const ordered_graph *graph;
    ordered_keys all;
    char *message;
    size_t size;
} check;

/* Returns the position of a key, or SIZE_MAX. */
static size_t place_of(const ordered_keys *all, uint64_t key)
{
    size_t begin = 0, end = all->n;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (all->keys[middle] < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < all->n && all->keys[begin] == key ? begin : SIZE_MAX;
}

static bool complain(const check *c, const char *what, uint64_t key)
{
    snprintf(c->message, c->size, "%s: edge %" PRIu64 " %" PRIu32, what, key >> 32, (uint32_t)key);
    return false;
}

static bool check_edge(const check *c, size_t i)
{
    uint64_t key = c->all.keys[i];
    uint32_t from = (uint32_t)(key >> 32), to = (uint32_t)key;
    if (from == to) return complain(c, "G1: self loop", key);
    if (place_of(&c->all, ordered_marker(from)) == SIZE_MAX)
        return complain(c, "G4: source vertex does not exist", key);
    if (place_of(&c->all, ordered_marker(to)) == SIZE_MAX)
        return complain(c, "G4: target vertex does not exist", key);
    if (c->graph->directed) return true;
    size_t other = place_of(&c->all, ordered_key(to, from));
    if (other == SIZE_MAX || c->all.values[other] != c->all.values[i])
        return complain(c, "G2: the two halves differ", key);
    return true;
}

static bool check_all(const check *c)
{
    uint64_t vertices = 0, halves = 0, counted_vertices, counted_edges;
    for (size_t i = 0; i < c->all.n; i++) {
        bool marker = ordered_is_marker(c->all.keys[i]);
        vertices += marker;
        halves += !marker;
        if (!marker && !check_edge(c, i)) return false;
    }
    ordered_sizes((ordered_view){c->graph, NULL}, &counted_vertices, &counted_edges);
    if (vertices == counted_vertices && halves == counted_edges * ordered_halves(c->graph)) return true;
    snprintf(c->message, c->size, "G5: %" PRIu64 " vertices and %" PRIu64 " halves of edges, but the counters are %"
             PRIu64 " vertices and %" PRIu64 " edges", vertices, halves, counted_vertices, counted_edges);
    return false;
}

pleach_status ordered_validate(void *exec, char *message, size_t message_size)
{
    check c = {.graph = exec, .message = message, .size = message_size};
    pleach_status status = pleach_map_validate(c.graph->map, message, message_size);
    if (status != PLEACH_OK) return status;
    status = ordered_keys_open((ordered_view){c.graph, NULL}, true, &c.all);
    if (status == PLEACH_E_CORRUPT) snprintf(message, message_size, "G5: the counters do not match the number of keys");
    if (status == PLEACH_OK && !check_all(&c)) status = PLEACH_E_CORRUPT;
    ordered_keys_close(&c.all);
    return status;
}

static uint64_t max_degree(const ordered_keys *all)
{
    uint64_t most = 0, degree = 0;
    for (size_t i = 0; i < all->n; i++) {
        degree = ordered_is_marker(all->keys[i]) ? 0 : degree + 1; /* a marker ends its row */
        if (degree > most) most = degree;
    }
    return most;
}

pleach_status ordered_stats(void *exec, pleach_graph_stats *stats)
{
    ordered_graph *graph = exec;
    ordered_view view = {graph, NULL};
    ordered_keys all = {0};
    pleach_map_stats of_map;
    pleach_status status = pleach_map_get_stats(graph->map, &of_map);
    if (status == PLEACH_OK) status = ordered_keys_open(view, false, &all);
    if (status == PLEACH_OK) {
        ordered_sizes(view, &stats->vertices, &stats->edges);
        stats->max_degree = max_degree(&all);
        stats->slab_bytes = of_map.node_bytes + of_map.old_image_bytes;
        stats->free_bytes = of_map.free_bytes;
        stats->utilisation = of_map.fill;
    }
    ordered_keys_close(&all);
    return status;
}
