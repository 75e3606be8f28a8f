/* blink/blink_bulk_kernels.h - kernels over all nodes, or all pairs, of a map: build, count, list, copy. Included by
 * blink.cu. Maps with versions use them too. */
#include "blink_build.h"
#include "blink_shape.h"

enum { LEAVES_AT_ONCE = 4, LEAVES_IN_BLOCK = LEAVES_AT_ONCE * BLOCK_THREADS / NODE_SLOTS };
enum { KEYS_AT_ONCE = 16, NODES_AT_ONCE = 4, MOVE_LANES = 8 };

/* Adds the sum of the block's values to *sum in one addition. Called by all threads of the block. */
PORT_FN void block_add(uint64_t *sum, unsigned mine)
{
    __shared__ unsigned parts[BLOCK_THREADS / 32];
    for (unsigned by = 16; by > 0; by /= 2) mine += __shfl_xor_sync(~0u, mine, by);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        uint64_t all = 0;
        for (unsigned i = 0; i < BLOCK_THREADS / 32; i++) all += parts[i];
        if (all) port_fetch_add(sum, all);
    }
    __syncthreads(); /* before the parts are reused */
}

/* Which nodes hold the map's pairs, and which are kept for their remaining readers: zombies, or old versions. */
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

#ifndef BLINK_SKIPLIST
/* Returns the leaf that covers a key, or one to its left if that is being split concurrently. */
PORT_FN uint32_t leaf_near(map_thread map, map_key key)
{
    level_cursor cursor;
    cursor_start(map, &cursor, key);
    while (cursor.level > 0) cursor_descend(map, &cursor);
    return cursor.node;
}

/* Samples keys: declines if most of them go to the same leaf as their neighbours, or if many of them are equal. */
static __global__ void __launch_bounds__(CROWD_SAMPLES)
    order_kernel(const __grid_constant__ map_ref ref, const map_key *keys, size_t n, update_notes *notes)
{
    __shared__ key_tally tally;
    bool same = false;
    tally_clear(&tally);
    if (threadIdx.x < ORDER_SAMPLES) {
        map_thread map = map_thread_of(&ref, blockIdx.x);
        size_t i = (n - 2) * threadIdx.x / (ORDER_SAMPLES - 1);
        same = leaf_near(map, keys[i]) == leaf_near(map, keys[i + 1]);
    }
    int neighbours = __syncthreads_count(same);
    uint64_t key = keys[(n - 1) * threadIdx.x / (CROWD_SAMPLES - 1)];
    int crowd = __syncthreads_or(tally_count(&tally, key) >= CROWD);
    if (threadIdx.x == 0 && (neighbours > ORDER_SAMPLES / 2 || crowd)) notes->declined = 1;
}
#endif

/* Returns a header as the pair of the slot in which it is stored. */
PORT_FN map_pair header_slot(uint64_t header)
{
#if PLEACH_KEY_BITS == 32
    return pair_of((map_key)header, (map_key)(header >> 32));
#else
    return pair_of(header, 0);
#endif
}

/* Returns slot `slot` of a leaf, including header and link. A link's key is the first key of the next leaf, which
 * follows this leaf's last key in the array, so all lanes load in the same way. Other slots load no value. */
PORT_FN map_pair leaf_slot(const build_plan *plan, const map_key *keys, const map_key *values, uint32_t leaf,
                           unsigned slot)
{
    const uint64_t first = (uint64_t)leaf * plan->per_leaf, left = plan->keys - first;
    const unsigned count = left < plan->per_leaf ? (unsigned)left : plan->per_leaf;
    const bool own = slot < count, last = left <= plan->per_leaf;
    map_pair pair = pair_of(0, 0);
    if (own || !last) pair.key = keys[first + (own ? slot : count)];
    if (own) pair.value = values[first + slot];
    if (!own && !last) pair.value = (map_key)(build_id(plan, 0, (uint64_t)leaf + 1) | NODE_LINK);
    if (slot == NODE_HEADER_SLOT) pair = header_slot(header_first(build_bits(0), count));
    return pair;
}

/* Builds the leaves, which are nearly all nodes of a map. One lane per slot, so that neighbouring lanes read
 * neighbouring keys and write neighbouring slots. Each lane writes several leaves, to keep enough loads in flight. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    leaves_kernel(const __grid_constant__ build_plan plan, void *nodes, const map_key *keys, const map_key *values)
{
    const unsigned slot = threadIdx.x % NODE_SLOTS;
    const uint64_t first = (uint64_t)blockIdx.x * LEAVES_IN_BLOCK + threadIdx.x / NODE_SLOTS;
    map_pair pair[LEAVES_AT_ONCE];
    PORT_UNROLL for (unsigned i = 0; i < LEAVES_AT_ONCE; i++) {
        const uint64_t leaf = first + i * (BLOCK_THREADS / NODE_SLOTS);
        if (leaf < plan.count[0]) pair[i] = leaf_slot(&plan, keys, values, (uint32_t)leaf, slot);
    }
    PORT_UNROLL for (unsigned i = 0; i < LEAVES_AT_ONCE; i++) {
        const uint64_t leaf = first + i * (BLOCK_THREADS / NODE_SLOTS);
        map_node *node = (map_node *)pool_address(nodes, build_id(&plan, 0, leaf), sizeof(map_node));
        if (leaf < plan.count[0]) pair_store(node, slot, pair[i]);
    }
}

/* Builds a level above the leaves, one lane per slot. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    build_kernel(const __grid_constant__ build_plan plan, void *nodes, const map_key *keys, const map_key *values,
                 uint32_t level)
{
    uint64_t lane = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    uint64_t index = lane / NODE_SLOTS;
    if (index < plan.count[level]) build_slot(&plan, nodes, keys, values, level, index, lane % NODE_SLOTS);
}

#ifndef BLINK_SKIPLIST /* these kernels serve maps of both kinds */
/* Several keys per lane, to have enough loads in flight to saturate memory. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    ascending_kernel(const map_key *keys, size_t n, uint64_t *flag)
{
    const size_t first = (size_t)blockIdx.x * BLOCK_THREADS * KEYS_AT_ONCE + threadIdx.x + 1;
    bool ascending = true;
    PORT_UNROLL for (unsigned k = 0; k < KEYS_AT_ONCE; k++) {
        const size_t i = first + k * BLOCK_THREADS;
        if (i < n) ascending &= keys[i - 1] < keys[i];
    }
    if (!ascending) port_store(flag, 1);
}

static __global__ void mark_last_kernel(const map_key *keys, size_t n, uint8_t *keep)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < n) keep[i] = i + 1 == n || keys[i] != keys[i + 1];
}
#endif

/* Loads the headers of NODES_AT_ONCE nodes, from `first` on at distance `apart`, all in flight together; 0 if none. */
PORT_FN void headers_load(const map_ref &ref, uint64_t first, unsigned apart, uint64_t used, uint64_t *headers)
{
    PORT_UNROLL for (unsigned i = 0; i < NODES_AT_ONCE; i++) {
        const uint64_t id = first + i * apart;
        headers[i] = 0;
        if (id < used) headers[i] = header_load((map_node *)pool_address(ref.nodes, (uint32_t)id, sizeof(map_node)));
    }
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    count_kernel(const __grid_constant__ map_ref ref, uint64_t used, blink_counts *counts)
{
    uint64_t headers[NODES_AT_ONCE];
    unsigned keys = 0, leaves = 0, empty = 0, images = 0, inner = 0;
    headers_load(ref, (uint64_t)blockIdx.x * BLOCK_THREADS * NODES_AT_ONCE + threadIdx.x + 1, BLOCK_THREADS, used,
                 headers);
    PORT_UNROLL for (unsigned i = 0; i < NODES_AT_ONCE; i++) {
        const bool leaf = header_is_leaf(headers[i]), image = header_is_kept(headers[i]);
        if (leaf) keys += header_count(headers[i]);
        leaves += leaf;
        empty += leaf && header_count(headers[i]) == 0;
        images += image;
        inner += headers[i] != 0 && !leaf && !image;
    }
    block_add(&counts->keys, keys);
    block_add(&counts->leaves, leaves);
    block_add(&counts->empty_leaves, empty);
    block_add(&counts->inner, inner);
    block_add(&counts->images, images);
}

/* Separate from counting, which export and compact need too, and which reads only headers. */
static __global__ void shape_kernel(map_ref ref, uint64_t used, blink_counts *counts)
{
    uint64_t id = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x + 1, header = 0, shape = 0;
    const map_node *node = (const map_node *)pool_address(ref.nodes, (uint32_t)id, sizeof(map_node));
    if (id < used) header = header_load(node);
    if (header != 0 && !header_is_kept(header)) shape = node_shape(node);
    for (unsigned by = 16; by > 0; by /= 2) shape += __shfl_xor_sync(0xffffffffu, shape, by);
    if ((threadIdx.x & 31) == 0 && shape) port_fetch_add(&counts->shape, shape);
}

#ifdef BLINK_SKIPLIST
/* The pairs of a leaf are unordered. */
PORT_FN map_key first_key(const map_node *leaf, unsigned count)
{
    map_key first = pair_load(leaf, 0).key;
    for (unsigned i = 1; i < count; i++) {
        map_key key = pair_load(leaf, i).key;
        if (key < first) first = key;
    }
    return first;
}

PORT_FN unsigned place_in_leaf(const map_node *leaf, unsigned count, unsigned slot, map_key key)
{
    (void)slot;
    return slots_rank(leaf, count, key);
}
#else
PORT_FN map_key first_key(const map_node *leaf, unsigned count) { return (void)count, pair_load(leaf, 0).key; }

PORT_FN unsigned place_in_leaf(const map_node *leaf, unsigned count, unsigned slot, map_key key)
{
    (void)leaf, (void)count, (void)key;
    return slot;
}
#endif

/* Each warp reserves its places in the list with one addition, because all warps contend for one word. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    list_kernel(const __grid_constant__ map_ref ref, uint64_t used, map_key *first_keys, uint32_t *ids,
                uint64_t *listed)
{
    const unsigned lane = threadIdx.x % 32;
    const uint64_t first = (uint64_t)blockIdx.x * BLOCK_THREADS * NODES_AT_ONCE + threadIdx.x + 1;
    uint64_t headers[NODES_AT_ONCE], place = 0;
    unsigned wanted[NODES_AT_ONCE], all = 0;
    headers_load(ref, first, BLOCK_THREADS, used, headers);
    PORT_UNROLL for (unsigned i = 0; i < NODES_AT_ONCE; i++) {
        wanted[i] = __ballot_sync(~0u, header_is_leaf(headers[i]) && header_count(headers[i]) > 0);
        all += __popc(wanted[i]);
    }
    if (lane == 0 && all) place = port_fetch_add(listed, all);
    place = __shfl_sync(~0u, place, 0);
    PORT_UNROLL for (unsigned i = 0; i < NODES_AT_ONCE; i++) {
        const uint32_t id = (uint32_t)(first + i * BLOCK_THREADS);
        if (wanted[i] >> lane & 1) {
            const uint64_t at = place + __popc(wanted[i] & ((1u << lane) - 1));
            const map_node *node = (const map_node *)pool_address(ref.nodes, id, sizeof(map_node));
            first_keys[at] = first_key(node, header_count(headers[i]));
            ids[at] = id;
        }
        place += __popc(wanted[i]);
    }
}

static __global__ void leaf_counts_kernel(map_ref ref, const uint32_t *ids, size_t leaves, uint64_t *counts)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= leaves) return;
    counts[i] = header_count(header_load((map_node *)pool_address(ref.nodes, ids[i], sizeof(map_node))));
}

/* One lane per slot, so that neighbouring lanes write neighbouring places; several leaves per lane, to have enough
 * loads in flight to saturate memory. A slot is loaded before it is known whether it holds a pair. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    gather_kernel(const __grid_constant__ map_ref ref, const uint32_t *ids, size_t leaves,
                  const uint64_t *offsets, map_key *out_keys, map_key *out_values)
{
    const unsigned slot = threadIdx.x % NODE_SLOTS, apart = BLOCK_THREADS / NODE_SLOTS;
    const size_t first = (size_t)blockIdx.x * LEAVES_IN_BLOCK + threadIdx.x / NODE_SLOTS;
    const map_node *node[LEAVES_AT_ONCE];
    uint64_t header[LEAVES_AT_ONCE], offset[LEAVES_AT_ONCE];
    map_pair pair[LEAVES_AT_ONCE];
    PORT_UNROLL for (unsigned i = 0; i < LEAVES_AT_ONCE; i++) {
        const size_t leaf = first + i * apart;
        node[i] = (const map_node *)pool_address(ref.nodes, leaf < leaves ? ids[leaf] : NODE_NONE, sizeof(map_node));
        offset[i] = leaf < leaves ? offsets[leaf] : 0;
    }
    PORT_UNROLL for (unsigned i = 0; i < LEAVES_AT_ONCE; i++) {
        header[i] = 0;
        if (first + i * apart >= leaves) continue;
        header[i] = header_load(node[i]);
        pair[i] = pair_load(node[i], slot);
    }
    PORT_UNROLL for (unsigned i = 0; i < LEAVES_AT_ONCE; i++) {
        const unsigned count = header_count(header[i]);
        if (slot >= count) continue;
        const uint64_t place = offset[i] + place_in_leaf(node[i], count, slot, pair[i].key);
        set_key(out_keys, place, pair[i].key);
        set_key(out_values, place, pair[i].value);
    }
}

#ifndef BLINK_SKIPLIST
static __global__ void move_kernel(const map_key *from, map_key *to, const uint64_t *from_offsets,
                                   const uint64_t *to_offsets, const uint64_t *counts, size_t n)
{
    size_t i = ((size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) / MOVE_LANES;
    if (i >= n) return;
    for (uint64_t k = threadIdx.x % MOVE_LANES; k < counts[i]; k += MOVE_LANES)
        to[to_offsets[i] + k] = from[from_offsets[i] + k];
}
#endif

/* ---- launching ---- */

static cudaError_t build_one_level(map_ref map, const build_plan *plan, const void *keys, const void *values,
                                   uint32_t level, cudaStream_t stream)
{
    const map_key *from_keys = (const map_key *)keys, *from_values = (const map_key *)values;
    if (level == 0)
        LAUNCH(leaves_kernel, (plan->count[0] + LEAVES_AT_ONCE - 1) / LEAVES_AT_ONCE * NODE_SLOTS, *plan, map.nodes,
               from_keys, from_values);
    LAUNCH(build_kernel, plan->count[level] * NODE_SLOTS, *plan, map.nodes, from_keys, from_values, level);
}

static cudaError_t build_levels(map_ref map, const build_plan *plan, const void *keys, const void *values,
                                cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (uint32_t level = 0; level < plan->levels && error == cudaSuccess; level++)
        error = build_one_level(map, plan, keys, values, level, stream);
    return error;
}

static cudaError_t count_nodes(map_ref map, uint64_t used, blink_counts *counts, cudaStream_t stream)
{
    LAUNCH(count_kernel, (used + NODES_AT_ONCE - 2) / NODES_AT_ONCE, map, used, counts);
}

static cudaError_t add_shapes(map_ref map, uint64_t used, blink_counts *counts, cudaStream_t stream)
{
    LAUNCH(shape_kernel, used - 1, map, used, counts);
}

static cudaError_t list_leaves(map_ref map, uint64_t used, void *first_keys, uint32_t *ids, uint64_t *listed,
                               cudaStream_t stream)
{
    LAUNCH(list_kernel, (used + NODES_AT_ONCE - 2) / NODES_AT_ONCE, map, used, (map_key *)first_keys, ids, listed);
}

static cudaError_t leaf_counts(map_ref map, const uint32_t *ids, size_t leaves, uint64_t *counts,
                               cudaStream_t stream)
{
    LAUNCH(leaf_counts_kernel, leaves, map, ids, leaves, counts);
}

static cudaError_t gather(map_ref map, const uint32_t *ids, size_t leaves, const uint64_t *offsets,
                          void *out_keys, void *out_values, cudaStream_t stream)
{
    LAUNCH(gather_kernel, (leaves + LEAVES_AT_ONCE - 1) / LEAVES_AT_ONCE * NODE_SLOTS, map, ids, leaves, offsets,
           (map_key *)out_keys, (map_key *)out_values);
}
