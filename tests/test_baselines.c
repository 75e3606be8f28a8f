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
#define STEP_BITS 32
#include "tools/baselines/baseline_merge.h"
#undef STEP_BITS
#define STEP_BITS 64
#include "tools/baselines/baseline_merge.h"
#undef STEP_BITS
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

/* ---- merges ---- */

static void free_run(baseline_run *run)
{
    free(run->keys);
    free(run->values);
    free(run->dead);
}

static baseline_run empty_run(unsigned bits, size_t n, bool has_dead)
{
    const size_t room = n + 1; /* so that there is memory even for none */
    return (baseline_run){must_alloc(room, word_bytes(bits)), must_alloc(room, word_bytes(bits)),
                          has_dead ? must_alloc(room, 1) : NULL, n};
}

/* n pairs in order, of `keys` different keys, up to the largest; values tell from where each is. */
static baseline_run draw_run(unsigned bits, size_t n, uint64_t keys, uint64_t first_value, bool has_dead, rng *r)
{
    baseline_run run = empty_run(bits, n, has_dead);
    const uint64_t most = word_max(bits), step = most / keys;
    size_t *counts = must_alloc(keys, sizeof *counts), at = 0;
    for (size_t i = 0; i < n; i++) counts[rng_below(r, keys)]++;
    for (uint64_t key = 0; key < keys; key++)
        for (size_t i = 0; i < counts[key]; i++) word_set(run.keys, bits, at++, most - (keys - 1 - key) * step);
    for (size_t i = 0; i < n; i++) word_set(run.values, bits, i, first_value + i);
    for (size_t i = 0; i < n && has_dead; i++) run.dead[i] = (uint8_t)rng_below(r, 2);
    free(counts);
    return run;
}

/* Is `to` what a plain merge makes of both? */
static void assert_merged(unsigned bits, const baseline_run *older, const baseline_run *newer, const baseline_run *to)
{
    size_t at[2] = {0, 0};
    for (size_t i = 0; i < older->n + newer->n; i++) {
        const bool is_new = at[0] == older->n || (at[1] < newer->n && word_get(newer->keys, bits, at[1]) <
                                                                          word_get(older->keys, bits, at[0]));
        const baseline_run *from = is_new ? newer : older;
        const size_t place = at[is_new]++;
        assert_int_equal(word_get(to->keys, bits, i), word_get(from->keys, bits, place));
        assert_int_equal(word_get(to->values, bits, i), word_get(from->values, bits, place));
        if (to->dead != NULL) assert_int_equal(to->dead[i], from->dead != NULL && from->dead[place]);
    }
}

/* What a GPU's blocks do, one after the other, and their threads in each phase. */
#define DEFINE_BLOCKS(bits)                                                                                      \
    static void merge_by_blocks##bits(const baseline_run *older, const baseline_run *newer,                      \
                                      const baseline_run *to)                                                    \
    {                                                                                                            \
        merge_tile##bits *tile = must_alloc(1, sizeof *tile);                                                    \
        merge_part##bits *parts = must_alloc(MERGE_THREADS, sizeof *parts);                                      \
        const bool has_dead = to->dead != NULL;                                                                  \
        for (uint64_t t = 0; t * MERGE_TILE##bits < to->n; t++) {                                                \
            const uint64_t cuts[2] = {merge_cut##bits(older, newer, t), merge_cut##bits(older, newer, t + 1)};   \
            const merge_span span = merge_span##bits(older, newer, cuts, t);                                     \
            for (uint32_t i = 0; i < MERGE_THREADS; i++) {                                                       \
                merge_fetch##bits(older, newer, &span, has_dead, i, &parts[i]);                                  \
                merge_stage##bits(tile, &span, has_dead, i, &parts[i]);                                          \
            }                                                                                                    \
            for (uint32_t i = 0; i < MERGE_THREADS; i++) merge_take##bits(tile, &span, has_dead, i, &parts[i]);  \
            for (uint32_t i = 0; i < MERGE_THREADS; i++) merge_lay##bits(tile, &span, has_dead, i, &parts[i]);   \
            for (uint32_t i = 0; i < MERGE_THREADS; i++) merge_write##bits(to, tile, &span, has_dead, i);        \
        }                                                                                                        \
        free(tile);                                                                                              \
        free(parts);                                                                                             \
    }
DEFINE_BLOCKS(32)
DEFINE_BLOCKS(64)

/* None, few, or near the border of a thread's part or of one of the first tiles. */
static size_t draw_size(unsigned bits, rng *r)
{
    const size_t tile = bits == 32 ? MERGE_TILE32 : MERGE_TILE64, part = tile / MERGE_THREADS;
    switch (rng_below(r, 4)) {
    case 0: return rng_below(r, 3);
    case 1: return rng_below(r, 5) * part + rng_below(r, 3) + 1;
    case 2: return (1 + rng_below(r, 3)) * tile + rng_below(r, 5) - 2;
    default: return rng_below(r, 3 * tile);
    }
}

static void merges_by_blocks(const void *unused)
{
    rng r = rng_for(test_seed(), 7);
    (void)unused;
    for (size_t round = 0; round < scaled(600); round++) {
        const unsigned bits = round % 2 == 0 ? 32 : 64;
        const size_t older_n = draw_size(bits, &r), newer_n = draw_size(bits, &r);
        const uint64_t keys = (uint64_t)1 << rng_below(&r, 16);
        const bool dead = rng_below(&r, 2), new_dead = rng_below(&r, 2);
        baseline_run older = draw_run(bits, older_n, keys, 0, dead, &r);
        baseline_run newer = draw_run(bits, newer_n, keys, older_n, new_dead, &r);
        baseline_run to = empty_run(bits, older_n + newer_n, dead || new_dead);
        (bits == 32 ? merge_by_blocks32 : merge_by_blocks64)(&older, &newer, &to);
        assert_merged(bits, &older, &newer, &to);
        free_run(&older);
        free_run(&newer);
        free_run(&to);
        count_checked(older_n + newer_n);
    }
}

static unit_case cases[] = {
    {"sorted_as_an_array", as_an_array, &baseline_sorted},
    {"rebuild_as_an_array", as_an_array, &baseline_rebuild},
    {"merge_tree_as_an_array", as_an_array, &baseline_merge_tree},
    {"coupled_as_an_array", as_an_array, &baseline_coupled},
    {"threads_on_one_tree", threads_on_one_tree, NULL},
    {"merges_by_blocks", merges_by_blocks, NULL},
};

int main(int argc, char **argv) { return run_units("test_baselines", argc, argv, cases, COUNT_OF(cases)); }
