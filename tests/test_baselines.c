/* test_baselines.c - the baselines of pleach bench baselines: one that gives wrong answers would be no baseline. Each
 * is compared with an array that has a place for every key of a small range. */
#include <stdlib.h>
#include <string.h>

#include "support/agents.h"
#include "support/buffers.h"
#include "support/harness.h"
#include "support/units.h"
#include "tools/baselines/baseline.h"
#include "tools/baselines/coupled.h"
#include "tools/crew.h"
#include "tools/words.h"

enum { RANGE = 600, MOST_BATCH = 100, LIMIT = 7 };

/* A store, and what it should hold: of number i, key_at(i). */
typedef struct stage {
    const struct baseline_verbs *verbs;
    unsigned bits;
    bool in_order; /* of equal keys in a call the last one counts */
    struct crew *crew;
    struct baseline_machine machine;
    void *store;
    bool there[RANGE];
    uint64_t value[RANGE];
    uint32_t numbers[MOST_BATCH];
    void *keys, *highs, *values, *out_keys;
    uint8_t *bytes;
    uint32_t *counts;
} stage;

/* From 0 to the largest key there is. */
static uint64_t key_at(const stage *s, uint64_t i)
{
    const uint64_t most = word_max(s->bits);
    return i + 1 == RANGE ? most : i * (most / RANGE);
}

static stage *open_stage(const struct baseline_verbs *verbs, unsigned bits, unsigned threads, size_t batch)
{
    stage *s = must_alloc(1, sizeof *s);
    s->verbs = verbs;
    s->bits = bits;
    s->in_order = verbs != &baseline_coupled || threads == 1;
    s->crew = crew_create(threads);
    assert_non_null(s->crew);
    baseline_machine_cpu(&s->machine, s->crew);
    s->store = verbs->create(&(struct baseline_needs){&s->machine, bits, batch});
    assert_non_null(s->store);
    s->keys = must_alloc(MOST_BATCH, sizeof(uint64_t));
    s->highs = must_alloc(MOST_BATCH, sizeof(uint64_t));
    s->values = must_alloc(MOST_BATCH * LIMIT, sizeof(uint64_t));
    s->out_keys = must_alloc(MOST_BATCH * LIMIT, sizeof(uint64_t));
    s->bytes = must_alloc(MOST_BATCH, 1);
    s->counts = must_alloc(MOST_BATCH, sizeof s->counts[0]);
    return s;
}

static void close_stage(stage *s)
{
    s->verbs->destroy(s->store);
    baseline_machine_close(&s->machine);
    crew_destroy(s->crew);
    free(s->keys);
    free(s->highs);
    free(s->values);
    free(s->out_keys);
    free(s->bytes);
    free(s->counts);
    free(s);
}

/* Keys of n numbers, some of them more than once. */
static void draw_keys(stage *s, rng *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        s->numbers[i] = (uint32_t)rng_below(r, RANGE);
        word_set(s->keys, s->bits, i, key_at(s, s->numbers[i]));
    }
}

/* Where threads share a call, equal keys get equal values. */
static void insert_some(stage *s, rng *r, size_t n)
{
    const uint64_t same = rng_next(r);
    draw_keys(s, r, n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t value = (s->in_order ? rng_next(r) : same ^ s->numbers[i]) & word_max(s->bits);
        word_set(s->values, s->bits, i, value);
        s->there[s->numbers[i]] = true;
        s->value[s->numbers[i]] = value;
    }
    assert_int_equal(s->verbs->insert(s->store, n, s->keys, s->values), PLEACH_OK);
}

static void erase_some(stage *s, rng *r, size_t n)
{
    draw_keys(s, r, n);
    for (size_t i = 0; i < n; i++) s->there[s->numbers[i]] = false;
    assert_int_equal(s->verbs->erase(s->store, n, s->keys), PLEACH_OK);
}

static void find_some(stage *s, rng *r, size_t n)
{
    draw_keys(s, r, n);
    memset(s->bytes, UNTOUCHED, MOST_BATCH);
    assert_int_equal(s->verbs->find(s->store, n, s->keys, s->values, s->bytes), PLEACH_OK);
    for (size_t i = 0; i < n; i++) {
        const uint32_t number = s->numbers[i];
        assert_int_equal(s->bytes[i], s->there[number]);
        if (s->there[number]) assert_int_equal(word_get(s->values, s->bits, i), s->value[number]);
    }
}

static void assert_pair(const stage *s, size_t place, uint32_t number)
{
    assert_int_equal(word_get(s->out_keys, s->bits, place), key_at(s, number));
    assert_int_equal(word_get(s->values, s->bits, place), s->value[number]);
}

/* From each key to another, which may be below it. */
static void range_some(stage *s, rng *r, size_t n)
{
    draw_keys(s, r, n);
    for (size_t i = 0; i < n; i++) word_set(s->highs, s->bits, i, key_at(s, rng_below(r, RANGE)));
    assert_int_equal(s->verbs->range(s->store, n, s->keys, s->highs, LIMIT, s->out_keys, s->values, s->counts),
                     PLEACH_OK);
    for (size_t i = 0; i < n; i++) {
        uint32_t found = 0;
        for (uint32_t number = s->numbers[i]; number < RANGE && found < LIMIT; number++)
            if (s->there[number] && key_at(s, number) <= word_get(s->highs, s->bits, i))
                assert_pair(s, i * LIMIT + found++, number);
        assert_int_equal(s->counts[i], found);
    }
}

static void succ_some(stage *s, rng *r, size_t n)
{
    draw_keys(s, r, n);
    assert_int_equal(s->verbs->succ(s->store, n, s->keys, s->out_keys, s->values, s->bytes), PLEACH_OK);
    for (size_t i = 0; i < n; i++) {
        uint32_t number = s->numbers[i] + 1;
        while (number < RANGE && !s->there[number]) number++;
        assert_int_equal(s->bytes[i], number < RANGE);
        if (number < RANGE) assert_pair(s, i, number);
    }
}

static void count_all(stage *s)
{
    uint64_t expected = 0, count = 0;
    for (uint32_t i = 0; i < RANGE; i++) expected += s->there[i];
    assert_int_equal(s->verbs->count(s->store, &count), PLEACH_OK);
    assert_int_equal(count, expected);
}

/* Batches of all sizes, the empty one too; queries before the first insert; erases of what is not there. */
static void work_on(stage *s, size_t rounds)
{
    rng r = rng_for(test_seed(), s->bits);
    for (size_t round = 0; round < rounds; round++) {
        const size_t n = rng_below(&r, MOST_BATCH + 1);
        switch (rng_below(&r, 8)) {
        case 0: erase_some(s, &r, n); break;
        case 1: find_some(s, &r, n); break;
        case 2: range_some(s, &r, n); break;
        case 3: succ_some(s, &r, n); break;
        case 4: count_all(s); break;
        case 5: assert_int_equal(s->verbs->reserve(s->store, rng_below(&r, RANGE), n), PLEACH_OK); break;
        default: insert_some(s, &r, n); break;
        }
        if (rng_below(&r, 200) > 0) continue;
        assert_int_equal(s->verbs->clear(s->store), PLEACH_OK);
        memset(s->there, 0, sizeof s->there);
    }
    count_all(s);
    count_checked(rounds);
}

static void as_an_array(const void *verbs)
{
    static const size_t batches[] = {1, 16, MOST_BATCH};
    for (unsigned bits = 32; bits <= 64; bits += 32)
        for (unsigned threads = 1; threads <= 3; threads++)
            for (size_t i = 0; i < COUNT_OF(batches); i++) {
                stage *s = open_stage(verbs, bits, threads, batches[i]);
                work_on(s, scaled(batches[i] == 1 ? 200 : 1000)); /* batches of 1 take long */
                close_stage(s);
            }
}

/* ---- threads on one tree of coupled.h ---- */

enum { TREE_KEYS = 3000 };

typedef struct shared_tree {
    coupled_tree tree;
    size_t rounds;
} shared_tree;

/* An agent knows its own keys: those with its remainder. */
static void keys_of_its_own(agent *a)
{
    shared_tree *s = a->shared;
    const coupled_tree *t = &s->tree;
    uint8_t *there = must_alloc(TREE_KEYS, 1);
    for (size_t round = 0; round < s->rounds && !a->failed && !stopped(a); round++) {
        const uint64_t key = rng_below(&a->r, TREE_KEYS / a->count) * a->count + a->index;
        uint64_t value = 0, keys[4], values[4];
        switch (rng_below(&a->r, 4)) {
        case 0: coupled_erase(t, key); there[key] = 0; break;
        case 1: {
            const uint32_t n = coupled_range(t, key, key, 4, keys, values, 0);
            if (n != there[key]) agent_fail(a, __FILE__, __LINE__, "a range of one's own key");
            break;
        }
        case 2:
            if (coupled_find(t, key, &value) != there[key] || (there[key] && value != ~key))
                agent_fail(a, __FILE__, __LINE__, "a find of one's own key");
            break;
        default: coupled_insert(t, key, ~key); there[key] = 1; break;
        }
    }
    for (uint64_t key = a->index; key < TREE_KEYS && !a->failed; key += a->count) {
        uint64_t value;
        if (coupled_find(t, key, &value) != there[key]) agent_fail(a, __FILE__, __LINE__, "what is left of a key");
    }
    free(there);
}

static void threads_on_one_tree(const void *unused)
{
    const size_t agents = calling_threads(), rounds = scaled(100000);
    const uint64_t nodes = coupled_nodes_for(agents * rounds);
    uint64_t used[2] = {1, 0};
    (void)unused;
    shared_tree s = {{must_alloc(nodes * coupled_words(64), sizeof(uint64_t)), used, 64}, rounds};
    s.tree.nodes[0] = COUPLED_LEAF;
    run_agents(agents, keys_of_its_own, &s);
    assert_true(used[0] <= nodes);
    free(s.tree.nodes);
    count_checked(agents * rounds);
}

static unit_case cases[] = {
    {"sorted_as_an_array", as_an_array, &baseline_sorted},
    {"rebuild_as_an_array", as_an_array, &baseline_rebuild},
    {"merge_tree_as_an_array", as_an_array, &baseline_merge_tree},
    {"coupled_as_an_array", as_an_array, &baseline_coupled},
    {"threads_on_one_tree", threads_on_one_tree, NULL},
};

int main(int argc, char **argv) { return run_units("test_baselines", argc, argv, cases, COUNT_OF(cases)); }
