/* exec/cuda/edges_kernels.h - kernels of graphs whose edges have values, or have none. Included by edges_cuda.cu, once
 * for each. */
#include "../../graph/graph_to_end.h"
#include "../../core/slabhash/slabhash_drop.h"
#include "../../core/slabhash/slabhash_walk.h"

static __global__ void __launch_bounds__(BLOCK_THREADS)
    S(run_kernel)(const __grid_constant__ graph_on_gpu graph, const __grid_constant__ graph_request r, bool again,
                  graph_result *result)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    graph_result here = {0, 0, 0, 0};
    bool active = i < r.n && !(again && r.flags[i] != PLEACH_EDGE_NOT_APPLIED);
    if (active) {
        graph_place g = place_of(graph);
        S(graph_one)(&g, &r, i, &here);
    }
    if (r.kind <= GRAPH_ERASE_EDGES || r.kind == GRAPH_INSERT_VERTICES) add_results(graph.state, &here, result);
}

/* ---- lists, beside updates ---- */

/* As S(slab_sink), to two arrays. An id comes with the number of its list, to be sorted by. */
PORT_FN uint64_t S(list_vertex)(const graph_place *g, uint32_t id, S(slot) *slots, uint64_t room)
{
    const slab_table *vertex = graph_vertex(g, id);
    uint64_t root = vertex ? port_load(&vertex->root) : 0;
    S(slab_sink) sink;
    sink.slots = slots;
    sink.count = 0;
    sink.room = room;
    if (!slab_root_first(root)) return 0;
    for (uint32_t group = 0; group >> slab_root_log(root) == 0; group++)
        S(walk_group)(&g->slabs, vertex, group, slab_root_log(root), &sink);
    return sink.count;
}

/* A slot is as wide as an element of `neighbours`, and is written there first. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    S(list_kernel)(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *vertices,
                   const uint64_t *places, uint64_t *neighbours, uint32_t *values, uint64_t *counts)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= n) return;
    graph_place g = place_of(graph);
    uint64_t room = neighbours ? places[i + 1] - places[i] : 0;
    S(slot) *slots = neighbours ? (S(slot) *)(neighbours + places[i]) : NULL;
    uint64_t count = S(list_vertex)(&g, vertices[i], slots, room);
    counts[i] = count;
    for (uint64_t k = 0; neighbours && k < count && k < room; k++) {
        S(slot) slot = slots[k];
        if (values) values[places[i] + k] = slot.value;
        neighbours[places[i] + k] = (uint64_t)i << 32 | slot.key;
    }
}

/* ---- alone: the slabs of a vertex, by the lanes of a warp ---- */

/* What a lane does with a slab: `context` is its own. */
typedef struct S(slab_walk) {
    uint64_t root, next;
    uint32_t buckets;
} S(slab_walk);

PORT_FN S(slab_walk) S(slabs_of)(const slab_table *vertex)
{
    S(slab_walk) w;
    w.root = vertex->root;
    w.next = slab_target(vertex, w.root);
    w.buckets = slab_root_first(w.root) ? (uint32_t)1 << slab_root_log(w.root) : 0;
    return w;
}

/* The number of chains, of which each has its first slab here; 0: no such chain. */
PORT_FN uint32_t S(chains_of)(const S(slab_walk) *w)
{
    return w->next ? (uint32_t)1 << slab_root_log(w->next) : w->buckets;
}

/* While a table moves a chain is where its bucket is: in the old run, of which one bucket is several chains of the new
 * one, and stands at the first of these; or in the new run. */
PORT_FN uint32_t S(chain_at)(const graph_place *g, const S(slab_walk) *w, uint32_t number)
{
    uint32_t old = number & (w->buckets - 1);
    uint32_t first = slab_root_first(w->root) + old;
    if (!w->next) return first;
    bool moved = slab_at(&g->slabs, first)->word[SLAB_HEADER] & SLAB_MOVED;
    if (moved) return slab_root_first(w->next) + number;
    return number == old ? first : 0;
}

/* ---- vertices that go ---- */

/* Lane by lane: the halves at neighbours that stay. An edge between two that go is counted at the smaller one. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    S(mirrors_kernel)(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *vertices,
                      const uint8_t *outcomes, uint64_t *edges)
{
    size_t i = ((size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;
    if (i >= n || outcomes[i] != PLEACH_EDGE_ERASED) return;
    graph_place g = place_of(graph);
    uint32_t id = vertices[i], count = 0;
    S(slab_walk) w = S(slabs_of)(graph_vertex(&g, id));
    for (uint32_t chain = 0; chain < S(chains_of)(&w); chain++) {
        for (uint32_t at = S(chain_at)(&g, &w, chain); at; at = (uint32_t)slab_at(&g.slabs, at)->word[SLAB_LINK]) {
            const slab *s = slab_at(&g.slabs, at);
            if (lane >= SLAB_SLOTS || !(slab_mask(s->word[SLAB_HEADER]) >> lane & 1)) continue;
            uint32_t other = S(slot_load)(s, lane).key;
            slab_table *there = graph_vertex(&g, other);
            bool stays = graph_vertex_is_there(there);
            count += stays || id < other;
            if (!stays) continue;
            S(slab_change) c;
            S(change_begin)(&c, SLAB_ERASE, id, 0);
            S(update_to_end)(&g.slabs, there, &c);
        }
    }
    for (unsigned step = 16; step; step /= 2) count += __shfl_down_sync(~0u, count, step);
    if (lane == 0 && count) port_fetch_add(edges, count);
}

/* Empties the chain of one bucket of those that go; how many went. The first slab's latch is nobody's. */
PORT_FN uint32_t S(sweep_chain)(const graph_place *g, uint32_t first_id)
{
    uint32_t gone = 0, before = first_id;
    for (uint32_t id = first_id; id;) {
        slab *s = slab_at(&g->slabs, id);
        uint64_t header = s->word[SLAB_HEADER], link = s->word[SLAB_LINK];
        uint32_t mask = slab_mask(header), kept = mask, next = (uint32_t)link;
        for (uint32_t left = mask; left; left &= left - 1) {
            unsigned slot = slab_lowest(left);
            if (!graph_vertex_is_there(graph_vertex(g, S(slot_load)(s, slot).key))) kept &= ~((uint32_t)1 << slot);
        }
        gone += (uint32_t)__popc(mask ^ kept);
        if (id != first_id && !kept) {
            slab *from = slab_at(&g->slabs, before);
            from->word[SLAB_LINK] = slab_relink(from->word[SLAB_LINK], next);
            slab_free(&g->slabs, id);
        } else {
            if (kept != mask) s->word[SLAB_HEADER] = slab_next_header(header, id == first_id ? 0 : SLAB_OTHER, kept);
            before = id;
        }
        id = next;
    }
    return gone;
}

/* How many edges go with a vertex that goes itself. */
PORT_FN uint32_t S(dying_edges)(const graph_place *g, uint32_t id, const S(slab_walk) *w, unsigned lane)
{
    uint32_t count = 0;
    for (uint32_t chain = lane; chain < S(chains_of)(w); chain += 32)
        for (uint32_t at = S(chain_at)(g, w, chain); at; at = (uint32_t)slab_at(&g->slabs, at)->word[SLAB_LINK]) {
            const slab *s = slab_at(&g->slabs, at);
            for (uint32_t left = slab_mask(s->word[SLAB_HEADER]); left; left &= left - 1) {
                uint32_t other = S(slot_load)(s, slab_lowest(left)).key;
                bool here = g->directed || (id < other && !graph_vertex_is_there(graph_vertex(g, other)));
                count += here;
            }
        }
    return count;
}

/* All vertices: edges to those that go. A warp each. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    S(sweep_kernel)(const __grid_constant__ graph_on_gpu graph, segment_list list, uint64_t *edges)
{
    uint64_t i = ((uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;
    if (i >> GRAPH_SEGMENT_LOG >= list.count) return;
    graph_place g = place_of(graph);
    uint32_t id = id_in(list, i), count = 0;
    slab_table *vertex = graph_vertex(&g, id);
    S(slab_walk) w = S(slabs_of)(vertex);
    bool stays = graph_vertex_is_there(vertex);
    if (stays) {
        for (uint32_t chain = lane; chain < S(chains_of)(&w); chain += 32) {
            uint32_t at = S(chain_at)(&g, &w, chain);
            if (at) count += S(sweep_chain)(&g, at);
        }
    } else {
        count = S(dying_edges)(&g, id, &w, lane);
    }
    for (unsigned step = 16; step; step /= 2) count += __shfl_down_sync(~0u, count, step);
    if (lane || !count) return;
    if (stays) vertex->load -= count; /* keys; nobody else writes it */
    port_fetch_add(edges, count);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    S(drop_kernel)(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *vertices,
                   const uint8_t *outcomes)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= n || outcomes[i] != PLEACH_EDGE_ERASED) return;
    graph_place g = place_of(graph);
    S(table_drop)(&g.slabs, graph_vertex(&g, vertices[i]));
}

/* ---- tables for what is to come ---- */

static __global__ void __launch_bounds__(BLOCK_THREADS)
    S(sizes_kernel)(const __grid_constant__ graph_on_gpu graph, segment_list list, uint64_t *sizes)
{
    uint64_t i = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >> GRAPH_SEGMENT_LOG >= list.count) return;
    graph_place g = place_of(graph);
    sizes[i] = slabs_for(slab_load(graph_vertex(&g, id_in(list, i))->load), SLAB_SLOTS, graph.load);
}

/* ---- rows ---- */

PORT_FN void S(fill_chain)(const graph_place *g, uint32_t id, uint64_t *cursor, uint32_t *targets)
{
    for (; id; id = (uint32_t)slab_at(&g->slabs, id)->word[SLAB_LINK]) {
        const slab *s = slab_at(&g->slabs, id);
        uint32_t left = slab_mask(s->word[SLAB_HEADER]);
        uint64_t at = left ? port_fetch_add(cursor, (uint64_t)__popc(left)) : 0;
        for (; left; left &= left - 1) targets[at++] = S(slot_load)(s, slab_lowest(left)).key;
    }
}

/* A thread does the vertex that is its own, if that is small; the warp does large ones together. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    S(fill_kernel)(const __grid_constant__ graph_on_gpu graph, uint64_t n, uint64_t *cursors, uint32_t *targets)
{
    enum { FEW = 4 };
    uint64_t id = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    graph_place g = place_of(graph);
    const slab_table *vertex = id < n ? graph_vertex(&g, (uint32_t)id) : NULL;
    S(slab_walk) w;
    w.root = w.next = 0;
    w.buckets = 0;
    if (vertex) w = S(slabs_of)(vertex);
    uint32_t chains = w.buckets ? S(chains_of)(&w) : 0;
    for (uint32_t chain = 0; chains <= FEW && chain < chains; chain++)
        S(fill_chain)(&g, S(chain_at)(&g, &w, chain), &cursors[id], targets);
    for (uint32_t large = __ballot_sync(~0u, chains > FEW); large; large &= large - 1) {
        int whose = (int)slab_lowest(large);
        S(slab_walk) its;
        its.root = __shfl_sync(~0u, w.root, whose);
        its.next = __shfl_sync(~0u, w.next, whose);
        its.buckets = __shfl_sync(~0u, w.buckets, whose);
        uint64_t *cursor = &cursors[id - lane + (unsigned)whose];
        for (uint32_t chain = lane; chain < S(chains_of)(&its); chain += 32)
            S(fill_chain)(&g, S(chain_at)(&g, &its, chain), cursor, targets);
        __syncwarp();
    }
}

/* ---- triangles that change ---- */

/* A warp an edge: lanes go through the neighbours of the end that has fewer, and ask for the third edge at the other. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    S(wedges_kernel)(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                     const uint8_t *counts, numbered_places numbers, bool coming, charges charges, uint64_t *change)
{
    size_t i = ((size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;
    if (i >= n || !counts[i]) return;
    graph_place g = place_of(graph);
    uint32_t few = from[i], many = to[i], count = 0;
    if (slab_load(graph_vertex(&g, few)->load) > slab_load(graph_vertex(&g, many)->load)) {
        few = to[i];
        many = from[i];
    }
    const slab_table *table = graph_vertex(&g, many);
    S(slab_walk) w = S(slabs_of)(graph_vertex(&g, few));
    for (uint32_t chain = 0; chain < S(chains_of)(&w); chain++) {
        for (uint32_t at = S(chain_at)(&g, &w, chain); at; at = (uint32_t)slab_at(&g.slabs, at)->word[SLAB_LINK]) {
            const slab *s = slab_at(&g.slabs, at);
            if (lane >= SLAB_SLOTS || !(slab_mask(s->word[SLAB_HEADER]) >> lane & 1)) continue;
            uint32_t third = S(slot_load)(s, lane).key;
            S(key) value;
            if (third == many || !S(find_to_end)(&g.slabs, table, third, &value)) continue;
            if (!counted_here(numbers, (uint32_t)i, few, many, third, coming)) continue;
            charge(charges, third, 1);
            count++;
        }
    }
    for (unsigned step = 16; step; step /= 2) count += __shfl_down_sync(~0u, count, step);
    if (lane || !count) return;
    charge(charges, few, count);
    charge(charges, many, count);
    port_fetch_add(change, count);
}
