/* graph/triangles/triangles_orient.cu - numbers vertices by decreasing degree, and builds their lists.
 *
 * A list is written to the position that its vertex's row has in the rows' array, because no list is longer than its
 * row. So rows are read once, and nothing has to be counted before. Degrees of 2^24 and more count as equal; at most
 * 512 vertices have one, so this adds no more than that to the length of lists.
 */
#include "triangles_kernels.h"

enum { AHEAD = 4 }; /* entries of a row that a thread loads before it uses the first */

static __global__ void make_keys(triangle_graph g, uint32_t *keys, uint32_t *ids)
{
    uint64_t id = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= g.n) return;
    uint64_t degree = g.offsets[id + 1] - g.offsets[id];
    keys[id] = (uint32_t)(TRIANGLE_MOST_DEGREE - (degree < TRIANGLE_MOST_DEGREE ? degree : TRIANGLE_MOST_DEGREE));
    ids[id] = (uint32_t)id;
}

/* Returns whether the vertices of this degree or more end between `number` and the next number. */
static __device__ __forceinline__ bool ends_here(uint32_t key, uint32_t next, uint32_t degree)
{
    return key <= TRIANGLE_MOST_DEGREE - degree && next > TRIANGLE_MOST_DEGREE - degree;
}

static __global__ void make_numbers(triangle_graph g, const uint32_t *keys)
{
    uint64_t number = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= g.n) return;
    g.number[g.id[number]] = (uint32_t)number;
    uint32_t key = keys[number], next = number + 1 < g.n ? keys[number + 1] : UINT32_MAX;
    if (ends_here(key, next, TRIANGLE_SHARING)) g.notes->sharing = number + 1;
    if (ends_here(key, next, TRIANGLE_WIDE)) g.notes->wide = number + 1;
    if (ends_here(key, next, 2)) g.notes->active = number + 1;
}

/* ---- lists of vertices with few neighbours: one warp each ---- */

static __device__ void write_list(const triangle_graph *g, uint32_t number, uint64_t from, uint64_t to, unsigned lane)
{
    uint32_t members = 0, packed = 0;
    for (uint64_t first = from; first < to; first += 32) {
        uint32_t other = UINT32_MAX;
        if (first + lane < to) other = g->number[g->targets[first + lane]];
        unsigned kept = __ballot_sync(ALL_LANES, other < number);
        unsigned near = __ballot_sync(ALL_LANES, other < number && other < TRIANGLE_WINDOW);
        if (kept >> lane & 1) g->members[from + members + before_lane(kept, lane)] = other;
        if (near >> lane & 1)
            g->packed[from + packed + before_lane(near, lane)] =
                other / TRIANGLE_BITS << TRIANGLE_BITS | 1u << other % TRIANGLE_BITS;
        members += __popc(kept);
        packed += __popc(near);
    }
    triangle_list list = {from, packed, members};
    if (lane == 0) g->list[number] = list;
}

static __global__ void __launch_bounds__(TRIANGLE_THREADS) write_lists(triangle_graph g)
{
    enum { AT_ONCE = 16 };
    unsigned lane = lane_of();
    uint64_t begin = g.notes->sharing, end = g.notes->active;
    for (;;) {
        uint64_t first = begin + warp_ticket(&g.notes->ticket[0], lane, AT_ONCE), from = 0, to = 0;
        if (first >= end) return;
        unsigned count = end - first < AT_ONCE ? (unsigned)(end - first) : AT_ONCE;
        if (lane < count) {
            uint32_t id = g.id[first + lane];
            from = g.offsets[id];
            to = g.offsets[(uint64_t)id + 1];
        }
        for (unsigned i = 0; i < count; i++)
            write_list(&g, (uint32_t)(first + i), __shfl_sync(ALL_LANES, from, i), __shfl_sync(ALL_LANES, to, i),
                       lane);
    }
}

/* ---- lists of vertices with many neighbours: one block each ---- */

static_assert(TRIANGLE_PLACES % TRIANGLE_THREADS == 0, "warps have equal parts of the bits");

typedef struct sharing_block {
    uint32_t bits[TRIANGLE_PLACES];
    uint64_t number;
    uint32_t members, words[TRIANGLE_WARPS];
} sharing_block;

/* Collects the row's entries that belong to the list, as members and as bits. */
static __device__ void gather_list(const triangle_graph *g, sharing_block *b, uint64_t from, uint64_t to)
{
    unsigned lane = lane_of();
    uint32_t number = (uint32_t)b->number;
    for (uint64_t first = from; first < to; first += AHEAD * TRIANGLE_THREADS) {
        uint32_t other[AHEAD];
        unsigned kept[AHEAD], count = 0, at = 0;
        for (unsigned k = 0; k < AHEAD; k++) {
            uint64_t i = first + k * TRIANGLE_THREADS + threadIdx.x;
            other[k] = i < to ? g->targets[i] : UINT32_MAX;
        }
        for (unsigned k = 0; k < AHEAD; k++)
            if (other[k] != UINT32_MAX) other[k] = g->number[other[k]];
        for (unsigned k = 0; k < AHEAD; k++) {
            kept[k] = __ballot_sync(ALL_LANES, other[k] < number);
            count += __popc(kept[k]);
        }
        if (lane == 0 && count) at = atomicAdd(&b->members, count);
        at = __shfl_sync(ALL_LANES, at, 0);
        for (unsigned k = 0; k < AHEAD; k++) {
            if (kept[k] >> lane & 1) {
                g->members[from + at + before_lane(kept[k], lane)] = other[k];
                if (other[k] < TRIANGLE_WINDOW)
                    atomicOr(&b->bits[other[k] / TRIANGLE_BITS], 1u << other[k] % TRIANGLE_BITS);
            }
            at += __popc(kept[k]);
        }
    }
}

/* Turns bits into packed words, in order, and clears them. Each warp processes a part. Returns how many words there
 * are. */
static __device__ uint32_t pack_bits(const triangle_graph *g, sharing_block *b, uint64_t start)
{
    unsigned lane = lane_of(), warp = warp_of();
    uint64_t places = b->number / TRIANGLE_BITS + 1;
    unsigned used = places < TRIANGLE_PLACES ? (unsigned)places : TRIANGLE_PLACES;
    unsigned part = (used + TRIANGLE_THREADS - 1) / TRIANGLE_THREADS * 32, begin = warp * part, words = 0, at = 0;
    for (unsigned place = begin + lane; place < begin + part; place += 32)
        words += __popc(__ballot_sync(ALL_LANES, b->bits[place] != 0));
    if (lane == 0) b->words[warp] = words;
    __syncthreads();
    words = 0;
    for (unsigned other = 0; other < TRIANGLE_WARPS; other++) {
        if (other == warp) at = words;
        words += b->words[other];
    }
    for (unsigned place = begin + lane; place < begin + part; place += 32) {
        uint32_t bits = b->bits[place];
        unsigned votes = __ballot_sync(ALL_LANES, bits != 0);
        if (bits) {
            g->packed[start + at + before_lane(votes, lane)] = place << TRIANGLE_BITS | bits;
            b->bits[place] = 0;
        }
        at += __popc(votes);
    }
    return words;
}

static __global__ void __launch_bounds__(TRIANGLE_THREADS) write_sharing_lists(triangle_graph g)
{
    __shared__ sharing_block b;
    for (unsigned place = threadIdx.x; place < TRIANGLE_PLACES; place += TRIANGLE_THREADS) b.bits[place] = 0;
    uint64_t end = g.notes->sharing;
    for (;;) {
        if (threadIdx.x == 0) {
            b.number = atomicAdd(&g.notes->ticket[1], 1ull);
            b.members = 0;
        }
        __syncthreads();
        uint64_t number = b.number;
        if (number >= end) return;
        uint32_t id = g.id[number];
        uint64_t from = g.offsets[id], to = g.offsets[(uint64_t)id + 1];
        if (number > 0) gather_list(&g, &b, from, to); /* 0 has no list, and may have a very long row */
        __syncthreads();
        uint32_t packed = pack_bits(&g, &b, from);
        triangle_list list = {from, packed, b.members};
        if (threadIdx.x == 0) g.list[number] = list;
        __syncthreads();
    }
}

/* ---- launches ---- */

static unsigned blocks_of(uint64_t threads)
{
    return (unsigned)((threads + TRIANGLE_THREADS - 1) / TRIANGLE_THREADS);
}

cudaError_t triangles_launch_keys(const triangle_graph *g, uint32_t *keys, uint32_t *ids, cudaStream_t stream)
{
    cudaGetLastError(); /* clear an earlier call's error, which would be reported as the launch's */
    make_keys<<<blocks_of(g->n), TRIANGLE_THREADS, 0, stream>>>(*g, keys, ids);
    return cudaGetLastError();
}

cudaError_t triangles_launch_numbers(const triangle_graph *g, const uint32_t *keys, cudaStream_t stream)
{
    cudaGetLastError(); /* clear an earlier call's error, which would be reported as the launch's */
    make_numbers<<<blocks_of(g->n), TRIANGLE_THREADS, 0, stream>>>(*g, keys);
    return cudaGetLastError();
}

cudaError_t triangles_launch_lists(const triangle_graph *g, cudaStream_t stream)
{
    cudaError_t error = launch_at_once(write_sharing_lists, g, stream);
    return error != cudaSuccess ? error : launch_at_once(write_lists, g, stream);
}
