/* graph/graph_edges.cu - the kernels of graphs, and their launchers. Compiled once per kind of graph: edges with
 * values, or without (cmake/kinds.cmake). Each kind is compiled for dense graphs, which find a vertex by its id alone,
 * and once more, by graph_edges_sparse.cu, for sparse ones. Kernels that could do both would need more registers. */
#include "graph_launch.h"
#include "../cuda/warps.h"

enum { BRIEF_BLOCKS = 6, UPDATE_BLOCKS = 5, MANY_CHAINS = 16, LARGE_BLOCKS = 2112 };
enum { SWEEP_THREADS = 1024, SWEEP_BLOCKS = 264, DROP_BLOCKS = 132 };

PORT_FN uint32_t number_in(segment_list list, uint64_t i)
{
    return list.numbers[i >> GRAPH_SEGMENT_LOG] << GRAPH_SEGMENT_LOG |
           ((uint32_t)i & (((uint32_t)1 << GRAPH_SEGMENT_LOG) - 1));
}

/* Adds up what a block's threads have done, in a few additions. */
PORT_FN void add_results(graph_state *state, const graph_result *here, graph_result *result)
{
    __shared__ int sums[4];
    if (threadIdx.x < 4) sums[threadIdx.x] = 0;
    __syncthreads();
    int edges = warp_sum((int)here->edges), vertices = warp_sum((int)here->vertices);
    int refused = warp_sum((int)here->not_applied), none = warp_sum((int)here->no_vertex);
    if (threadIdx.x % 32 == 0) {
        if (edges) atomicAdd(&sums[0], edges);
        if (vertices) atomicAdd(&sums[1], vertices);
        if (refused) atomicAdd(&sums[2], refused);
        if (none) atomicAdd(&sums[3], none);
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    unsigned stripe = blockIdx.x % GRAPH_STRIPES;
    if (sums[0]) port_fetch_add(&state->stripe[stripe].edges, (uint64_t)(int64_t)sums[0]);
    if (sums[1]) port_fetch_add(&state->stripe[stripe].vertices, (uint64_t)(int64_t)sums[1]);
    if (sums[2]) port_fetch_add(&result->not_applied, (uint64_t)sums[2]);
    if (sums[3]) port_fetch_add(&result->no_vertex, (uint64_t)sums[3]);
}

/* Returns how many slabs a table for `degree` keys has. */
PORT_FN uint64_t slabs_for(uint64_t degree, unsigned slots, uint32_t load)
{
    if (degree == 0) return 0;
    uint64_t slabs = 1;
    if (degree > slots)
        while (degree * 1024 > slabs * slots * load && slabs < (uint64_t)1 << (POOL_RUN_LOGS - 1)) slabs *= 2;
    return slabs;
}

/* ---- vertices that many edges of a call go to ---- */

enum { HUB_THREADS = 1024, HUB_BLOCKS = 64, HUB_PLACES = 3072, HUB_FEWEST = 1024 };
enum { HUB_FREQUENT = 8, HUB_STEP_LOG = 3, HUB_TRIES = 16 };

/* A sample with one edge per thread: how often each endpoint is in it, and which are frequent. There are half as many
 * places again as endpoints, and as edges, so a search always ends. */
typedef struct hub_sample {
    unsigned long long edges[HUB_PLACES / 2]; /* to count equal edges once */
    uint32_t ids[HUB_PLACES], counts[HUB_PLACES];
    uint32_t hub[2 * HUB_THREADS / HUB_FREQUENT], hubs; /* places of frequent endpoints */
} hub_sample;

PORT_FN uint32_t hub_hash(uint32_t id)
{
    uint32_t hash = id * 0x9e3779b1u;
    return hash ^ hash >> 15;
}

/* Returns true for one of several equal edges. */
PORT_FN bool sample_edge(hub_sample *sample, uint32_t from, uint32_t to)
{
    const unsigned long long name = (unsigned long long)from << 32 | to;
    for (uint32_t place = hub_hash(from ^ hub_hash(to)) % (HUB_PLACES / 2);; place = (place + 1) % (HUB_PLACES / 2)) {
        unsigned long long was = atomicCAS(&sample->edges[place], ~0ull, name);
        if (was == ~0ull || was == name) return was != name;
    }
}

PORT_FN void sample_end(hub_sample *sample, uint32_t id)
{
    for (uint32_t place = hub_hash(id) % HUB_PLACES;; place = (place + 1) % HUB_PLACES) {
        uint32_t was = atomicCAS(&sample->ids[place], GRAPH_NO_VERTEX, id);
        if (was != GRAPH_NO_VERTEX && was != id) continue;
        uint32_t count = atomicAdd(&sample->counts[place], 1u) + 1;
        if (count == HUB_FREQUENT) sample->hub[atomicAdd(&sample->hubs, 1u)] = place;
        return;
    }
}

/* Samples n edges of the slow list. Called by all threads of a block. The endpoints are vertices, two per edge. */
PORT_FN void sample_edges(hub_sample *sample, const graph_ref *g, const graph_request *r, const uint32_t *elements,
                          uint64_t n)
{
    for (unsigned i = threadIdx.x; i < HUB_PLACES; i += HUB_THREADS) {
        sample->ids[i] = GRAPH_NO_VERTEX;
        sample->counts[i] = 0;
        sample->edges[i / 2] = ~0ull;
    }
    if (threadIdx.x == 0) sample->hubs = 0;
    __syncthreads();
    uint32_t i = elements[threadIdx.x * n / HUB_THREADS], from = r->from[i], to = r->to[i];
    if (sample_edge(sample, from, to)) {
        sample_end(sample, from);
        if (!g->directed) sample_end(sample, to);
    }
    __syncthreads();
}

/* ---- erasing vertices ---- */

/* A linked list of slabs, or of runs of one length by their first slabs. */
typedef struct slab_stack { uint32_t first, last; } slab_stack;

PORT_FN void stack_slab(const slab_ref *place, slab_stack *stack, uint32_t id)
{
    if (stack->first)
        slab_at(place, stack->last)->word[SLAB_LINK] = id;
    else
        stack->first = id;
    stack->last = id;
}

/* Frees the lists of all lanes of a warp at once; `log` is the length of the runs. Called by all lanes. */
PORT_FN void give_stacks(const slab_ref *place, unsigned log, slab_stack mine)
{
    uint32_t lanes = __ballot_sync(~0u, mine.first != 0);
    if (!lanes) return;
    unsigned lane = threadIdx.x % 32;
    uint32_t above = lanes & ~((2u << lane) - 1);
    uint32_t next = __shfl_sync(~0u, mine.first, above ? __ffs((int)above) - 1 : 0);
    if (mine.first && above) slab_at(place, mine.last)->word[SLAB_LINK] = next;
    uint32_t first = __shfl_sync(~0u, mine.first, __ffs((int)lanes) - 1);
    uint32_t last = __shfl_sync(~0u, mine.last, 31 - __clz((int)lanes));
    port_publish_fence();
    __syncwarp();
    if (lane == 0) pool_free_runs(place->runs, log, first, last);
}

/* ---- changes in triangles ---- */

/* The caller's counts by vertex. */
typedef struct charges {
    uint64_t *by_vertex;
    size_t capacity;
    bool coming;
} charges;

PORT_FN void charge(charges c, uint32_t id, uint64_t triangles)
{
    if (c.by_vertex && id < c.capacity) port_fetch_add(&c.by_vertex[id], c.coming ? triangles : 0 - triangles);
}

PORT_FN uint64_t name_of(uint32_t one, uint32_t two)
{
    return one < two ? (uint64_t)one << 32 | two : (uint64_t)two << 32 | one;
}

PORT_FN uint64_t first_place(numbered_places numbers, uint64_t name)
{
    uint64_t hash = (name ^ name >> 33) * 0xff51afd7ed558ccdu;
    return (hash ^ hash >> 33) & numbers.mask;
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    number_kernel(size_t n, const uint32_t *from, const uint32_t *to, uint8_t *counts, numbered_places numbers)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= n || !counts[i]) return;
    uint64_t name = name_of(from[i], to[i]);
    for (uint64_t place = first_place(numbers, name);; place = (place + 1) & numbers.mask) {
        unsigned long long was = atomicCAS((unsigned long long *)&numbers.names[place], 0ull, (unsigned long long)name);
        if (was == 0) numbers.elements[place] = (uint32_t)i;
        if (was == name) counts[i] = 0;
        if (was == 0 || was == name) return;
    }
}

/* Returns the element of this edge, or UINT32_MAX if it does not change. */
PORT_FN uint32_t number_of(numbered_places numbers, uint32_t one, uint32_t two)
{
    uint64_t name = name_of(one, two);
    for (uint64_t place = first_place(numbers, name);; place = (place + 1) & numbers.mask) {
        uint64_t there = numbers.names[place];
        if (there == 0) return UINT32_MAX;
        if (there == name) return numbers.elements[place];
    }
}

/* An added triangle with several inserted edges is counted at the largest of their numbers; a removed one at the
 * smallest of those of its erased edges. */
PORT_FN bool counted_here(numbered_places numbers, uint32_t number, uint32_t one, uint32_t two, uint32_t third,
                          bool coming)
{
    uint32_t other = number_of(numbers, one, third);
    if (other != UINT32_MAX && (coming ? other > number : other < number)) return false;
    other = number_of(numbers, two, third);
    return other == UINT32_MAX || !(coming ? other > number : other < number);
}

/* ---- kernels by kind ---- */

#include "graph_edge_kernels.h"
#include "graph_hub_kernels.h"
#include "graph_erase_kernels.h"

/* ---- array calls ---- */

static cudaError_t launch_brief(graph_on_gpu graph, const graph_request *r, bool again, slow_list later,
                                graph_result *result, cudaStream_t stream)
{
    LAUNCH(fast_path_kernel, r->n, graph, *r, again, later, result);
}

static cudaError_t launch_long(graph_on_gpu graph, const graph_request *r, bool again, slow_list later,
                               graph_result *result, cudaStream_t stream)
{
    LAUNCH(update_kernel, later.elements ? LATER_BLOCKS * BLOCK_THREADS : r->n, graph, *r, again, later, result);
}

static cudaError_t launch_hubs(graph_on_gpu graph, const graph_request *r, slow_list later, cudaStream_t stream)
{
    cudaGetLastError();
    hub_kernel<<<HUB_BLOCKS, HUB_THREADS, 0, stream>>>(graph, *r, later);
    return cudaGetLastError();
}

static cudaError_t launch_update(graph_on_gpu graph, const graph_request *r, bool again, slow_list later,
                                 graph_result *result, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    bool listed = later.elements, grows = listed && r->kind == GRAPH_INSERT_EDGES;
    if (listed) error = cudaMemsetAsync(later.count, 0, sizeof *later.count, stream);
    if (listed && error == cudaSuccess) error = launch_brief(graph, r, again, later, result, stream);
    if (grows && error == cudaSuccess) error = launch_hubs(graph, r, later, stream);
    return error == cudaSuccess ? launch_long(graph, r, again, later, result, stream) : error;
}

static cudaError_t launch_run(graph_on_gpu graph, const graph_request *r, bool again, slow_list later,
                              graph_result *result, cudaStream_t stream)
{
    bool updates = r->kind == GRAPH_INSERT_EDGES || r->kind == GRAPH_ERASE_EDGES;
    if (updates) return launch_update(graph, r, again, later, result, stream);
    LAUNCH(run_kernel, r->n, graph, *r, again, result);
}

static cudaError_t launch_list(graph_on_gpu graph, size_t n, const uint32_t *vertices, const uint64_t *places,
                               uint64_t *neighbours, uint32_t *values, uint64_t *counts, cudaStream_t stream)
{
    LAUNCH(list_kernel, n, graph, n, vertices, places, neighbours, values, counts);
}

/* ---- building ---- */

static __global__ void __launch_bounds__(BLOCK_THREADS)
    count_ends_kernel(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= n || from[i] == to[i] || from[i] == GRAPH_NO_VERTEX || to[i] == GRAPH_NO_VERTEX) return;
    graph_ref g = place_of(graph);
    port_fetch_add(&graph_vertex(&g, from[i])->load, 1);
    if (!g.directed) port_fetch_add(&graph_vertex(&g, to[i])->load, 1);
}

static cudaError_t launch_count_ends(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                                     cudaStream_t stream)
{
    LAUNCH(count_ends_kernel, n, graph, n, from, to);
}

static cudaError_t launch_sizes(graph_on_gpu graph, segment_list list, uint64_t *sizes, cudaStream_t stream)
{
    LAUNCH(sizes_kernel, list.count << GRAPH_SEGMENT_LOG, graph, list, sizes);
}

/* Slabs that were never allocated are zeros, which are empty buckets. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    open_kernel(const __grid_constant__ graph_on_gpu graph, segment_list list, const uint64_t *offsets, uint64_t first)
{
    uint64_t i = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >> GRAPH_SEGMENT_LOG >= list.count) return;
    graph_ref g = place_of(graph);
    slab_table *vertex = graph_table(&g, number_in(list, i));
    uint32_t slabs = (uint32_t)(offsets[i + 1] - offsets[i]);
    vertex->load = 0;
    if (!slabs) return;
    uint64_t root = slab_root_of((uint32_t)(first + offsets[i]), slab_lowest(slabs));
    vertex->root = slab_root_after(vertex->root, root);
}

static cudaError_t launch_open(graph_on_gpu graph, segment_list list, const uint64_t *offsets, uint64_t first,
                               cudaStream_t stream)
{
    LAUNCH(open_kernel, list.count << GRAPH_SEGMENT_LOG, graph, list, offsets, first);
}

/* ---- vertices ---- */

static __global__ void __launch_bounds__(BLOCK_THREADS)
    dying_kernel(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *vertices, uint8_t *outcomes,
                 dying_ids dying, erase_notes *notes)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    bool dies = false;
    if (i < n) {
        graph_ref g = place_of(graph);
        slab_table *vertex = vertices[i] == GRAPH_NO_VERTEX ? NULL : graph_vertex(&g, vertices[i]);
        if (vertex) {
            uint64_t was = atomicAnd((unsigned long long *)&vertex->load, ~(unsigned long long)SLAB_OWNERS);
            dies = was & SLAB_OWNERS;
        }
        outcomes[i] = dies ? PLEACH_EDGE_ERASED : PLEACH_EDGE_ABSENT;
        if (dies && dying.bits) atomicOr(&dying.bits[vertices[i] / 32], 1u << vertices[i] % 32);
    }
    uint32_t lowest = warp_least(dies ? vertices[i] : GRAPH_NO_VERTEX);
    if (threadIdx.x % 32 == 0 && lowest < port_load(&notes->lowest))
        atomicMin((unsigned long long *)&notes->lowest, (unsigned long long)lowest);
    int here = __syncthreads_count(dies);
    if (threadIdx.x == 0 && here) port_fetch_add(&notes->dying, (uint64_t)here);
}

static cudaError_t launch_mark_dying(graph_on_gpu graph, size_t n, const uint32_t *vertices, uint8_t *outcomes,
                                     dying_ids dying, erase_notes *notes, cudaStream_t stream)
{
    LAUNCH(dying_kernel, n, graph, n, vertices, outcomes, dying, notes);
}

static cudaError_t launch_erase_mirrors(graph_on_gpu graph, size_t n, const uint32_t *vertices,
                                        const uint8_t *outcomes, uint64_t *edges, cudaStream_t stream)
{
    LAUNCH(mirrors_kernel, 32 * n, graph, n, vertices, outcomes, edges);
}

static cudaError_t launch_sweep_small(graph_on_gpu graph, segment_list list, dying_ids dying, uint32_t *large,
                                      uint64_t *large_count, uint64_t *edges, cudaStream_t stream)
{
    LAUNCH(sweep_kernel, LARGE_BLOCKS * BLOCK_THREADS, graph, list, dying, large, large_count, edges);
}

static cudaError_t launch_sweep_large(graph_on_gpu graph, dying_ids dying, const uint32_t *large,
                                      const uint64_t *large_count, uint64_t *edges, cudaStream_t stream)
{
    cudaGetLastError();
    sweep_large_kernel<<<SWEEP_BLOCKS, SWEEP_THREADS, 0, stream>>>(graph, dying, large, large_count, edges);
    return cudaGetLastError();
}

static cudaError_t launch_sweep(graph_on_gpu graph, segment_list list, dying_ids dying, uint32_t *large,
                                uint64_t *large_count, uint64_t *edges, cudaStream_t stream)
{
    cudaError_t error = cudaMemsetAsync(large_count, 0, sizeof *large_count, stream);
    if (error == cudaSuccess) error = launch_sweep_small(graph, list, dying, large, large_count, edges, stream);
    return error == cudaSuccess ? launch_sweep_large(graph, dying, large, large_count, edges, stream) : error;
}

static cudaError_t launch_drop(graph_on_gpu graph, size_t n, const uint32_t *vertices, const uint8_t *outcomes,
                               cudaStream_t stream)
{
    LAUNCH(drop_kernel, n < DROP_BLOCKS * BLOCK_THREADS ? n : DROP_BLOCKS * BLOCK_THREADS, graph, n, vertices,
           outcomes);
}

/* ---- rows ---- */

static __global__ void __launch_bounds__(BLOCK_THREADS)
    rows_kernel(const __grid_constant__ graph_on_gpu graph, segment_list list, uint64_t *rows)
{
    uint64_t i = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    uint32_t beyond = 0;
    if (i >> GRAPH_SEGMENT_LOG < list.count) {
        graph_ref g = place_of(graph);
        uint32_t number = number_in(list, i);
        if (graph_vertex_is_there(graph_table(&g, number))) beyond = graph_id(&g, number) + 1;
    }
    beyond = ~warp_least(~beyond);
    if (beyond && threadIdx.x % 32 == 0) atomicMax((unsigned long long *)rows, (unsigned long long)beyond);
}

static cudaError_t launch_rows(graph_on_gpu graph, segment_list list, uint64_t *rows, cudaStream_t stream)
{
    LAUNCH(rows_kernel, list.count << GRAPH_SEGMENT_LOG, graph, list, rows);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    degrees_kernel(const __grid_constant__ graph_on_gpu graph, uint64_t n, uint64_t *degrees)
{
    uint64_t id = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (id > n) return;
    graph_ref g = place_of(graph);
    const slab_table *vertex = id < n ? graph_vertex(&g, (uint32_t)id) : NULL;
    degrees[id] = vertex ? slab_load(vertex->load) : 0;
}

static cudaError_t launch_degrees(graph_on_gpu graph, uint64_t n, uint64_t *degrees, cudaStream_t stream)
{
    LAUNCH(degrees_kernel, n + 1, graph, n, degrees);
}

static cudaError_t launch_fill_large(graph_on_gpu graph, const uint32_t *large, const uint64_t *large_count,
                                     const uint64_t *offsets, uint32_t *targets, cudaStream_t stream)
{
    LAUNCH(fill_large_kernel, LARGE_BLOCKS * BLOCK_THREADS, graph, large, large_count, offsets, targets);
}

static cudaError_t launch_fill_small(graph_on_gpu graph, uint64_t n, const uint64_t *offsets, uint32_t *targets,
                                     uint32_t *large, uint64_t *large_count, cudaStream_t stream)
{
    LAUNCH(fill_kernel, 32 * n, graph, n, offsets, targets, large, large_count);
}

static cudaError_t launch_fill(graph_on_gpu graph, uint64_t n, const uint64_t *offsets, uint32_t *targets,
                               uint32_t *large, uint64_t *large_count, cudaStream_t stream)
{
    cudaError_t error = cudaMemsetAsync(large_count, 0, sizeof *large_count, stream);
    if (error == cudaSuccess) error = launch_fill_small(graph, n, offsets, targets, large, large_count, stream);
    return error == cudaSuccess ? launch_fill_large(graph, large, large_count, offsets, targets, stream) : error;
}

/* ---- changes in triangles ---- */

static cudaError_t launch_number(size_t n, const uint32_t *from, const uint32_t *to, uint8_t *counts,
                                 numbered_places numbers, cudaStream_t stream)
{
    LAUNCH(number_kernel, n, n, from, to, counts, numbers);
}

static cudaError_t launch_wedges(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                                 const uint8_t *counts, numbered_places numbers, bool coming, size_t capacity,
                                 uint64_t *by_vertex, uint64_t *change, cudaStream_t stream)
{
    charges charges = {by_vertex, capacity, coming};
    LAUNCH(wedges_kernel, 32 * n, graph, n, from, to, counts, numbers, coming, charges, change);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    sample_kernel(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                  uint64_t *members)
{
    size_t i = ((size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) * n / EDGES_SAMPLE;
    graph_ref g = place_of(graph);
    bool fine = from[i] != GRAPH_NO_VERTEX && to[i] != GRAPH_NO_VERTEX;
    const slab_table *one = fine ? graph_vertex(&g, from[i]) : NULL, *two = fine ? graph_vertex(&g, to[i]) : NULL;
    uint32_t few = one ? slab_load(one->load) : 0, many = two ? slab_load(two->load) : 0;
    if (many < few) few = many;
    int sum = warp_sum((int)(few < 1u << 24 ? few : 1u << 24));
    if (threadIdx.x % 32 == 0) port_add(members, (uint64_t)sum);
}

static cudaError_t launch_sample_wedges(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                                        uint64_t *members, cudaStream_t stream)
{
    LAUNCH(sample_kernel, EDGES_SAMPLE, graph, n, from, to, members);
}

#ifdef EDGES_SPARSE
const graph_kernels SLAB_EXPORT(graph_kernels_sparse) = {
#else
const graph_kernels SLAB_EXPORT(graph_kernels) = {
#endif
    launch_run, launch_list, launch_count_ends, launch_sizes, launch_open, launch_mark_dying, launch_erase_mirrors,
    launch_sweep, launch_drop, launch_rows, launch_degrees, launch_fill, launch_number, launch_wedges,
    launch_sample_wedges};
