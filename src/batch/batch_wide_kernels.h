/* batch/batch_wide_kernels.h - counts of a batch that are too wide to be walked (batch/batch_count.h), a thread an
 * index. Included by batch.cu, once per key width. */
#include "batch_count.h"

PORT_FN void W(gpu_count)(const W(batch) *b, uint32_t op)
{
    enum { WALK_AT_MOST = 64 };
    if (!W(batch_count_walk)(b, op, WALK_AT_MOST)) b->edit_node[atomicAdd(&b->sizes->wide, 1)] = op;
}

PORT_FN W(batch_counting) W(counting_of)(const wide_on_gpu &w)
{
    W(batch_counting) c;
    for (unsigned s = 0; s < 2; s++) {
        c.place[s] = w.place[s];
        c.change[s] = w.change[s];
    }
    c.zeros = w.zeros;
    c.zero_sum = w.zero_sum;
    c.before = NULL; /* ranks are found otherwise */
    return c;
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    W(wide_start_kernel)(const __grid_constant__ W(batch) b, const __grid_constant__ wide_on_gpu w)
{
    EACH(op, b.sizes->ops) {
        w.place[0][op] = W(batch_place)(&b, op);
        w.change[0][op] = W(batch_change_of)(&b, op);
    }
    EACH(i, w.n) ((W(batch_wide) *)w.wide)[i] = W(batch_wide_start)(&b, b.edit_node[i]);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    W(wide_step_kernel)(const __grid_constant__ W(batch) b, const __grid_constant__ wide_on_gpu w, unsigned bit)
{
    W(batch_counting) c = W(counting_of)(w);
    EACH(i, w.n) W(batch_wide_step)(&b, &c, &((W(batch_wide) *)w.wide)[i], bit);
}

/* Keys of the old map below a key, or up to it: those of the leaves before the last one that begins at or below it, and
 * those in that leaf. Leaves without a key are not among them. */
PORT_FN uint64_t W(rank_of)(const W(batch) *b, const wide_on_gpu &w, W(key) key, bool with)
{
    const W(key) *first = (const W(key) *)w.first_keys;
    uint32_t low = 0, high = w.leaves;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (first[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return 0;
    W(image) image;
    const W(node) *leaf = W(node_at)(b->map, w.leaf_ids[low - 1]);
    unsigned count = header_count(W(header_load)(leaf));
    W(node_read)(leaf, &image);
    unsigned rank = W(image_rank)(&image, count, key);
    return w.before[low - 1] + rank + (with && rank < count && W(image_pair)(&image, rank).key == key);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    W(wide_end_kernel)(const __grid_constant__ W(batch) b, const __grid_constant__ wide_on_gpu w)
{
    EACH(i, w.n) {
        W(batch_wide) wide = ((const W(batch_wide) *)w.wide)[i];
        uint32_t place = W(batch_place)(&b, wide.op);
        uint64_t below = W(rank_of)(&b, w, b.op_key[wide.op], false);
        uint64_t up_to = W(rank_of)(&b, w, ((const W(key) *)b.r.values)[place], true);
        if (b.r.counts) b.r.counts[place] = up_to - below + (uint64_t)wide.sum;
    }
}

/* Bit by bit: the operations are divided, and each count goes on in one part. */
static cudaError_t W(launch_wide)(const batch_on_gpu *g, const wide_on_gpu *wide, uint32_t ops, cudaStream_t stream)
{
    wide_on_gpu w = *wide;
    W(laid_out) l = W(lay_out)(g);
    const W(batch) &b = l.b;
    unsigned bits = 1, blocks = grid_for(ops + 1), some = grid_for(w.n);
    cudaGetLastError();
    W(wide_start_kernel)<<<grid_for(ops > w.n ? ops : w.n), BLOCK_THREADS, 0, stream>>>(b, w);
    while (bits < BATCH_PLACE_BITS && g->r.n >> bits) bits++;
    while (bits-- > 0) {
        zeros_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(w, ops, bits);
        size_t bytes = w.scan_bytes;
        cudaError_t error = sort_cuda_scan(w.scan_scratch, &bytes, w.packed, w.packed, (size_t)ops + 1, stream);
        if (error != cudaSuccess) return error;
        divide_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(w, ops, bits);
        W(wide_step_kernel)<<<some, BLOCK_THREADS, 0, stream>>>(b, w, bits);
        uint32_t *place = w.place[0];
        int8_t *change = w.change[0];
        w.place[0] = w.place[1];
        w.place[1] = place;
        w.change[0] = w.change[1];
        w.change[1] = change;
    }
    W(wide_end_kernel)<<<some, BLOCK_THREADS, 0, stream>>>(b, w);
    return cudaGetLastError();
}
