/* blink/blink_long_kernels.h - long queries: a count or range that has visited many leaves and is not done is noted by
 * its kernel, and read again from its beginning, in parts, by the whole GPU. Included by the files with launchers.
 *
 *     cut      one thread per part walks down to the key at which its part begins (blink/blink_cut.h)
 *     raise    one block per query: no part begins before the previous one
 *     count    one team (in a skiplist, one thread) per part: how many pairs it has
 *     place    one block per query: pairs in the preceding parts, and the query's result if it is a count
 *     read     one team or thread per part: copies its pairs to their places
 *
 * The parts of a query are disjoint and cover its interval, and each reads its leaves as any query does. So a plain map
 * guarantees what it guarantees for ranges: each leaf is read at one instant. In a map with versions all parts read at
 * one timestamp: that of the snapshot, or of one that block 0 takes and holds while the kernel runs.
 *
 * A plain map may change between counting and reading. A part that then has a different number of pairs than were
 * counted is noted. All parts are counted and read again, and after LONG_ROUNDS rounds each query is read to its end by
 * one team or thread. Packed ranges (map_cuda_range.c) instead leave gaps between parts, which are closed afterwards.
 *
 * PROGRESS   The blocks of one kernel wait for each other (grid_meet), so all of them must be resident on the GPU at
 *            the same time: a cooperative launch. No block waits there while it holds a slot for which blocks of
 *            another kernel may wait, except block 0, whose slot for a snapshot is one of VISITORS; a holder of such a
 *            slot never waits for a participant that has none.
 */
#include "blink_cut.h"

/* How the noted queries are divided: the same for all threads, once the kernel that noted them is over. */
typedef struct long_shape { uint64_t queries, each, parts; } long_shape;

PORT_FN long_shape long_shape_of(const long_work *work)
{
    long_shape s;
    s.queries = work->notes.queries < LONG_QUERIES ? work->notes.queries : LONG_QUERIES;
    s.each = long_parts_each(s.queries);
    s.parts = s.queries * s.each;
    return s;
}

/* A barrier for all blocks of a cooperative launch: stores made before it are visible to all blocks after it. */
PORT_FN void grid_meet(long_work *work, unsigned *meetings)
{
    __syncthreads();
    ++*meetings;
    if (threadIdx.x == 0) {
        __threadfence();
        port_fetch_add(&work->arrived, 1);
        for (unsigned attempt = 0; port_load_acquire(&work->arrived) < (uint64_t)*meetings * gridDim.x;)
            port_pause(attempt++);
        __threadfence(); /* also invalidates the multiprocessor's L1, for the whole block */
    }
    __syncthreads();
}

/* Returns the sum, or the maximum, of the values of all preceding threads of the block. */
PORT_FN uint64_t block_before(uint64_t mine, bool greatest)
{
    __shared__ uint64_t all[BLOCK_THREADS];
    all[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned by = 1; by < BLOCK_THREADS; by *= 2) {
        uint64_t left = threadIdx.x >= by ? all[threadIdx.x - by] : 0;
        __syncthreads();
        if (greatest && left > all[threadIdx.x]) all[threadIdx.x] = left;
        if (!greatest) all[threadIdx.x] += left;
        __syncthreads();
    }
    uint64_t before = threadIdx.x ? all[threadIdx.x - 1] : 0;
    __syncthreads();
    return before;
}

/* The parts of a query that belong to this thread of a block are contiguous: from *first to below the result. */
PORT_FN uint64_t own_parts(const long_shape *s, uint64_t q, uint64_t *first)
{
    const uint64_t some = (s->each + BLOCK_THREADS - 1) / BLOCK_THREADS, end = (q + 1) * s->each;
    *first = q * s->each + threadIdx.x * some;
    if (*first > end) *first = end;
    return *first + some < end ? *first + some : end;
}

/* Called by a whole block: makes the cuts of query q ascend, none of them behind the query's end. */
PORT_FN void long_raise(long_work *work, const long_shape *s, uint64_t q)
{
    const uint64_t reach = work->reach[q];
    uint64_t first, end = own_parts(s, q, &first), greatest = 0;
    for (uint64_t t = first; t < end; t++) greatest = greatest > work->low[t] ? greatest : work->low[t];
    greatest = block_before(greatest, true);
    for (uint64_t t = first; t < end; t++) {
        if (work->low[t] > greatest) greatest = work->low[t];
        work->low[t] = greatest < reach ? greatest : reach;
    }
}

/* Called by a whole block: found[first .. end-1] are this thread's parts. Reduces them to the pairs that the limit
 * allows. If place is not NULL, stores there how many pairs come before each part. Returns, to the last thread only,
 * how many pairs there are without the limit. */
PORT_FN uint64_t long_place(uint64_t *found, uint64_t *place, uint64_t first, uint64_t end, uint64_t limit)
{
    uint64_t before = 0;
    for (uint64_t t = first; t < end; t++) before += found[t];
    before = block_before(before, false);
    for (uint64_t t = first; t < end; t++) {
        const uint64_t here = before < limit ? before : limit;
        before += found[t];
        found[t] = (before < limit ? before : limit) - here;
        if (place) place[t] = here;
    }
    return before;
}

/* This thread's share of cutting. Walks that see different states of the map may differ in how far a limited query
 * reaches; the value from the first part's walk is used. */
PORT_FN void long_cut(map_thread map, const request *r, long_work *work, const long_shape *s, bool whole)
{
    for (uint64_t t = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x; t < s->parts;
         t += gridDim.x * BLOCK_THREADS) {
        const uint64_t q = t / s->each, i = work->notes.query[q];
        const uint32_t share = cut_share((uint32_t)(t % s->each), (uint32_t)s->each);
        const map_key low = ((const map_key *)r->keys)[i];
        map_key high = ((const map_key *)r->values)[i];
        if (r->limit && !whole) high = cut_reach(map, low, high, r->limit);
        work->low[t] = share ? cut_at(map, low, high, share) : low;
        if (share == 0) work->reach[q] = high;
    }
}

/* What a part, or in the end a whole query, must read, and where its pairs go. */
typedef struct long_part {
    map_key low, high;
    map_key *keys, *values;
    uint64_t limit, room;
} long_part;

/* Returns false if the part is empty. */
PORT_FN bool long_part_of(const long_work *work, const long_shape *s, uint64_t t, long_part *part)
{
    const uint64_t q = t / s->each;
    part->low = (map_key)work->low[t];
    part->high = (map_key)work->reach[q];
    part->keys = part->values = NULL;
    if (t + 1 == (q + 1) * s->each) return true;
    const map_key next = (map_key)work->low[t + 1];
    part->high = next - 1;
    return next > part->low;
}

/* Sets where the pairs of query i go in the caller's arrays, from its `place`-th pair on. */
PORT_FN void long_output(const request *r, uint64_t i, uint64_t place, long_part *part)
{
    const uint64_t at = i * (uint64_t)r->limit + place;
    if (r->out_keys) part->keys = (map_key *)r->out_keys + at;
    if (r->out_values) part->values = (map_key *)r->out_values + at;
}

#ifdef BLINK_SKIPLIST
enum { LONG_LANES = 1 };

PORT_FN uint64_t long_read(map_thread map, uint64_t at, bool mine, const long_part *part)
{
    range_op range;
    (void)at;
    if (!mine) return 0;
    range_start(map, &range, part->low, part->high, part->limit, part->room, part->keys, part->values);
    LEVEL_BLOCKING(range_step(map, &range));
    return range.count;
}
#else
enum { LONG_LANES = TEAM_LANES };

/* Called by a whole warp; `mine` may be set only in the first thread of a team. */
PORT_FN uint64_t long_read(map_thread map, uint64_t at, bool mine, const long_part *part)
{
    team_query own;
    team_no_query(&own);
    if (mine) {
        team_query_set(&own, part->low, part->high, part->limit, part->keys, part->values);
        own.room = part->room;
        team_start(map, &own);
    }
    return team_run(map, at, &own);
}
#endif

typedef enum long_task { LONG_COUNT, LONG_READ, LONG_ALONE } long_task;

/* Selects part, or query, t of a task. Returns false if there is nothing to read. */
PORT_FN bool long_take(const request *r, const long_work *work, const long_shape *s, long_task task,
                       uint64_t t, long_part *part)
{
    part->limit = part->room = task != LONG_READ && r->limit ? r->limit : UINT64_MAX;
    if (task == LONG_ALONE) {
        const uint64_t i = work->notes.query[t];
        part->low = ((const map_key *)r->keys)[i];
        part->high = ((const map_key *)r->values)[i];
        long_output(r, i, 0, part);
        return true;
    }
    if (!long_part_of(work, s, t, part)) return false;
    if (task == LONG_COUNT) return true;
    part->room = work->found[t];
    long_output(r, work->notes.query[t / s->each], work->place[t], part);
    return work->place[t] < r->limit; /* otherwise the preceding parts reach the limit */
}

PORT_FN void long_report(const request *r, const long_work *work, uint64_t q, uint64_t pairs)
{
    const uint64_t i = work->notes.query[q];
    if (r->limit && pairs > r->limit) pairs = r->limit;
    if (r->counts) r->counts[i] = (uint32_t)pairs;
    if (r->long_counts) r->long_counts[i] = pairs;
}

/* Returns true if part t had other than the counted number of pairs. Pairs behind the limit do not matter. */
PORT_FN bool long_has_changed(const request *r, const long_work *work, uint64_t t, uint64_t found)
{
    const uint64_t counted = work->found[t];
    return found < counted || (found > counted && work->place[t] + counted < r->limit);
}

/* Runs a task over all parts, or queries. Called by all threads of the grid. */
PORT_COLD void long_run(map_thread map, uint64_t at, const request *r, long_work *work, const long_shape *s,
                        long_task task, unsigned round)
{
    const uint64_t end = task == LONG_ALONE ? s->queries : s->parts;
    const uint64_t teams = (uint64_t)gridDim.x * BLOCK_THREADS / LONG_LANES;
    const uint64_t own = ((uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) / LONG_LANES;
    for (uint64_t base = 0; base < end; base += teams) { /* the same number of rounds in all lanes of a warp */
        const uint64_t t = base + own;
        const bool first = t < end && threadIdx.x % LONG_LANES == 0;
        long_part part;
        const bool mine = first && long_take(r, work, s, task, t, &part);
        const uint64_t found = long_read(map, at, mine, &part);
        if (first && task == LONG_COUNT) work->found[t] = mine ? found : 0;
        if (mine && task == LONG_READ && long_has_changed(r, work, t, found))
            port_fetch_add(&work->changed[round], 1);
        if (first && task == LONG_ALONE) long_report(r, work, t, found);
    }
}

/* One block per query: computes places, and the result. Notes a limited query whose parts end too early. */
PORT_FN void long_place_all(const request *r, long_work *work, const long_shape *s, unsigned round)
{
    for (uint64_t q = blockIdx.x; q < s->queries; q += gridDim.x) {
        uint64_t first, end = own_parts(s, q, &first);
        const uint64_t pairs = long_place(work->found, work->place, first, end, r->limit ? r->limit : UINT64_MAX);
        if (threadIdx.x != BLOCK_THREADS - 1) continue;
        long_report(r, work, q, pairs);
        const map_key high = ((const map_key *)r->values)[work->notes.query[q]];
        if (pairs < r->limit && work->reach[q] < high) port_fetch_add(&work->changed[round], 1);
    }
}

/* In a skiplist a block is a participant, inside while its threads read. It holds no slot while it waits for blocks. */
#ifdef BLINK_SKIPLIST
#define LONG_INSIDE(call)                                                                                        \
    do {                                                                                                         \
        skiplist_register(&place, &agent, BLOCK_THREADS, blockIdx.x);                                            \
        skiplist_begin(&place, &agent);                                                                          \
        call;                                                                                                    \
        skiplist_end(&place, &agent);                                                                            \
        skiplist_unregister(&place, &agent);                                                                     \
    } while (0)
#else
#define LONG_INSIDE(call) call
#endif

/* If `count_only`, counts the pairs of each part once and does nothing else. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    long_kernel(const __grid_constant__ map_ref ref, const __grid_constant__ request r, long_work *work,
                bool count_only, bool whole)
{
    if (work->notes.queries == 0) return;
    const long_shape s = long_shape_of(work);
    map_thread map = map_thread_of(&ref, blockIdx.x);
    unsigned meetings = 0;
    uint64_t at = 0;
#ifdef BLINK_SKIPLIST
    __shared__ epoch_participant agent;
    skiplist_ref place = skiplist_of(&ref, sizeof(map_node));
#endif
#ifdef BLINK_VERSIONED
    __shared__ epoch_participant agent;
    if (!r.at && blockIdx.x == 0) {
        at = version_snapshot_begin(map.versions, &agent, BLOCK_THREADS, 0);
        if (threadIdx.x == 0) port_store(&work->at, at);
    }
#endif
    bool again = true;
    for (unsigned round = 0; again && round < LONG_ROUNDS; round++) {
        LONG_INSIDE(long_cut(map, &r, work, &s, whole || round > 0));
        grid_meet(work, &meetings);
#ifdef BLINK_VERSIONED
        at = r.at ? *r.at : port_load(&work->at);
#endif
        for (uint64_t q = blockIdx.x; q < s.queries; q += gridDim.x) long_raise(work, &s, q);
        grid_meet(work, &meetings);
        LONG_INSIDE(long_run(map, at, &r, work, &s, LONG_COUNT, round));
        if (count_only) return;
        grid_meet(work, &meetings);
        long_place_all(&r, work, &s, round);
        grid_meet(work, &meetings);
        if (r.kind == OP_RANGE) LONG_INSIDE(long_run(map, at, &r, work, &s, LONG_READ, round));
        grid_meet(work, &meetings);
        again = port_load(&work->changed[round]) != 0;
    }
    if (again) LONG_INSIDE(long_run(map, at, &r, work, &s, LONG_ALONE, 0));
#ifdef BLINK_VERSIONED
    grid_meet(work, &meetings); /* no block reads at this timestamp any more */
    if (!r.at && blockIdx.x == 0) version_snapshot_end(map.versions, &agent, at, 1, EPOCH_ALL);
#endif
}
#undef LONG_INSIDE

#if !defined(BLINK_SKIPLIST) && !defined(BLINK_VERSIONED)
/* Pieces for packed ranges: one thread per query, and one per part of a noted query. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    pieces_kernel(const __grid_constant__ request r, const long_work *work, const __grid_constant__ long_pieces to)
{
    const long_shape s = long_shape_of(work);
    const uint64_t i = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < r.n && to.first[i + 1] - to.first[i] == 1) { /* noted queries have more */
        ((map_key *)to.low)[to.first[i]] = ((const map_key *)r.keys)[i];
        ((map_key *)to.high)[to.first[i]] = ((const map_key *)r.values)[i];
        to.found[to.first[i]] = r.long_counts[i];
    }
    if (i < s.parts) {
        const uint64_t piece = to.first[work->notes.query[i / s.each]] + i % s.each;
        long_part part;
        const bool some = long_part_of(work, &s, i, &part);
        ((map_key *)to.low)[piece] = some ? part.low : 1;
        ((map_key *)to.high)[piece] = some ? part.high : 0;
        to.found[piece] = work->found[i];
    }
    if (i == 0) to.found[to.n] = 0;
}

/* One block per noted query. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    limit_kernel(const __grid_constant__ request r, long_work *work, const __grid_constant__ long_pieces to)
{
    const long_shape s = long_shape_of(work);
    for (uint64_t q = blockIdx.x; q < s.queries; q += gridDim.x) {
        uint64_t first, end = own_parts(&s, q, &first);
        uint64_t *found = to.found + to.first[work->notes.query[q]] - q * s.each;
        const uint64_t pairs = long_place(found, NULL, first, end, r.limit);
        const map_key high = ((const map_key *)r.values)[work->notes.query[q]];
        if (threadIdx.x == BLOCK_THREADS - 1 && pairs < r.limit && work->reach[q] < high)
            port_fetch_add(&work->lacking, 1);
    }
}
#endif

static cudaError_t launch_long(const map_launch *gpu, const request *r, long_work *work, bool count_only,
                               bool whole, cudaStream_t stream)
{
    int resident = 0;
    cudaError_t error =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, long_kernel, BLOCK_THREADS, 0);
    if (error != cudaSuccess) return error;
    const unsigned most = blocks_for((uint64_t)LONG_PARTS * LONG_LANES), all = (unsigned)resident * gpu->processors;
    void *arguments[] = {(void *)&gpu->map, (void *)r, &work, &count_only, &whole};
    cudaGetLastError();
    return cudaLaunchCooperativeKernel(long_kernel, dim3(all < most ? all : most), dim3(BLOCK_THREADS),
                                       arguments, 0, stream);
}

static cudaError_t run_long(map_launch gpu, const request *r, long_work *work, cudaStream_t stream)
{
    return launch_long(&gpu, r, work, false, false, stream);
}

static cudaError_t count_parts(map_launch gpu, const request *r, long_work *work, bool whole, cudaStream_t stream)
{
    return launch_long(&gpu, r, work, true, whole, stream);
}
