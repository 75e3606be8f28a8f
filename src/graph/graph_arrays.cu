/* graph/graph_arrays.cu - kernels that are the same for all kinds of graph, and their launchers: segments and new
 * vertices of dense graphs, and arrays that belong to an array call. */
#include "graph_launch.h"

/* ---- segments ---- */

/* Segments that a block has already marked, at indices given by the lowest bits of their numbers. Lanes write there
 * without synchronization: a lane that finds its own number there knows that it is marked, and one that does not marks
 * it once more. Without this, all edges of a new graph would request the same few words of marks from L2. */
enum { MARKED_BEFORE = 1024, MARK_BLOCKS = 2112 };

PORT_FN void mark_segment(const graph_on_gpu &graph, uint32_t id, uint32_t *marks, volatile uint32_t *before)
{
    if (id == GRAPH_NO_VERTEX) return;
    uint32_t number = id >> GRAPH_SEGMENT_LOG;
    if (before[number % MARKED_BEFORE] == number || graph.directory[number]) return;
    before[number % MARKED_BEFORE] = number;
    atomicOr(&marks[number / 32], 1u << number % 32);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    mark_kernel(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                uint32_t *marks)
{
    __shared__ uint32_t before[MARKED_BEFORE];
    for (unsigned i = threadIdx.x; i < MARKED_BEFORE; i += BLOCK_THREADS) before[i] = UINT32_MAX; /* no number */
    __syncthreads();
    const size_t step = (size_t)gridDim.x * BLOCK_THREADS;
    for (size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x; i < n; i += step) {
        uint32_t one = from[i], two = to ? to[i] : GRAPH_NO_VERTEX;
        if (to && (one == two || one == GRAPH_NO_VERTEX || two == GRAPH_NO_VERTEX)) continue;
        mark_segment(graph, one, marks, before);
        mark_segment(graph, two, marks, before);
    }
}

cudaError_t edges_cuda_mark_segments(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                                     uint32_t *marks, cudaStream_t stream)
{
    const size_t most = (size_t)MARK_BLOCKS * BLOCK_THREADS;
    LAUNCH(mark_kernel, n < most ? n : most, graph, n, from, to, marks);
}

/* Each lane reads one word of marks, so a call launches one thread per 32 segments. The warp then allocates the
 * segments of one marked word after the other, one per lane. The words of a warp are far apart, because neighbouring
 * segments are mostly allocated by the same call, and should then go to different warps. */
#define MAKE_THREADS (GRAPH_SEGMENTS / 32)
#define MAKE_WARPS (MAKE_THREADS / 32)

static __global__ void __launch_bounds__(BLOCK_THREADS)
    make_kernel(const __grid_constant__ graph_on_gpu graph, uint32_t *marks, uint64_t *lacking)
{
    uint32_t thread = blockIdx.x * BLOCK_THREADS + threadIdx.x, lane = thread % 32, warp = thread / 32;
    uint32_t *word = &marks[lane * MAKE_WARPS + warp]; /* blocks are full: MAKE_THREADS is a multiple of their size */
    uint32_t marked = *word;
    if (marked) *word = 0;
    graph_ref g = place_of(graph);
    for (uint32_t left = __ballot_sync(~0u, marked != 0); left; left &= left - 1) {
        uint32_t from = __ffs((int)left) - 1, segments = __shfl_sync(~0u, marked, from);
        uint32_t number = (from * MAKE_WARPS + warp) * 32 + lane;
        if ((segments >> lane & 1) && !graph_make_segment(&g, number << GRAPH_SEGMENT_LOG)) port_fetch_add(lacking, 1);
    }
}

cudaError_t edges_cuda_make_segments(graph_on_gpu graph, uint32_t *marks, uint64_t *lacking, cudaStream_t stream)
{
    LAUNCH(make_kernel, MAKE_THREADS, graph, marks, lacking);
}

/* ---- new vertices ---- */

enum { NEW_THREADS = 1024 };

/* One block, which examines as many ids at a time as it has threads. It ends at a segment that was not allocated. */
static __global__ void __launch_bounds__(NEW_THREADS)
    new_kernel(const __grid_constant__ graph_on_gpu graph, uint64_t lowest, size_t n, uint32_t *vertices,
               new_ids *found)
{
    __shared__ uint32_t before[NEW_THREADS / 32];
    __shared__ unsigned long long next;
    graph_ref g = place_of(graph);
    uint64_t have = 0, at = lowest;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) next = lowest;
    for (; have < n; at += NEW_THREADS) {
        uint64_t id = at + threadIdx.x;
        slab_table *vertex = id < GRAPH_NO_VERTEX ? graph_vertex(&g, (uint32_t)id) : NULL;
        bool is_free = vertex && !graph_vertex_is_there(vertex);
        uint32_t lanes = __ballot_sync(~0u, is_free);
        if (lane == 0) before[warp] = (uint32_t)__popc(lanes);
        int there = __syncthreads_count(vertex != NULL); /* ids of a segment are contiguous, so these come first */
        uint32_t earlier = (uint32_t)__popc(lanes & ((1u << lane) - 1)), all = 0;
        for (unsigned w = 0; w < NEW_THREADS / 32; w++) {
            if (w < warp) earlier += before[w];
            all += before[w];
        }
        if (is_free && have + earlier < n) {
            vertices[have + earlier] = (uint32_t)id;
            graph_vertex_put(vertex);
            if (have + earlier + 1 == n) next = id + 1;
        }
        if (threadIdx.x == 0 && have + all < n) next = at + (unsigned)there;
        have += all;
        __syncthreads();
        if (there < NEW_THREADS) break;
    }
    if (threadIdx.x == 0) {
        found->count = have < n ? have : n;
        found->next = next;
        port_fetch_add(&graph.state->stripe[0].vertices, found->count);
    }
}

cudaError_t edges_cuda_new_vertices(graph_on_gpu graph, uint64_t lowest, size_t n, uint32_t *vertices, new_ids *found,
                                    cudaStream_t stream)
{
    cudaGetLastError();
    new_kernel<<<1, NEW_THREADS, 0, stream>>>(graph, lowest, n, vertices, found);
    return cudaGetLastError();
}

/* ---- arrays ---- */

static __global__ void __launch_bounds__(BLOCK_THREADS)
    pack_kernel(size_t n, const uint64_t *places, const uint64_t *offsets, const uint64_t *neighbours,
                const uint32_t *values, uint64_t *packed, uint32_t *packed_values)
{
    size_t i = ((size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) / 32;
    if (i >= n) return;
    uint64_t count = offsets[i + 1] - offsets[i];
    for (uint64_t k = threadIdx.x % 32; k < count; k += 32) {
        packed[offsets[i] + k] = neighbours[places[i] + k];
        if (values) packed_values[offsets[i] + k] = values[places[i] + k];
    }
}

cudaError_t edges_cuda_pack(size_t n, const uint64_t *places, const uint64_t *offsets, const uint64_t *neighbours,
                            const uint32_t *values, uint64_t *packed, uint32_t *packed_values, cudaStream_t stream)
{
    LAUNCH(pack_kernel, 32 * n, n, places, offsets, neighbours, values, packed, packed_values);
}

static __global__ void __launch_bounds__(BLOCK_THREADS) ids_kernel(size_t n, const uint64_t *packed, uint32_t *ids)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < n) ids[i] = (uint32_t)packed[i];
}

cudaError_t edges_cuda_ids_of(size_t n, const uint64_t *packed, uint32_t *ids, cudaStream_t stream)
{
    LAUNCH(ids_kernel, n, n, packed, ids);
}

static __global__ void __launch_bounds__(BLOCK_THREADS) where_kernel(size_t n, uint8_t *flags, uint8_t wanted)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < n) flags[i] = flags[i] == wanted;
}

cudaError_t edges_cuda_where(size_t n, uint8_t *flags, uint8_t wanted, cudaStream_t stream)
{
    LAUNCH(where_kernel, n, n, flags, wanted);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    difference_kernel(size_t n, uint64_t *by_vertex, uint64_t before_rows, const uint64_t *before, uint64_t after_rows,
                      const uint64_t *after)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < n) by_vertex[i] += (i < after_rows ? after[i] : 0) - (i < before_rows ? before[i] : 0);
}

cudaError_t edges_cuda_add_difference(size_t n, uint64_t *by_vertex, uint64_t before_rows, const uint64_t *before,
                                      uint64_t after_rows, const uint64_t *after, cudaStream_t stream)
{
    LAUNCH(difference_kernel, n, n, by_vertex, before_rows, before, after_rows, after);
}
