/* testkit/history_device.cuh - what kernels are told by a map's device-side API, as histories and without any stamps.
 *
 * Stamped: threads note the instants of each operation on one global clock, and the checker of verify/history decides
 * whether one map could have told it. Point operations and ranges are checked key by key in histories of a million
 * operations from two streams. Successors and predecessors speak of many keys at once, so their histories are small:
 * each group of 16 threads has a region of its own between two keys that stay, and there are many regions.
 *
 * Unstamped: the clock is a place where all threads meet, and its fences could hide a missing one. So there are also
 * kernels without it, in which threads can tell by themselves that an answer is wrong: about their own keys, by sums
 * that must come out, and by values that only grow.
 *
 * The test program that includes this has one kind of map, and defines before:
 *   view_t, agent_t                          what its kernels get, and what a block has in shared memory
 *   put, add, erase, find, neighbour, range  for both widths, with (view, agent, ...)
 *   enter, leave                             by all threads of a block
 *   pass                                     between operations, by all threads of a block
 *   pass_while                               the same while any of them is going on; answers if there is more to do
 *   open_view, close_view                    of a map
 *   choose_structure                         in a pleach_map_config
 *   WAVE                                     operations for which threads mostly insert, before they mostly erase; or 0
 *   SPARE_KEYS                               that memory is reserved for beside the test's
 *   FIGHT_OPS                                of a thread, where all fight over the same keys
 */
#ifndef PLEACH_TEST_HISTORY_DEVICE_CUH
#define PLEACH_TEST_HISTORY_DEVICE_CUH

#include "device_checks.cuh"
#include "device_keys.cuh"
#include "verify/sized.cuh"

extern "C" {
#include "verify/history/history.h"
}

enum { BLOCK = 128 };

/* ---- stamped: kernels ---- */

enum { MOST_PAIRS = 8, SPAN = 12 }; /* of a range: pairs that it may report, keys that it goes over */

/* Where a launch records, and what its threads do. Agent a belongs to group a % groups, so neighbouring threads, and
 * neighbouring keys, belong to different groups. */
typedef struct recording {
    history_op *ops;     /* ops_each for each agent */
    history_pair *pairs; /* MOST_PAIRS for each operation; of ranges only */
    unsigned long long *clock;
    uint32_t first_agent, ops_each, groups;
    uint32_t keys_each; /* of a group: dealt out in turn if there is no region, else in one piece */
    bool regions;       /* the first and the last key of a region stay as they are */
    bool ranges;
    uint32_t seed;
} recording;

/* What was done before is done for all who come to the clock later, and nothing later is done yet. */
static __device__ uint64_t stamp(unsigned long long *clock)
{
    __threadfence();
    const uint64_t now = atomicAdd(clock, 1ull);
    __threadfence();
    return now;
}

template <typename word>
static __device__ void record_update(const view_t &view, agent_t *agent, unsigned long long *clock, history_op *op)
{
    word old = 0;
    const word key = (word)op->key, value = (word)op->value;
    op->invoked = stamp(clock);
    op->outcome = (uint8_t)(op->kind == HISTORY_PUT   ? put(view, agent, key, value, &old)
                            : op->kind == HISTORY_ADD ? add(view, agent, key, value, &old)
                                                      : erase(view, agent, key, &old));
    op->returned = stamp(clock);
    op->out_value = old;
}

template <typename word>
static __device__ void record_find(const view_t &view, agent_t *agent, unsigned long long *clock, history_op *op)
{
    word value = 0;
    op->invoked = stamp(clock);
    const bool found = find(view, agent, (word)op->key, &value);
    op->returned = stamp(clock);
    op->outcome = found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
    op->out_value = value;
}

/* The map has strict neighbours, the checker has those at or above: the successor of k is the one at or above k + 1. */
template <typename word>
static __device__ void record_neighbour(const view_t &view, agent_t *agent, unsigned long long *clock, history_op *op)
{
    word out_key = 0, value = 0;
    const bool up = op->kind == HISTORY_CEIL;
    const word key = (word)op->key;
    op->invoked = stamp(clock);
    const bool found = neighbour(view, agent, key, up, &out_key, &value);
    op->returned = stamp(clock);
    op->key = up ? key + 1 : key - 1;
    op->outcome = found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
    op->out_key = out_key;
    op->out_value = value;
}

template <typename word>
static __device__ void record_range(const view_t &view, agent_t *agent, unsigned long long *clock, history_op *op,
                                    uint32_t index, history_pair *pairs)
{
    word keys[MOST_PAIRS], values[MOST_PAIRS];
    op->high = key_at<word>(index + SPAN - 1);
    op->invoked = stamp(clock);
    op->pair_count = range(view, agent, (word)op->key, (word)op->high, MOST_PAIRS, keys, values);
    op->returned = stamp(clock);
    op->limited = op->pair_count == MOST_PAIRS;
    for (uint32_t i = 0; i < op->pair_count; i++) {
        pairs[op->pairs + i].key = keys[i];
        pairs[op->pairs + i].value = values[i];
    }
}

/* Updates and finds, of 50 in all: in waves there are six inserts to an erase, or the other way round. */
static __device__ uint8_t choose_point_kind(uint32_t draw, uint32_t i)
{
    const bool waves = WAVE > 0, erasing = waves && i / (waves ? WAVE : 1) % 2 == 1;
    const uint32_t puts = !waves ? 20 : erasing ? 4 : 24, adds = puts + (!waves ? 8 : erasing ? 2 : 12);
    const uint32_t erases = adds + (!waves ? 14 : erasing ? 36 : 6);
    return draw < puts ? HISTORY_PUT : draw < adds ? HISTORY_ADD : draw < erases ? HISTORY_ERASE : HISTORY_FIND;
}

static __device__ uint8_t choose_kind(const recording &r, uint32_t draw, uint32_t i)
{
    const uint32_t percent = draw % 100;
    if (r.regions && percent >= 50) return draw & 1024 ? HISTORY_CEIL : HISTORY_FLOOR;
    if (r.ranges && percent >= 75) return HISTORY_RANGE;
    return choose_point_kind(percent % 50, i);
}

static __device__ uint32_t choose_index(const recording &r, uint32_t agent, uint32_t draw)
{
    const uint32_t group = agent % r.groups, which = (draw >> 8) % (r.keys_each - (r.regions ? 2 : 0));
    return r.regions ? group * r.keys_each + 1 + which : which * r.groups + group;
}

template <typename word> static __global__ void record(view_t view, recording r)
{
    __shared__ agent_t here;
    const uint32_t agent = r.first_agent + thread_number();
    enter(view, &here);
    for (uint32_t i = 0; i < r.ops_each; i++) {
        const uint32_t number = agent * r.ops_each + i, draw = scramble(scramble(r.seed + number) + r.seed);
        const uint32_t index = choose_index(r, agent, draw);
        history_op op = {};
        op.agent = agent;
        op.kind = choose_kind(r, scramble(draw), i);
        op.key = key_at<word>(index);
        op.value = number + 1; /* no value comes twice: histories with unique values are quick to check */
        op.pairs = r.ranges ? number * MOST_PAIRS : 0;
        if (op.kind <= HISTORY_ERASE)
            record_update<word>(view, &here, r.clock, &op);
        else if (op.kind == HISTORY_FIND)
            record_find<word>(view, &here, r.clock, &op);
        else if (op.kind == HISTORY_RANGE)
            record_range<word>(view, &here, r.clock, &op, index, r.pairs);
        else
            record_neighbour<word>(view, &here, r.clock, &op);
        r.ops[number] = op;
        pass(view, &here);
    }
    leave(view, &here);
}

/* ---- a map, and its contents as pairs ---- */

typedef struct world {
    unsigned bits;
    pleach_map *map;
    view_t view;
    uint32_t keys;
    history_pair *initial, *final;
    size_t initial_count, final_count;
    void *words[2]; /* keys and values in the map's width */
} world;

static uint64_t word_at(const world *w, int which, size_t i)
{
    return w->bits == 32 ? ((uint32_t *)w->words[which])[i] : ((uint64_t *)w->words[which])[i];
}

static void set_word(world *w, int which, size_t i, uint64_t value)
{
    if (w->bits == 32)
        ((uint32_t *)w->words[which])[i] = (uint32_t)value;
    else
        ((uint64_t *)w->words[which])[i] = value;
}

static uint64_t wide_key_at(unsigned bits, uint32_t index)
{
    return bits == 32 ? key_at<uint32_t>(index) : key_at<uint64_t>(index);
}

/* Every other key is there at first, and those that bound a region; with values that no operation gives. */
static void choose_initial(world *w, uint32_t region)
{
    for (uint32_t index = 0; index < w->keys; index++) {
        const bool bound = region > 0 && (index % region == 0 || index % region == region - 1);
        if (!bound && scramble(index) % 2 == 0) continue;
        history_pair *pair = &w->initial[w->initial_count];
        pair->key = wide_key_at(w->bits, index);
        pair->value = 0x80000000u + index;
        set_word(w, 0, w->initial_count, pair->key);
        set_word(w, 1, w->initial_count, pair->value);
        w->initial_count++;
    }
}

static bool world_create(world *w, unsigned bits, uint32_t keys, uint32_t region)
{
    *w = world();
    w->bits = bits;
    w->keys = keys;
    pleach_map_config config = {};
    config.device = PLEACH_CUDA;
    config.key_bits = bits;
    config.reserve_keys = 4 * (uint64_t)keys + SPARE_KEYS;
    choose_structure(&config);
    w->initial = (history_pair *)malloc(keys * sizeof *w->initial);
    w->final = (history_pair *)malloc(keys * sizeof *w->final);
    w->words[0] = malloc(keys * sizeof(uint64_t));
    w->words[1] = malloc(keys * sizeof(uint64_t));
    const pleach_status status = pleach_map_create(&w->map, &config);
    if (status != PLEACH_OK || !w->initial || !w->final || !w->words[0] || !w->words[1])
        return expect(false, bits, status == PLEACH_OK ? "out of memory" : pleach_strerror(status));
    choose_initial(w, region);
    return expect(pleach_map_load(w->map, w->initial_count, w->words[0], w->words[1], 0) == PLEACH_OK &&
                      pleach_map_reserve(w->map, config.reserve_keys) == PLEACH_OK &&
                      open_view(w->map, &w->view) == PLEACH_OK, bits, "a loaded map and a view of it");
}

/* After the kernels: what the map has in the end, and whether it is sound. */
static bool world_settle(world *w)
{
    char message[160] = "";
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) return expect(false, w->bits, cudaGetErrorString(error));
    bool good = close_view(w->map, &w->view) == PLEACH_OK &&
                pleach_map_export(w->map, w->keys, w->words[0], w->words[1], &w->final_count) == PLEACH_OK;
    for (size_t i = 0; good && i < w->final_count; i++) {
        w->final[i].key = word_at(w, 0, i);
        w->final[i].value = word_at(w, 1, i);
    }
    const pleach_status status = pleach_map_validate(w->map, message, sizeof message);
    good = good && status == PLEACH_OK;
    return expect(good, w->bits, message[0] ? message : "the kernels end, and the map is valid");
}

static void world_destroy(world *w)
{
    if (w->map && w->view.tree) close_view(w->map, &w->view);
    pleach_map_destroy(w->map);
    free(w->initial);
    free(w->final);
    free(w->words[0]);
    free(w->words[1]);
}

/* ---- stamped: from the launch to the verdict ---- */

static history_checker *checker;
static unsigned long long histories, history_ops;

static bool check(const history *h, unsigned bits)
{
    const history_verdict verdict = history_check(checker, h);
    histories++;
    history_ops += h->count;
    if (verdict == HISTORY_GOOD) return true;
    printf("%u-bit, %zu operations: %s\n", bits, h->count, verdict == HISTORY_BAD ? "NOT LINEARIZABLE" : "UNDECIDED");
    if (verdict == HISTORY_BAD) history_explain(checker, h, stdout);
    return false;
}

/* Two launches beside each other, each with half of the agents. */
static bool launch(const world *w, recording r, uint32_t agents)
{
    cudaStream_t streams[2];
    bool good = true;
    for (int i = 0; i < 2; i++)
        good = good && cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking) == cudaSuccess;
    for (int i = 0; good && i < 2; i++) {
        r.first_agent = (uint32_t)i * (agents / 2);
        if (w->bits == 32)
            record<uint32_t><<<agents / 2 / BLOCK, BLOCK, 0, streams[i]>>>(w->view, r);
        else
            record<uint64_t><<<agents / 2 / BLOCK, BLOCK, 0, streams[i]>>>(w->view, r);
        good = cudaGetLastError() == cudaSuccess;
    }
    for (int i = 0; good && i < 2; i++)
        good = cudaStreamSynchronize(streams[i]) == cudaSuccess && cudaStreamDestroy(streams[i]) == cudaSuccess;
    return good;
}

/* The operations and pairs on the host. */
typedef struct records {
    history_op *ops;
    history_pair *pairs;
} records;

/* The checker takes an update that was refused as it is; but there is memory for all of them. */
static bool none_is_refused(unsigned bits, size_t count, const history_op *ops)
{
    size_t refused = 0;
    for (size_t i = 0; i < count; i++) refused += ops[i].kind <= HISTORY_ERASE && ops[i].outcome == HISTORY_NOT_APPLIED;
    return refused == 0 || expect(false, bits, "updates were refused");
}

static bool run_recording(const world *w, recording r, uint32_t agents, records *out)
{
    const size_t count = (size_t)agents * r.ops_each;
    const size_t ops_bytes = count * sizeof(history_op);
    const size_t pair_bytes = r.ranges ? count * MOST_PAIRS * sizeof(history_pair) : sizeof(history_pair);
    out->ops = (history_op *)malloc(ops_bytes);
    out->pairs = (history_pair *)malloc(pair_bytes);
    bool good = out->ops && out->pairs && cudaMalloc(&r.ops, ops_bytes) == cudaSuccess &&
                cudaMalloc(&r.pairs, pair_bytes) == cudaSuccess && cudaMalloc(&r.clock, sizeof *r.clock) == cudaSuccess;
    good = good && cudaMemset(r.clock, 0, sizeof *r.clock) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess &&
           launch(w, r, agents);
    good = good && cudaMemcpy(out->ops, r.ops, ops_bytes, cudaMemcpyDeviceToHost) == cudaSuccess &&
           cudaMemcpy(out->pairs, r.pairs, pair_bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    cudaFree(r.ops);
    cudaFree(r.pairs);
    cudaFree(r.clock);
    return expect(good, w->bits, good ? "operations were recorded" : cudaGetErrorString(cudaGetLastError())) &&
           none_is_refused(w->bits, count, out->ops);
}

/* One history of all agents. */
static void test_large(unsigned bits, uint32_t agents, uint32_t ops_each, uint32_t groups, bool ranges, uint32_t seed)
{
    world w;
    records got = {};
    recording r = {};
    r.ops_each = ops_each;
    r.groups = groups;
    r.keys_each = 8;
    r.ranges = ranges;
    r.seed = seed;
    /* Ranges go over the keys above their first: there must be some, used or not. */
    if (world_create(&w, bits, groups * r.keys_each + SPAN, 0) && run_recording(&w, r, agents, &got) &&
        world_settle(&w)) {
        history h = {};
        h.initial = w.initial;
        h.initial_count = w.initial_count;
        h.ops = got.ops;
        h.count = (size_t)agents * ops_each;
        h.pairs = got.pairs;
        h.final = w.final;
        h.final_count = w.final_count;
        char text[100];
        snprintf(text, sizeof text, "%zu operations of %u threads%s are linearizable", h.count, agents,
                 ranges ? ", ranges among them," : "");
        expect(check(&h, bits), bits, text);
    }
    free(got.ops);
    free(got.pairs);
    world_destroy(&w);
}

/* The pairs of a region, which are neighbours in the ascending array. */
static size_t pairs_between(const history_pair *pairs, size_t count, uint64_t lo, uint64_t hi,
                            const history_pair **first)
{
    size_t begin = 0;
    while (begin < count && pairs[begin].key < lo) begin++;
    size_t end = begin;
    while (end < count && pairs[end].key <= hi) end++;
    *first = pairs + begin;
    return end - begin;
}

static bool check_region(const world *w, const recording *r, uint32_t agents, uint32_t group, const records *got,
                         history_op *own)
{
    history h = {};
    const uint64_t lo = wide_key_at(w->bits, group * r->keys_each);
    const uint64_t hi = wide_key_at(w->bits, (group + 1) * r->keys_each - 1);
    for (uint32_t agent = group; agent < agents; agent += r->groups)
        for (uint32_t i = 0; i < r->ops_each; i++) own[h.count++] = got->ops[agent * r->ops_each + i];
    h.ops = own;
    h.initial_count = pairs_between(w->initial, w->initial_count, lo, hi, &h.initial);
    h.final_count = pairs_between(w->final, w->final_count, lo, hi, &h.final);
    return check(&h, w->bits);
}

/* One history for each region. */
static void test_neighbours(unsigned bits, uint32_t groups, uint32_t agents_each, uint32_t ops_each, uint32_t seed)
{
    world w;
    records got = {};
    recording r = {};
    const uint32_t agents = groups * agents_each;
    r.ops_each = ops_each;
    r.groups = groups;
    r.keys_each = 16;
    r.regions = true;
    r.seed = seed;
    history_op *own = (history_op *)malloc(sizeof *own * agents_each * ops_each);
    if (world_create(&w, bits, groups * r.keys_each, r.keys_each) && run_recording(&w, r, agents, &got) &&
        world_settle(&w)) {
        uint32_t good = 0;
        for (uint32_t group = 0; own && group < groups && good == group; group++)
            good += check_region(&w, &r, agents, group, &got, own);
        char text[120];
        snprintf(text, sizeof text, "successors and predecessors: %u of %u histories of %u operations are linearizable",
                 good, groups, agents_each * ops_each);
        expect(good == groups, bits, text);
    }
    free(own);
    free(got.ops);
    free(got.pairs);
    world_destroy(&w);
}

/* ---- unstamped ---- */

typedef struct tally {
    unsigned long long operations, wrong;
    unsigned first_wrong; /* line */
} tally;

#define TELL(tally, condition)                                                                                   \
    do {                                                                                                         \
        if (!(condition)) {                                                                                      \
            atomicAdd(&(tally)->wrong, 1ull);                                                                    \
            atomicCAS(&(tally)->first_wrong, 0u, (unsigned)__LINE__);                                            \
        }                                                                                                        \
    } while (0)

enum { OWN_THREADS = SIZED(1 << 16, 1 << 9), OWN_KEYS = 4, OWN_OPS = SIZED(128, 32), OWN_LAUNCHES = SIZED(8, 3) };

/* What a thread has put under its keys, from launch to launch. */
template <typename word> struct own_keys {
    word value[OWN_KEYS];
    bool present[OWN_KEYS];
};

/* Each thread has keys of its own, beside those of its neighbours, and knows every answer. */
template <typename word>
static __global__ void work_on_own(view_t view, own_keys<word> *all, uint32_t seed, tally *t)
{
    __shared__ agent_t here;
    const uint32_t me = thread_number();
    own_keys<word> *own = &all[me];
    enter(view, &here);
    for (uint32_t i = 0; i < OWN_OPS; i++) {
        const uint32_t draw = scramble(scramble(me + seed) + i), which = draw % OWN_KEYS, kind = (draw >> 8) % 4;
        const word key = key_at<word>(which * OWN_THREADS + me), value = (word)(draw ^ i);
        const bool there = own->present[which];
        word told = 0;
        if (kind == 0) {
            TELL(t, put(view, &here, key, value, &told) == (there ? PLEACH_REPLACED : PLEACH_INSERTED));
        } else if (kind == 1) {
            TELL(t, add(view, &here, key, value, &told) == (there ? PLEACH_EXISTS : PLEACH_INSERTED));
        } else if (kind == 2) {
            TELL(t, erase(view, &here, key, &told) == (there ? PLEACH_ERASED : PLEACH_ABSENT));
        } else {
            TELL(t, find(view, &here, key, &told) == there);
        }
        TELL(t, !there || told == own->value[which]);
        if (kind == 0 || (kind == 1 && !there)) own->value[which] = value;
        if (kind <= 2) own->present[which] = kind <= 1;
        pass(view, &here);
    }
    leave(view, &here);
    atomicAdd(&t->operations, (unsigned long long)OWN_OPS);
}

enum { FIGHT_THREADS = SIZED(1 << 16, 1 << 8), FIGHT_LAUNCHES = 2, FIGHT_KEYS = SIZED(1 << 12, 1 << 7) };

typedef struct account {
    long long balance;       /* inserts minus erases */
    unsigned long long debt; /* values written minus values replaced or erased */
} account;

/* All threads fight over the same keys; what they were told must add up for each key. */
template <typename word>
static __global__ void fight(view_t view, account *accounts, uint32_t seed, tally *t)
{
    __shared__ agent_t here;
    const uint32_t me = thread_number();
    enter(view, &here);
    for (uint32_t i = 0; i < FIGHT_OPS; i++) {
        const uint32_t draw = scramble(scramble(me + seed) + i), index = draw % FIGHT_KEYS, kind = (draw >> 20) % 5;
        const word key = key_at<word>(index), value = (word)scramble(draw);
        account *a = &accounts[index];
        word old = 0;
        const pleach_outcome outcome = kind < 2   ? add(view, &here, key, value, &old)
                                       : kind < 4 ? erase(view, &here, key, &old)
                                                  : put(view, &here, key, value, &old);
        TELL(t, outcome == (kind < 2 ? PLEACH_EXISTS : kind < 4 ? PLEACH_ABSENT : PLEACH_REPLACED) ||
                    outcome == (kind < 2 || kind == 4 ? PLEACH_INSERTED : PLEACH_ERASED));
        const bool gave = outcome == PLEACH_INSERTED || outcome == PLEACH_REPLACED;
        const bool took = outcome == PLEACH_ERASED || outcome == PLEACH_REPLACED;
        if (gave != took) atomicAdd((unsigned long long *)&a->balance, gave ? 1ull : ~0ull);
        if (gave || took) atomicAdd(&a->debt, (gave ? (uint64_t)value : 0) - (took ? (uint64_t)old : 0));
        pass(view, &here);
    }
    leave(view, &here);
    atomicAdd(&t->operations, (unsigned long long)FIGHT_OPS);
}

/* One thread per key, when all others are done. */
template <typename word> static __global__ void settle(view_t view, const account *accounts, tally *t)
{
    __shared__ agent_t here;
    const uint32_t index = thread_number();
    word value = 0;
    enter(view, &here);
    const bool there = find(view, &here, key_at<word>(index), &value);
    leave(view, &here);
    TELL(t, accounts[index].balance == (there ? 1 : 0));
    TELL(t, (word)accounts[index].debt == (there ? value : 0)); /* sums of 32-bit values count modulo 2^32 */
}

enum { CHAINS = SIZED(256, 128), LINKS = 8, GROWTH = SIZED(2000, 40) };
enum { NOISE_BLOCKS = SIZED(8, 1), NOISE_OPS = SIZED(8000, 200), READER_BLOCKS = SIZED(128, 2) };
enum { MOST_READS = SIZED(20000, 100) }; /* of a chain by one thread */

/* Key `link` of a chain; the keys in between, of which there are as many, belong to the noise. */
template <typename word> static __device__ word chain_key(uint32_t chain, uint32_t link)
{
    return key_at<word>(2 * (link * CHAINS + chain));
}

/* The writer of a chain puts 1, 2, 3 ... under all of its keys, first to last. */
template <typename word> static __device__ void grow_chain(const view_t &view, agent_t *agent, uint32_t chain, tally *t)
{
    for (uint32_t value = 1; value <= GROWTH; value++)
        for (uint32_t link = 0; link < LINKS; link++) {
            word old = 0;
            const pleach_outcome outcome = put(view, agent, chain_key<word>(chain, link), (word)value, &old);
            TELL(t, outcome == PLEACH_REPLACED && old == value - 1);
            pass(view, agent);
        }
}

/* Read from last to first, a chain never falls; and no key falls below what this thread has seen there. Goes on until
 * the chain is complete, but not for ever: nothing promises that the writer runs meanwhile. Answers how many keys it
 * read. */
template <typename word>
static __device__ uint32_t read_chain(const view_t &view, agent_t *agent, uint32_t reader, tally *t)
{
    const uint32_t chain = scramble(reader) % CHAINS;
    word seen[LINKS] = {};
    uint32_t reads = 0;
    bool going = true;
    while (pass_while(view, agent, going)) {
        word later = 0;
        if (!going) continue; /* others of the block are */
        for (uint32_t back = 0; back < LINKS; back++) {
            const uint32_t link = LINKS - 1 - back;
            word value = 0;
            TELL(t, find(view, agent, chain_key<word>(chain, link), &value));
            TELL(t, value >= later && value >= seen[link]);
            later = seen[link] = value;
        }
        going = ++reads < MOST_READS && seen[LINKS - 1] < GROWTH;
    }
    return reads * LINKS;
}

/* Keys come and go between those of the chains, so that these move and their leaves split. */
template <typename word>
static __device__ void make_noise(const view_t &view, agent_t *agent, uint32_t me, tally *t)
{
    for (uint32_t i = 0; i < NOISE_OPS; i++) {
        const uint32_t draw = scramble(scramble(me + 77) + i);
        const word key = key_at<word>(2 * (draw % (CHAINS * LINKS)) + 1);
        const bool erases = WAVE > 0 ? i / (WAVE > 0 ? WAVE : 1) % 2 == 1 : (draw & 0x10000) != 0;
        const pleach_outcome outcome = erases ? erase(view, agent, key, NULL) : add(view, agent, key, 0, NULL);
        TELL(t, outcome != PLEACH_NOT_APPLIED);
        pass(view, agent);
    }
}

/* The first blocks are writers, because blocks start in this order. */
template <typename word> static __global__ void grow_and_look(view_t view, tally *t)
{
    __shared__ agent_t here;
    const uint32_t me = thread_number();
    unsigned long long operations = GROWTH * LINKS;
    enter(view, &here);
    if (blockIdx.x < CHAINS / BLOCK) {
        grow_chain<word>(view, &here, me, t);
    } else if (blockIdx.x < CHAINS / BLOCK + NOISE_BLOCKS) {
        make_noise<word>(view, &here, me, t);
        operations = NOISE_OPS;
    } else {
        operations = read_chain<word>(view, &here, me, t);
    }
    leave(view, &here);
    atomicAdd(&t->operations, operations);
}

/* Room on the GPU for a test's own data, all zeros, with the tally in front. */
static tally *make_tally(size_t bytes, void **data)
{
    char *memory = NULL;
    const size_t front = 256;
    if (cudaMalloc(&memory, front + bytes) != cudaSuccess) return NULL;
    if (cudaMemset(memory, 0, front + bytes) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) return NULL;
    if (data) *data = memory + front;
    return (tally *)memory;
}

static void tell_tally(unsigned bits, tally *there, const char *what)
{
    tally t = {};
    char text[160];
    const bool copied = cudaMemcpy(&t, there, sizeof t, cudaMemcpyDeviceToHost) == cudaSuccess;
    snprintf(text, sizeof text, "%s: %llu operations, %llu wrong (first in line %u)", what, t.operations, t.wrong,
             t.first_wrong);
    expect(copied && t.operations > 0 && t.wrong == 0, bits, text);
    cudaFree(there);
}

/* A map in which nothing is yet, with room for so many keys. */
static bool open_empty(unsigned bits, uint64_t keys, pleach_map **map, view_t *view)
{
    pleach_map_config config = {};
    config.device = PLEACH_CUDA;
    config.key_bits = bits;
    config.reserve_keys = keys + SPARE_KEYS;
    choose_structure(&config);
    *map = NULL;
    const pleach_status status = pleach_map_create(map, &config);
    return expect(status == PLEACH_OK && open_view(*map, view) == PLEACH_OK, bits,
                  status == PLEACH_OK ? "an empty map and a view of it" : pleach_strerror(status));
}

static void close_map(unsigned bits, pleach_map *map, view_t *view)
{
    char message[160] = "";
    const cudaError_t error = cudaDeviceSynchronize();
    const bool closed = close_view(map, view) == PLEACH_OK;
    const bool valid = pleach_map_validate(map, message, sizeof message) == PLEACH_OK;
    expect(error == cudaSuccess && closed && valid, bits,
           error != cudaSuccess ? cudaGetErrorString(error) : message[0] ? message : "the map is valid");
    pleach_map_destroy(map);
}

template <typename word> static void test_own(unsigned bits)
{
    pleach_map *map;
    view_t view;
    void *own = NULL;
    if (!open_empty(bits, 4ull * OWN_THREADS * OWN_KEYS, &map, &view)) return;
    tally *t = make_tally(sizeof(own_keys<word>) * OWN_THREADS, &own);
    for (uint32_t i = 0; t && i < OWN_LAUNCHES; i++)
        work_on_own<word><<<OWN_THREADS / BLOCK, BLOCK>>>(view, (own_keys<word> *)own, 1000 * i, t);
    close_map(bits, map, &view);
    tell_tally(bits, t, "own keys");
}

template <typename word> static void test_fight(unsigned bits)
{
    pleach_map *map;
    view_t view;
    void *accounts = NULL;
    if (!open_empty(bits, 4ull * FIGHT_KEYS, &map, &view)) return;
    tally *t = make_tally(sizeof(account) * FIGHT_KEYS, &accounts);
    for (uint32_t i = 0; t && i < FIGHT_LAUNCHES; i++)
        fight<word><<<FIGHT_THREADS / BLOCK, BLOCK>>>(view, (account *)accounts, 1000000 * i, t);
    if (t) settle<word><<<FIGHT_KEYS / BLOCK, BLOCK>>>(view, (account *)accounts, t);
    close_map(bits, map, &view);
    tell_tally(bits, t, "sums");
}

/* The chains' keys are there before, with 0. */
static bool load_chains(unsigned bits, pleach_map *map)
{
    enum { KEYS = CHAINS * LINKS };
    static uint64_t keys[KEYS], values[KEYS];
    for (uint32_t i = 0; i < KEYS; i++) {
        if (bits == 64)
            keys[i] = key_at<uint64_t>(2 * i);
        else
            ((uint32_t *)keys)[i] = key_at<uint32_t>(2 * i);
    }
    return pleach_map_put(map, KEYS, keys, values, NULL, NULL, PLEACH_SYNC) == PLEACH_OK;
}

template <typename word> static void test_growth(unsigned bits)
{
    pleach_map *map;
    view_t view;
    if (!open_empty(bits, 8ull * CHAINS * LINKS, &map, &view)) return;
    tally *t = make_tally(0, NULL);
    expect(load_chains(bits, map), bits, "the chains are there");
    if (t) grow_and_look<word><<<CHAINS / BLOCK + NOISE_BLOCKS + READER_BLOCKS, BLOCK>>>(view, t);
    close_map(bits, map, &view);
    tell_tally(bits, t, "values that grow");
}

template <typename word> static void test_width(unsigned bits)
{
    test_large(bits, 1 << SIZED(15, 9), 32, 1 << SIZED(10, 4), false, 11);
    test_large(bits, 1 << SIZED(13, 8), 128, 1 << SIZED(8, 2), false, 12);
    test_large(bits, 1 << SIZED(13, 8), 24, 1 << SIZED(9, 4), true, 13);
    test_neighbours(bits, 1 << SIZED(9, 4), 16, 64, 14);
    test_own<word>(bits);
    test_fight<word>(bits);
    test_growth<word>(bits);
}

/* The program; answers its exit status. */
static int run_histories(void)
{
    checker = history_checker_create();
    if (checker) {
        test_width<uint32_t>(32);
        test_width<uint64_t>(64);
    } else {
        expect(false, 0, "out of memory");
    }
    history_checker_destroy(checker);
    printf("checked %llu histories, %llu operations\n", histories, history_ops);
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
