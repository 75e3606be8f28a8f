/* batch/batch_wide_kernels.h - the wide counts of a batch (batch/batch_count.h), one thread per index. Included by
 * batch.cu. */
#include "batch_count.h"

PORT_FN void gpu_count(const batch_ref *b, uint32_t op)
{
    enum { WALK_AT_MOST = 64 };
    if (!batch_count_walk(b, op, WALK_AT_MOST)) b->edit_node[atomicAdd(&b->sizes->wide, 1)] = op;
}

PORT_FN batch_counting counting_of(const wide_on_gpu &w)
{
    batch_counting c;
    for (unsigned s = 0; s < 2; s++) {
        c.place[s] = w.place[s];
        c.change[s] = w.change[s];
    }
    c.zeros = w.zeros;
    c.zero_sum = w.zero_sum;
    c.before = NULL; /* rank_of computes ranks instead */
    return c;
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    wide_start_kernel(const __grid_constant__ batch_ref b, const __grid_constant__ wide_on_gpu w)
{
    EACH(op, b.sizes->ops) {
        w.place[0][op] = batch_place(&b, op);
        w.change[0][op] = batch_change_of(&b, op);
    }
    EACH(i, w.n) ((batch_wide *)w.wide)[i] = batch_wide_start(&b, b.edit_node[i]);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    wide_step_kernel(const __grid_constant__ batch_ref b, const __grid_constant__ wide_on_gpu w, unsigned bit)
{
    batch_counting c = counting_of(w);
    EACH(i, w.n) batch_wide_step(&b, &c, &((batch_wide *)w.wide)[i], bit);
}

/* Returns how many keys of the old map are below a key or, if `with` is set, at or below it: those of the leaves before
 * the last one that begins at or below the key, and those in that leaf. Leaves without a key are not in the array. */
PORT_FN uint64_t rank_of(const batch_ref *b, const wide_on_gpu &w, map_key key, bool with)
{
    const map_key *first = (const map_key *)w.first_keys;
    uint32_t low = 0, high = w.leaves;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (first[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return 0;
    node_image image;
    const map_node *leaf = node_at(b->map, w.leaf_ids[low - 1]);
    unsigned count = header_count(header_load(leaf));
    node_read(leaf, &image);
    unsigned rank = image_rank(&image, count, key);
    return w.before[low - 1] + rank + (with && rank < count && image_pair(&image, rank).key == key);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    wide_end_kernel(const __grid_constant__ batch_ref b, const __grid_constant__ wide_on_gpu w)
{
    EACH(i, w.n) {
        batch_wide wide = ((const batch_wide *)w.wide)[i];
        uint32_t place = batch_place(&b, wide.op);
        uint64_t below = rank_of(&b, w, b.op_key[wide.op], false);
        uint64_t up_to = rank_of(&b, w, ((const map_key *)b.r.values)[place], true);
        if (b.r.counts) b.r.counts[place] = up_to - below + (uint64_t)wide.sum;
    }
}

/* Bit by bit, partitions the operations; each count continues in one part. */
static cudaError_t launch_wide(const batch_on_gpu *g, const wide_on_gpu *wide, uint32_t ops, cudaStream_t stream)
{
    wide_on_gpu w = *wide;
    laid_out l = lay_out(g);
    const batch_ref &b = l.b;
    unsigned bits = 1, blocks = grid_for(ops + 1), some = grid_for(w.n);
    cudaGetLastError();
    wide_start_kernel<<<grid_for(ops > w.n ? ops : w.n), BLOCK_THREADS, 0, stream>>>(b, w);
    while (bits < BATCH_PLACE_BITS && g->r.n >> bits) bits++;
    while (bits-- > 0) {
        zeros_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(w, ops, bits);
        size_t bytes = w.scan_bytes;
        cudaError_t error = sort_cuda_scan(w.scan_scratch, &bytes, w.packed, w.packed, (size_t)ops + 1, stream);
        if (error != cudaSuccess) return error;
        divide_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(w, ops, bits);
        wide_step_kernel<<<some, BLOCK_THREADS, 0, stream>>>(b, w, bits);
        uint32_t *place = w.place[0];
        int8_t *change = w.change[0];
        w.place[0] = w.place[1];
        w.place[1] = place;
        w.change[0] = w.change[1];
        w.change[1] = change;
    }
    wide_end_kernel<<<some, BLOCK_THREADS, 0, stream>>>(b, w);
    return cudaGetLastError();
}
