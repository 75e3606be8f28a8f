/* blink/blink_long_kernels.h - long queries: a count or range that has visited many leaves and is not done is noted by its
 * kernel, and read again from its beginning, in parts, by the whole GPU. Included by blink.cu, versioned.cu and
 * skiplist_launch.h.
 *
 *     cut      a thread per part walks down to the key that its part begins with (blink/blink_cut.h)
 *     raise    a block per query: parts begin where the one before does, or later
 *     count    a team, or in a skiplist a thread, per part: how many pairs it has
 *     place    a block per query: pairs of the parts before, and the query's result if it is a count
 *     read     a team or thread per part: its pairs go to their places
 *
 * The parts of a query are disjoint and cover its interval, and each reads its leaves as any query does. So a plain map
 * promises what it promises of ranges: each leaf is read at one instant. A map with versions is read by all parts at one
 * timestamp: that of the snapshot, or one that block 0 takes and keeps while the kernel runs.
 *
 * Between counting and reading a plain map may change. A part that then has another number of pairs than its place is
 * noted; all parts are counted and read again, and after LONG_ROUNDS rounds each query is read by one team, or thread,
 * to its end. Packed ranges (map_cuda_range.c) have gaps between parts instead, which are closed afterwards.
 *
 * PROGRESS   Blocks of one kernel wait for each other (grid_meet), so all of them must be on the GPU at the same time: a
 *            cooperative launch. No block waits there while it has a slot that another kernel's blocks may wait for, but
 *            block 0, whose slot for an instant is one of VISITORS; who has such a slot waits for nobody without one.
 */
#include "blink_cut.h"

/* How the noted queries are divided: the same for all threads, when the kernel that noted them is over. */
typedef struct long_shape { uint64_t queries, each, parts; } long_shape;

PORT_FN long_shape long_shape_of(const long_work *work)
{
    long_shape s;
    s.queries = work->notes.queries < LONG_QUERIES ? work->notes.queries : LONG_QUERIES;
    s.each = long_parts_each(s.queries);
    s.parts = s.queries * s.each;
    return s;
}

/* All blocks of a cooperative launch: what each has stored before is there for all after it. */
PORT_FN void grid_meet(long_work *work, unsigned *meetings)
{
    __syncthreads();
    ++*meetings;
    if (threadIdx.x == 0) {
        __threadfence();
        port_fetch_add(&work->arrived, 1);
        for (unsigned attempt = 0; port_load_acquire(&work->arrived) < (uint64_t)*meetings * gridDim.x;)
            port_pause(attempt++);
        __threadfence(); /* empties the multiprocessor's L1, for all of the block */
    }
    __syncthreads();
}

/* The sum, or the greatest, of what the threads before this one have in their block. */
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

/* A block's thread has neighbouring parts of a query: from *first to below the result. */
PORT_FN uint64_t own_parts(const long_shape *s, uint64_t q, uint64_t *first)
{
    const uint64_t some = (s->each + BLOCK_THREADS - 1) / BLOCK_THREADS, end = (q + 1) * s->each;
    *first = q * s->each + threadIdx.x * some;
    if (*first > end) *first = end;
    return *first + some < end ? *first + some : end;
}

/* A block: the cuts of query q ascend from here on, and none is behind the query's end. */
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

/* A block: found[first .. end-1] is the thread's. No more pairs than the limit leaves stay in them; place, if not NULL,
 * gets how many come before. Returns, to the last thread, how many pairs there are without the limit. */
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

/* The thread's share of cutting. Walks that see different states of the map may differ in how far a limited query
 * reaches; the first one's word counts. */
PORT_FN void long_cut(map_ref map, const request *r, long_work *work, const long_shape *s, bool whole)
{
    for (uint64_t t = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x; t < s->parts; t += gridDim.x * BLOCK_THREADS) {
        const uint64_t q = t / s->each, i = work->notes.query[q];
        const uint32_t share = cut_share((uint32_t)(t % s->each), (uint32_t)s->each);
        const map_key low = ((const map_key *)r->keys)[i];
        map_key high = ((const map_key *)r->values)[i];
        if (r->limit && !whole) high = cut_reach(map, low, high, r->limit);
        work->low[t] = share ? cut_at(map, low, high, share) : low;
        if (share == 0) work->reach[q] = high;
    }
}

/* What a part, or in the end a whole query, has to read, and where to. */
typedef struct long_part {
    map_key low, high;
    map_key *keys, *values;
    uint64_t limit, room;
} long_part;

/* False: the part is empty. */
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

/* The place in the caller's arrays for pairs of query i, from its `place`-th on. */
PORT_FN void long_output(const request *r, uint64_t i, uint64_t place, long_part *part)
{
    const uint64_t at = i * (uint64_t)r->limit + place;
    if (r->out_keys) part->keys = (map_key *)r->out_keys + at;
    if (r->out_values) part->values = (map_key *)r->out_values + at;
}

#ifdef BLINK_SKIPLIST
enum { LONG_LANES = 1 };

PORT_FN uint64_t long_read(map_ref map, uint64_t at, bool mine, const long_part *part)
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

/* The whole warp together; `mine` only where the thread is the first of its team. */
PORT_FN uint64_t long_read(map_ref map, uint64_t at, bool mine, const long_part *part)
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

/* Thread t's part, or query, of a task; false: there is nothing to read. */
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
    return work->place[t] < r->limit; /* else the limit is reached before */
}

PORT_FN void long_report(const request *r, const long_work *work, uint64_t q, uint64_t pairs)
{
    const uint64_t i = work->notes.query[q];
    if (r->limit && pairs > r->limit) pairs = r->limit;
    if (r->counts) r->counts[i] = (uint32_t)pairs;
    if (r->long_counts) r->long_counts[i] = pairs;
}

/* What has been read of part t is not what was counted. Pairs behind the limit do not matter. */
PORT_FN bool long_has_changed(const request *r, const long_work *work, uint64_t t, uint64_t found)
{
    const uint64_t counted = work->found[t];
    return found < counted || (found > counted && work->place[t] + counted < r->limit);
}

/* All parts, or queries; all threads of the grid come here together. */
PORT_COLD void long_run(map_ref map, uint64_t at, const request *r, long_work *work, const long_shape *s,
                        long_task task, unsigned round)
{
    const uint64_t end = task == LONG_ALONE ? s->queries : s->parts;
    const uint64_t teams = (uint64_t)gridDim.x * BLOCK_THREADS / LONG_LANES;
    const uint64_t own = ((uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) / LONG_LANES;
    for (uint64_t base = 0; base < end; base += teams) { /* as often in all lanes of a warp */
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

/* A block per query: places, and the result. A limited query that lacks pairs has not been read all the way. */
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

/* In a skiplist a block is an agent, and inside while its threads read; it has no slot while it waits for others. */
#ifdef BLINK_SKIPLIST
#define LONG_INSIDE(call)                                                                                        \
    do {                                                                                                         \
        skiplist_register(&place, &agent, BLOCK_THREADS, blockIdx.x);                                                \
        skiplist_begin(&place, &agent);                                                                          \
        call;                                                                                                    \
        skiplist_end(&place, &agent);                                                                            \
        skiplist_unregister(&place, &agent);                                                                           \
    } while (0)
#else
#define LONG_INSIDE(call) call
#endif

/* `count_only`: the pairs of each part are counted, once, and nothing else is done. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    long_kernel(const __grid_constant__ blink_on_gpu gpu, const __grid_constant__ request r, long_work *work,
                bool count_only, bool whole)
{
    if (work->notes.queries == 0) return;
    const long_shape s = long_shape_of(work);
    map_ref map = map_of(gpu);
    unsigned meetings = 0;
    uint64_t at = 0;
#ifdef BLINK_SKIPLIST
    __shared__ epoch_participant agent;
    skiplist_ref place = place_on(gpu);
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
    grid_meet(work, &meetings); /* no block is reading at this instant any more */
    if (!r.at && blockIdx.x == 0) version_snapshot_end(map.versions, &agent, at, 1, EPOCH_ALL);
#endif
}
#undef LONG_INSIDE

#if !defined(BLINK_SKIPLIST) && !defined(BLINK_VERSIONED)
/* Pieces for packed ranges: a thread per query, and one per part of a noted query. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    pieces_kernel(const __grid_constant__ request r, const long_work *work, const __grid_constant__ long_pieces to)
{
    const long_shape s = long_shape_of(work);
    const uint64_t i = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < r.n && to.first[i + 1] - to.first[i] == 1) { /* noted ones have more */
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

/* A block per noted query. */
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

static cudaError_t launch_long(const blink_on_gpu *map, const request *r, long_work *work, bool count_only,
                               bool whole, cudaStream_t stream)
{
    int resident = 0;
    cudaError_t error =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, long_kernel, BLOCK_THREADS, 0);
    if (error != cudaSuccess) return error;
    const unsigned most = blocks_for((uint64_t)LONG_PARTS * LONG_LANES), all = (unsigned)resident * map->processors;
    void *arguments[] = {(void *)map, (void *)r, &work, &count_only, &whole};
    cudaGetLastError();
    return cudaLaunchCooperativeKernel(long_kernel, dim3(all < most ? all : most), dim3(BLOCK_THREADS),
                                       arguments, 0, stream);
}

static cudaError_t run_long(blink_on_gpu map, const request *r, long_work *work, cudaStream_t stream)
{
    return launch_long(&map, r, work, false, false, stream);
}

static cudaError_t count_parts(blink_on_gpu map, const request *r, long_work *work, bool whole, cudaStream_t stream)
{
    return launch_long(&map, r, work, true, whole, stream);
}
