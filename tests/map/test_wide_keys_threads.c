/* test_wide_keys_threads.c - threads that share maps with keys and values of 16 bytes: no pair is seen torn, no key is missed
 * while leaves split, no update is lost. */
#include <string.h>

#include "testkit/agents.h"
#include "testkit/harness.h"
#include "testkit/model.h"

enum { SHARED_KEYS = 600 };

typedef struct hammered {
    pleach_map *map;
    size_t rounds;
} hammered;

/* All four words of a pair belong together: a mixture of two pairs would show. */
static number shared_key(uint64_t i) { return NUMBER(mix64(i / 2), i % 2 ? mix64(i) : ~mix64(i / 2)); }
static number some_value(number key, uint64_t word)
{
    return NUMBER(word ^ (uint64_t)(key >> 64), ~word ^ (uint64_t)key);
}

static bool is_some_value(number key, number value)
{
    uint64_t word = (uint64_t)(value >> 64) ^ (uint64_t)(key >> 64);
    return value == some_value(key, word);
}

static bool is_shared_key(number key)
{
    for (uint64_t i = 0; i < SHARED_KEYS; i++)
        if (shared_key(i) == key) return true;
    return false;
}

static void hammer(agent *a)
{
    enum { N = 40 };
    hammered *h = a->shared;
    number keys[N], values[N], out_keys[N], lo = 0, hi = NUMBER_MAX;
    uint8_t flags[N];
    uint32_t found;
    for (size_t round = 0; round < h->rounds && !stopped(a); round++) {
        for (size_t i = 0; i < N; i++) {
            keys[i] = shared_key(rng_below(&a->r, SHARED_KEYS));
            values[i] = some_value(keys[i], rng_next(&a->r));
        }
        switch ((round + a->index) % 6) {
        case 0: EXPECT_OK(a, pleach_map_put(h->map, N, keys, values, flags, NULL, PLEACH_SYNC)); break;
        case 1: EXPECT_OK(a, pleach_map_erase(h->map, N, keys, flags, NULL, PLEACH_SYNC)); break;
        case 2:
            EXPECT_OK(a, pleach_map_find(h->map, N, keys, values, flags, PLEACH_SYNC));
            for (size_t i = 0; i < N; i++) EXPECT(a, !flags[i] || is_some_value(keys[i], values[i]));
            break;
        case 3:
            EXPECT_OK(a, pleach_map_succ(h->map, N, keys, out_keys, values, flags, PLEACH_SYNC));
            for (size_t i = 0; i < N; i++)
                EXPECT(a, !flags[i] || (out_keys[i] > keys[i] && is_shared_key(out_keys[i]) &&
                                        is_some_value(out_keys[i], values[i])));
            break;
        case 4:
            lo = keys[0];
            EXPECT_OK(a, pleach_map_range_limit(h->map, 1, &lo, &hi, N, out_keys, values, &found, PLEACH_SYNC));
            for (size_t i = 0; i < found; i++)
                EXPECT(a, out_keys[i] >= (i ? out_keys[i - 1] + 1 : lo) && is_shared_key(out_keys[i]) &&
                              is_some_value(out_keys[i], values[i]));
            break;
        default:
            if (round % 60 != 5) break;
            memset(flags, PLEACH_OP_PUT, N);
            pleach_batch batch = {.n = N, .kinds = flags, .keys = keys, .values = values, .out_values = out_keys};
            EXPECT_OK(a, pleach_map_apply(h->map, &batch));
            break;
        }
        count_checked(N);
    }
}

static void threads_see_whole_pairs(const setting *where)
{
    hammered h = {model_map_open(where, 0), scaled(3000)};
    run_agents(calling_threads(), hammer, &h);
    model_map_close(h.map);
}

/* All in one leaf: some threads replace the values of the even keys, and move them by inserting and erasing odd ones;
 * the others must find them at all times, each with a value that was put. */
enum { LEAF_KEYS = 14 };

static number leaf_key(uint64_t i) { return NUMBER(i / 4, i % 4 << 60 | i); }

static void read_a_leaf(agent *a, const hammered *h)
{
    enum { N = 64 };
    number keys[N], values[N];
    uint8_t found[N];
    for (size_t i = 0; i < N; i++) keys[i] = leaf_key(rng_below(&a->r, LEAF_KEYS / 2) * 2);
    EXPECT_OK(a, pleach_map_find(h->map, N, keys, values, found, PLEACH_SYNC));
    for (size_t i = 0; i < N; i++) EXPECT(a, found[i] && is_some_value(keys[i], values[i]));
    EXPECT_OK(a, pleach_map_succ(h->map, N, keys, NULL, values, found, PLEACH_SYNC));
    count_checked(2 * N);
}

static void write_a_leaf(agent *a, const hammered *h)
{
    enum { N = 16 };
    number keys[N], values[N];
    for (size_t i = 0; i < N; i++) {
        keys[i] = leaf_key(rng_below(&a->r, LEAF_KEYS));
        values[i] = some_value(keys[i], rng_next(&a->r));
    }
    EXPECT_OK(a, pleach_map_put(h->map, N, keys, values, NULL, NULL, PLEACH_SYNC));
    for (size_t i = 0; i < N; i++) keys[i] = leaf_key(rng_below(&a->r, LEAF_KEYS / 2) * 2 + 1);
    EXPECT_OK(a, pleach_map_erase(h->map, N, keys, NULL, NULL, PLEACH_SYNC));
    count_checked(2 * N);
}

static void crowd_a_leaf(agent *a)
{
    const hammered *h = a->shared;
    for (size_t round = 0; round < h->rounds && !stopped(a); round++) {
        if (a->index % 2)
            read_a_leaf(a, h);
        else
            write_a_leaf(a, h);
        if (a->failed) return;
    }
    stop_all(a);
}

static void threads_crowd_a_leaf(const setting *where)
{
    hammered h = {model_map_open(where, 0), scaled(80000)};
    for (uint64_t i = 0; i < LEAF_KEYS; i++) {
        number key = leaf_key(i), value = some_value(key, i);
        assert_ok(pleach_map_put(h.map, 1, &key, &value, NULL, NULL, PLEACH_SYNC));
    }
    run_agents(2, crowd_a_leaf, &h);
    model_map_close(h.map);
}

/* One thread inserts below keys that are there from the beginning, so that leaves split and inner nodes shift; the
 * others must find those keys at all times. */
enum { LASTING_KEYS = 100, KEYS_BELOW = 20000 };

static number lasting_key(uint64_t i) { return NUMBER(2 + i, i << 40); }

static void insert_below(agent *a, const hammered *h)
{
    enum { N = 50 };
    number keys[N];
    for (uint64_t i = 0; i < KEYS_BELOW && !stopped(a); i += N) {
        for (uint64_t k = 0; k < N; k++) keys[k] = NUMBER(1, (KEYS_BELOW - i - k) << 40);
        EXPECT_OK(a, pleach_map_put(h->map, N, keys, keys, NULL, NULL, PLEACH_SYNC));
    }
    stop_all(a);
}

static void find_lasting(agent *a, const hammered *h)
{
    number keys[LASTING_KEYS], values[LASTING_KEYS];
    uint8_t found[LASTING_KEYS];
    for (uint64_t i = 0; i < LASTING_KEYS; i++) keys[i] = lasting_key(i);
    while (!stopped(a)) {
        EXPECT_OK(a, pleach_map_find(h->map, LASTING_KEYS, keys, values, found, PLEACH_SYNC));
        for (uint64_t i = 0; i < LASTING_KEYS; i++) EXPECT(a, found[i] && values[i] == some_value(keys[i], i));
        count_checked(LASTING_KEYS);
    }
}

static void split_and_find(agent *a)
{
    if (a->index == 0)
        insert_below(a, a->shared);
    else
        find_lasting(a, a->shared);
}

static void threads_find_beside_splits(const setting *where)
{
    for (size_t round = 0; round < scaled(20); round++) {
        hammered h = {model_map_open(where, 0), 0};
        for (uint64_t i = 0; i < LASTING_KEYS; i++) {
            number key = lasting_key(i), value = some_value(key, i);
            assert_ok(pleach_map_put(h.map, 1, &key, &value, NULL, NULL, PLEACH_SYNC));
        }
        run_agents(2, split_and_find, &h);
        model_map_close(h.map);
    }
}

/* Threads with keys of their own, side by side in the same leaves: nothing may be lost. */
enum { OWN_KEYS = 3000 };

static void mind_own_keys(agent *a)
{
    hammered *h = a->shared;
    bool present[OWN_KEYS] = {false};
    for (size_t round = 0; round < 10 * h->rounds && !stopped(a); round++) {
        uint64_t i = rng_below(&a->r, OWN_KEYS);
        number key = i % 2 ? NUMBER(100 + i, a->index) : NUMBER(a->index, i), value = random_number(&a->r), got = 0;
        uint8_t flag;
        if (rng_percent(&a->r, 50)) {
            EXPECT_OK(a, pleach_map_put(h->map, 1, &key, &value, &flag, NULL, PLEACH_SYNC));
            EXPECT(a, flag == (present[i] ? PLEACH_REPLACED : PLEACH_INSERTED));
            EXPECT_OK(a, pleach_map_find(h->map, 1, &key, &got, &flag, PLEACH_SYNC));
            EXPECT(a, flag && got == value);
            present[i] = true;
        } else {
            EXPECT_OK(a, pleach_map_erase(h->map, 1, &key, &flag, &got, PLEACH_SYNC));
            EXPECT(a, flag == (present[i] ? PLEACH_ERASED : PLEACH_ABSENT));
            present[i] = false;
        }
        count_checked(1);
    }
}

static void threads_lose_nothing(const setting *where)
{
    hammered h = {model_map_open(where, 0), scaled(2000)};
    run_agents(calling_threads(), mind_own_keys, &h);
    model_map_close(h.map);
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(threads_see_whole_pairs),
        CASE(threads_crowd_a_leaf),
        CASE(threads_find_beside_splits),
        CASE(threads_lose_nothing),
    };
    return run_cases_with_widest_keys(argc, argv, cases, COUNT_OF(cases));
}
