/* tests/test_skiplist_device.cu - the device-side API of maps that are skiplists, every function at both key widths.
 * Chunks of 16, or as PLEACH_CHUNK says.
 *
 * 1  Views: of what, and what is refused while one is open.
 * 2  Known contents: each answer is what a sorted array on the host has; updates of distinct keys, as one on the host.
 * 3  Own keys: a thread knows each answer about its own while all others are at work.
 * 4  Churn: blocks of 128 and of 256 threads, in two kernels at a time and beside array calls, insert and erase few
 *    keys in waves, so that chunks split and merge all the time. What they were told adds up for each key, and the keys
 *    in between, which nobody touches, are always there.
 * 5  A pool that is full: inserts are refused, and nothing else is.
 */
#include <string.h>

#include "testkit/device/device_checks.cuh"
#include "testkit/device/device_keys.cuh"
#include "verify/sized.cuh"
#include "testkit/device/skiplist_verbs.cuh"

/* ---- what kernels tell, and maps for them ---- */

typedef struct tally {
    unsigned long long checks, wrong;
    unsigned first_wrong; /* line */
} tally;

#define TELL(tally, condition)                                                                                   \
    do {                                                                                                         \
        if (!(condition)) {                                                                                      \
            atomicAdd(&(tally)->wrong, 1ull);                                                                    \
            atomicCAS(&(tally)->first_wrong, 0u, (unsigned)__LINE__);                                            \
        }                                                                                                        \
    } while (0)

static bool tell_tally(unsigned bits, tally *there, const char *what)
{
    tally t = {};
    char text[200];
    const bool copied = from_device(1, there, &t);
    snprintf(text, sizeof text, "%s: %llu answers, %llu wrong (first in line %u)", what, t.checks, t.wrong,
             t.first_wrong);
    return expect(copied && t.checks > 0 && t.wrong == 0, bits, text);
}

static pleach_map *create(unsigned bits, uint64_t reserve_keys, double raise)
{
    pleach_map *map = NULL;
    pleach_map_config config = {};
    config.device = PLEACH_CUDA;
    config.key_bits = bits;
    config.reserve_keys = reserve_keys;
    config.raise = raise;
    choose_structure(&config);
    const pleach_status status = pleach_map_create(&map, &config);
    if (status != PLEACH_OK) expect(false, bits, pleach_strerror(status));
    return map;
}

/* ---- 1: views ---- */

static void expect_busy(unsigned bits, pleach_map *map, const char *what)
{
    uint64_t key = 1, value = 1;
    size_t n = 0;
    pleach_map_stats stats;
    const bool busy = pleach_map_validate(map, NULL, 0) == PLEACH_E_BUSY &&
                      pleach_map_load(map, 1, &key, &value, 0) == PLEACH_E_BUSY &&
                      pleach_map_export(map, 0, NULL, NULL, &n) == PLEACH_E_BUSY &&
                      pleach_map_compact(map, 0) == PLEACH_E_BUSY && pleach_map_clear(map) == PLEACH_E_BUSY &&
                      pleach_map_get_stats(map, &stats) == PLEACH_E_BUSY;
    expect(busy, bits, what);
}

static void test_views(unsigned bits)
{
    pleach_map *map = create(bits, 0, 0);
    pleach_skiplist_view one, two;
    if (!map) return;
    memset(&one, 0xff, sizeof one);
    expect(pleach_skiplist_view_open(map, &one) == PLEACH_OK && one.key_bits == bits && one.chunk == PLEACH_CHUNK &&
               one.tree && one.nodes, bits, "a view has the map's widths");
    expect_busy(bits, map, "exclusive calls are refused with a view open");
    expect(pleach_skiplist_view_open(map, &two) == PLEACH_OK && pleach_skiplist_view_close(map, &one) == PLEACH_OK,
           bits, "of two views one is closed");
    expect_busy(bits, map, "exclusive calls are refused with the other one open");
    uint64_t size = 1;
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    expect(pleach_map_put_one(map, 5, 6, &outcome, NULL) == PLEACH_OK && outcome == PLEACH_INSERTED &&
               pleach_map_size(map, &size) == PLEACH_OK && size == 1 && pleach_map_reserve(map, 1000) == PLEACH_OK,
           bits, "other calls are not refused");
    expect(pleach_skiplist_view_close(map, &one) == PLEACH_E_ARGUMENT, bits, "a view is closed once");
    expect(pleach_skiplist_view_close(map, &two) == PLEACH_OK && !two.tree, bits, "the other view is closed");
    expect_valid(bits, map);
    pleach_map_destroy(map);
}

static void test_wrong_views(unsigned bits)
{
    pleach_map *list = create(bits, 0, 0), *tree = NULL, *cpu = NULL;
    pleach_map_config config = {};
    config.key_bits = bits;
    config.threads = 1;
    config.structure = PLEACH_SKIPLIST;
    config.chunk = PLEACH_CHUNK;
    const bool made = pleach_map_create(&cpu, &config) == PLEACH_OK;
    config.device = PLEACH_CUDA;
    config.structure = PLEACH_BLINK;
    config.chunk = 0;
    if (expect(list && made && pleach_map_create(&tree, &config) == PLEACH_OK, bits, "maps of three kinds")) {
        pleach_skiplist_view view;
        pleach_map_view tree_view;
        pleach_versioned_view versioned_view;
        expect(pleach_map_view_open(list, &tree_view) == PLEACH_E_ARGUMENT, bits, "no tree's view of a skiplist");
        expect(pleach_versioned_view_open(list, &versioned_view) == PLEACH_E_ARGUMENT, bits,
               "no versioned view of a skiplist");
        expect(pleach_skiplist_view_open(tree, &view) == PLEACH_E_ARGUMENT, bits, "no skiplist's view of a tree");
        expect(pleach_skiplist_view_open(cpu, &view) == PLEACH_E_ARGUMENT, bits, "no view of a map on the CPU");
        expect(pleach_skiplist_view_open(NULL, &view) == PLEACH_E_ARGUMENT &&
                   pleach_skiplist_view_open(list, NULL) == PLEACH_E_ARGUMENT, bits, "no view of or to NULL");
        memset(&view, 0, sizeof view);
        expect(pleach_skiplist_view_close(list, &view) == PLEACH_E_ARGUMENT &&
                   pleach_skiplist_view_close(NULL, &view) == PLEACH_E_ARGUMENT &&
                   pleach_skiplist_view_close(list, NULL) == PLEACH_E_ARGUMENT, bits, "nor is one closed");
        expect_valid(bits, list); /* not busy */
        expect_valid(bits, tree);
    }
    pleach_map_destroy(list);
    pleach_map_destroy(tree);
    pleach_map_destroy(cpu);
}

/* ---- 2: known contents ---- */

enum { KNOWN_KEYS = 3001, QUESTIONS = 4096, ROOM = 8 };

template <typename word> struct answer {
    word value, succ_key, succ_value, pred_key, pred_value, min_key, min_value, max_key, max_value;
    word keys[ROOM], values[ROOM];
    uint64_t count;
    uint32_t ranged;
    bool found, contained, succ, pred, min, max;
};

template <typename word>
static __global__ void ask(const __grid_constant__ view_t view, const word *lo, const word *hi, answer<word> *all,
                           tally *t)
{
    __shared__ agent_t here;
    const uint32_t i = thread_number();
    answer<word> a = {};
    enter(view, &here);
    a.found = find(view, &here, lo[i], &a.value);
    a.contained = contains(view, &here, lo[i]);
    a.succ = neighbour(view, &here, lo[i], true, &a.succ_key, &a.succ_value);
    a.pred = neighbour(view, &here, lo[i], false, &a.pred_key, &a.pred_value);
    pass(view, &here);
    a.min = least(view, &here, &a.min_key, &a.min_value);
    a.max = greatest(view, &here, &a.max_key, &a.max_value);
    a.count = range_count(view, &here, lo[i], hi[i]);
    a.ranged = range(view, &here, lo[i], hi[i], ROOM, a.keys, a.values);
    pass(view, &here);
    TELL(t, find(view, &here, lo[i], (word *)NULL) == a.found);
    TELL(t, neighbour(view, &here, lo[i], true, (word *)NULL, (word *)NULL) == a.succ);
    TELL(t, neighbour(view, &here, lo[i], false, (word *)NULL, (word *)NULL) == a.pred);
    TELL(t, least(view, &here, (word *)NULL, (word *)NULL) == a.min);
    pass(view, &here);
    TELL(t, greatest(view, &here, (word *)NULL, (word *)NULL) == a.max);
    TELL(t, range(view, &here, lo[i], hi[i], ROOM, (word *)NULL, (word *)NULL) == a.ranged);
    TELL(t, range(view, &here, lo[i], hi[i], 0, a.keys, a.values) == 0);
    leave(view, &here);
    all[i] = a;
    atomicAdd(&t->checks, 17ull);
}

/* Sorted pairs. */
template <typename word> struct known {
    uint32_t n;
    word keys[KNOWN_KEYS], values[KNOWN_KEYS];
};

/* Ascending keys with gaps of all sizes, and the first and the last key there can be if there are two. */
template <typename word> static void choose_known(known<word> *k, uint32_t n)
{
    const word step = (word)~(word)0 / (n + 1);
    k->n = n;
    for (uint32_t i = 0; i < n; i++) {
        const word gap = 1 + (word)scramble(i + n) * (sizeof(word) == 8 ? 0x10001u : 1u) % (i % 3 ? 8 : step);
        k->keys[i] = i == 0 ? (n > 1 ? 0 : 77) : i == n - 1 ? (word)~(word)0 : k->keys[i - 1] + gap;
        k->values[i] = (word)scramble(3 * i + 1) * (word)0x0001000100000001ull;
    }
}

/* The number of keys below. */
template <typename word> static uint32_t rank_of(const known<word> *k, word key)
{
    uint32_t rank = 0;
    while (rank < k->n && k->keys[rank] < key) rank++;
    return rank;
}

template <typename word> static uint32_t rank_above(const known<word> *k, word key)
{
    const uint32_t rank = rank_of(k, key);
    return rank + (rank < k->n && k->keys[rank] == key);
}

template <typename word> static word choose_probe(const known<word> *k, uint32_t draw)
{
    if (draw % 16 == 0) return (draw & 16 ? 0 : (word)~(word)0);
    if (k->n == 0 || draw % 16 == 1) return (word)scramble(draw) * (word)0x0001000100000001ull;
    return k->keys[scramble(draw) % k->n] + (word)(draw % 3) - 1; /* or next to it; it may wrap */
}

template <typename word> static bool is_right(const known<word> *k, word lo, word hi, const answer<word> *a)
{
    const uint32_t at = rank_of(k, lo), n = k->n;
    const bool there = at < n && k->keys[at] == lo;
    const uint32_t next = at + there, end = lo > hi ? at : rank_above(k, hi), most = ROOM;
    bool good = a->found == there && a->contained == there && (!there || a->value == k->values[at]);
    good = good && a->succ == (next < n) &&
           (next == n || (a->succ_key == k->keys[next] && a->succ_value == k->values[next]));
    good = good && a->pred == (at > 0) &&
           (at == 0 || (a->pred_key == k->keys[at - 1] && a->pred_value == k->values[at - 1]));
    good = good && a->min == (n > 0) && a->max == (n > 0) && a->count == end - at;
    if (n > 0)
        good = good && a->min_key == k->keys[0] && a->min_value == k->values[0] && a->max_key == k->keys[n - 1] &&
               a->max_value == k->values[n - 1];
    good = good && a->ranged == (end - at < most ? end - at : most);
    for (uint32_t i = 0; good && i < a->ranged; i++)
        good = a->keys[i] == k->keys[at + i] && a->values[i] == k->values[at + i];
    return good;
}

template <typename word> static void ask_all(unsigned bits, const view_t &view, const known<word> *k)
{
    static word lo[QUESTIONS], hi[QUESTIONS];
    static answer<word> answers[QUESTIONS];
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        lo[i] = choose_probe(k, scramble(i + 7));
        const uint32_t at = rank_of(k, lo[i]) + i % 23; /* most intervals are short */
        hi[i] = i % 4 && at < k->n ? k->keys[at] : choose_probe(k, scramble(i + 70000));
    }
    word *lo_there = on_device(QUESTIONS, lo), *hi_there = on_device(QUESTIONS, hi);
    answer<word> *there = on_device<answer<word>>(QUESTIONS, NULL);
    tally *t = on_device<tally>(1, NULL);
    ask<word><<<QUESTIONS / 128, 128>>>(view, lo_there, hi_there, there, t);
    const bool ended = kernels_end(bits, "questions");
    uint32_t right = 0;
    if (from_device(QUESTIONS, there, answers) && ended)
        for (uint32_t i = 0; i < QUESTIONS; i++) right += is_right(k, lo[i], hi[i], &answers[i]);
    char text[120];
    snprintf(text, sizeof text, "%u keys: answers to %u of %u threads are right", k->n, right, (unsigned)QUESTIONS);
    expect(right == QUESTIONS, bits, text);
    tell_tally(bits, t, "results that are left out");
    from_device(QUESTIONS, lo_there, (word *)NULL);
    from_device(QUESTIONS, hi_there, (word *)NULL);
}

template <typename word> static void test_known(unsigned bits, uint32_t n)
{
    static known<word> k;
    view_t view;
    pleach_map *map = create(bits, 4 * KNOWN_KEYS, 0);
    if (!map) return;
    choose_known(&k, n);
    const pleach_status filled = n % 2 ? pleach_map_load(map, n, k.keys, k.values, 1)
                                       : pleach_map_put(map, n, k.keys, k.values, NULL, NULL, PLEACH_SYNC);
    if (expect(filled == PLEACH_OK && open_view(map, &view) == PLEACH_OK, bits, "a filled map and a view")) {
        ask_all(bits, view, &k);
        expect(close_view(map, &view) == PLEACH_OK, bits, "the view closes");
        expect_valid(bits, map);
    }
    pleach_map_destroy(map);
}

/* Distinct keys, each updated by one thread at a time: the host knows what comes. */

enum { DISTINCT = 1 << SIZED(13, 10), STEPS = 6, UNTOUCHED = 0x5555 };
enum { DO_PUT, DO_ADD, DO_ERASE };

static __host__ __device__ uint32_t choose_update(uint32_t index, uint32_t step)
{
    const uint32_t draw = scramble(scramble(index) + step) % 4;
    return draw < 3 ? draw : step % 2 ? (uint32_t)DO_ERASE : (uint32_t)DO_ADD;
}

template <typename word> static __host__ __device__ word choose_value(uint32_t index, uint32_t step)
{
    return (word)scramble(index * STEPS + step) * (word)0x0001000100000001ull;
}

template <typename word> struct told {
    word old;
    uint32_t outcome;
};

template <typename word>
static __global__ void update_distinct(const __grid_constant__ view_t view, uint32_t step, told<word> *all)
{
    __shared__ agent_t here;
    const uint32_t index = thread_number(), kind = choose_update(index, step);
    const word key = key_at<word>(index), value = choose_value<word>(index, step);
    word old = UNTOUCHED;
    enter(view, &here);
    all[index].outcome = kind == DO_PUT   ? put(view, &here, key, value, &old)
                         : kind == DO_ADD ? add(view, &here, key, value, &old)
                                          : erase(view, &here, key, &old);
    all[index].old = old;
    leave(view, &here);
}

template <typename word> struct slot {
    bool present;
    word value;
};

/* Answers whether this is what the update must have told. */
template <typename word> static bool update_slot(slot<word> *s, uint32_t index, uint32_t step, const told<word> *got)
{
    const uint32_t kind = choose_update(index, step);
    const bool there = s->present;
    const word old = there ? s->value : (word)UNTOUCHED;
    const uint32_t outcome = kind == DO_PUT   ? (there ? PLEACH_REPLACED : PLEACH_INSERTED)
                             : kind == DO_ADD ? (there ? PLEACH_EXISTS : PLEACH_INSERTED)
                                              : (there ? PLEACH_ERASED : PLEACH_ABSENT);
    if (kind == DO_PUT || (kind == DO_ADD && !there)) s->value = choose_value<word>(index, step);
    s->present = kind != DO_ERASE;
    return got->outcome == outcome && got->old == old;
}

template <typename word> static bool has_contents(pleach_map *map, const slot<word> *slots)
{
    static word keys[DISTINCT], values[DISTINCT];
    size_t n = 0, at = 0;
    bool good = pleach_map_export(map, DISTINCT, keys, values, &n) == PLEACH_OK;
    for (uint32_t index = 0; good && index < DISTINCT; index++) {
        if (!slots[index].present) continue;
        good = at < n && keys[at] == key_at<word>(index) && values[at] == slots[index].value;
        at++;
    }
    uint64_t size = 0;
    return good && at == n && pleach_map_size(map, &size) == PLEACH_OK && size == n;
}

template <typename word> static void test_distinct(unsigned bits)
{
    static slot<word> slots[DISTINCT];
    static told<word> got[DISTINCT];
    view_t view;
    pleach_map *map = create(bits, 1 << 18, 0);
    if (!map || !expect(open_view(map, &view) == PLEACH_OK, bits, "an empty map and a view")) return;
    uint32_t right = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t block = step % 2 ? 256 : 128;
        told<word> *there = on_device<told<word>>(DISTINCT, NULL);
        update_distinct<word><<<DISTINCT / block, block>>>(view, step, there);
        const bool ended = kernels_end(bits, "updates of distinct keys");
        if (!from_device(DISTINCT, there, got) || !ended) break;
        for (uint32_t index = 0; index < DISTINCT; index++)
            right += update_slot(&slots[index], index, step, &got[index]);
    }
    char text[120];
    snprintf(text, sizeof text, "%u of %u updates of distinct keys tell what they must", right,
             (unsigned)(STEPS * DISTINCT));
    expect(right == STEPS * DISTINCT, bits, text);
    expect(close_view(map, &view) == PLEACH_OK, bits, "the view closes");
    expect(has_contents(map, slots), bits, "and leave what they must");
    expect_valid(bits, map);
    pleach_map_destroy(map);
}

/* ---- 3: own keys ---- */

enum { OWNERS = 1 << SIZED(15, 10) };

/* Thread i owns keys first .. first + 9. */
template <typename word>
static __global__ void own_keys(const __grid_constant__ view_t view, word base, tally *t)
{
    __shared__ agent_t here;
    const word i = thread_number(), first = base + 10 * i;
    word old = 0, key = 0, value = 0, keys[4], values[4];
    enter(view, &here);
    TELL(t, !contains(view, &here, (word)(first + 3)));
    TELL(t, put(view, &here, (word)(first + 3), i, &old) == PLEACH_INSERTED);
    TELL(t, put(view, &here, (word)(first + 3), (word)(i + 1), &old) == PLEACH_REPLACED && old == i);
    pass(view, &here);
    TELL(t, add(view, &here, (word)(first + 3), (word)7, &old) == PLEACH_EXISTS && old == i + 1);
    TELL(t, add(view, &here, (word)(first + 5), (word)55, (word *)NULL) == PLEACH_INSERTED);
    TELL(t, add(view, &here, (word)(first + 7), (word)77, (word *)NULL) == PLEACH_INSERTED);
    pass(view, &here);
    TELL(t, find(view, &here, (word)(first + 3), &value) && value == i + 1);
    TELL(t, !find(view, &here, (word)(first + 4), &value));
    TELL(t, neighbour(view, &here, (word)(first + 3), true, &key, &value) && key == first + 5 && value == 55);
    TELL(t, neighbour(view, &here, (word)(first + 7), false, &key, &value) && key == first + 5 && value == 55);
    pass(view, &here);
    TELL(t, range_count(view, &here, first, (word)(first + 9)) == 3);
    TELL(t, range_count(view, &here, (word)(first + 9), first) == 0);
    TELL(t, range(view, &here, first, (word)(first + 9), 2, keys, values) == 2);
    TELL(t, keys[0] == first + 3 && values[0] == i + 1 && keys[1] == first + 5 && values[1] == 55);
    leave(view, &here);
    enter(view, &here);
    TELL(t, erase(view, &here, (word)(first + 5), &old) == PLEACH_ERASED && old == 55);
    TELL(t, erase(view, &here, (word)(first + 5), &old) == PLEACH_ABSENT);
    TELL(t, neighbour(view, &here, (word)(first + 3), true, &key, (word *)NULL) && key == first + 7);
    TELL(t, least(view, &here, &key, (word *)NULL) && key <= first + 3);
    TELL(t, greatest(view, &here, &key, (word *)NULL) && key >= first + 7);
    pass(view, &here);
    TELL(t, erase(view, &here, (word)(first + 7), (word *)NULL) == PLEACH_ERASED);
    TELL(t, range(view, &here, first, (word)(first + 9), 4, keys, values) == 1 && keys[0] == first + 3);
    leave(view, &here);
    atomicAdd(&t->checks, 21ull);
}

template <typename word> static void test_own(unsigned bits)
{
    view_t view;
    pleach_map *map = create(bits, 8 * OWNERS, 0);
    if (!map || !expect(open_view(map, &view) == PLEACH_OK, bits, "an empty map and a view")) return;
    const word base = bits == 32 ? (word)1000 : (word)((uint64_t)1 << 40);
    tally *t = on_device<tally>(1, NULL);
    own_keys<word><<<OWNERS / 256, 128>>>(view, base, t);
    own_keys<word><<<OWNERS / 512, 256>>>(view, (word)(base + 10 * (OWNERS / 2)), t);
    kernels_end(bits, "own keys");
    tell_tally(bits, t, "own keys");
    uint64_t size = 0;
    expect(close_view(map, &view) == PLEACH_OK && pleach_map_size(map, &size) == PLEACH_OK && size == OWNERS, bits,
           "one key of each thread stays");
    expect_valid(bits, map);
    pleach_map_destroy(map);
}

/* ---- 4: churn ---- */

/* Every fourth key stays as it is, the first and the last among them; all others come and go. */
enum { STAYS = 6, ROUNDS = 8, LAUNCHES = 3, BLOCKS = SIZED(512, 8) /* of 128, and half of it of 256 */, SPAN = 16 };
enum { MOST_CHURN_KEYS = 4096 + 1, ARRAY_CALLS = SIZED(12, 3), ARRAY = 512 };

/* Half of a value names its key. */
template <typename word> static __host__ __device__ word churn_value(uint32_t index, uint32_t draw)
{
    return (word)(index | scramble(draw) << 16);
}

static __host__ __device__ uint32_t churn_index(uint32_t keys, uint32_t draw)
{
    const uint32_t index = draw % (keys - 1);
    return index % 4 ? index : index + 1;
}

template <typename word>
static __device__ void churn_update(const view_t &view, agent_t *agent, uint32_t keys, uint32_t draw, bool erasing,
                                    int *balance, tally *t)
{
    const uint32_t index = churn_index(keys, draw), kind = (draw >> 16) % 8;
    const word key = key_at<word>(index), value = churn_value<word>(index, draw);
    word old = (word)index;
    pleach_outcome outcome;
    if (erasing ? kind < 6 : kind == 7) {
        outcome = erase(view, agent, key, &old);
        TELL(t, outcome == PLEACH_ERASED || outcome == PLEACH_ABSENT);
    } else if (kind % 2) {
        outcome = add(view, agent, key, value, &old);
        TELL(t, outcome == PLEACH_INSERTED || outcome == PLEACH_EXISTS);
    } else {
        outcome = put(view, agent, key, value, &old);
        TELL(t, outcome == PLEACH_INSERTED || outcome == PLEACH_REPLACED);
    }
    TELL(t, (old & 0xffff) == index);
    if (outcome == PLEACH_INSERTED) atomicAdd(&balance[index], 1);
    if (outcome == PLEACH_ERASED) atomicAdd(&balance[index], -1);
}

/* A range from a key that stays: ascending, with all keys that stay, and every value under its own key. */
template <typename word>
static __device__ void churn_range(const view_t &view, agent_t *agent, uint32_t from, uint32_t to, tally *t)
{
    word keys[SPAN + 1], values[SPAN + 1];
    const word lo = key_at<word>(from), hi = key_at<word>(to);
    const uint32_t staying = (to - from) / 4 + 1, n = range(view, agent, lo, hi, SPAN + 1, keys, values);
    const uint64_t count = range_count(view, agent, lo, hi);
    uint32_t seen = 0;
    TELL(t, count >= staying && count <= to - from + 1);
    TELL(t, n >= staying && n <= to - from + 1);
    for (uint32_t i = 0; i < n && i < SPAN + 1; i++) {
        const uint32_t index = (uint32_t)values[i] & 0xffff;
        TELL(t, keys[i] == key_at<word>(index) && (i == 0 || keys[i] > keys[i - 1]));
        TELL(t, index % 4 != 0 || values[i] == index);
        seen += index % 4 == 0;
    }
    TELL(t, seen == staying);
}

template <typename word>
static __device__ void churn_look(const view_t &view, agent_t *agent, uint32_t keys, uint32_t draw, tally *t)
{
    const uint32_t last = keys - 1, from = draw % (last / 4 + 1) * 4, to = from + SPAN < last ? from + SPAN : last;
    const word key = key_at<word>(from);
    word out = 0, value = 0;
    switch ((draw >> 16) % 5) {
    case 0:
        TELL(t, find(view, agent, key, &value) && value == from);
        TELL(t, contains(view, agent, key));
        break;
    case 1:
        TELL(t, neighbour(view, agent, (word)(key - 1), true, &out, &value) && out == key && value == from);
        TELL(t, neighbour(view, agent, (word)(key + 1), false, &out, &value) && out == key && value == from);
        break;
    case 2:
        TELL(t, neighbour(view, agent, key, true, &out, &value) == (from < last));
        TELL(t, from == last || (out > key && out <= key_at<word>(from + 4) &&
                                 out == key_at<word>((uint32_t)value & 0xffff)));
        break;
    case 3:
        TELL(t, least(view, agent, &out, &value) && out == key_at<word>(0) && value == 0);
        TELL(t, greatest(view, agent, &out, &value) && out == key_at<word>(last) && value == last);
        break;
    default: churn_range<word>(view, agent, from, to, t);
    }
}

/* In some stays all mostly insert, in others they mostly erase. */
template <typename word>
static __global__ void churn(const __grid_constant__ view_t view, uint32_t keys, uint32_t seed, int *balance, tally *t)
{
    __shared__ agent_t here;
    const uint32_t me = thread_number();
    for (uint32_t stay = 0; stay < STAYS; stay++) {
        enter(view, &here);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            const uint32_t draw = scramble(scramble(seed + me) + stay * ROUNDS + round);
            if (round % 4 == 3)
                churn_look<word>(view, &here, keys, draw, t);
            else
                churn_update<word>(view, &here, keys, draw, stay % 2, balance, t);
            if (round < ROUNDS - 1) pass(view, &here);
        }
        leave(view, &here);
    }
    atomicAdd(&t->checks, (unsigned long long)(STAYS * ROUNDS));
}

template <typename word> struct churn_world {
    uint32_t keys;
    pleach_map *map;
    view_t view;
    word words[2][MOST_CHURN_KEYS];
    bool present[MOST_CHURN_KEYS];
    int there[MOST_CHURN_KEYS]; /* balance of the kernels */
    int here[MOST_CHURN_KEYS];  /* and of array calls */
};

template <typename word> static bool churn_begin(churn_world<word> *w, unsigned bits, uint32_t keys, double raise)
{
    size_t n = 0;
    memset(w, 0, sizeof *w);
    w->keys = keys;
    w->map = create(bits, 1 << 20, raise); /* merged chunks wait beside the slots of agents that have left */
    for (uint32_t index = 0; index < keys; index++) {
        w->present[index] = index % 4 == 0 || scramble(index) % 2;
        if (!w->present[index]) continue;
        w->words[0][n] = key_at<word>(index);
        w->words[1][n++] = index % 4 ? churn_value<word>(index, index) : (word)index;
    }
    return w->map && expect(pleach_map_load(w->map, n, w->words[0], w->words[1], 0) == PLEACH_OK &&
                                pleach_map_reserve(w->map, 1 << 20) == PLEACH_OK &&
                                open_view(w->map, &w->view) == PLEACH_OK, bits, "a loaded map and a view");
}

/* One array call that updates, one that looks for keys that stay. */
template <typename word> static bool churn_by_array(churn_world<word> *w, uint32_t call)
{
    static word keys[ARRAY], values[ARRAY];
    static uint32_t index[ARRAY];
    static uint8_t outcomes[ARRAY], found[ARRAY];
    for (uint32_t i = 0; i < ARRAY; i++) {
        index[i] = churn_index(w->keys, scramble(call * ARRAY + i));
        keys[i] = key_at<word>(index[i]);
        values[i] = churn_value<word>(index[i], i);
    }
    bool good = (call % 2 ? pleach_map_erase(w->map, ARRAY, keys, outcomes, NULL, PLEACH_SYNC)
                          : pleach_map_add(w->map, ARRAY, keys, values, outcomes, NULL, PLEACH_SYNC)) == PLEACH_OK;
    for (uint32_t i = 0; good && i < ARRAY; i++) {
        good = outcomes[i] != PLEACH_NOT_APPLIED;
        w->here[index[i]] += outcomes[i] == PLEACH_INSERTED ? 1 : outcomes[i] == PLEACH_ERASED ? -1 : 0;
        keys[i] = key_at<word>(i * 4 % w->keys / 4 * 4);
    }
    good = good && pleach_map_find(w->map, ARRAY, keys, values, found, PLEACH_SYNC) == PLEACH_OK;
    for (uint32_t i = 0; good && i < ARRAY; i++) good = found[i] && keys[i] == key_at<word>((uint32_t)values[i]);
    return good;
}

template <typename word> static void churn_run(churn_world<word> *w, unsigned bits)
{
    cudaStream_t streams[2];
    int *balance = on_device<int>(w->keys, NULL);
    tally *t = on_device<tally>(1, NULL);
    bool good = true;
    for (int i = 0; i < 2; i++)
        good = good && cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking) == cudaSuccess;
    if (!expect(good, bits, "two streams")) return;
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        churn<word><<<BLOCKS, 128, 0, streams[0]>>>(w->view, w->keys, 1000003 * (2 * i), balance, t);
        churn<word><<<BLOCKS / 2, 256, 0, streams[1]>>>(w->view, w->keys, 1000003 * (2 * i + 1), balance, t);
    }
    for (uint32_t call = 0; good && call < ARRAY_CALLS; call++) good = churn_by_array(w, call);
    expect(good, bits, "array calls beside kernels");
    expect_busy(bits, w->map, "exclusive calls are refused meanwhile");
    kernels_end(bits, "churn");
    for (int i = 0; i < 2; i++) cudaStreamDestroy(streams[i]);
    expect(from_device(w->keys, balance, w->there), bits, "the kernels end");
    tell_tally(bits, t, "churn");
}

/* Everything that was told adds up to what is there. */
template <typename word> static bool churn_adds_up(churn_world<word> *w)
{
    size_t n = 0, at = 0;
    bool good = pleach_map_export(w->map, w->keys, w->words[0], w->words[1], &n) == PLEACH_OK;
    for (uint32_t index = 0; good && index < w->keys; index++) {
        const bool there = at < n && w->words[0][at] == key_at<word>(index);
        good = w->present[index] + w->there[index] + w->here[index] == there;
        if (there) good = good && (w->words[1][at++] & 0xffff) == index;
        if (index % 4 == 0) good = good && there && w->words[1][at - 1] == index;
        if (!good) printf("key %u: %d at first, %+d by kernels, %+d by array calls, %d in the end\n", index,
                          w->present[index], w->there[index], w->here[index], there);
    }
    uint64_t size = 0;
    return good && at == n && pleach_map_size(w->map, &size) == PLEACH_OK && size == n;
}

template <typename word> static void test_churn(unsigned bits, uint32_t keys, double raise)
{
    static churn_world<word> w;
    if (churn_begin(&w, bits, keys, raise)) {
        pleach_map_stats stats = {};
        char text[160];
        churn_run(&w, bits);
        expect(close_view(w.map, &w.view) == PLEACH_OK, bits, "the view closes");
        expect(churn_adds_up(&w), bits, "inserts less erases are what is there, and so is the size");
        expect_valid(bits, w.map);
        const bool got = pleach_map_get_stats(w.map, &stats) == PLEACH_OK;
        snprintf(text, sizeof text, "%u keys, raised with %g: chunks were merged, %llu bytes used again, %llu zombies",
                 keys, raise, (unsigned long long)stats.reclaimed_bytes, (unsigned long long)stats.zombies);
        expect(got && stats.reclaimed_bytes > 0, bits, text);
    }
    pleach_map_destroy(w.map);
}

/* ---- 5: a pool that is full ---- */

/* More keys than have room in a mebibyte, whatever a chunk is. */
enum { MANY = 1 << SIZED(18, 17), SOME = 1000, FULL_BYTES = 1 << 20 };
enum { TRY_PUT, TRY_FIND, TRY_PUT_AGAIN, TRY_ERASE, TRY_REST, TRY_ADD };

/* Every thread does one thing with its key; keys of neighbours are far apart. */
template <typename word>
static __global__ void try_all(const __grid_constant__ view_t view, int what, uint8_t *outcomes, unsigned *done,
                               tally *t)
{
    __shared__ agent_t here;
    const uint32_t i = thread_number(), index = i * 40503u % MANY;
    const word key = key_at<word>(index), mark = (word)(index + 1);
    const bool there = outcomes[i] == PLEACH_INSERTED;
    word old = mark;
    enter(view, &here);
    if (what == TRY_PUT) {
        const pleach_outcome outcome = put(view, &here, key, mark, (word *)NULL);
        TELL(t, outcome == PLEACH_INSERTED || outcome == PLEACH_NOT_APPLIED);
        outcomes[i] = (uint8_t)outcome;
        atomicAdd(done, outcome == PLEACH_INSERTED);
    } else if (what == TRY_FIND) {
        TELL(t, find(view, &here, key, &old) == there && old == mark);
    } else if (what == TRY_PUT_AGAIN && there) {
        TELL(t, put(view, &here, key, mark, &old) == PLEACH_REPLACED && old == mark);
        TELL(t, add(view, &here, key, (word)0, &old) == PLEACH_EXISTS && old == mark);
    } else if (what == TRY_ERASE) {
        TELL(t, erase(view, &here, key, &old) == (there ? PLEACH_ERASED : PLEACH_ABSENT) && old == mark);
    } else if (what == TRY_ADD && i < SOME) {
        const pleach_outcome outcome = add(view, &here, key, mark, (word *)NULL);
        TELL(t, outcome == PLEACH_INSERTED || outcome == PLEACH_NOT_APPLIED);
        atomicAdd(done, outcome == PLEACH_INSERTED);
    }
    for (int pause = 0; what == TRY_REST && pause < 4; pause++) pass(view, &here);
    leave(view, &here);
    atomicAdd(&t->checks, 1ull);
}

template <typename word> static unsigned run_try(unsigned bits, const view_t &view, int what, uint8_t *outcomes)
{
    static const char *const names[] = {"inserts into a pool that becomes full", "finds in a full pool",
                                        "updates in place in a full pool",       "erases in a full pool",
                                        "coming and going",                      "inserts after that"};
    unsigned count = 0, *done = on_device<unsigned>(1, NULL);
    tally *t = on_device<tally>(1, NULL);
    try_all<word><<<MANY / 128, 128>>>(view, what, outcomes, done, t);
    kernels_end(bits, names[what]);
    tell_tally(bits, t, names[what]);
    return from_device(1, done, &count) ? count : 0;
}

template <typename word> static void full_by_kernels(unsigned bits, pleach_map *map, view_t &view)
{
    char text[120];
    uint64_t size = 0;
    uint8_t *outcomes = on_device<uint8_t>(MANY, NULL);
    const unsigned inserted = run_try<word>(bits, view, TRY_PUT, outcomes);
    snprintf(text, sizeof text, "%u of %u inserts have room, the others are refused", inserted, (unsigned)MANY);
    expect(inserted > 0 && inserted < MANY, bits, text);
    expect(pleach_map_size(map, &size) == PLEACH_OK && size == inserted, bits, "the size is what was inserted");
    run_try<word>(bits, view, TRY_FIND, outcomes);
    run_try<word>(bits, view, TRY_PUT_AGAIN, outcomes);
    run_try<word>(bits, view, TRY_ERASE, outcomes);
    expect(pleach_map_size(map, &size) == PLEACH_OK && size == 0, bits, "the map is empty");
    run_try<word>(bits, view, TRY_REST, outcomes);
    run_try<word>(bits, view, TRY_REST, outcomes);
    const unsigned again = run_try<word>(bits, view, TRY_ADD, outcomes);
    snprintf(text, sizeof text, "%u of %u inserts have room again", again, (unsigned)SOME);
    expect(again > SOME / 2, bits, text);
    expect(pleach_map_size(map, &size) == PLEACH_OK && size == again, bits, "the size is what was inserted again");
    from_device(MANY, outcomes, (uint8_t *)NULL);
}

template <typename word> static void test_full(unsigned bits)
{
    view_t view;
    pleach_map *map = NULL;
    pleach_map_config config = {};
    config.device = PLEACH_CUDA;
    config.key_bits = bits;
    config.max_bytes = FULL_BYTES;
    choose_structure(&config);
    if (!expect(pleach_map_create(&map, &config) == PLEACH_OK && pleach_map_reserve(map, 5000) == PLEACH_OK &&
                    open_view(map, &view) == PLEACH_OK, bits, "a small map and a view")) {
        pleach_map_destroy(map);
        return;
    }
    full_by_kernels<word>(bits, map, view);
    expect(close_view(map, &view) == PLEACH_OK, bits, "the view closes");
    expect_valid(bits, map);
    pleach_map_destroy(map);
}

template <typename word> static void test_width(unsigned bits)
{
    static const uint32_t sizes[] = {0, 1, 2, 14, 15, 30, 31, 200, KNOWN_KEYS};
    test_views(bits);
    test_wrong_views(bits);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) test_known<word>(bits, sizes[i]);
    test_distinct<word>(bits);
    test_own<word>(bits);
    test_churn<word>(bits, 256 + 1, 1);
    test_churn<word>(bits, 4096 + 1, 1);
    test_churn<word>(bits, 4096 + 1, 0.5);
    test_full<word>(bits);
}

int main(void)
{
    test_width<uint32_t>(32);
    test_width<uint64_t>(64);
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
