/* graph/graph_hub_kernels.h - grows tables of vertices that many edges of one call go to. Included by graph_edges.cu.
 *
 * A table whose buckets are full doubles. If most threads of a GPU insert into one small table, they wait for a few
 * latches while the table grows step by step up to the size that holds everything. So a kernel that runs between the
 * two kernels of an insertion samples the remaining edges, and grows the tables of endpoints that are frequent in the
 * sample to the size that they will need. This is only an optimization: what it does not do, because memory is lacking
 * or other threads interfere, the insertions do themselves.
 */

/* Begins growth to 2^log buckets, or to as many as one growth can reach. Returns false if growth does not begin, or
 * another thread grows the table. */
PORT_COLD bool hub_start(const slab_ref *place, slab_table *table, unsigned log)
{
    uint64_t root = port_load(&table->root);
    if (!slab_root_first(root)) return table_begin(place, table, root);
    if (slab_root_log(root) >= log || port_load(&table->next)) return false;
    uint64_t *word = &slab_at(place, slab_root_first(root))->word[SLAB_HEADER], header = port_load(word);
    if (header & (SLAB_LATCHED | SLAB_MOVED | SLAB_OTHER)) return false;
    if (!port_latch(word, header, header | SLAB_LATCHED)) return false; /* with a latch, the root stays */
    unsigned most = slab_root_log(root) + HUB_STEP_LOG;
    if (port_load(&table->root) == root) slab_start_growth(place, table, log < most ? log : most);
    port_store_release(word, header);
    return port_load(&table->next) > SLAB_NEXT_CLAIMED;
}

/* Called by all threads of a block. */
PORT_FN void grow_hub(const slab_ref *place, slab_table *table, unsigned log)
{
    for (unsigned tries = 0; tries < HUB_TRIES; tries++) {
        bool grows = threadIdx.x == 0 && hub_start(place, table, log);
        if (!__syncthreads_or(grows)) return;
        slab_help help;
        while (help_begin(table, &help)) {
            unsigned attempt = 0;
            while (port_retry_point(help_step(place, table, &help, NULL)) != SLAB_DONE) port_pause(attempt++);
        }
        __syncthreads();
    }
}

/* Each block takes the same sample, and processes its share of the frequent endpoints. */
static __global__ void __launch_bounds__(HUB_THREADS)
    hub_kernel(const __grid_constant__ graph_on_gpu graph, const __grid_constant__ graph_request r, slow_list later)
{
    __shared__ hub_sample sample;
    uint64_t n = *later.count;
    if (n < HUB_FEWEST) return;
    graph_ref g = place_of(graph);
    sample_edges(&sample, &g, &r, later.elements, n);
    for (unsigned i = 0; i < sample.hubs; i++) {
        uint32_t place = sample.hub[i], id = sample.ids[place];
        slab_table *table = hub_hash(id) / HUB_PLACES % HUB_BLOCKS == blockIdx.x ? graph_vertex(&g, id) : NULL;
        if (!table) continue;
        uint64_t degree = slab_load(port_load(&table->load)) + sample.counts[place] * n / HUB_THREADS;
        grow_hub(&g.slabs, table, slab_lowest((uint32_t)slabs_for(degree, SLAB_SLOTS, graph.load)));
    }
}
