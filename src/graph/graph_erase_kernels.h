/* graph/graph_erase_kernels.h - kernels that erase vertices. Exclusive. Included by graph_edges.cu. */

/* ---- the halves of edges at their neighbours ---- */

/* Erases the halves at remaining neighbours, one per lane. An edge between two erased vertices is counted at the
 * smaller one. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    mirrors_kernel(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *vertices,
                   const uint8_t *outcomes, uint64_t *edges)
{
    size_t i = ((size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;
    if (i >= n || outcomes[i] != PLEACH_EDGE_ERASED) return;
    graph_ref g = place_of(graph);
    uint32_t id = vertices[i], count = 0;
    slab_walk w = slabs_of(graph_vertex(&g, id));
    for (uint32_t chain = 0; chain < chains_of(&w); chain++) {
        for (uint32_t at = chain_at(&g, &w, chain); at; at = (uint32_t)slab_at(&g.slabs, at)->word[SLAB_LINK]) {
            const slab *s = slab_at(&g.slabs, at);
            if (lane >= SLAB_SLOTS || !(slab_mask(s->word[SLAB_HEADER]) >> lane & 1)) continue;
            uint32_t other = slot_load(s, lane).key;
            slab_table *there = graph_vertex(&g, other);
            bool stays = graph_vertex_is_there(there);
            count += stays || id < other;
            if (!stays) continue;
            slab_change c;
            change_begin(&c, OP_ERASE, id, 0);
            update_blocking(&g.slabs, there, &c);
        }
    }
    count = (uint32_t)warp_sum((int)count);
    if (lane == 0 && count) port_add(edges, count);
}

/* Returns whether a neighbour is being erased. */
PORT_FN bool neighbour_goes(const graph_ref *g, dying_ids dying, uint32_t id)
{
    if (dying.bits) return dying.bits[id / 32] >> id % 32 & 1;
    return !graph_vertex_is_there(graph_vertex(g, id));
}

/* Returns the mask of slots in this slab whose neighbours are being erased. Each lane examines one slot. */
PORT_FN uint32_t slots_that_go(const graph_ref *g, dying_ids dying, const slab *s, uint32_t mask)
{
    unsigned lane = threadIdx.x % 32;
    bool goes = lane < SLAB_SLOTS && mask >> lane & 1 && neighbour_goes(g, dying, slot_load(s, lane).key);
    return __ballot_sync(~0u, goes);
}

/* Removes neighbours that are being erased from the chain of one bucket, without its latch. Returns how many. */
PORT_FN uint32_t sweep_chain(const graph_ref *g, dying_ids dying, uint32_t first_id)
{
    uint32_t gone = 0, before = first_id;
    bool leads = threadIdx.x % 32 == 0;
    for (uint32_t id = first_id, next; id; id = next) {
        slab *s = slab_at(&g->slabs, id);
        uint64_t header = s->word[SLAB_HEADER];
        next = (uint32_t)s->word[SLAB_LINK];
        uint32_t mask = slab_mask(header), kept = mask & ~slots_that_go(g, dying, s, mask);
        gone += (uint32_t)__popc(mask ^ kept);
        if (id != first_id && !kept) {
            slab *from = slab_at(&g->slabs, before);
            if (leads) from->word[SLAB_LINK] = slab_relink(from->word[SLAB_LINK], next);
            if (leads) slab_free(&g->slabs, id);
        } else {
            if (leads && kept != mask)
                s->word[SLAB_HEADER] = slab_next_header(header, id == first_id ? 0 : SLAB_OTHER, kept);
            before = id;
        }
        __syncwarp();
    }
    return gone;
}

/* Returns how many edges are erased with this chain of a vertex that is itself being erased. */
PORT_FN uint32_t dying_edges(const graph_ref *g, dying_ids dying, uint32_t id, uint32_t first_id)
{
    uint32_t count = 0;
    unsigned lane = threadIdx.x % 32;
    for (uint32_t at = first_id; at; at = (uint32_t)slab_at(&g->slabs, at)->word[SLAB_LINK]) {
        const slab *s = slab_at(&g->slabs, at);
        uint32_t mask = slab_mask(s->word[SLAB_HEADER]);
        if (g->directed) {
            count += (uint32_t)__popc(mask);
            continue;
        }
        bool there = lane < SLAB_SLOTS && mask >> lane & 1;
        uint32_t other = there ? slot_load(s, lane).key : 0;
        count += (uint32_t)__popc(__ballot_sync(~0u, there && id < other && neighbour_goes(g, dying, other)));
    }
    return count;
}

/* Sweeps some chains of a vertex, by one warp. Returns how many edges were erased. */
PORT_FN uint32_t sweep_vertex(const graph_ref *g, dying_ids dying, uint32_t number, const slab_walk *w,
                              uint32_t first, uint32_t step)
{
    uint32_t count = 0, id = graph_id(g, number);
    slab_table *vertex = graph_table(g, number);
    bool stays = graph_vertex_is_there(vertex);
    for (uint32_t chain = first; chain < chains_of(w); chain += step) {
        uint32_t at = chain_at(g, w, chain);
        if (at) count += stays ? sweep_chain(g, dying, at) : dying_edges(g, dying, id, at);
    }
    if (stays && count && threadIdx.x % 32 == 0) port_add(&vertex->load, 0 - (uint64_t)count);
    return count;
}

/* Erases the edges of all vertices to erased ones. One warp per vertex; vertices with many chains are left to
 * sweep_large_kernel. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    sweep_kernel(const __grid_constant__ graph_on_gpu graph, segment_list list, dying_ids dying, uint32_t *large,
                 uint64_t *large_count, uint64_t *edges)
{
    uint64_t vertices = list.count << GRAPH_SEGMENT_LOG, step = (uint64_t)gridDim.x * BLOCK_THREADS / 32, count = 0;
    unsigned lane = threadIdx.x % 32;
    graph_ref g = place_of(graph);
    for (uint64_t i = ((uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) / 32; i < vertices; i += step) {
        uint32_t number = number_in(list, i);
        slab_walk w = slabs_of(graph_table(&g, number));
        if (chains_of(&w) > MANY_CHAINS) {
            if (lane == 0) large[port_fetch_add(large_count, 1)] = number;
        } else {
            count += sweep_vertex(&g, dying, number, &w, 0, 1);
        }
    }
    if (lane == 0 && count) port_add(edges, count);
}

/* The vertices with many chains, one block each. */
static __global__ void __launch_bounds__(SWEEP_THREADS)
    sweep_large_kernel(const __grid_constant__ graph_on_gpu graph, dying_ids dying, const uint32_t *large,
                       const uint64_t *large_count, uint64_t *edges)
{
    uint64_t count = 0;
    graph_ref g = place_of(graph);
    for (uint64_t i = blockIdx.x; i < *large_count; i += gridDim.x) {
        slab_walk w = slabs_of(graph_table(&g, large[i]));
        count += sweep_vertex(&g, dying, large[i], &w, threadIdx.x / 32, SWEEP_THREADS / 32);
    }
    if (threadIdx.x % 32 == 0 && count) port_add(edges, count);
}

/* ---- their tables ---- */

/* Puts the slabs of a chain on a lane's list, including its first slab if that is a run of its own. */
PORT_FN void drop_chain(const slab_ref *place, uint32_t first_id, bool with_first, slab_stack *stack)
{
    for (uint32_t id = first_id, next; id; id = next) {
        slab *s = slab_at(place, id);
        next = (uint32_t)s->word[SLAB_LINK];
        s->word[SLAB_HEADER] = slab_next_header(s->word[SLAB_HEADER], SLAB_OTHER, 0);
        if (with_first || id != first_id) stack_slab(place, stack, id);
    }
}

/* The chains of a longer table. Called by all lanes. */
PORT_FN void drop_chains(const slab_ref *place, uint64_t root, slab_stack *stack)
{
    for (uint32_t i = threadIdx.x % 32; i >> slab_root_log(root) == 0; i += 32)
        drop_chain(place, slab_root_first(root) + i, false, stack);
}

/* Collects a warp's longer runs, by the log of their length. */
PORT_FN void stack_runs(const slab_ref *place, slab_stack *runs, uint64_t root)
{
    unsigned log = slab_root_log(root);
    for (uint32_t left = __ballot_sync(~0u, root != 0 && log); left;) {
        unsigned now = __shfl_sync(~0u, log, __ffs((int)left) - 1);
        bool these = root != 0 && log == now;
        uint32_t lanes = __ballot_sync(~0u, these);
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            uint32_t first = __shfl_sync(~0u, slab_root_first(root), __ffs((int)rest) - 1);
            if (threadIdx.x % 32 == 0) stack_slab(place, &runs[now], first);
        }
        left &= ~lanes;
    }
    __syncwarp();
}

/* One vertex per lane, but all lanes share the buckets of a longer table. A warp frees its memory after all its
 * vertices are done; otherwise all threads would contend for the same few words. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    drop_kernel(const __grid_constant__ graph_on_gpu graph, size_t n, const uint32_t *vertices,
                const uint8_t *outcomes)
{
    __shared__ slab_stack all_runs[BLOCK_THREADS / 32][POOL_RUN_LOGS];
    graph_ref g = place_of(graph);
    slab_stack slabs = {0, 0}, *runs = all_runs[threadIdx.x / 32];
    if (threadIdx.x % 32 < POOL_RUN_LOGS) runs[threadIdx.x % 32] = slabs;
    __syncwarp();
    size_t step = (size_t)gridDim.x * BLOCK_THREADS, first = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x / 32 * 32;
    for (; first < n; first += step) {
        size_t i = first + threadIdx.x % 32;
        slab_table *table = i < n && outcomes[i] == PLEACH_EDGE_ERASED ? graph_vertex(&g, vertices[i]) : NULL;
        uint64_t root = table ? table->root : 0;
        if (table && table->next) { /* growth is in progress, which is rare */
            table_drop(&g.slabs, table);
            root = 0;
        }
        if (!slab_root_first(root)) root = 0;
        if (root && slab_root_log(root) == 0) drop_chain(&g.slabs, slab_root_first(root), true, &slabs);
        for (uint32_t lanes = __ballot_sync(~0u, root && slab_root_log(root)); lanes; lanes &= lanes - 1)
            drop_chains(&g.slabs, __shfl_sync(~0u, root, __ffs((int)lanes) - 1), &slabs);
        stack_runs(&g.slabs, runs, root);
        if (root) table->root = slab_root_after(root, 0);
        if (table) table->next = table->cursor = table->load = 0;
    }
    give_stacks(&g.slabs, 0, slabs);
    if (threadIdx.x % 32 == 0)
        for (unsigned log = 1; log < POOL_RUN_LOGS; log++)
            if (runs[log].first) pool_free_runs(g.slabs.runs, log, runs[log].first, runs[log].last);
}
