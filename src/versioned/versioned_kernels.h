/* versioned/versioned_kernels.h - queries at a snapshot, and kernels for old versions. Included by versioned.cu. */

/* A find is a seek that must hit the key itself. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    snapshot_seek_kernel(const __grid_constant__ map_ref ref, request r)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= r.n) return;
    map_thread map = map_thread_of(&ref, blockIdx.x);
    map_key key = ((const map_key *)r.keys)[i];
    bool find = r.kind == OP_FIND, up = find || r.kind == OP_SUCC || r.kind == OP_CEILING;
    bool strict = r.kind == OP_SUCC || r.kind == OP_PRED;
    snapshot_seek_op seek;
    seek.found = false;
    if (!strict || key != (up ? KEY_MAX : 0)) {
        snapshot_seek_start(map, &seek, *r.at, strict ? (up ? key + 1 : key - 1) : key, up);
        seek.exact = find;
        LEVEL_BLOCKING(snapshot_seek_step(map, &seek));
    }
    if (seek.found) {
        set_key(r.out_keys, i, seek.answer.key);
        set_key(r.out_values, i, seek.answer.value);
    }
    if (r.flags) r.flags[i] = seek.found;
}

/* One thread for each list of kept versions, and one for each ring. */
static __global__ void return_kernel(const __grid_constant__ map_ref ref)
{
    map_thread map = map_thread_of(&ref, blockIdx.x);
    unsigned i = blockIdx.x * BLOCK_THREADS + threadIdx.x;
    map.stripe = i;
    if (i < ref.versions.stripes)
        return_images(map, i);
    else if (i - ref.versions.stripes < ref.versions.epoch.slots)
        return_ring(map, i - ref.versions.stripes);
}

static __global__ void held_kernel(const __grid_constant__ map_ref ref, uint64_t used, uint64_t first,
                                   uint64_t second, uint64_t *held)
{
    uint64_t id = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x + 1;
    bool mine = false;
    if (id < used) {
        uint64_t header = header_load((map_node *)pool_address(ref.nodes, (uint32_t)id, sizeof(map_node)));
        uint64_t until = ref.versions.record[id].until;
        mine = header_level(header) == NODE_OLD_IMAGE && until > first && until <= second;
    }
    int here = __syncthreads_count(mine);
    if (threadIdx.x == 0 && here) port_fetch_add(held, (uint64_t)here);
}
