/* tests/test_versioned_history_device.cu - what kernels are told by a map with versions, as histories.
 *
 * Blocks and warps update, as agents, beside blocks and warps that take snapshots: four kernels at a time. Threads note
 * the instants of each operation on one global clock; what a snapshot is asked is written down with the instants before
 * and after its taking. The checker of verify/history decides whether one map could have told it, with every range and
 * count at one instant. That is hard for many threads on many keys, so the keys are dealt out in regions, each between
 * two keys that stay. Every thread has a region, and each region has a history of its own; but a snapshot is the same
 * for all regions that its block or warp asks about.
 *
 * Besides: all answers of one snapshot must fit each other, a range that is asked twice must not change, and a handle
 * that the host holds must show in the end what was there in the beginning.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <pleach/pleach.h>
#include <pleach/versioned_device.cuh>

#include "testkit/device/device_checks.cuh"
#include "testkit/device/device_keys.cuh"

extern "C" {
#include "testkit/instant.h"
#include "verify/history/history.h"
}

enum { BLOCK = 128, WARPS = BLOCK / 32, STREAMS = 4, ROUNDS = 12 };
enum { REGIONS = 512, REGION = 16, KEYS = REGIONS * REGION }; /* keys of a region, with the two that stay */
enum { UPDATERS = 6, UPDATES = 48, OPEN = 4 };                /* of a region; of a thread; with one begin and end */
enum { TAKERS = 4, SNAPSHOTS = 12, QUESTIONS = 4 };            /* of a region; of a thread; to a snapshot */
enum { ROOM = REGION + 1 };                                   /* pairs of a question; no region has so many */
enum { UPDATE_OPS = REGIONS * UPDATERS * UPDATES, ASKED_OPS = REGIONS * TAKERS * SNAPSHOTS * QUESTIONS };
enum { MOST_WAITING = 1 << 16 };

/* ---- both widths by one name ---- */

typedef pleach_versioned_view view_t;
typedef pleach_versioned_agent agent_t;

#define DEFINE_VERBS(bits, word)                                                                                 \
    static __device__ pleach_outcome put(const view_t &view, agent_t *agent, word key, word value, word *old)    \
    {                                                                                                            \
        return pleach_versioned##bits##_put(view, agent, key, value, old);                                       \
    }                                                                                                            \
    static __device__ pleach_outcome add(const view_t &view, agent_t *agent, word key, word value, word *old)    \
    {                                                                                                            \
        return pleach_versioned##bits##_add(view, agent, key, value, old);                                       \
    }                                                                                                            \
    static __device__ pleach_outcome erase(const view_t &view, agent_t *agent, word key, word *old)              \
    {                                                                                                            \
        return pleach_versioned##bits##_erase(view, agent, key, old);                                            \
    }                                                                                                            \
    static __device__ bool find(const view_t &view, word key, word *value)                                       \
    {                                                                                                            \
        return pleach_versioned##bits##_find(view, key, value);                                                  \
    }                                                                                                            \
    static __device__ bool find_at(const view_t &view, uint64_t at, word key, word *value)                       \
    {                                                                                                            \
        return pleach_versioned##bits##_find_at(view, at, key, value);                                           \
    }                                                                                                            \
    static __device__ bool neighbour_at(const view_t &view, uint64_t at, word key, bool up, word *out, word *value) \
    {                                                                                                            \
        return up ? pleach_versioned##bits##_succ_at(view, at, key, out, value)                                  \
                  : pleach_versioned##bits##_pred_at(view, at, key, out, value);                                 \
    }                                                                                                            \
    static __device__ uint64_t count_at(const view_t &view, uint64_t at, word lo, word hi)                       \
    {                                                                                                            \
        return pleach_versioned##bits##_count_at(view, at, lo, hi);                                              \
    }                                                                                                            \
    static __device__ uint32_t range_at(const view_t &view, uint64_t at, bool by_warp, word lo, word hi,         \
                                        uint32_t limit, word *keys, word *values)                                \
    {                                                                                                            \
        return by_warp ? pleach_versioned##bits##_warp_range_at(view, at, lo, hi, limit, keys, values)           \
                       : pleach_versioned##bits##_range_at(view, at, lo, hi, limit, keys, values);               \
    }

DEFINE_VERBS(32, uint32_t)
DEFINE_VERBS(64, uint64_t)

/* ---- kernels ---- */

/* What the kernels of a round share, in device memory but for this. */
typedef struct recording {
    history_op *updates, *asked; /* UPDATE_OPS, ASKED_OPS */
    history_pair *pairs;         /* ROOM for each of `asked` */
    void *room;                  /* words for ranges: 4 * ROOM for each thread that takes snapshots */
    unsigned long long *clock;
    unsigned *arrived, *changed; /* blocks that have begun; ranges that were not the same when asked again */
    uint32_t first_thread;       /* of this launch among those that do the same */
    uint32_t round;
    bool by_warp;                /* agents are warps, not blocks */
} recording;

/* What was done before is done for all who come to the clock later, and nothing later is done yet. */
static __device__ uint64_t stamp(unsigned long long *clock)
{
    __threadfence();
    const uint64_t now = atomicAdd(clock, 1ull);
    __threadfence();
    return now;
}

/* All kernels begin at about the same time; but not at any price, as nothing promises that they run together. */
static __device__ void wait_for_others(const recording &r, unsigned blocks)
{
    if (threadIdx.x == 0) {
        atomicAdd(r.arrived, 1u);
        for (unsigned i = 0; i < MOST_WAITING && atomicAdd(r.arrived, 0u) < blocks; i++) {}
    }
    __syncthreads();
}

/* Any key of the thread's region but the first and the last. */
static __device__ uint32_t inner_index(uint32_t thread, uint32_t draw)
{
    return thread % REGIONS * REGION + 1 + (draw >> 8) % (REGION - 2);
}

template <typename word>
static __device__ void record_update(const view_t &view, agent_t *agent, unsigned long long *clock,
                                     history_op *op)
{
    word old = 0;
    const word key = (word)op->key, value = (word)op->value;
    op->invoked = stamp(clock);
    if (op->kind == HISTORY_FIND)
        op->outcome = find(view, key, &old) ? HISTORY_FOUND : HISTORY_NOT_FOUND;
    else if (op->kind == HISTORY_ERASE)
        op->outcome = (uint8_t)erase(view, agent, key, &old);
    else
        op->outcome = (uint8_t)(op->kind == HISTORY_PUT ? put(view, agent, key, value, &old)
                                                        : add(view, agent, key, value, &old));
    op->returned = stamp(clock);
    op->out_value = old;
}

template <typename word> static __global__ void update(view_t view, recording r, unsigned blocks)
{
    __shared__ agent_t agents[WARPS];
    const uint32_t thread = r.first_thread + blockIdx.x * BLOCK + threadIdx.x, lanes = r.by_warp ? 32 : BLOCK;
    agent_t *agent = &agents[threadIdx.x / lanes];
    wait_for_others(r, blocks);
    for (uint32_t i = 0; i < UPDATES; i++) {
        const uint32_t number = thread * UPDATES + i, draw = scramble(scramble(number + r.round * UPDATE_OPS) + 5);
        const uint32_t percent = scramble(draw) % 100;
        history_op op = {};
        if (i % OPEN == 0) pleach_versioned_updates_begin(view, agent, lanes);
        op.agent = thread;
        op.kind = percent < 35 ? HISTORY_PUT : percent < 50 ? HISTORY_ADD : percent < 85 ? HISTORY_ERASE : HISTORY_FIND;
        op.key = key_at<word>(inner_index(thread, draw));
        op.value = 1 + number + r.round * UPDATE_OPS; /* no value comes twice: that is quick to check */
        record_update<word>(view, draw % 8 ? agent : NULL, r.clock, &op);
        r.updates[number] = op;
        if (i % OPEN == OPEN - 1) pleach_versioned_updates_end(view, agent);
    }
}

/* A snapshot as one of its threads has it. */
typedef struct taken {
    uint64_t at, invoked, returned;
    uint32_t thread;
} taken;

/* Words go to room, which other lanes may write to, and from there to the pairs. */
template <typename word>
static __device__ void ask_range(const view_t &view, const recording &r, const taken &t, bool by_warp, uint32_t limit,
                                 uint32_t number, word *room, history_op *op)
{
    op->kind = HISTORY_RANGE_ATOMIC;
    op->pairs = number * ROOM;
    op->pair_count = range_at(view, t.at, by_warp, (word)op->key, (word)op->high, limit, room, room + ROOM);
    op->limited = op->pair_count == limit;
    for (uint32_t i = 0; i < op->pair_count && i < ROOM; i++) {
        r.pairs[op->pairs + i].key = room[i];
        r.pairs[op->pairs + i].value = room[ROOM + i];
    }
}

/* The map has strict neighbours, the checker has those at or above: the successor of k is the one at or above k + 1. */
template <typename word>
static __device__ void ask_point(const view_t &view, const taken &t, uint32_t draw, bool exact, history_op *op)
{
    word out_key = 0, value = 0;
    const word key = (word)op->key;
    const bool up = draw & 1;
    const bool found = exact ? find_at(view, t.at, key, &value) : neighbour_at(view, t.at, key, up, &out_key, &value);
    op->kind = exact ? HISTORY_FIND : up ? HISTORY_CEIL : HISTORY_FLOOR;
    if (!exact) op->key = up ? key + 1 : key - 1;
    op->outcome = found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
    op->out_key = out_key;
    op->out_value = value;
}

/* The first question is for all of the region. */
template <typename word>
static __device__ void ask(const view_t &view, const recording &r, const taken &t, uint32_t which, uint32_t number,
                           word *room)
{
    const uint32_t draw = scramble(scramble(number + r.round * ASKED_OPS) + 77), index = inner_index(t.thread, draw);
    const uint32_t first = t.thread % REGIONS * REGION, last = first + REGION - 1, span = (draw >> 16) % REGION;
    history_op op = {};
    op.agent = REGIONS * UPDATERS + t.thread;
    op.invoked = t.invoked;
    op.returned = t.returned;
    op.key = key_at<word>(which == 0 ? first : index);
    op.high = key_at<word>(which == 0 || index + span > last ? last : index + span);
    if (which == 0) {
        ask_range<word>(view, r, t, t.at % 2, ROOM, number, room, &op);
    } else if (which < 3) {
        ask_point<word>(view, t, draw, which == 1, &op);
    } else if (draw & 1) {
        ask_range<word>(view, r, t, false, 1 + (draw >> 1) % 4, number, room, &op);
    } else {
        op.kind = HISTORY_COUNT_ATOMIC;
        op.out_value = count_at(view, t.at, (word)op.key, (word)op.high);
    }
    r.asked[number] = op;
}

/* The whole region once more, the other way: nothing has changed. */
template <typename word>
static __device__ void ask_again(const view_t &view, const recording &r, const taken &t, uint32_t number, word *room)
{
    const uint32_t first = t.thread % REGIONS * REGION;
    const word lo = key_at<word>(first), hi = key_at<word>(first + REGION - 1);
    const history_pair *pairs = &r.pairs[number * ROOM];
    const uint32_t count = range_at(view, t.at, !(t.at % 2), lo, hi, ROOM, room, room + ROOM);
    bool same = count == r.asked[number].pair_count;
    for (uint32_t i = 0; same && i < count; i++) same = room[i] == pairs[i].key && room[ROOM + i] == pairs[i].value;
    if (!same) atomicAdd(r.changed, 1u);
}

template <typename word> static __global__ void look(view_t view, recording r, unsigned blocks)
{
    __shared__ agent_t agents[WARPS];
    __shared__ uint64_t invoked[WARPS], returned[WARPS];
    const uint32_t lanes = r.by_warp ? 32 : BLOCK, team = threadIdx.x / lanes;
    taken t = {};
    t.thread = r.first_thread + blockIdx.x * BLOCK + threadIdx.x;
    word *room = (word *)r.room + (uint64_t)t.thread * 4 * ROOM;
    wait_for_others(r, blocks);
    for (uint32_t i = 0; i < SNAPSHOTS; i++) {
        const uint32_t number = (t.thread * SNAPSHOTS + i) * QUESTIONS;
        if (threadIdx.x % lanes == 0) invoked[team] = stamp(r.clock);
        t.at = pleach_versioned_snapshot_begin(view, &agents[team], lanes);
        if (threadIdx.x % lanes == 0) returned[team] = stamp(r.clock);
        port_group_sync(lanes);
        t.invoked = invoked[team];
        t.returned = returned[team];
        for (uint32_t which = 0; which < QUESTIONS; which++) {
            ask<word>(view, r, t, which, number + which, room);
            __syncwarp();
        }
        ask_again<word>(view, r, t, number, room + 2 * ROOM);
        pleach_versioned_snapshot_end(view, &agents[team], t.at); /* and all have seen the stamps */
    }
}

/* ---- a map, and its contents as pairs ---- */

typedef struct world {
    unsigned bits;
    pleach_map *map;
    history_pair before[KEYS], after[KEYS]; /* of a round */
    size_t before_count, after_count;
    uint64_t words[2][KEYS]; /* keys and values in the map's width */
    history_op updates[UPDATE_OPS], asked[ASKED_OPS];
    history_pair pairs[ASKED_OPS * ROOM];
    recording there;
    cudaStream_t streams[STREAMS];
} world;

static uint64_t word_at(const world *w, int which, size_t i)
{
    return w->bits == 32 ? ((uint32_t *)w->words[which])[i] : w->words[which][i];
}

static void set_word(world *w, int which, size_t i, uint64_t value)
{
    if (w->bits == 32)
        ((uint32_t *)w->words[which])[i] = (uint32_t)value;
    else
        w->words[which][i] = value;
}

static uint64_t wide_key_at(unsigned bits, uint32_t index)
{
    return bits == 32 ? key_at<uint32_t>(index) : key_at<uint64_t>(index);
}

/* Every other key is there at first, and those that bound a region; with values that no operation gives. */
static void choose_first(world *w)
{
    for (uint32_t index = 0; index < KEYS; index++) {
        if (index % REGION != 0 && index % REGION != REGION - 1 && scramble(index) % 2 == 0) continue;
        history_pair *pair = &w->before[w->before_count];
        pair->key = wide_key_at(w->bits, index);
        pair->value = 0x80000000u + index;
        set_word(w, 0, w->before_count, pair->key);
        set_word(w, 1, w->before_count, pair->value);
        w->before_count++;
    }
}

static bool get_memory(world *w)
{
    recording *r = &w->there;
    bool good = cudaMalloc(&r->updates, sizeof w->updates) == cudaSuccess &&
                cudaMalloc(&r->asked, sizeof w->asked) == cudaSuccess &&
                cudaMalloc(&r->pairs, sizeof w->pairs) == cudaSuccess &&
                cudaMalloc(&r->room, (size_t)REGIONS * TAKERS * 4 * ROOM * sizeof(uint64_t)) == cudaSuccess &&
                cudaMalloc(&r->clock, sizeof *r->clock) == cudaSuccess &&
                cudaMalloc(&r->arrived, sizeof *r->arrived) == cudaSuccess &&
                cudaMalloc(&r->changed, sizeof *r->changed) == cudaSuccess &&
                cudaMemset(r->changed, 0, sizeof *r->changed) == cudaSuccess;
    for (int i = 0; i < STREAMS; i++)
        good = good && cudaStreamCreateWithFlags(&w->streams[i], cudaStreamNonBlocking) == cudaSuccess;
    return good;
}

static bool world_create(world *w, unsigned bits)
{
    pleach_map_config config = {};
    config.device = PLEACH_CUDA;
    config.key_bits = bits;
    config.versioned = 1;
    config.reserve_keys = 1 << 22;
    w->bits = bits;
    const pleach_status status = pleach_map_create(&w->map, &config);
    if (status != PLEACH_OK) return expect(false, bits, pleach_strerror(status));
    choose_first(w);
    return expect(get_memory(w) && pleach_map_load(w->map, w->before_count, w->words[0], w->words[1], 0) == PLEACH_OK &&
                      pleach_map_reserve(w->map, config.reserve_keys) == PLEACH_OK, bits, "a loaded map");
}

static void world_destroy(world *w)
{
    recording *r = &w->there;
    void *const all[] = {r->updates, r->asked, r->pairs, r->room, r->clock, r->arrived, r->changed};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) cudaFree(all[i]);
    for (int i = 0; i < STREAMS; i++)
        if (w->streams[i]) cudaStreamDestroy(w->streams[i]);
    pleach_map_destroy(w->map);
    free(w);
}

/* ---- one round, on the GPU ---- */

enum { UPDATE_BLOCKS = REGIONS * UPDATERS / 2 / BLOCK, LOOK_BLOCKS = REGIONS * TAKERS / 2 / BLOCK };

template <typename word> static void launch(const world *w, const view_t &view, recording r)
{
    const unsigned blocks = 2 * UPDATE_BLOCKS + 2 * LOOK_BLOCKS;
    for (int i = 0; i < 2; i++) {
        r.by_warp = i == 1;
        r.first_thread = i * UPDATE_BLOCKS * BLOCK;
        update<word><<<UPDATE_BLOCKS, BLOCK, 0, w->streams[i]>>>(view, r, blocks);
        r.first_thread = i * LOOK_BLOCKS * BLOCK;
        look<word><<<LOOK_BLOCKS, BLOCK, 0, w->streams[2 + i]>>>(view, r, blocks);
    }
}

static bool run_kernels(world *w, uint32_t round)
{
    view_t view;
    recording r = w->there;
    r.round = round;
    if (cudaMemset(r.clock, 0, sizeof *r.clock) != cudaSuccess ||
        cudaMemset(r.arrived, 0, sizeof *r.arrived) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess ||
        pleach_versioned_view_open(w->map, &view) != PLEACH_OK)
        return false;
    w->bits == 32 ? launch<uint32_t>(w, view, r) : launch<uint64_t>(w, view, r);
    const bool launched = cudaGetLastError() == cudaSuccess, ended = cudaDeviceSynchronize() == cudaSuccess;
    return pleach_versioned_view_close(w->map, &view) == PLEACH_OK && launched && ended &&
           cudaMemcpy(w->updates, r.updates, sizeof w->updates, cudaMemcpyDeviceToHost) == cudaSuccess &&
           cudaMemcpy(w->asked, r.asked, sizeof w->asked, cudaMemcpyDeviceToHost) == cudaSuccess &&
           cudaMemcpy(w->pairs, r.pairs, sizeof w->pairs, cudaMemcpyDeviceToHost) == cudaSuccess;
}

/* Exports to pairs; of the map, or of a snapshot. */
static bool read_all(world *w, pleach_snapshot *snapshot, history_pair *pairs, size_t *count)
{
    *count = 0;
    const pleach_status status = snapshot
                                     ? pleach_snapshot_export(snapshot, KEYS, w->words[0], w->words[1], count)
                                     : pleach_map_export(w->map, KEYS, w->words[0], w->words[1], count);
    for (size_t i = 0; status == PLEACH_OK && i < *count; i++) {
        pairs[i].key = word_at(w, 0, i);
        pairs[i].value = word_at(w, 1, i);
    }
    return status == PLEACH_OK;
}

static bool shows(world *w, pleach_snapshot *snapshot, const history_pair *pairs, size_t count)
{
    size_t n;
    bool same = read_all(w, snapshot, w->after, &n) && n == count;
    for (size_t i = 0; same && i < n; i++)
        same = w->after[i].key == pairs[i].key && w->after[i].value == pairs[i].value;
    return same;
}

/* ---- the judgement ---- */

static history_checker *checker;
static unsigned long long histories, history_ops, snapshots, answers, overlaps;

/* The pairs of a region, which are neighbours in the ascending array. */
static size_t pairs_of_region(const world *w, const history_pair *pairs, size_t count, uint32_t region,
                              const history_pair **first)
{
    const uint64_t lo = wide_key_at(w->bits, region * REGION), hi = wide_key_at(w->bits, (region + 1) * REGION - 1);
    size_t begin = 0;
    while (begin < count && pairs[begin].key < lo) begin++;
    size_t end = begin;
    while (end < count && pairs[end].key <= hi) end++;
    *first = pairs + begin;
    return end - begin;
}

static bool check_region(const world *w, uint32_t region, history_op *own)
{
    history h = {};
    for (uint32_t thread = region; thread < REGIONS * UPDATERS; thread += REGIONS)
        for (uint32_t i = 0; i < UPDATES; i++) own[h.count++] = w->updates[thread * UPDATES + i];
    for (uint32_t thread = region; thread < REGIONS * TAKERS; thread += REGIONS)
        for (uint32_t i = 0; i < SNAPSHOTS * QUESTIONS; i++)
            own[h.count++] = w->asked[thread * SNAPSHOTS * QUESTIONS + i];
    h.ops = own;
    h.pairs = w->pairs;
    h.initial_count = pairs_of_region(w, w->before, w->before_count, region, &h.initial);
    h.final_count = pairs_of_region(w, w->after, w->after_count, region, &h.final);
    const history_verdict verdict = history_check(checker, &h);
    histories++;
    history_ops += h.count;
    if (verdict == HISTORY_GOOD) return true;
    printf("%u-bit, region %u, %zu operations: %s\n", w->bits, region, h.count,
           verdict == HISTORY_BAD ? "NOT LINEARIZABLE" : "UNDECIDED");
    if (verdict == HISTORY_BAD) history_explain(checker, &h, stdout);
    return false;
}

/* The other answers of a snapshot against its first one, which is all of the region. */
static bool check_snapshot(const world *w, size_t first)
{
    const history_op *op = &w->asked[first];
    const instant now = {w->pairs + op->pairs, op->pair_count};
    snapshots++;
    for (size_t i = 1; i < QUESTIONS; i++, answers++) {
        if (instant_answers(now, op + i, w->pairs + op[i].pairs)) continue;
        printf("%u-bit: answers of one snapshot do not fit:\n  ", w->bits);
        history_print_op(op, w->pairs, stdout);
        printf("\n  ");
        history_print_op(op + i, w->pairs, stdout);
        printf("\n");
        return false;
    }
    return true;
}

/* How many updates were made while a snapshot of their region was being taken. */
static size_t count_overlaps(const world *w)
{
    size_t count = 0;
    for (size_t i = 0; i < ASKED_OPS; i += QUESTIONS) {
        const uint32_t thread = (uint32_t)(i / (SNAPSHOTS * QUESTIONS));
        for (uint32_t other = thread % REGIONS; other < REGIONS * UPDATERS; other += REGIONS)
            for (uint32_t j = 0; j < UPDATES; j++) {
                const history_op *op = &w->updates[other * UPDATES + j];
                count += op->invoked < w->asked[i].returned && w->asked[i].invoked < op->returned;
            }
    }
    return count;
}

static bool judge(const world *w, uint32_t round)
{
    static history_op own[UPDATERS * UPDATES + TAKERS * SNAPSHOTS * QUESTIONS];
    uint32_t good = 0;
    size_t fit = 0, refused = 0, first = 0;
    for (size_t i = 0; i < UPDATE_OPS; i++) refused += w->updates[i].outcome == HISTORY_NOT_APPLIED;
    for (; first < ASKED_OPS && fit * QUESTIONS == first; first += QUESTIONS) fit += check_snapshot(w, first);
    for (uint32_t region = 0; region < REGIONS && good == region; region++) good += check_region(w, region, own);
    const size_t beside = count_overlaps(w);
    overlaps += beside;
    char text[240];
    snprintf(text, sizeof text,
             "round %u: %u of %u regions are linearizable, answers of %zu of %u snapshots fit; "
             "%zu updates beside a taking, %zu refused",
             round, good, (unsigned)REGIONS, fit, (unsigned)(ASKED_OPS / QUESTIONS), beside, refused);
    return expect(good == REGIONS && fit == ASKED_OPS / QUESTIONS && refused == 0, w->bits, text);
}

/* ---- the whole ---- */

/* Every second round the host holds a snapshot of before. */
static bool run_round(world *w, uint32_t round)
{
    pleach_snapshot *held = NULL;
    if (round % 2 && pleach_snapshot_take(w->map, &held, PLEACH_SYNC) != PLEACH_OK)
        return expect(false, w->bits, "the host takes a snapshot");
    if (!run_kernels(w, round)) {
        pleach_snapshot_release(held);
        return expect(false, w->bits, cudaGetErrorString(cudaGetLastError()));
    }
    const bool same = !held || shows(w, held, w->before, w->before_count);
    pleach_snapshot_release(held);
    if (!same) return expect(false, w->bits, "the host's snapshot has not changed");
    if (!read_all(w, NULL, w->after, &w->after_count)) return expect(false, w->bits, "the map is exported");
    const bool good = judge(w, round);
    for (size_t i = 0; i < w->after_count; i++) w->before[i] = w->after[i];
    w->before_count = w->after_count;
    return good;
}

static void settle(const world *w)
{
    pleach_map_stats stats = {};
    char message[200] = "";
    unsigned changed = 1;
    const bool copied = cudaMemcpy(&changed, w->there.changed, sizeof changed, cudaMemcpyDeviceToHost) == cudaSuccess;
    expect(overlaps > 0, w->bits, "snapshots were taken beside updates");
    expect(copied && changed == 0, w->bits, "no range of a snapshot has changed while it lived");
    expect(pleach_map_get_stats(w->map, &stats) == PLEACH_OK && stats.old_images == 0 && stats.snapshots == 0, w->bits,
           "no old image is left");
    expect(pleach_map_validate(w->map, message, sizeof message) == PLEACH_OK, w->bits,
           message[0] ? message : "the map is valid");
}

/* PLEACH_TEST_SCALE, in percent: for tools that make everything slow. */
static uint32_t scaled(uint32_t n)
{
    const char *scale = getenv("PLEACH_TEST_SCALE");
    const uint32_t percent = scale ? (uint32_t)atoi(scale) : 100;
    return n * percent / 100 > 0 ? n * percent / 100 : 1;
}

static void test_width(unsigned bits)
{
    world *w = (world *)calloc(1, sizeof *w);
    if (!w) {
        expect(false, bits, "out of memory");
        return;
    }
    if (world_create(w, bits)) {
        uint32_t round = 0;
        while (round < scaled(ROUNDS) && run_round(w, round)) round++;
        settle(w);
        overlaps = 0;
    }
    world_destroy(w);
}

int main(void)
{
    checker = history_checker_create();
    if (checker) {
        test_width(32);
        test_width(64);
    } else {
        expect(false, 0, "out of memory");
    }
    history_checker_destroy(checker);
    printf("checked %llu histories, %llu operations; %llu snapshots with %llu answers more\n", histories, history_ops,
           snapshots, answers);
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
