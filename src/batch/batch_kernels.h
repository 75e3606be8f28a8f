/* batch/batch_kernels.h - the stages of a batch (batch/batch.h) as GPU kernels, one thread per index. Included by
 * batch.cu. */
#include "batch.h"
#include "../cuda/scan.h"

#define FIRST_LISTED(b, level, i) batch_note(b, i)
#define LISTED_AGAIN(b, level, i) batch_is_listed(b, i)
#define STORE_LISTED(b, level, i, sum) batch_store_listed(b, i, sum)
#define FIRST_LINK(b, level, i) batch_link_of(b, i)
#define STORE_LINK(b, level, i, sum) batch_store_link(b, i, sum)
#define FIRST_CHANGED(b, level, i) batch_changed(b, i)
#define STORE_CHANGED(b, level, i, sum) batch_store_edit(b, i, sum)
#define NO_FINISH(b, level, sum) (void)(sum)

DEFINE_SCAN(listed, uint32_t, scan_block_adds, scan_add, FIRST_LISTED, LISTED_AGAIN, STORE_LISTED, NO_FINISH)
DEFINE_SCAN(links, batch_link, scan_block_links, batch_link_join, FIRST_LINK, FIRST_LINK, STORE_LINK, NO_FINISH)
DEFINE_SCAN(changed, uint32_t, scan_block_adds, scan_add, FIRST_CHANGED, FIRST_CHANGED, STORE_CHANGED, NO_FINISH)
DEFINE_SCAN(sums, batch_sums, scan_block_sums, batch_sums_join, batch_sums_of, batch_sums_of,
            batch_store_sums, NO_FINISH)
DEFINE_SCAN(plan, uint32_t, scan_block_adds, scan_add, batch_plan_run, batch_planned, batch_store_planned,
            batch_close_plan)

#define FIRST_SMALL(b, level, i) batch_is_underfull(b, i)
#define STORE_SMALL(b, level, i, sum) batch_store_small(b, i, sum)
DEFINE_SCAN(small, uint32_t, scan_block_adds, scan_add, FIRST_SMALL, FIRST_SMALL, STORE_SMALL, NO_FINISH)
DEFINE_SCAN(cases, batch_sums, scan_block_sums, batch_sums_join, batch_case_sums, batch_case_sums,
            batch_store_case, NO_FINISH)

#define FIRST_COPY(b, level, i) batch_needs_copy(b, i)
#define STORE_COPY(b, level, i, sum) batch_store_copy(b, i, sum)
DEFINE_SCAN(copies, uint32_t, scan_block_adds, scan_add, FIRST_COPY, FIRST_COPY, STORE_COPY, NO_FINISH)

#define EACH(i, n) for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

/* If all operations are updates, all are selected, and this kernel is the whole selection. */
static __global__ void __launch_bounds__(BLOCK_THREADS) classify_kernel(const __grid_constant__ batch_ref b)
{
    uint32_t seen = 0;
    map_key differ = 0, first = batch_argument(&b, 0);
    EACH(i, b.r.n) {
        map_key key = batch_argument(&b, i);
        seen |= batch_classify(batch_kind_at(&b.r, i));
        if (i + 1 < b.r.n && key > batch_argument(&b, i + 1)) seen |= BATCH_UNORDERED;
        differ |= key ^ first;
        if (b.r.kinds)
            batch_mark(&b, i);
        else
            b.list_function[i] = batch_function_of(b.r.kind, i);
    }
    __shared__ uint32_t all_seen;
    __shared__ uint64_t all_differ;
    if (threadIdx.x == 0) all_seen = 0, all_differ = 0;
    __syncthreads();
    for (unsigned by = 16; by > 0; by /= 2) {
        seen |= __shfl_xor_sync(0xffffffffu, seen, by);
        differ |= __shfl_xor_sync(0xffffffffu, differ, by);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicOr(&all_seen, seen);
        atomicOr((unsigned long long *)&all_differ, (unsigned long long)differ);
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    atomicOr(&b.sizes->seen, all_seen);
    port_mark(&b.sizes->differ, all_differ);
}

/* Run by one block. */
static __global__ void begin_kernel(const __grid_constant__ batch_ref b, uint32_t *count, scan_space *space)
{
    batch_settle_stock(&b, BLOCK_THREADS);
    if (threadIdx.x > 0) return;
    batch_begin(&b);
    if (!b.r.kinds) b.sizes->ops = b.r.n;
    *count = b.r.n;
    space->done = 0;
}

/* Executes operations that are not selected, in the order of the batch, or in that of sorted keys and their marks. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    read_kernel(const __grid_constant__ batch_ref b, const map_key *keys, const uint32_t *marks, uint32_t n)
{
    uint32_t i = blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= n) return;
    uint32_t mark = marks[i];
    if (mark & BATCH_LISTED) return;
    find_op find;
    find_start(b.map, &find, keys[i]);
    while (find_step(b.map, &find) != STEP_DONE) {
    }
    batch_answer_read(&b, mark, &find);
}

static __global__ void __launch_bounds__(BLOCK_THREADS) look_kernel(const __grid_constant__ batch_ref b)
{
    EACH(key, b.sizes->keys) {
        find_op find;
        find_start(b.map, &find, batch_key_at(&b, key));
        while (find_step(b.map, &find) != STEP_DONE) {
        }
        batch_looked(&b, key, &find);
    }
}

static __global__ void __launch_bounds__(BLOCK_THREADS) answer_kernel(const __grid_constant__ batch_ref b)
{
    EACH(op, b.sizes->ops) batch_answer(&b, op);
}

PORT_FN void gpu_count(const batch_ref *b, uint32_t op); /* batch_wide_kernels.h */
PORT_FN uint32_t *tired_first(const batch_ref *b);      /* batch_live_kernels.h, as is the next one */
PORT_FN void note_effort(const batch_ref *b, batch_effort effort);

static __global__ void __launch_bounds__(BLOCK_THREADS) query_kernel(const __grid_constant__ batch_ref b)
{
    if ((b.sizes->seen & BATCH_HAS_QUERIES) == 0) return;
    EACH(op, b.sizes->ops) {
        if (batch_kind(&b, op) == OP_COUNT)
            gpu_count(&b, op);
        else if (batch_query(&b, op).tired)
            tired_first(&b)[-(int64_t)atomicAdd(&b.sizes->tired, 1)] = op;
    }
}

static __global__ void __launch_bounds__(BLOCK_THREADS) fill_kernel(const __grid_constant__ batch_ref b)
{
    EACH(op, b.sizes->ops) note_effort(&b, batch_fill_range(&b, op));
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    locate_kernel(const __grid_constant__ batch_ref b, uint32_t level)
{
    EACH(i, b.sizes->level[level].edits) batch_locate(&b, level, i);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    build_kernel_of_batch(const __grid_constant__ batch_ref b, uint32_t level)
{
    EACH(i, b.sizes->level[level].nodes) batch_build(&b, level, i);
}

/* Processes this level and all levels above it with one block, because they have few edits. */
static __global__ void __launch_bounds__(SCAN_THREADS)
    upper_kernel(const __grid_constant__ batch_ref b, uint32_t level)
{
    for (; b.sizes->level[level].edits > 0; level++) {
        const batch_level *l = &b.sizes->level[level];
        if (level > 0) EACH(i, l->edits) batch_locate(&b, level, i);
        __syncthreads();
        sums_store(&b, level, 0, l->edits, batch_sums());
        __syncthreads();
        uint32_t nodes = plan_add(&b, level, 0, l->runs);
        __syncthreads();
        plan_store(&b, level, 0, l->runs, 0);
        if (threadIdx.x == 0) batch_close_plan(&b, level, nodes);
        __syncthreads();
        EACH(i, l->nodes) batch_build(&b, level, i);
        __syncthreads();
    }
}

static __global__ void close_copies_kernel(const __grid_constant__ batch_ref b) { batch_close_copies(&b); }

static __global__ void __launch_bounds__(BLOCK_THREADS) keep_kernel(const __grid_constant__ batch_ref b)
{
    EACH(i, b.sizes->level[0].runs) batch_keep(&b, i);
    EACH(i, b.sizes->level[0].nodes) batch_inherit(&b, i);
}

static __global__ void __launch_bounds__(BLOCK_THREADS) commit_kernel(const __grid_constant__ batch_ref b)
{
    if (b.sizes->full) {
        EACH(i, batch_all_nodes(&b)) batch_forget(&b, i);
        return;
    }
    for (uint32_t level = 0; b.sizes->level[level].edits > 0; level++)
        EACH(i, b.sizes->level[level].runs) batch_commit(&b, level, i);
    if (blockIdx.x > 0 || threadIdx.x > 0) return;
    batch_end(&b);
    batch_count_keys(&b);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    parents_kernel(const __grid_constant__ batch_ref b, uint32_t level)
{
    EACH(at, b.sizes->cases) batch_find_parent(&b, level, at);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    join_kernel(const __grid_constant__ batch_ref b, uint32_t level)
{
    EACH(at, b.sizes->cases) batch_join(&b, level, at);
}

/* Ends the rebalancing of the leaves' level, and does all other levels with one block, because few of their nodes are
 * underfull. */
static __global__ void __launch_bounds__(SCAN_THREADS) rebalance_kernel(const __grid_constant__ batch_ref b)
{
    if (b.sizes->tidied == 0) return;
    for (uint32_t level = 0;;) {
        __syncthreads();
        if (threadIdx.x == 0 && b.sizes->cases > 0) batch_close_cases(&b);
        __syncthreads();
        uint32_t cases = b.sizes->cases;
        if (cases == 0) break;
        level++;
        EACH(at, cases) batch_find_parent(&b, level, at);
        __syncthreads();
        EACH(at, cases) batch_join(&b, level, at);
        __syncthreads();
        cases_store(&b, level, 0, cases, batch_sums());
    }
    if (threadIdx.x == 0) batch_rebalance_end(&b);
}

/* ---- memory ---- */

/* Returns the next piece of `scratch`. Without scratch, only counts the bytes. */
static void *carve(char *scratch, size_t *used, size_t count, size_t size)
{
    void *piece = scratch ? scratch + *used : NULL;
    *used += (count * size + 255) / 256 * 256;
    return piece;
}

typedef struct laid_out {
    batch_ref b;
    scan_space *space;
    uint32_t *count; /* n, in memory where scans read it */
    map_key *read_keys; /* roughly in order; used if reads are sorted */
    uint32_t *read_marks;
    size_t bytes;
} laid_out;

static laid_out lay_out(const batch_on_gpu *g)
{
    laid_out l;
    batch_ref *b = &l.b;
    size_t n = g->r.n, edits = g->edit_room;
    size_t used = 0;
    b->map = map_thread_of(&g->map, 0);
    b->r = g->r;
    b->edit_room = g->edit_room;
    b->patience = g->patience;
    b->live = g->live;
    l.space = (scan_space *)carve(g->scratch, &used, 1, sizeof(scan_space));
    b->sizes = (batch_sizes *)carve(g->scratch, &used, 1, sizeof(batch_sizes));
    l.count = (uint32_t *)carve(g->scratch, &used, 1, sizeof(uint32_t));
    b->op_key = (map_key *)carve(g->scratch, &used, n, sizeof(map_key));
    b->op_function = (uint32_t *)carve(g->scratch, &used, n, sizeof(uint32_t));
    b->mark = (uint32_t *)carve(g->scratch, &used, n, sizeof(uint32_t));
    b->list_key = g->r.kinds ? (map_key *)carve(g->scratch, &used, n, sizeof(map_key)) : (map_key *)g->r.keys;
    b->list_function = (uint32_t *)carve(g->scratch, &used, n, sizeof(uint32_t));
    if (g->ordered) {
        b->op_key = b->list_key;
        b->op_function = b->list_function;
    }
    b->filter_bits = g->r.kinds ? batch_filter_bits(g->r.n) : 6;
    b->filter = (uint64_t *)carve(g->scratch, &used, (size_t)1 << (b->filter_bits - 6), sizeof(uint64_t));
    b->op_link = (batch_link *)carve(g->scratch, &used, n + POOL_STRIPES, sizeof(batch_link));
    b->key_first = (uint32_t *)carve(g->scratch, &used, n + POOL_STRIPES, sizeof(uint32_t));
    b->key_node = (uint32_t *)carve(g->scratch, &used, n, sizeof(uint32_t));
    b->key_value = (map_key *)carve(g->scratch, &used, n, sizeof(map_key));
    b->key_flags = (uint8_t *)carve(g->scratch, &used, n, sizeof(uint8_t));
    b->edit_key = (map_key *)carve(g->scratch, &used, edits, sizeof(map_key));
    b->edit_value = (map_key *)carve(g->scratch, &used, edits, sizeof(map_key));
    b->edit_node = (uint32_t *)carve(g->scratch, &used, edits, sizeof(uint32_t));
    b->edit_flags = (uint8_t *)carve(g->scratch, &used, edits, sizeof(uint8_t));
    b->edit_sums = (batch_sums *)carve(g->scratch, &used, edits, sizeof(batch_sums));
    b->run_first = (uint32_t *)carve(g->scratch, &used, edits, sizeof(uint32_t));
    b->run_new = (uint32_t *)carve(g->scratch, &used, edits, sizeof(uint32_t));
    size_t reads = g->sorts_reads ? n : 0;
    l.read_keys = (map_key *)carve(g->scratch, &used, reads, sizeof(map_key));
    l.read_marks = (uint32_t *)carve(g->scratch, &used, reads, sizeof(uint32_t));
    l.bytes = used;
    b->record = g->map.versions.record;
    b->versions = g->map.versions.state;
    b->keeps = g->keeps;
    b->run_copy = b->key_first;
    b->case_keys[0] = b->key_value;
    b->case_keys[1] = b->edit_key;
    b->case_node = b->key_node;
    b->case_first = b->key_first;
    b->case_freed = (uint32_t *)b->op_link;
    return l;
}

/* ---- launching ---- */

/* `most` is an upper bound of *count that the host knows. */
#define SCAN(name, level, count, most)                                                                           \
    do {                                                                                                         \
        unsigned parts_ = scan_parts(most);                                                                      \
        name##_add_kernel<<<parts_, SCAN_THREADS, 0, stream>>>(b, level, count, l.space);                        \
        if (parts_ > 1) name##_store_kernel<<<parts_, SCAN_THREADS, 0, stream>>>(b, level, count, l.space);      \
    } while (0)

static cudaError_t launch_list(const batch_on_gpu *g, cudaStream_t stream)
{
    laid_out l = lay_out(g);
    const batch_ref &b = l.b;
    cudaGetLastError();
    if (b.r.kinds) cudaMemsetAsync(b.filter, 0, (size_t)1 << (b.filter_bits - 3), stream);
    begin_kernel<<<1, BLOCK_THREADS, 0, stream>>>(b, l.count, l.space);
    classify_kernel<<<few_blocks_for(g->r.n), BLOCK_THREADS, 0, stream>>>(b);
    if (b.r.kinds) SCAN(listed, 0, l.count, g->r.n);
    return cudaGetLastError();
}

/* Each chunk of the batch is sorted by itself. Its results go to a section of the arrays that fits in L2, where writes
 * to a cache line, which come in no order, are combined. One chunk is sorted while another is read. */
static cudaError_t launch_read(const batch_on_gpu *g, const read_streams *on)
{
    enum { CHUNK = 1 << 22 };
    laid_out l = lay_out(g);
    const map_key *keys = (const map_key *)g->r.keys;
    cudaGetLastError();
    if (!g->sorts_reads) {
        read_kernel<<<blocks_for(g->r.n), BLOCK_THREADS, 0, on->reading>>>(l.b, keys, l.b.mark, g->r.n);
        return cudaGetLastError();
    }
    for (uint32_t at = 0; at < g->r.n; at += CHUNK) {
        uint32_t n = g->r.n - at < (uint32_t)CHUNK ? g->r.n - at : (uint32_t)CHUNK;
        size_t bytes = g->read_sort_bytes;
        cudaError_t error =
            sort_cuda_pairs_by(g->read_sort_scratch, &bytes, PLEACH_KEY_BITS, 32, g->read_bits, keys + at,
                               l.read_keys + at, l.b.mark + at, l.read_marks + at, n, on->sorting);
        if (error == cudaSuccess) error = cudaEventRecord(on->sorted, on->sorting);
        if (error == cudaSuccess) error = cudaStreamWaitEvent(on->reading, on->sorted, 0);
        if (error != cudaSuccess) return error;
        read_kernel<<<blocks_for(n), BLOCK_THREADS, 0, on->reading>>>(l.b, l.read_keys + at, l.read_marks + at, n);
    }
    return cudaGetLastError();
}

static cudaError_t launch_answer(const batch_on_gpu *g, uint32_t ops, cudaStream_t stream)
{
    laid_out l = lay_out(g);
    const batch_ref &b = l.b;
    size_t sort_bytes = g->sort_bytes;
    unsigned blocks = grid_for(ops);
    cudaGetLastError();
    cudaError_t error = cudaSuccess;
    if (!g->ordered)
        error = sort_cuda_pairs_by(g->sort_scratch, &sort_bytes, PLEACH_KEY_BITS, 32, g->all_bits, b.list_key, b.op_key,
                                   b.list_function, b.op_function, ops, stream);
    if (error != cudaSuccess) return error;
    SCAN(links, 0, &b.sizes->ops, ops);
    look_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(b);
    if (b.r.flags || b.r.out_values) answer_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(b);
    return cudaGetLastError();
}

static cudaError_t launch_query(const batch_on_gpu *g, uint32_t ops, cudaStream_t stream)
{
    laid_out l = lay_out(g);
    cudaGetLastError();
    query_kernel<<<grid_for(ops), BLOCK_THREADS, 0, stream>>>(l.b);
    return cudaGetLastError();
}

static cudaError_t launch_fill(const batch_on_gpu *g, cudaStream_t stream)
{
    laid_out l = lay_out(g);
    cudaGetLastError();
    fill_kernel<<<grid_for(g->r.n), BLOCK_THREADS, 0, stream>>>(l.b);
    return cudaGetLastError();
}

/* Each level has at most about a seventh of the edits of the one below. Where they become few, one block does the rest.
 * If there are more edits than that, the result is still correct, but takes longer. */
static cudaError_t launch_plan(const batch_on_gpu *g, uint32_t ops, cudaStream_t stream)
{
    enum { FEW_KEYS = 2048, FEW_EDITS = 24576 };
    laid_out l = lay_out(g);
    const batch_ref &b = l.b;
    uint32_t level = 0;
    cudaGetLastError();
    SCAN(changed, 0, &b.sizes->keys, ops);
    for (uint64_t edits = ops; edits > (level ? FEW_EDITS : FEW_KEYS); edits /= 7, level++) {
        unsigned blocks = grid_for(edits);
        if (level > 0) locate_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(b, level);
        SCAN(sums, level, &b.sizes->level[level].edits, edits);
        SCAN(plan, level, &b.sizes->level[level].runs, edits);
        build_kernel_of_batch<<<blocks, BLOCK_THREADS, 0, stream>>>(b, level);
    }
    upper_kernel<<<1, SCAN_THREADS, 0, stream>>>(b, level);
    if (g->keeps) {
        SCAN(copies, 0, &b.sizes->level[0].runs, ops);
        close_copies_kernel<<<1, 1, 0, stream>>>(b);
        keep_kernel<<<grid_for(ops), BLOCK_THREADS, 0, stream>>>(b);
    }
    return cudaGetLastError();
}

static cudaError_t launch_commit(const batch_on_gpu *g, uint32_t ops, cudaStream_t stream)
{
    laid_out l = lay_out(g);
    cudaGetLastError();
    commit_kernel<<<grid_for(ops), BLOCK_THREADS, 0, stream>>>(l.b);
    return cudaGetLastError();
}

static cudaError_t launch_rebalance(const batch_on_gpu *g, uint32_t ops, cudaStream_t stream)
{
    laid_out l = lay_out(g);
    const batch_ref &b = l.b;
    cudaGetLastError();
    SCAN(small, 0, &b.sizes->tidied, ops);
    parents_kernel<<<grid_for(ops), BLOCK_THREADS, 0, stream>>>(b, 0);
    join_kernel<<<grid_for(ops), BLOCK_THREADS, 0, stream>>>(b, 0);
    SCAN(cases, 0, &b.sizes->cases, ops);
    rebalance_kernel<<<1, SCAN_THREADS, 0, stream>>>(b);
    return cudaGetLastError();
}

#include "batch_live_kernels.h"

#undef SCAN

#include "batch_wide_kernels.h"
