/* graph/graph_sparse_ids.cu - the kernels of sparse graphs' ids, and their launchers. */
#define EDGES_SPARSE 1
#include "graph_sparse_ids.h"

#include "graph_launch.h"

/* ---- finding missing ids ---- */

/* Appends the lanes' ids to the list. Called by all lanes of a warp: one of them reserves the elements for all. */
PORT_FN void note_missing(const graph_ref *g, bool wanted, uint32_t id, uint32_t *missing, uint64_t *count)
{
    unsigned lane = threadIdx.x % 32;
    bool lacks = wanted && !graph_vertex(g, id);
    uint32_t lanes = __ballot_sync(~0u, lacks);
    unsigned long long first = 0;
    if (!lanes) return;
    if (lane == 0) first = port_fetch_add(count, (uint64_t)__popc(lanes));
    first = __shfl_sync(~0u, first, 0);
    if (lacks) missing[first + (unsigned)__popc(lanes & ((1u << lane) - 1))] = id;
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    missing_kernel(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                   uint32_t *missing, uint64_t *count)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    graph_ref g = place_of(graph);
    uint32_t one = i < n ? from[i] : GRAPH_NO_VERTEX, two = i < n && to ? to[i] : GRAPH_NO_VERTEX;
    bool wanted = one != GRAPH_NO_VERTEX && (!to || (two != GRAPH_NO_VERTEX && one != two));
    note_missing(&g, wanted, one, missing, count);
    if (to) note_missing(&g, wanted, two, missing, count);
}

cudaError_t sparse_ids_cuda_missing(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                               uint32_t *missing, uint64_t *count, cudaStream_t stream)
{
    LAUNCH(missing_kernel, n, graph, n, from, to, missing, count);
}

static __global__ void __launch_bounds__(BLOCK_THREADS) firsts_kernel(size_t n, const uint32_t *sorted, uint8_t *first)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < n) first[i] = i == 0 || sorted[i - 1] != sorted[i];
}

cudaError_t sparse_ids_cuda_firsts(size_t n, const uint32_t *sorted, uint8_t *first, cudaStream_t stream)
{
    LAUNCH(firsts_kernel, n, n, sorted, first);
}

/* ---- memory for them ---- */

static __global__ void __launch_bounds__(BLOCK_THREADS)
    segments_kernel(const __grid_constant__ graph_on_gpu graph, uint64_t begin, uint64_t end, segment_notes *notes)
{
    uint64_t segment = begin + (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (segment >= end) return;
    graph_ref g = place_of(graph);
    if (port_load(&g.names[segment]) && port_load(&g.directory[segment])) return;
    if (graph_make_segment(&g, (uint32_t)(segment << GRAPH_SEGMENT_LOG))) return;
    port_fetch_add(&notes->lacking, 1);
    atomicMin((unsigned long long *)&notes->end, (unsigned long long)segment);
}

cudaError_t sparse_ids_cuda_make_segments(graph_on_gpu graph, uint64_t begin, uint64_t end, segment_notes *notes,
                                     cudaStream_t stream)
{
    LAUNCH(segments_kernel, end - begin, graph, begin, end, notes);
}

/* Slabs that were never allocated are zeros, which are empty buckets. */
static __global__ void open_kernel(const __grid_constant__ graph_on_gpu graph, unsigned log)
{
    if (threadIdx.x) return;
    graph_ref g = place_of(graph);
    slab_table *dictionary = &g.state->dictionary;
    uint64_t root = port_load(&dictionary->root);
    if (slab_root_first(root)) return;
    uint32_t run = pool_alloc_fresh_run(g.slabs.runs, log);
    if (run) port_store_release(&dictionary->root, slab_root_after(root, slab_root_of(run, log)));
}

cudaError_t sparse_ids_cuda_open(graph_on_gpu graph, unsigned log, cudaStream_t stream)
{
    LAUNCH(open_kernel, 1, graph, log);
}

/* ---- numbers for them ---- */

/* Numbers follow from positions in the list: first the free ones, then those that were never assigned. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    add_kernel(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *ids, uint32_t *refused,
               uint64_t *count)
{
    uint64_t i = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= n) return;
    graph_ref g = place_of(graph);
    uint64_t spare = port_load(&g.state->free_numbers), numbers = port_load(&g.state->numbers);
    uint32_t number = (uint32_t)(numbers + i - spare);
    if (i < spare) number = (uint32_t)(port_load(graph_external_id(&g, (uint32_t)(spare - 1 - i))) >> 32);
    graph_store_name(&g, number, ids[i]);
    pleach_graph_ids::slab_change c;
    pleach_graph_ids::change_begin(&c, OP_ADD, ids[i], number);
    pleach_graph_ids::update_blocking(&g.slabs, &g.state->dictionary, &c);
    if (c.outcome != PLEACH_INSERTED) refused[port_fetch_add(count, 1)] = number;
}

static __global__ void settle_kernel(const __grid_constant__ graph_on_gpu graph, uint64_t n)
{
    if (threadIdx.x) return;
    uint64_t spare = graph.state->free_numbers, taken = n < spare ? n : spare;
    graph.state->free_numbers = spare - taken;
    graph.state->numbers += n - taken;
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    give_kernel(const __grid_constant__ graph_on_gpu graph, const uint32_t *refused, const uint64_t *count)
{
    uint64_t i = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= *count) return;
    graph_ref g = place_of(graph);
    graph_give_number(&g, refused[i]);
}

static cudaError_t add(graph_on_gpu graph, size_t n, const uint32_t *ids, uint32_t *refused, uint64_t *count,
                       cudaStream_t stream)
{
    LAUNCH(add_kernel, n, graph, n, ids, refused, count);
}

static cudaError_t settle(graph_on_gpu graph, size_t n, cudaStream_t stream)
{
    LAUNCH(settle_kernel, 1, graph, n);
}

static cudaError_t give(graph_on_gpu graph, size_t n, const uint32_t *refused, const uint64_t *count,
                        cudaStream_t stream)
{
    LAUNCH(give_kernel, n, graph, refused, count);
}

cudaError_t sparse_ids_cuda_add(graph_on_gpu graph, size_t n, const uint32_t *ids, uint32_t *refused, uint64_t *count,
                           cudaStream_t stream)
{
    cudaError_t error = cudaMemsetAsync(count, 0, sizeof *count, stream);
    if (error == cudaSuccess) error = add(graph, n, ids, refused, count, stream);
    if (error == cudaSuccess) error = settle(graph, n, stream);
    return error == cudaSuccess ? give(graph, n, refused, count, stream) : error;
}

/* ---- removing ids ---- */

static __global__ void __launch_bounds__(BLOCK_THREADS)
    forget_kernel(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *vertices,
                  const uint8_t *outcomes)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= n || outcomes[i] != PLEACH_EDGE_ERASED) return;
    graph_ref g = place_of(graph);
    graph_remove_id(&g, vertices[i]);
}

cudaError_t sparse_ids_cuda_forget(graph_on_gpu graph, size_t n, const uint32_t *vertices, const uint8_t *outcomes,
                              cudaStream_t stream)
{
    LAUNCH(forget_kernel, n, graph, n, vertices, outcomes);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    unused_kernel(const __grid_constant__ graph_on_gpu graph, uint64_t numbers)
{
    uint64_t number = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (number >= numbers) return;
    graph_ref g = place_of(graph);
    graph_forget_unused(&g, (uint32_t)number);
}

cudaError_t sparse_ids_cuda_forget_unused(graph_on_gpu graph, uint64_t numbers, cudaStream_t stream)
{
    LAUNCH(unused_kernel, numbers, graph, numbers);
}
