/* exec/cuda/blink_whole_kernels.h - kernels over all nodes of a map, or all pairs: build, count, list, copy. Included
 * by blink_cuda.cu, once per key width. Maps with versions use them too. */
#include "../../core/blink/blink_build.h"
#include "../../core/blink/blink_shape.h"

#ifndef PLEACH_WHOLE_KERNELS
#define PLEACH_WHOLE_KERNELS
/* Which nodes hold the map's pairs, and which are kept for those who may still look at them: zombies, or old images. */
#ifdef BLINK_SKIPLIST
PORT_FN bool header_is_kept(uint64_t header) { return header != 0 && chunk_state(header) == CHUNK_ZOMBIE; }
PORT_FN bool header_is_leaf(uint64_t header)
{
    return header != 0 && chunk_level(header) == 0 && !header_is_kept(header);
}
#else
PORT_FN bool header_is_kept(uint64_t header) { return header != 0 && header_level(header) == NODE_OLD_IMAGE; }
PORT_FN bool header_is_leaf(uint64_t header) { return header != 0 && header_level(header) == 0; }
#endif
#endif

#ifndef BLINK_SKIPLIST
/* The leaf that covers a key, or one to the left of it where others are splitting. */
PORT_FN uint32_t W(leaf_near)(W(blink) map, W(key) key)
{
    W(cursor) cursor;
    W(cursor_start)(map, &cursor, key);
    while (cursor.level > 0) W(cursor_descend)(map, &cursor);
    return cursor.node;
}

/* Looks at keys here and there: do most of them go to the same leaf as their neighbours, or are many of them one? */
static __global__ void __launch_bounds__(CROWD_SAMPLES)
    W(order_kernel)(const __grid_constant__ blink_on_gpu gpu, const W(key) *keys, size_t n, update_notes *notes)
{
    __shared__ key_tally tally;
    bool same = false;
    tally_clear(&tally);
    if (threadIdx.x < ORDER_SAMPLES) {
        W(blink) map = W(map_of)(gpu);
        size_t i = (n - 2) * threadIdx.x / (ORDER_SAMPLES - 1);
        same = W(leaf_near)(map, keys[i]) == W(leaf_near)(map, keys[i + 1]);
    }
    int neighbours = __syncthreads_count(same);
    uint64_t key = keys[(n - 1) * threadIdx.x / (CROWD_SAMPLES - 1)];
    int crowd = __syncthreads_or(tally_count(&tally, key) >= CROWD);
    if (threadIdx.x == 0 && (neighbours > ORDER_SAMPLES / 2 || crowd)) notes->declined = 1;
}
#endif

/* A lane per slot: neighbouring lanes read neighbouring keys and write neighbouring slots. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    W(build_kernel)(build_plan plan, void *nodes, const W(key) *keys,
                                                                 const W(key) *values, uint32_t level)
{
    uint64_t lane = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    uint64_t index = lane / NODE_SLOTS;
    if (index < plan.count[level]) W(build_slot)(&plan, nodes, keys, values, level, index, lane % NODE_SLOTS);
}

#ifndef BLINK_SKIPLIST /* the others serve maps of both kinds */
static __global__ void W(ascending_kernel)(const W(key) *keys, size_t n, uint64_t *flag)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x + 1;
    if (i < n && keys[i - 1] >= keys[i]) port_store(flag, 1);
}

static __global__ void W(mark_last_kernel)(const W(key) *keys, size_t n, uint8_t *keep)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < n) keep[i] = i + 1 == n || keys[i] != keys[i + 1];
}
#endif

static __global__ void W(count_kernel)(blink_on_gpu gpu, uint64_t used, blink_counts *counts)
{
    uint64_t id = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x + 1;
    uint64_t header = 0;
    if (id < used) header = W(header_load)((W(node) *)pool_address(gpu.nodes, (uint32_t)id, sizeof(W(node))));
    bool leaf = header_is_leaf(header), image = header_is_kept(header);
    unsigned mine = leaf ? header_count(header) : 0;
    uint64_t keys = 0; /* the block's, bit by bit */
    for (unsigned bit = 0; bit < 5; bit++) keys += (uint64_t)__syncthreads_count(mine >> bit & 1) << bit;
    int leaves = __syncthreads_count(leaf), empty = __syncthreads_count(leaf && header_count(header) == 0);
    int images = __syncthreads_count(image), inner = __syncthreads_count(header != 0 && !leaf && !image);
    if (threadIdx.x != 0) return;
    port_fetch_add(&counts->keys, keys);
    port_fetch_add(&counts->leaves, (uint64_t)leaves);
    port_fetch_add(&counts->empty_leaves, (uint64_t)empty);
    port_fetch_add(&counts->inner, (uint64_t)inner);
    if (images) port_fetch_add(&counts->images, (uint64_t)images);
}

/* Apart from counting, which export and compact need too, and which reads headers only. */
static __global__ void W(shape_kernel)(blink_on_gpu gpu, uint64_t used, blink_counts *counts)
{
    uint64_t id = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x + 1, header = 0, shape = 0;
    const W(node) *node = (const W(node) *)pool_address(gpu.nodes, (uint32_t)id, sizeof(W(node)));
    if (id < used) header = W(header_load)(node);
    if (header != 0 && !header_is_kept(header)) shape = W(node_shape)(node);
    for (unsigned by = 16; by > 0; by /= 2) shape += __shfl_xor_sync(0xffffffffu, shape, by);
    if ((threadIdx.x & 31) == 0 && shape) port_fetch_add(&counts->shape, shape);
}

#ifdef BLINK_SKIPLIST
/* The pairs of a leaf are in no order. */
PORT_FN W(key) W(first_key)(const W(node) *leaf, unsigned count)
{
    W(key) first = W(pair_load)(leaf, 0).key;
    for (unsigned i = 1; i < count; i++) {
        W(key) key = W(pair_load)(leaf, i).key;
        if (key < first) first = key;
    }
    return first;
}

PORT_FN unsigned W(place_in_leaf)(const W(node) *leaf, unsigned count, unsigned slot, W(key) key)
{
    (void)slot;
    return W(slots_rank)(leaf, count, key);
}
#else
PORT_FN W(key) W(first_key)(const W(node) *leaf, unsigned count) { return (void)count, W(pair_load)(leaf, 0).key; }

PORT_FN unsigned W(place_in_leaf)(const W(node) *leaf, unsigned count, unsigned slot, W(key) key)
{
    (void)leaf, (void)count, (void)key;
    return slot;
}
#endif

static __global__ void W(list_kernel)(blink_on_gpu gpu, uint64_t used, W(key) *first_keys, uint32_t *ids,
                                      uint64_t *listed)
{
    uint64_t id = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x + 1;
    if (id >= used) return;
    const W(node) *node = (const W(node) *)pool_address(gpu.nodes, (uint32_t)id, sizeof(W(node)));
    uint64_t header = W(header_load)(node);
    if (!header_is_leaf(header) || header_count(header) == 0) return;
    uint64_t place = port_fetch_add(listed, 1);
    first_keys[place] = W(first_key)(node, header_count(header));
    ids[place] = (uint32_t)id;
}

static __global__ void W(leaf_counts_kernel)(blink_on_gpu gpu, const uint32_t *ids, size_t leaves, uint64_t *counts)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= leaves) return;
    counts[i] = header_count(W(header_load)((W(node) *)pool_address(gpu.nodes, ids[i], sizeof(W(node)))));
}

/* A lane per slot, so that neighbouring lanes write neighbouring places. */
static __global__ void W(gather_kernel)(blink_on_gpu gpu, const uint32_t *ids, size_t leaves, const uint64_t *offsets,
                                 W(key) *out_keys, W(key) *out_values)
{
    size_t lane = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    size_t i = lane / NODE_SLOTS;
    unsigned slot = lane % NODE_SLOTS;
    if (i >= leaves) return;
    const W(node) *node = (const W(node) *)pool_address(gpu.nodes, ids[i], sizeof(W(node)));
    unsigned count = header_count(W(header_load)(node));
    if (slot >= count) return;
    W(pair) pair = W(pair_load)(node, slot);
    uint64_t place = offsets[i] + W(place_in_leaf)(node, count, slot, pair.key);
    W(set_key)(out_keys, place, pair.key);
    W(set_key)(out_values, place, pair.value);
}

#ifndef BLINK_SKIPLIST
static __global__ void W(move_kernel)(const W(key) *from, W(key) *to, const uint64_t *from_offsets,
                                      const uint64_t *to_offsets,
                               const uint64_t *counts, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= n) return;
    for (uint64_t k = 0; k < counts[i]; k++) to[to_offsets[i] + k] = from[from_offsets[i] + k];
}
#endif
