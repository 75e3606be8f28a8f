"""The planted bugs of the GPU's code: small faults, each of which a test on the emulated GPU must notice. run_plants.py
plants them one at a time.

A plant is a name, what it breaks, the test that must notice it (with its cases and its seed), the file, the text to
find there (exactly once) and the text to put in its place. `more` has further edits, as (file, find, with), where one
place does not make a fault.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """A test program on the emulated GPU. Cases: a pattern of their names; all without. Streams: how far they are
    behind the host, instead of what the seed chooses. Scale: in percent, of long cases."""
    program: str
    cases: str = ""
    seed: int = 0
    streams: str = ""
    scale: int = 2

    def arguments(self):
        device = [] if self.program.endswith(("_cuda", "_device")) else ["--device", "cuda"]
        return device + (["--filter", self.cases] if self.cases else [])

    def environment(self, limit):
        streams = {"PLEACH_CUDA_HOST_STREAMS": self.streams} if self.streams else {}
        return {"PLEACH_TEST_SCALE": str(self.scale), "PLEACH_TEST_SEED": "1",
                "PLEACH_CUDA_HOST_SEED": str(self.seed), "PLEACH_CUDA_HOST_SECONDS": str(int(limit)),
                **streams}

    def short(self):
        return f"{self.program} {self.cases}" if self.cases else self.program

    def where(self):
        return self.short() + (f", streams {self.streams}" if self.streams else "")

    def __str__(self):
        return f"{self.where()}, seed {self.seed}"


@dataclass(frozen=True)
class Plant:
    name: str
    what: str
    run: Run
    file: str
    find: str
    put: str
    more: tuple = ()

    def edits(self):
        return ((self.file, self.find, self.put), *self.more)


SCAN = "src/cuda/scan.h"
BATCH_KERNELS = "src/batch/batch_kernels.h"
BATCH_HOST = "src/map/map_cuda_batch.c"
BLINK_KERNELS = "src/blink/blink_kernels.h"
BLINK_LAUNCH = "src/blink/blink.cu"
WHOLE_KERNELS = "src/blink/blink_bulk_kernels.h"
BLINK_TEAM = "src/blink/blink_team.h"
SKIPLIST_KERNELS = "src/skiplist/skiplist_kernels.h"
SKIPLIST_LAUNCH = "src/skiplist/skiplist_launch.h"
SKIPLIST_TEAM = "src/skiplist/skiplist_team.h"
SLABHASH = "src/hash/hash.cu"
LATER = "src/cuda/slow_list.h"
EDGES = "src/graph/graph_edges.cu"
EDGES_ARRAYS = "src/graph/graph_arrays.cu"
EDGES_KERNELS = "src/graph/graph_edge_kernels.h"
EDGES_ERASE = "src/graph/graph_erase_kernels.h"
TRIANGLES = "src/graph/triangles/triangles_window.cu"
STAGING = "src/cuda/staging.c"
HASH = "src/hash/hash_cuda.c"
POOL = "src/pool/pool_cuda.c"
MAP = "src/map/map_cuda.c"
RANGES = "src/map/map_cuda_range.c"

# Files that several translation units have, and the end of the path of the one, or of the kinds of the one, that the
# tests go through: the others stay as they are.
UNITS = {
    **dict.fromkeys((BLINK_KERNELS, WHOLE_KERNELS, BLINK_TEAM), "width_32/src/blink/blink.cu.cpp"),
    **dict.fromkeys((SKIPLIST_KERNELS, SKIPLIST_LAUNCH, SKIPLIST_TEAM), "width_32/src/skiplist/skiplist16.cu.cpp"),
    **dict.fromkeys((EDGES, EDGES_KERNELS, EDGES_ERASE), "/graph_edges.cu.cpp"),
    LATER: "/hash.cu.cpp",
}

# Streams whose work is done only when the host waits for it.
LATE = {"streams": "late"}

PLANTS = [
    # ---- staging, pinned memory ----
    Plant("staged_result_stays_behind", "the last result is not copied to the host's array",
          Run("test_map_points", "*put_replaces*"), STAGING,
          "for (unsigned i = 0; i < s->results && status == PLEACH_OK; i++)",
          "for (unsigned i = 0; i + 1 < s->results && status == PLEACH_OK; i++)"),
    Plant("sparse_result_not_filled", "elements that a kernel leaves alone come back as what the memory held",
          Run("test_map_points", "*one_key_alone*"), STAGING,
          "pleach_status status = stage(s, array, bytes, sparse, device);",
          "pleach_status status = stage(s, array, bytes, false, device);"),
    Plant("staging_buffer_freed_early", "scratch memory goes back to the pool before the last copy from it",
          Run("test_hash", "cuda/32 arrays_of_every_length*"), HASH,
          "    pleach_status status = launch(hash, r, &s, &there, &room);\n"
          "    if (status == PLEACH_OK && r->kind != OP_FIND)",
          "    pleach_status status = launch(hash, r, &s, &there, &room);\n    staging_free(&s);\n"
          "    if (status == PLEACH_OK && r->kind != OP_FIND)"),
    Plant("counts_staged_too_short", "device memory for counts of 8 bytes has 4 for each",
          Run("test_batch", "cuda/32 small_batches*"), BATCH_HOST,
          "status = staging_output(a->s, batch->counts, n * sizeof *r->counts, true, (void **)&r->counts);",
          "status = staging_output(a->s, batch->counts, n * sizeof(uint32_t), true, (void **)&r->counts);"),
    Plant("mailbox_keeps_old_notes", "a call takes the notes of the call before it for its own",
          Run("test_map_long", "cuda/32 short_and_long*"), "src/map/map_cuda_mailbox.c",
          "    all->box[i].notes.queries = 0;\n", ""),
    # ---- streams and events ----
    Plant("small_ranges_not_waited_for", "the host reads the mailbox before the kernel has written it",
          Run("test_map_ranges", "*empty_map_has*", **LATE), RANGES,
          "    CUDA_TRY(cuda_run_kernel(map, r, NULL, stream));\n    CUDA_TRY(cudaStreamSynchronize(stream));\n",
          "    CUDA_TRY(cuda_run_kernel(map, r, NULL, stream));\n"),
    Plant("call_returns_before_its_results", "an array call does not wait for its stream",
          Run("test_map_cuda", "*pinned_results*", **LATE), MAP,
          "    pleach_status finished = cuda_status(cudaStreamSynchronize(s.stream));\n",
          "    pleach_status finished = PLEACH_OK;\n"),
    Plant("export_not_waited_for", "the caller gets arrays that the copy has not come to",
          Run("test_map_cuda", "*pinned_results*", **LATE), "src/map/map_cuda_bulk.c",
          "    pleach_status status = export_staged(map, &s, capacity, out_keys, out_values, n);\n"
          "    staging_free(&s);\n    pleach_status finished = wait_for(map);\n",
          "    pleach_status status = export_staged(map, &s, capacity, out_keys, out_values, n);\n"
          "    staging_free(&s);\n    pleach_status finished = PLEACH_OK;\n"),
    Plant("stream_is_not_noted", "no event stands for a stream's work, so nobody waits for it",
          Run("test_map_cuda", "*exclusive_calls*", **LATE), "src/cuda/streams.c",
          "    CUDA_TRY(cudaEventRecord(mark->event, stream)); "
          "/* in stream order, so it covers the earlier work too */\n",
          ""),
    Plant("reads_begin_before_the_list", "reads of a batch do not wait until it is known which operations they are",
          Run("test_batch_streams_cuda", "*beside_updates*", **LATE), BATCH_HOST,
          "    CUDA_TRY(cudaStreamWaitEvent(on.reading, a->map->forked, 0));\n", ""),
    Plant("results_go_back_before_reads", "results of reads are copied to the host before they are there",
          Run("test_batch_streams_cuda", "*beside_updates*", **LATE), BATCH_HOST,
          "    if (a->reading) CUDA_TRY(cudaStreamWaitEvent(a->s->stream, a->map->joined, 0)); "
          "/* results return after the reads */\n", ""),
    Plant("failed_batch_leaves_a_stream", "after a failure one of two streams is not waited for",
          Run("test_batch_streams_cuda", "*begin*"), BATCH_HOST,
          "    for (unsigned i = 0; i < 2; i++) cudaStreamSynchronize(a->map->beside[i]);\n",
          "    for (unsigned i = 0; i < 1; i++) cudaStreamSynchronize(a->map->beside[i]);\n"),
    # ---- memory of the GPU ----
    Plant("grown_memory_not_cleared", "what a pool has grown by is not zeroed",
          Run("test_hash", "cuda/32 arrays_of_every_length*"), POOL,
          "+ before, 0, pool->mapped - before, stream);", "+ before, 0, 1, stream);"),
    Plant("mapped_without_access", "memory is mapped, and nobody may use it",
          Run("test_map_points", "*one_key_alone*"), POOL,
          "cuda_driver_status(pool->driver.set_access(at, bytes, &pool->access, 1));", "PLEACH_OK;"),
    Plant("trim_takes_a_piece_too_many", "memory that is kept goes back to the GPU",
          Run("test_map_whole", "cuda/32 compact*"), POOL,
          "if (pool->mapped - last->bytes < keep) break;", "if (pool->mapped < keep) break;"),
    Plant("capacity_beyond_memory", "kernels are told of nodes that have no memory",
          Run("test_map_limits", "cuda/32 pool_runs_out_at_every_place_ascending"), "src/map/map_cuda_reserve.c",
          "    uint64_t capacity = pool_cuda_mapped(map->pool) / map->node_bytes;\n",
          "    uint64_t capacity = pool_cuda_mapped(map->pool) / map->node_bytes * 2;\n"),
    Plant("no_second_try_to_grow", "a pool that cannot grow by much does not grow at all",
          Run("test_map_limits", "cuda/32 pool_runs_out_at_every_place_ascending"), POOL,
          "    if (status != PLEACH_OK) status = map_piece(pool, least);\n", ""),
    Plant("cleared_table_keeps_slabs", "the memory of a table that begins anew is not cleared",
          Run("test_graph_vertices", "*clear_empties*"), "src/hash/slabs_cuda.c",
          "    if (*status == PLEACH_OK && kept)\n", "    if (*status == PLEACH_OK && kept == 1)\n"),
    # ---- kernels of maps ----
    Plant("find_bound_one_too_many", "one thread more than there are elements has one",
          Run("test_map_points", "*put_replaces*"), BLINK_KERNELS,
          "    find_kernel(const __grid_constant__ map_ref ref, request r)\n{\n"
          "    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;\n    if (i >= r.n) return;\n",
          "    find_kernel(const __grid_constant__ map_ref ref, request r)\n{\n"
          "    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;\n    if (i > r.n) return;\n"),
    Plant("last_keys_not_compared", "the order of the last keys of an array is not looked at",
          Run("test_map_whole", "cuda/32 load_takes_any_size"), BLINK_LAUNCH,
          "LAUNCH(ascending_kernel, (n + KEYS_AT_ONCE - 1) / KEYS_AT_ONCE,",
          "LAUNCH(ascending_kernel, n / KEYS_AT_ONCE,"),
    Plant("last_leaves_not_stored", "a lane stores its slots of all leaves that it has but the last",
          Run("test_map_file", "cuda/32 pairs_come_back"), WHOLE_KERNELS,
          "    PORT_UNROLL for (unsigned i = 0; i < LEAVES_AT_ONCE; i++) {\n"
          "        const uint64_t leaf = first + i * (BLOCK_THREADS / NODE_SLOTS);\n        map_node *node",
          "    PORT_UNROLL for (unsigned i = 0; i + 1 < LEAVES_AT_ONCE; i++) {\n"
          "        const uint64_t leaf = first + i * (BLOCK_THREADS / NODE_SLOTS);\n        map_node *node"),
    Plant("last_nodes_not_counted", "the kernel that counts nodes has too few threads for the last ones",
          Run("test_map_whole", "cuda/32 load_takes_any_size"), WHOLE_KERNELS,
          "    LAUNCH(count_kernel, (used + NODES_AT_ONCE - 2) / NODES_AT_ONCE,",
          "    LAUNCH(count_kernel, (used - 1) / NODES_AT_ONCE,"),
    Plant("end_of_the_last_range_missing", "the offset behind the last range is not written",
          Run("test_map_long", "cuda/32 short_and_long*"), "src/blink/blink_places.cu",
          "    if (i <= n) to[i] = from[first[i]];\n", "    if (i < n) to[i] = from[first[i]];\n"),
    Plant("team_asks_the_first_lane", "all teams of a warp get the node of the first",
          Run("test_map_ranges", "*many_queries*"), BLINK_TEAM,
          "q.node = __shfl_sync(WHOLE_WARP, own->node, turn, TEAM_LANES);",
          "q.node = __shfl_sync(WHOLE_WARP, own->node, turn);"),
    Plant("lane_counts_itself", "a lane's place among those that have something to list is one too far",
          Run("test_map_whole", "cuda/32 load_takes_any_size"), WHOLE_KERNELS,
          "const uint64_t at = place + __popc(wanted[i] & ((1u << lane) - 1));",
          "const uint64_t at = place + __popc(wanted[i] & ((2u << lane) - 1));"),
    Plant("snapshot_without_a_pin", "a snapshot is taken, and its images are not kept",
          Run("test_map_snapshots", "cuda/32 many_snapshots_live*"), "src/versioned/versioned_pins.cu",
          "        for (unsigned attempt = 0; epoch_pin(v.epoch.state, stamp) == EPOCH_BUSY;) port_pause(attempt++);\n",
          ""),
    Plant("wrong_number_of_held_images", "images that end with the oldest snapshot count as held back by it",
          Run("test_map_snapshots", "cuda/32 what_is_held_back*"), "src/versioned/versioned_kernels.h",
          "until > first && until <= second;", "until >= first && until < second;"),
    # ---- batches ----
    Plant("survey_begins_with_what_was_there", "a block's shared words are not cleared",
          Run("test_batch", "cuda/32 small_batches*"), BATCH_KERNELS,
          "    if (threadIdx.x == 0) all_seen = 0, all_differ = 0;\n", ""),
    Plant("scan_counter_not_reset", "the next scan's last block does not know that it is the last",
          Run("test_batch", "cuda/32 batches_on_many_keys*"), SCAN,
          "            atomicExch(&space->done, 0u); ", "            (void)space;                  "),
    Plant("warp_sums_read_before_written", "the first warp adds up what other warps have not written",
          Run("test_batch", "cuda/32 batches_on_few_keys*"), SCAN,
          "            if (lane == 31) warp_sum[k * WARPS + warp] = x[k];" + " " * 51 + "\\\n        __syncthreads();"
          + " " * 89 + "\\\n",
          "            if (lane == 31) warp_sum[k * WARPS + warp] = x[k]; \\\n"),
    Plant("nodes_not_told_to_all", "threads build a level before they know how many nodes it has",
          Run("test_batch", "cuda/32 small_batches*"), BATCH_KERNELS,
          "        if (threadIdx.x == 0) batch_close_plan(&b, level, nodes);\n        __syncthreads();\n",
          "        if (threadIdx.x == 0) batch_close_plan(&b, level, nodes);\n"),
    Plant("cases_not_told_to_all", "threads tidy a level before they know how many cases it has",
          Run("test_batch", "cuda/32 small_batches*", 1), BATCH_KERNELS,
          "        __syncthreads();\n        uint32_t cases = b.sizes->cases;\n",
          "        uint32_t cases = b.sizes->cases;\n"),
    Plant("every_block_ends_the_batch", "what one thread must do is done by one of each block",
          Run("test_batch", "cuda/32 batches_on_many_keys*"), BATCH_KERNELS,
          "    if (blockIdx.x > 0 || threadIdx.x > 0) return;\n    batch_end(&b);\n",
          "    if (threadIdx.x > 0) return;\n    batch_end(&b);\n"),
    Plant("zeros_of_all_not_written", "the element behind the last one, which has the sum of all, is left out",
          Run("test_batch", "cuda/32 wide_counts*"), "src/batch/batch.cu",
          "i <= n; i += gridDim.x * blockDim.x) {\n        int32_t sum",
          "i < n; i += gridDim.x * blockDim.x) {\n        int32_t sum"),
    # ---- errors ----
    Plant("status_of_flags_lost", "memory for outcomes that is not to be had is not reported",
          Run("test_map_allocations", "cuda/32 every_allocation_of_array*"), MAP,
          "    if (status == PLEACH_OK) status = staging_output(s, r->flags, n, false, (void **)&staged->flags);\n",
          "    if (status == PLEACH_OK) staging_output(s, r->flags, n, false, (void **)&staged->flags);\n"),
    Plant("full_table_says_nothing", "elements were not applied, and the call is told to be fine",
          Run("test_hash_limits", "cuda/32 fills_up_in_maps*"), HASH,
          "    return status != PLEACH_OK ? status : not_applied ? PLEACH_E_FULL : PLEACH_OK;\n",
          "    return status;\n"),
    # ---- skiplists ----
    Plant("mask_of_the_first_team", "all teams of a warp name the first one's lanes",
          Run("test_skiplist", "cuda/32 teams_of_every_size"), SKIPLIST_TEAM,
          " << (threadIdx.x % 32 / lanes * lanes);", ";"),
    Plant("sums_of_the_first_warp", "what the other warps have inserted is not counted",
          Run("test_skiplist", "cuda/32 waves_of_array_calls*"), SKIPLIST_KERNELS,
          "    if (threadIdx.x % 32 != 0) return;\n    if (sums.grown)",
          "    if (threadIdx.x != 0) return;\n    if (sums.grown)"),
    Plant("ramp_steps_over_one", "between two launches of an array call one element is left out",
          Run("test_skiplist", "cuda/32 every_order_in_and_out*"), SKIPLIST_LAUNCH,
          "        first = end;\n        end *= RAMP_STEP;\n", "        first = end + 1;\n        end *= RAMP_STEP;\n"),
    # ---- hash tables ----
    Plant("last_block_not_launched", "a last block that is not full is left out",
          Run("test_hash", "cuda/32 arrays_of_every_length*"), SLABHASH,
          "{ return (unsigned)((threads + BLOCK_THREADS - 1) / BLOCK_THREADS); }",
          "{ return threads < BLOCK_THREADS ? 1 : (unsigned)(threads / BLOCK_THREADS); }"),
    Plant("chains_of_duplicates_not_cleared", "places of rows hold what the memory held",
          Run("test_hash_repeats", "cuda/32 few_keys*", 1), "src/cuda/duplicates.c",
          " ||\n        cudaMemsetAsync(r.rows, 0, places * sizeof *r.rows, s->stream) != cudaSuccess)", ")"),
    Plant("list_begins_where_it_ended", "the counter of elements that are left for later is not cleared",
          Run("test_hash_repeats", "cuda/32 few_keys*"), SLABHASH,
          "    cudaError_t error = cudaMemsetAsync(later.count, 0, sizeof *later.count, stream);\n"
          "    if (error == cudaSuccess) error = launch_brief",
          "    cudaError_t error = cudaSuccess;\n    if (error == cudaSuccess) error = launch_brief"),
    Plant("lanes_leave_one_place", "two lanes of a warp leave their elements at the same place",
          Run("test_hash_repeats", "cuda/32 many_keys*", 1), LATER,
          "later.elements[first + __popc(lanes & ((1u << lane) - 1))]",
          "later.elements[first + __popc(lanes & (1u << lane))]"),
    Plant("places_taken_by_load_and_store", "two buckets list their pairs at the same places",
          Run("test_hash", "cuda/32 export_says*", 1), "src/hash/hash_kernels.h",
          "    uint64_t at = here ? port_fetch_add(count, here) : 0;\n",
          "    uint64_t at = port_load(count);\n    port_store(count, at + here);\n"),
    Plant("resized_table_forgets_its_size", "the size of a table that got other buckets stays on the host",
          Run("test_hash", "cuda/32 reserved_keys_come*"), HASH,
          "cudaMemcpyAsync(size_there, &size, sizeof size, cudaMemcpyHostToDevice, s.stream)", "cudaSuccess"),
    # ---- graphs ----
    Plant("last_sum_not_cleared", "one of a block's four sums begins with what shared memory held",
          Run("test_graph_points", "*an_edge_brings*"), EDGES,
          "    if (threadIdx.x < 4) sums[threadIdx.x] = 0;\n", "    if (threadIdx.x < 3) sums[threadIdx.x] = 0;\n"),
    Plant("sums_cleared_late", "a block's sums are cleared when other warps have added to them",
          Run("test_graph_points", "*many_lists*", 3), EDGES,
          "    if (threadIdx.x < 4) sums[threadIdx.x] = 0;\n    __syncthreads();\n",
          "    if (threadIdx.x < 4) sums[threadIdx.x] = 0;\n"),
    Plant("counter_of_a_launch_not_cleared", "a launch's counters begin with what the memory held",
          Run("test_graph_points", "*an_edge_brings*"), "src/graph/graph_cuda.c",
          "    hopeful.hopeful = !last;\n    CUDA_TRY(cudaMemsetAsync(there, 0, sizeof *there, s->stream));\n",
          "    hopeful.hopeful = !last;\n"),
    Plant("segment_zero_marked_before", "shared memory is cleared to the number of a segment",
          Run("test_graph_points", "*an_edge_brings*"), EDGES_ARRAYS,
          "before[i] = UINT32_MAX; /* no number */", "before[i] = 0;"),
    Plant("marks_of_its_own_word", "each lane looks for its segment in the word that it has read itself",
          Run("test_graph_vertices", "*beyond_one_segment*"), EDGES_ARRAYS,
          "segments = __shfl_sync(~0u, marked, from);", "segments = marked;"),
    Plant("one_new_vertex_too_many", "one id more than was asked for is written behind the array",
          Run("test_graph_vertices", "*new_vertices_are_the_smallest*"), EDGES_ARRAYS,
          "        if (is_free && have + earlier < n) {\n", "        if (is_free && have + earlier <= n) {\n"),
    Plant("stacked_slab_names_itself", "the mask of lanes above has the lane itself",
          Run("test_graph_vertices", "*erased_vertices_take*"), EDGES,
          "    uint32_t above = lanes & ~((2u << lane) - 1);\n", "    uint32_t above = lanes & ~((1u << lane) - 1);\n"),
    Plant("runs_not_cleared", "lists of runs in shared memory begin with what was there",
          Run("test_graph_vertices", "*erased_vertices_take*"), EDGES_ERASE,
          "    if (threadIdx.x % 32 < POOL_RUN_LOGS) runs[threadIdx.x % 32] = slabs;\n", ""),
    Plant("lanes_leave_before_the_vote", "lanes without a missing id do not vote",
          Run("test_graph_sparse", "*who_is_refused*"), "src/graph/graph_sparse_ids.cu",
          "    bool lacks = wanted && !graph_vertex(g, id);\n",
          "    bool lacks = wanted && !graph_vertex(g, id);\n    if (!lacks) return;\n"),
    # ---- triangles ----
    Plant("key_behind_the_last_vertex", "one thread too many writes behind the keys",
          Run("test_triangles_cuda"), "src/graph/triangles/triangles_orient.cu",
          "    if (id >= g.n) return;\n", "    if (id > g.n) return;\n"),
    Plant("bits_not_cleared", "the set of a block's vertex begins with what shared memory held",
          Run("test_triangles_cuda"), TRIANGLES,
          "    for (unsigned place = threadIdx.x; place < TRIANGLE_PLACES; place += TRIANGLE_THREADS) "
          "b->bits[place] = 0;\n",
          ""),
    Plant("members_taken_before_counter_is_set", "warps take members by the counter of the vertex before",
          Run("test_triangles_cuda"), TRIANGLES,
          "        if (threadIdx.x == 0) b->next = 0;\n        __syncthreads();\n",
          "        if (threadIdx.x == 0) b->next = 0;\n"),
    Plant("every_lane_charges", "each lane of a warp adds what one of them has to add",
          Run("test_graph_triangles", "*two_cliques*"), EDGES_KERNELS,
          "    if (lane || !count) return;\n", "    if (!count) return;\n"),
    # ---- kernels of users ----
    Plant("succ_of_the_largest_key", "the key behind the largest one is 0",
          Run("test_map_device"), "src/blink/blink_device.h",
          "    return key != KEY_MAX && view_seek(view, key + 1,", "    return view_seek(view, key + 1,"),
    Plant("users_keys_not_counted", "a table's size does not have what kernels of users have put",
          Run("test_hash_device"), "src/hash/slabhash_device_kind.h",
          "    if (c.outcome == PLEACH_INSERTED) port_fetch_add(size, 1);\n", ""),
]
