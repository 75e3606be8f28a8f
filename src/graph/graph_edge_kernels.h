/* graph/graph_edge_kernels.h - kernels for edges, with values or without. Included by graph_edges.cu. */
#include "graph_blocking.h"
#include "../hash/slabhash_drop.h"
#include "../hash/slabhash_walk.h"

/* Inserts or erases edges. */
static __global__ void __launch_bounds__(BLOCK_THREADS, BRIEF_BLOCKS)
    fast_path_kernel(const __grid_constant__ graph_on_gpu graph, const __grid_constant__ graph_request r, bool again,
                 slow_list later, graph_result *result)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    graph_result here = {0, 0, 0, 0};
    bool done = true;
    if (i < r.n && !(again && r.flags[i] != PLEACH_EDGE_NOT_APPLIED)) {
        graph_ref g = place_of(graph);
        uint8_t outcome = PLEACH_EDGE_NOT_APPLIED;
        done = graph_update_fast_path(&g, &r, i, &here, &outcome);
        if (done && r.flags) r.flags[i] = outcome;
    }
    slow_list_push(later, !done, i);
    add_results(graph.state, &here, result);
}

static __global__ void __launch_bounds__(BLOCK_THREADS, UPDATE_BLOCKS)
    update_kernel(const __grid_constant__ graph_on_gpu graph, const __grid_constant__ graph_request r, bool again,
                  slow_list later, graph_result *result)
{
    uint64_t n = later.elements ? *later.count : r.n, step = (uint64_t)gridDim.x * BLOCK_THREADS;
    graph_result here = {0, 0, 0, 0};
    for (uint64_t k = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x; k < n; k += step) {
        size_t i = later.elements ? later.elements[k] : k;
        if (!later.elements && again && r.flags[i] != PLEACH_EDGE_NOT_APPLIED) continue;
        graph_ref g = place_of(graph);
        uint8_t outcome = graph_update(&g, &r, i, &here);
        if (r.flags) r.flags[i] = outcome;
    }
    add_results(graph.state, &here, result);
}

/* Inserts vertices, or runs queries. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    run_kernel(const __grid_constant__ graph_on_gpu graph, const __grid_constant__ graph_request r, bool again,
               graph_result *result)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    graph_result here = {0, 0, 0, 0};
    if (i < r.n && !(again && r.flags[i] != PLEACH_EDGE_NOT_APPLIED)) {
        graph_ref g = place_of(graph);
        if (r.kind == GRAPH_FIND_EDGES) {
            uint32_t value;
            bool found = graph_find(&g, r.from[i], r.to[i], &value);
            if (found && r.out_values) r.out_values[i] = value;
            if (r.flags) r.flags[i] = found;
        } else {
            graph_one_vertex(&g, &r, i, &here);
        }
    }
    if (r.kind == GRAPH_INSERT_VERTICES) add_results(graph.state, &here, result);
}

/* ---- lists, concurrent with updates ---- */

/* Writes up to `room` neighbours of a vertex. Returns how many it has. */
PORT_FN uint64_t list_vertex(const graph_ref *g, uint32_t id, slab_slot *slots, uint64_t room)
{
    const slab_table *vertex = graph_vertex(g, id);
    uint64_t root = vertex ? port_load(&vertex->root) : 0;
    slab_sink sink;
    sink.slots = slots;
    sink.count = 0;
    sink.room = room;
    if (!slab_root_first(root)) return 0;
    for (uint32_t group = 0; group >> slab_root_log(root) == 0; group++)
        walk_group(&g->slabs, vertex, group, slab_root_log(root), &sink);
    return sink.count;
}

/* A slot is as wide as an element of `neighbours`, and is first written there. It is then replaced by an id with the
 * index of its list in the upper half, the key by which the array is sorted. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    list_kernel(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *vertices,
                const uint64_t *places, uint64_t *neighbours, uint32_t *values, uint64_t *counts)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= n) return;
    graph_ref g = place_of(graph);
    uint64_t room = neighbours ? places[i + 1] - places[i] : 0;
    slab_slot *slots = neighbours ? (slab_slot *)(neighbours + places[i]) : NULL;
    uint64_t count = list_vertex(&g, vertices[i], slots, room);
    counts[i] = count;
    for (uint64_t k = 0; neighbours && k < count && k < room; k++) {
        slab_slot slot = slots[k];
        if (values) values[places[i] + k] = slot.value;
        neighbours[places[i] + k] = (uint64_t)i << 32 | slot.key;
    }
}

/* ---- exclusive: the slabs of a vertex, by the lanes of a warp ---- */

/* Where the slabs of a vertex are. */
typedef struct slab_walk {
    uint64_t root, next;
    uint32_t buckets;
} slab_walk;

PORT_FN slab_walk slabs_of(const slab_table *vertex)
{
    slab_walk w;
    w.root = vertex->root;
    w.next = slab_target(vertex, w.root);
    w.buckets = slab_root_first(w.root) ? (uint32_t)1 << slab_root_log(w.root) : 0;
    return w;
}

/* Returns the number of chains. chain_at returns the first slab of each, or 0 if there is no such chain. */
PORT_FN uint32_t chains_of(const slab_walk *w)
{
    return w->next ? (uint32_t)1 << slab_root_log(w->next) : w->buckets;
}

/* While a table is moving, a chain is where its bucket is. That may be the old run: one bucket there corresponds to
 * several chains of the new run, and counts as the first of these. Otherwise it is in the new run. */
PORT_FN uint32_t chain_at(const graph_ref *g, const slab_walk *w, uint32_t number)
{
    uint32_t old = number & (w->buckets - 1);
    uint32_t first = slab_root_first(w->root) + old;
    if (!w->next) return first;
    bool moved = slab_at(&g->slabs, first)->word[SLAB_HEADER] & SLAB_MOVED;
    if (moved) return slab_root_first(w->next) + number;
    return number == old ? first : 0;
}

/* ---- tables for a bulk build ---- */

static __global__ void __launch_bounds__(BLOCK_THREADS)
    sizes_kernel(const __grid_constant__ graph_on_gpu graph, segment_list list, uint64_t *sizes)
{
    uint64_t i = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >> GRAPH_SEGMENT_LOG >= list.count) return;
    graph_ref g = place_of(graph);
    sizes[i] = slabs_for(slab_load(graph_table(&g, number_in(list, i))->load), SLAB_SLOTS, graph.load);
}

/* ---- rows ---- */

/* Writes the keys of a slab, one per lane. Returns how many there were. */
PORT_FN uint32_t fill_slab(const slab *s, unsigned lane, uint32_t *targets)
{
    uint32_t mask = slab_mask(s->word[SLAB_HEADER]);
    if (lane < SLAB_SLOTS && mask >> lane & 1)
#if SLAB_VALUES
        targets[__popc(mask & ((1u << lane) - 1))] = (uint32_t)s->word[SLAB_FIRST + lane];
#else
        targets[__popc(mask & ((1u << lane) - 1))] = ((const uint32_t *)&s->word[SLAB_FIRST])[lane];
#endif
    return (uint32_t)__popc(mask);
}

/* One warp per vertex. Vertices with many chains are left to fill_large_kernel. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    fill_kernel(const __grid_constant__ graph_on_gpu graph, uint64_t n, const uint64_t *offsets, uint32_t *targets,
                uint32_t *large, uint64_t *large_count)
{
    uint64_t id = ((uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;
    if (id >= n || offsets[id] == offsets[id + 1]) return;
    graph_ref g = place_of(graph);
    slab_walk w = slabs_of(graph_vertex(&g, (uint32_t)id));
    uint32_t chains = chains_of(&w), *to = targets + offsets[id];
    if (chains > MANY_CHAINS) {
        if (lane == 0) large[port_fetch_add(large_count, 1)] = (uint32_t)id;
        return;
    }
    for (uint32_t chain = 0; chain < chains; chain++)
        for (uint32_t at = chain_at(&g, &w, chain); at; at = (uint32_t)slab_at(&g.slabs, at)->word[SLAB_LINK])
            to += fill_slab(slab_at(&g.slabs, at), lane, to);
}

/* One block per vertex that has many chains. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    fill_large_kernel(const __grid_constant__ graph_on_gpu graph, const uint32_t *large, const uint64_t *large_count,
                      const uint64_t *offsets, uint32_t *targets)
{
    __shared__ unsigned long long cursor;
    unsigned lane = threadIdx.x % 32;
    graph_ref g = place_of(graph);
    for (uint64_t i = blockIdx.x; i < *large_count; i += gridDim.x) {
        slab_walk w = slabs_of(graph_vertex(&g, large[i]));
        __syncthreads();
        if (threadIdx.x == 0) cursor = offsets[large[i]];
        __syncthreads();
        for (uint32_t chain = threadIdx.x / 32; chain < chains_of(&w); chain += BLOCK_THREADS / 32)
            for (uint32_t at = chain_at(&g, &w, chain); at; at = (uint32_t)slab_at(&g.slabs, at)->word[SLAB_LINK]) {
                const slab *s = slab_at(&g.slabs, at);
                unsigned long long to = 0;
                if (lane == 0) to = atomicAdd(&cursor, (unsigned long long)__popc(slab_mask(s->word[SLAB_HEADER])));
                fill_slab(s, lane, targets + __shfl_sync(~0u, to, 0));
            }
    }
}

/* ---- triangles that change ---- */

/* One warp per edge: its lanes take the neighbours of the endpoint that has fewer, and look the third edge up at the
 * other endpoint. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    wedges_kernel(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                  const uint8_t *counts, numbered_places numbers, bool coming, charges charges, uint64_t *change)
{
    size_t i = ((size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;
    if (i >= n || !counts[i]) return;
    graph_ref g = place_of(graph);
    uint32_t few = from[i], many = to[i], count = 0;
    if (slab_load(graph_vertex(&g, few)->load) > slab_load(graph_vertex(&g, many)->load)) {
        few = to[i];
        many = from[i];
    }
    const slab_table *table = graph_vertex(&g, many);
    slab_walk w = slabs_of(graph_vertex(&g, few));
    for (uint32_t chain = 0; chain < chains_of(&w); chain++) {
        for (uint32_t at = chain_at(&g, &w, chain); at; at = (uint32_t)slab_at(&g.slabs, at)->word[SLAB_LINK]) {
            const slab *s = slab_at(&g.slabs, at);
            if (lane >= SLAB_SLOTS || !(slab_mask(s->word[SLAB_HEADER]) >> lane & 1)) continue;
            uint32_t third = slot_load(s, lane).key;
            slab_key value;
            if (third == many || !find_blocking(&g.slabs, table, third, &value)) continue;
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
