/* skiplist/skiplist_kernels.h - array calls of a skiplist: one GPU thread per operation, in blocks that stay resident
 * and process the array together. Included by skiplist_launch.h. */
#include "skiplist_blocking.h"
#include "skiplist_team.h"
#include "../level/level_thread.h"
#include "../level/level_kernels.h"

/* Runs `element` for i = first .. end-1, with `stay` elements per team of `lanes` threads in each critical section. All
 * threads of the block enter and leave together. */
#define STAYING(ref, first, end, lanes, stay, element)                                                           \
    __shared__ epoch_participant agent;                                                                          \
    skiplist_ref place = skiplist_of(&ref, sizeof(map_node));                                                    \
    map_thread map = map_thread_of(&ref, blockIdx.x);                                                            \
    map.agent = &agent;                                                                                          \
    skiplist_register(&place, &agent, STAY_THREADS, blockIdx.x);                                                 \
    const size_t own = STAY_THREADS / (lanes), wave = gridDim.x * own;                                           \
    for (size_t base = (first) + blockIdx.x * own; base < (end); base += (stay) * wave) {                        \
        skiplist_begin(&place, &agent);                                                                          \
        for (unsigned turn = 0; turn < (stay); turn++) {                                                         \
            size_t i = base + turn * wave + threadIdx.x / (lanes);                                               \
            if (i < (end)) element;                                                                              \
        }                                                                                                        \
        skiplist_end(&place, &agent);                                                                            \
    }                                                                                                            \
    skiplist_unregister(&place, &agent)

PORT_FN void find_element(map_thread map, const request &r, size_t i)
{
    find_op find;
    find_start(map, &find, ((const map_key *)r.keys)[i]);
    LEVEL_BLOCKING(find_step(map, &find));
    if (find.found) set_key(r.out_values, i, find.value);
    if (r.flags) r.flags[i] = find.found;
}

static __global__ void __launch_bounds__(STAY_THREADS)
    find_kernel(const __grid_constant__ map_ref ref, const __grid_constant__ request r)
{
    STAYING(ref, 0, r.n, 1, QUERY_STAY, find_element(map, r, i));
}

/* The same by teams. */
PORT_FN void find_by_team(map_thread map, team t, const request &r, size_t i)
{
    find_op find;
    team_find(map, t, &find, ((const map_key *)r.keys)[i]);
    if (t.lane != 0) return;
    if (find.found) set_key(r.out_values, i, find.value);
    if (r.flags) r.flags[i] = find.found;
}

static __global__ void __launch_bounds__(STAY_THREADS)
    team_find_kernel(const __grid_constant__ map_ref ref, unsigned team_lanes,
                     const __grid_constant__ request r)
{
    team t = team_of(team_lanes);
    STAYING(ref, 0, r.n, t.lanes, QUERY_STAY, find_by_team(map, t, r, i));
}

/* The totals of a thread's updates. */
typedef struct update_sums { int grown; unsigned refused; } update_sums;

PORT_FN void update_element(map_thread map, team t, const request &r, size_t i, update_sums *sums)
{
    update_op update;
    op_kind kind = r.kind;
    map_key key = ((const map_key *)r.keys)[i], value = kind == OP_ERASE ? 0 : ((const map_key *)r.values)[i];
    if (t.lanes > 1)
        team_update(map, t, &update, kind, key, value);
    else
        update_blocking(map, &update, kind, key, value);
    if (t.lane != 0) return;
    if (update.outcome == PLEACH_REPLACED || update.outcome == PLEACH_EXISTS || update.outcome == PLEACH_ERASED)
        set_key(r.out_values, i, update.old);
    if (r.flags) r.flags[i] = (uint8_t)update.outcome;
    sums->grown += (update.outcome == PLEACH_INSERTED) - (update.outcome == PLEACH_ERASED);
    sums->refused += update.outcome == PLEACH_NOT_APPLIED;
}

/* Adds the insertions and erasures of a warp to the map's size, in one addition. */
PORT_FN void add_sums(const map_ref &ref, update_sums sums, update_notes *notes)
{
    for (unsigned by = 16; by > 0; by /= 2) {
        sums.grown += __shfl_xor_sync(0xffffffffu, sums.grown, by);
        sums.refused += __shfl_xor_sync(0xffffffffu, sums.refused, by);
    }
    if (threadIdx.x % 32 != 0) return;
    if (sums.grown) port_fetch_add(&ref.tree->stripe[blockIdx.x % BLINK_STRIPES].size, (uint64_t)(int64_t)sums.grown);
    if (sums.refused) port_fetch_add(&notes->not_applied, sums.refused);
}

static __global__ void __launch_bounds__(STAY_THREADS, 2)
    update_kernel(const __grid_constant__ map_ref ref, const __grid_constant__ request r, size_t first,
                  size_t end, update_notes *notes)
{
    update_sums sums = {0, 0};
    STAYING(ref, first, end, 1, UPDATE_STAY, update_element(map, team_of(1), r, i, &sums));
    add_sums(ref, sums, notes);
}

static __global__ void __launch_bounds__(STAY_THREADS, 2)
    team_update_kernel(const __grid_constant__ map_ref ref, unsigned team_lanes,
                       const __grid_constant__ request r, size_t first, size_t end, update_notes *notes)
{
    update_sums sums = {0, 0};
    team t = team_of(team_lanes);
    STAYING(ref, first, end, t.lanes, UPDATE_STAY, update_element(map, t, r, i, &sums));
    add_sums(ref, sums, notes);
}

static __global__ void __launch_bounds__(STAY_THREADS)
    seek_kernel(const __grid_constant__ map_ref ref, const __grid_constant__ request r)
{
    STAYING(ref, 0, r.n, 1, QUERY_STAY, seek_element(map, r, i));
}

/* Runs the range to its end. Returns false if it was noted before that. */
PORT_FN bool range_to_end_or_note(map_thread map, range_op *range, long_notes *notes, uint64_t i)
{
    unsigned attempts = 0, visits = 0;
    level_step step;
    while ((step = range_step(map, range)) == STEP_MOVED || step == STEP_AGAIN) {
        BLINK_WAIT(step, attempts);
        if (range->cursor.level == 0 && ++visits == LONG_VISITS && long_note(notes, i)) return false;
    }
    return true;
}

PORT_FN void range_element(map_thread map, const request &r, size_t i)
{
    map_key low = ((const map_key *)r.keys)[i], high = ((const map_key *)r.values)[i];
    uint64_t limit = r.limit ? r.limit : UINT64_MAX, place = i * (uint64_t)r.limit, room = limit;
    if (r.offsets) {
        place = r.offsets[i];
        room = r.offsets[i + 1] - place;
    }
    range_op range;
    range.count = 0;
    if (low <= high) {
        range_start(map, &range, low, high, limit, room, r.out_keys ? (map_key *)r.out_keys + place : NULL,
                    r.out_values ? (map_key *)r.out_values + place : NULL);
        if (!range_to_end_or_note(map, &range, (long_notes *)r.notes, i)) return;
    }
    if (r.counts) r.counts[i] = (uint32_t)range.count;
    if (r.long_counts) r.long_counts[i] = range.count;
}

static __global__ void __launch_bounds__(STAY_THREADS)
    range_kernel(const __grid_constant__ map_ref ref, const __grid_constant__ request r)
{
    STAYING(ref, 0, r.n, 1, 1, range_element(map, r, i));
}
