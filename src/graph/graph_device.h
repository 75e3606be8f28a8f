/* graph/graph_device.h - the functions of pleach/graph_device.cuh: edges, and iterators over neighbours, slab by
 * slab. */
#ifndef PLEACH_GRAPH_DEVICE_H
#define PLEACH_GRAPH_DEVICE_H

#include "graph_vertex.h"

/* Each warp has its own stripe, of free slabs and of the counters. */
PORT_FN uint32_t graph_view_stripe(void) { return blockIdx.x + (threadIdx.x >> 5); }

PORT_FN graph_ref graph_view_ref(const pleach_graph_view *view)
{
    graph_state *state = (graph_state *)view->state;
    graph_ref g;
    g.slabs.runs.pool = &state->pool;
    g.slabs.runs.runs = &state->runs;
    g.slabs.runs.nodes = view->slabs;
    g.slabs.runs.node_bytes = SLAB_BYTES;
    g.slabs.runs.stripe = graph_view_stripe();
    g.slabs.seed.by = view->seed[0];
    g.slabs.seed.plus = view->seed[1];
    g.slabs.seed.low = view->seed[2];
    g.slabs.load_of_keys = view->load;
    g.slabs.hopeful = 0;
    g.state = state;
    g.directory = (uint64_t *)view->directory;
    g.names = (uint64_t *)view->names;
    g.directed = view->directed;
    g.no_segments = 1;
    return g;
}

namespace pleach_graph_set32 {
#define PLEACH_KEY_BITS 32
#define SLAB_VALUES 0
#include "graph_device_kind.h"
#undef SLAB_VALUES
#undef PLEACH_KEY_BITS
}
namespace pleach_graph_map32 {
#define PLEACH_KEY_BITS 32
#define SLAB_VALUES 1
#include "graph_device_kind.h"
#undef SLAB_VALUES
#undef PLEACH_KEY_BITS
}

/* ---- edges and vertices ---- */

PORT_FN pleach_edge_outcome pleach_graph_insert_edge(pleach_graph_view view, uint32_t from, uint32_t to, uint32_t value)
{
    return view.values ? pleach_graph_map32::graph_view_update(view, OP_PUT, from, to, value)
                       : pleach_graph_set32::graph_view_update(view, OP_PUT, from, to, value);
}

PORT_FN pleach_edge_outcome pleach_graph_erase_edge(pleach_graph_view view, uint32_t from, uint32_t to)
{
    return view.values ? pleach_graph_map32::graph_view_update(view, OP_ERASE, from, to, 0)
                       : pleach_graph_set32::graph_view_update(view, OP_ERASE, from, to, 0);
}

PORT_FN bool pleach_graph_find_edge(pleach_graph_view view, uint32_t from, uint32_t to, uint32_t *value)
{
    return view.values ? pleach_graph_map32::graph_view_find(&view, from, to, value)
                       : pleach_graph_set32::graph_view_find(&view, from, to, value);
}

PORT_FN uint32_t pleach_graph_degree(pleach_graph_view view, uint32_t vertex)
{
    graph_ref g = graph_view_ref(&view);
    const slab_table *table = graph_vertex(&g, vertex);
    return table ? slab_load(port_load(&table->load)) : 0;
}

PORT_FN bool pleach_graph_vertex_is_there(pleach_graph_view view, uint32_t vertex)
{
    graph_ref g = graph_view_ref(&view);
    return graph_vertex_is_there(graph_vertex(&g, vertex));
}

/* ---- neighbours ----
 *
 * A walk goes through buckets by groups, as in slabhash_walk.h: a group is all keys whose hashes end with the same
 * bits, and the number of these bits is the log of the number of buckets at the start. If the table has more buckets by
 * now, a group is several buckets: those of its hashes with one more bit, or two, and so on. They are visited in an
 * order in which 0 comes before 1 in each further bit. The next one follows from the bits of the last, so no list of
 * pending buckets is needed. (Bucket views are the same for both kinds of table.)
 */
typedef struct graph_walk {
    uint32_t changed;                     /* 1: a bucket changed while it was read; its results may be wrong */
    uint32_t values;
    void *slabs;
    const slab_table *table;
    pleach_graph_map32::bucket_view look; /* of the bucket; first == NULL if there is none */
    const slab *at;                       /* current slab of the bucket */
    uint32_t mask;                        /* slots of it that are left */
    uint32_t next;                        /* the slab after it */
    uint32_t group;                       /* hash of the bucket */
    uint32_t bits, base;                  /* how many bits of it all keys share; now, and at the start */
    uint32_t over;
} graph_walk;

PORT_FN const slab *graph_walk_slab(const graph_walk *w, uint32_t id)
{
    return (const slab *)pool_address(w->slabs, id, SLAB_BYTES);
}

PORT_FN void graph_walk_begin(graph_walk *w, const pleach_graph_view *view, uint32_t vertex)
{
    graph_ref g = graph_view_ref(view);
    const slab_table *table = graph_vertex(&g, vertex);
    uint64_t root = table ? port_load(&table->root) : 0;
    w->changed = 0;
    w->values = view->values;
    w->slabs = view->slabs;
    w->table = table;
    w->look.table = table;
    w->look.first = NULL;
    w->look.root = w->look.header = w->look.link = 0;
    w->look.log = 0;
    w->at = NULL;
    w->mask = w->next = w->group = 0;
    w->bits = w->base = slab_root_log(root);
    w->over = !slab_root_first(root);
}

/* Reads header and link of the bucket of w->group. */
PORT_FN void graph_walk_look(graph_walk *w)
{
    slab_ref place;
    unsigned attempt = 0;
    place.runs.pool = NULL;
    place.runs.runs = NULL;
    place.runs.nodes = w->slabs;
    place.runs.node_bytes = SLAB_BYTES;
    place.runs.stripe = 0;
    place.seed.by = place.seed.plus = place.seed.low = 0;
    place.load_of_keys = place.hopeful = 0;
    while (port_retry_point(pleach_graph_map32::look_begin(&place, w->table, w->group, &w->look)) != SLAB_DONE)
        port_pause(attempt++);
}

/* Enters the bucket's first slab, after graph_walk_look. */
PORT_FN void graph_walk_enter(graph_walk *w)
{
    if (w->look.log > w->bits) w->bits = w->look.log;
    w->at = w->look.first;
    w->mask = slab_mask(w->look.header);
    w->next = (uint32_t)w->look.link;
}

/* Leaves a finished bucket and selects the next one, if there is one. */
PORT_FN void graph_walk_leave(graph_walk *w)
{
    w->look.first = NULL;
    while (w->bits > w->base && w->group >> (w->bits - 1) & 1) w->group &= ~((uint32_t)1 << --w->bits);
    if (w->bits > w->base)
        w->group |= (uint32_t)1 << (w->bits - 1);
    else
        w->over = ++w->group >> w->base != 0;
}

/* ---- neighbours, for one thread ---- */

typedef struct pleach_graph_iterator {
    graph_walk walk;
    uint64_t words[2]; /* two words of the slab */
    uint32_t loaded;   /* the index of this pair, or UINT32_MAX */
} pleach_graph_iterator;

PORT_FN pleach_graph_iterator pleach_graph_neighbours_begin(pleach_graph_view view, uint32_t vertex)
{
    pleach_graph_iterator it;
    graph_walk_begin(&it.walk, &view, vertex);
    it.words[0] = it.words[1] = 0;
    it.loaded = UINT32_MAX;
    return it;
}

/* Advances to the next slab. Returns false if there is none. */
PORT_FN bool graph_iterator_on(pleach_graph_iterator *it)
{
    graph_walk *w = &it->walk;
    it->loaded = UINT32_MAX;
    if (w->over) return false;
    if (w->look.first) {
        bool holds = pleach_graph_map32::bucket_unchanged(&w->look);
        if (!holds) w->changed = 1;
        if (holds && w->next) { /* otherwise links that form no chain could form a cycle */
            uint64_t header, link;
            w->at = graph_walk_slab(w, w->next);
            port_load_in_order(&w->at->word[SLAB_HEADER], &header, &link);
            port_validate_fence();
            w->mask = slab_mask(header);
            w->next = (uint32_t)link;
            return true;
        }
        graph_walk_leave(w);
        if (w->over) return false;
    }
    graph_walk_look(w);
    graph_walk_enter(w);
    return true;
}

PORT_FN bool pleach_graph_neighbours_next(pleach_graph_iterator *it, uint32_t *neighbour, uint32_t *value)
{
    graph_walk *w = &it->walk;
    while (!w->mask)
        if (!graph_iterator_on(it)) return false;
    uint32_t slot = slab_lowest(w->mask), word = w->values ? slot : slot / 2;
    w->mask &= w->mask - 1;
    if (it->loaded != word / 2) {
        it->loaded = word / 2;
        port_load_in_order(&w->at->word[SLAB_FIRST + 2 * it->loaded], &it->words[0], &it->words[1]);
    }
    uint64_t there = word % 2 ? it->words[1] : it->words[0];
    *neighbour = (uint32_t)(!w->values && slot % 2 ? there >> 32 : there);
    if (w->values && value) *value = (uint32_t)(there >> 32);
    return true;
}

PORT_FN bool pleach_graph_neighbours_changed(const pleach_graph_iterator *it) { return it->walk.changed; }

/* ---- neighbours, for a warp: a slab has fewer slots than a warp has lanes ---- */

typedef struct pleach_graph_warp_iterator { graph_walk walk; } pleach_graph_warp_iterator; /* the same in all lanes */

#define GRAPH_ALL_LANES 0xffffffffu

PORT_FN uint64_t graph_from_first_lane(uint64_t word)
{
    return (uint64_t)__shfl_sync(GRAPH_ALL_LANES, (unsigned long long)word, 0);
}

PORT_FN pleach_graph_warp_iterator pleach_graph_warp_neighbours_begin(pleach_graph_view view, uint32_t vertex)
{
    pleach_graph_warp_iterator it;
    graph_walk *w = &it.walk;
    graph_walk_begin(w, &view, vertex);
    /* Lanes may have read different roots. */
    w->table = (const slab_table *)graph_from_first_lane((uint64_t)w->table);
    w->base = w->bits = (uint32_t)graph_from_first_lane(w->base);
    w->over = (uint32_t)graph_from_first_lane(w->over);
    return it;
}

/* One lane reads header and link, and broadcasts them. */
PORT_FN void graph_warp_enter(graph_walk *w)
{
    if (port_lane(32) == 0) graph_walk_look(w);
    w->look.first = (const slab *)graph_from_first_lane((uint64_t)w->look.first);
    w->look.header = graph_from_first_lane(w->look.header);
    w->look.link = graph_from_first_lane(w->look.link);
    w->look.log = (unsigned)graph_from_first_lane(w->look.log);
    graph_walk_enter(w);
}

/* Returns whether what all lanes have read is valid. */
PORT_FN bool graph_warp_holds(const graph_walk *w)
{
    bool holds = true;
    port_validate_fence(); /* each lane's loads must complete before the first lane loads the header again */
    __syncwarp();
    if (port_lane(32) == 0) holds = pleach_graph_map32::bucket_unchanged(&w->look);
    return graph_from_first_lane(holds);
}

/* Advances to the next slab, of this bucket or of the next one. Returns false if there is none. */
PORT_FN bool graph_warp_on(graph_walk *w)
{
    uint64_t header = 0, link = 0;
    if (w->look.first && !w->next) graph_walk_leave(w);
    if (w->over) return false;
    if (!w->look.first) {
        graph_warp_enter(w);
        return true;
    }
    w->at = graph_walk_slab(w, w->next);
    if (port_lane(32) == 0) {
        port_load_in_order(&w->at->word[SLAB_HEADER], &header, &link);
        port_validate_fence();
    }
    w->mask = slab_mask(graph_from_first_lane(header));
    w->next = (uint32_t)graph_from_first_lane(link);
    return true;
}

PORT_FN bool pleach_graph_warp_neighbours_next(pleach_graph_warp_iterator *it, uint32_t *neighbour, uint32_t *value)
{
    graph_walk *w = &it->walk;
    uint32_t lane = port_lane(32);
    bool there = graph_warp_on(w);
    while (there) {
        bool mine = w->mask >> lane & 1;
        uint32_t id = PLEACH_NO_VERTEX, its_value = 0;
        if (mine && w->values) {
            pleach_graph_map32::slab_slot pair = pleach_graph_map32::slot_load(w->at, lane);
            id = pair.key;
            its_value = pair.value;
        } else if (mine) {
            id = pleach_graph_set32::slot_load(w->at, lane).key;
        }
        if (graph_warp_holds(w)) {
            if (w->mask) { /* otherwise no lane has a neighbour */
                *neighbour = id;
                if (mine && w->values && value) *value = its_value;
                return true;
            }
            there = graph_warp_on(w);
        } else if (w->at == w->look.first) { /* nothing of the bucket has been returned yet */
            graph_warp_enter(w);
        } else {
            w->changed = 1;
            w->next = 0;
            there = graph_warp_on(w);
        }
    }
    *neighbour = PLEACH_NO_VERTEX;
    return false;
}

PORT_FN bool pleach_graph_warp_neighbours_changed(const pleach_graph_warp_iterator *it) { return it->walk.changed; }

#undef GRAPH_ALL_LANES
#undef SLAB_EXPORT

#endif
