/* batch/batch_live_kernels.h - retries the queries of a batch that have given up (batch/batch_query.h), and builds the
 * structure by which they skip keys (batch/batch_live.h), one thread per index. Included by batch_kernels.h. */

/* Tired queries are recorded downwards from the end of the array that has wide counts at its front. Those that are
 * still tired after the second try are recorded in another array, which is not yet in use. */
PORT_FN uint32_t *tired_first(const batch_ref *b) { return b->edit_node + b->edit_room - 1; }

PORT_FN void note_effort(const batch_ref *b, batch_effort effort)
{
    if (effort.steps <= BATCH_PATIENCE) return;
    atomicAdd((unsigned long long *)&b->sizes->steps, (unsigned long long)effort.steps);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    again_kernel(const __grid_constant__ batch_ref b, uint32_t n, bool second)
{
    EACH(i, n) {
        uint32_t op = second ? b.run_first[i] : *(tired_first(&b) - i);
        batch_effort effort = batch_query(&b, op);
        note_effort(&b, effort);
        if (effort.tired) b.run_first[atomicAdd(&b.sizes->tired, 1)] = op;
    }
}

#define HAD_OF(b, level, i) batch_had(b, i)
#define STORE_HAD(b, level, i, sum) batch_store_had(b, i, sum)
DEFINE_SCAN(had, uint32_t, scan_block_adds, scan_add, HAD_OF, HAD_OF, STORE_HAD, NO_FINISH)
#define FIRST_GAPS(b, level, i) batch_find_gaps(b, i)
#define GAPS_AGAIN(b, level, i) batch_gaps_of(b, i)
#define STORE_GAPS(b, level, i, sum) batch_store_gaps(b, i, sum)
DEFINE_SCAN(gaps, uint32_t, scan_block_adds, scan_add, FIRST_GAPS, GAPS_AGAIN, STORE_GAPS, NO_FINISH)
DEFINE_SCAN(groups, batch_sums, scan_block_sums, batch_sums_join, batch_fill_group, batch_group_again,
            batch_store_group, NO_FINISH)

/* number[0] and change[0] must be zeroed. */
static __global__ void __launch_bounds__(BLOCK_THREADS) live_note_kernel(const __grid_constant__ batch_ref b)
{
    EACH(op, b.sizes->ops) batch_live_note(&b, op);
    if (blockIdx.x > 0 || threadIdx.x > 0) return;
    b.sizes->gap_words = b.sizes->keys / 32 + 1;
    b.sizes->groups = b.live.groups;
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    live_divide_kernel(const __grid_constant__ batch_ref b, uint32_t level)
{
    EACH(group, b.live.groups) batch_divide_group(&b, level, group);
}

/* ---- launching ---- */

static cudaError_t launch_again(const batch_on_gpu *g, uint32_t tired, bool second, cudaStream_t stream)
{
    laid_out l = lay_out(g);
    cudaError_t error = cudaMemsetAsync(&l.b.sizes->tired, 0, sizeof l.b.sizes->tired, stream);
    if (error != cudaSuccess) return error;
    again_kernel<<<grid_for(tired), BLOCK_THREADS, 0, stream>>>(l.b, tired, second);
    return cudaGetLastError();
}

static cudaError_t launch_live(const batch_on_gpu *g, uint32_t ops, uint32_t keys, cudaStream_t stream)
{
    laid_out l = lay_out(g);
    const batch_ref &b = l.b;
    cudaError_t error = cudaMemsetAsync(b.live.number[0], 0, g->r.n * sizeof *b.live.number[0], stream);
    if (error == cudaSuccess) error = cudaMemsetAsync(b.live.change[0], 0, g->r.n, stream);
    if (error != cudaSuccess) return error;
    live_note_kernel<<<grid_for(ops), BLOCK_THREADS, 0, stream>>>(b);
    SCAN(had, 0, &b.sizes->keys, keys);
    SCAN(gaps, 0, &b.sizes->gap_words, keys / 32 + 1);
    for (uint32_t level = 0; level < b.live.levels; level++) {
        SCAN(groups, level, &b.sizes->groups, b.live.groups);
        live_divide_kernel<<<grid_for(b.live.groups), BLOCK_THREADS, 0, stream>>>(b, level);
    }
    return cudaGetLastError();
}
