/* blink/blink_kernels.h - one GPU thread per operation, each running the same steps as a CPU thread. Included by
 * blink.cu and, for maps with versions, by versioned.cu. */
#include "blink_team.h"
#include "blink_blocking.h"
#include "../level/level_thread.h"
#include "../level/level_kernels.h"

/* An update keeps a leaf's image in registers. This many blocks per multiprocessor spill little
 * (docs/performance.md). */
enum { UPDATE_BLOCKS = PLEACH_KEY_BITS == 32 ? 8 : 5 };

static __global__ void __launch_bounds__(BLOCK_THREADS)
    find_kernel(const __grid_constant__ map_ref ref, request r)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= r.n) return;
    map_thread map = map_thread_of(&ref, blockIdx.x);
    find_op find;
    find_start(map, &find, ((const map_key *)r.keys)[i]);
    LEVEL_BLOCKING(find_step(map, &find));
    if (find.found) set_key(r.out_values, i, find.value);
    if (r.flags) r.flags[i] = find.found;
}

static __global__ void __launch_bounds__(BLOCK_THREADS, UPDATE_BLOCKS)
    update_kernel(const __grid_constant__ map_ref ref, bool keeps, request r, update_notes *notes)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    bool active = i < r.n;
    update_op update;
    (void)keeps; /* without versions */
    if (r.may_redirect && notes->declined) return;
    update.outcome = PLEACH_ABSENT;
    map_thread map = map_thread_of(&ref, blockIdx.x);
#ifdef BLINK_VERSIONED
    __shared__ epoch_participant agent; /* the block is one participant, if versions may be needed */
    if (keeps) {
        version_writer_begin(map.versions, &agent, BLOCK_THREADS, blockIdx.x);
        map.agent = &agent;
    }
#endif
    if (active) {
        op_kind kind = r.kind;
        map_key value = kind == OP_ERASE ? 0 : ((const map_key *)r.values)[i];
        update_blocking(map, &update, kind, ((const map_key *)r.keys)[i], value);
        if (update.outcome == PLEACH_REPLACED || update.outcome == PLEACH_EXISTS || update.outcome == PLEACH_ERASED)
            set_key(r.out_values, i, update.old);
        if (r.flags) r.flags[i] = (uint8_t)update.outcome;
    }
    count_outcomes(ref.tree, update.outcome == PLEACH_INSERTED, update.outcome == PLEACH_ERASED,
                   update.outcome == PLEACH_NOT_APPLIED, notes);
#ifdef BLINK_VERSIONED
    if (keeps) version_writer_end(map.versions, &agent, blockIdx.x);
#endif
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    seek_kernel(const __grid_constant__ map_ref ref, request r)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= r.n) return;
    seek_element(map_thread_of(&ref, blockIdx.x), r, i);
}

/* Starts element i's query. */
PORT_FN void own_query(map_thread map, const request *r, size_t i, team_query *q)
{
    uint64_t place = i * (uint64_t)r->limit;
    q->target = ((const map_key *)r->keys)[i];
    q->high = ((const map_key *)r->values)[i];
    q->limit = q->room = r->limit ? r->limit : UINT64_MAX;
    if (r->offsets) {
        place = r->offsets[i];
        q->room = r->offsets[i + 1] - place;
    }
    if (r->out_keys) q->keys = (map_key *)r->out_keys + place;
    if (r->out_values) q->values = (map_key *)r->out_values + place;
    if (q->target <= q->high) team_start(map, q);
}

/* In a map with versions, at the request's snapshot or one that the block takes. One thread in 2^apart has a query. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    range_kernel(const __grid_constant__ map_ref ref, const __grid_constant__ request r, unsigned apart)
{
    size_t thread = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x, i = thread >> apart;
    bool mine = i < r.n && i << apart == thread, noted;
    map_thread map = map_thread_of(&ref, blockIdx.x);
    team_query own;
    uint64_t at = 0;
#ifdef BLINK_VERSIONED
    __shared__ epoch_participant agent;
    at = r.at ? *r.at : version_snapshot_begin(map.versions, &agent, BLOCK_THREADS, blockIdx.x);
#endif
    team_no_query(&own);
    if (mine) own_query(map, &r, i, &own);
    uint64_t found = team_run_or_note(map, at, &own, (long_notes *)r.notes, i, &noted);
#ifdef BLINK_VERSIONED
    if (!r.at) version_snapshot_end(map.versions, &agent, at, VERSION_TURN, EPOCH_ALL);
#endif
    if (!mine || noted) return;
    if (r.counts) r.counts[i] = (uint32_t)found;
    if (r.long_counts) r.long_counts[i] = found;
}
