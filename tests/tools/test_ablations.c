/* test_ablations.c - the trees that pleach-bench ablations measures: one with every choice that is right while others
 * write, and one that takes batches. */
#include <stdlib.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/units.h"
#include "bench/ablations/palm.h"
#include "bench/ablations/tree_host.h"

/* Keys 0 .. range-1, times a step; the multiples of STEP are there at first. */
enum { STEP = 3 };

typedef struct stage {
    enum abl_variant variant;
    uint32_t range;
    bool same; /* all agents insert all keys, else each its own */
    abl_tree tree;
    abl_work work; /* the keys in some order, once for each agent */
    uint64_t tally[3];
    atomic_int *inserted; /* by number */
} stage;

static uint32_t key_at(const stage *s, uint32_t i) { return i * (ABL_TOP / s->range); }

static stage *open_stage(enum abl_variant variant, uint32_t range, bool same, size_t agents)
{
    stage *s = must_alloc(1, sizeof *s);
    FREED uint32_t *first = must_alloc(range, sizeof first[0]);
    size_t count = 0;
    *s = (stage){.variant = variant, .range = range, .same = same};
    s->inserted = must_alloc(range, sizeof s->inserted[0]);
    for (uint32_t i = 0; i < range; i += STEP) first[count++] = key_at(s, i);
    if (same) count = 0; /* from nothing */
    assert_true(abl_tree_create(&s->tree, abl_nodes_for(count, range)));
    abl_tree_build(&s->tree, first, count);
    s->work.n = range * agents;
    s->work.keys = must_alloc(s->work.n, sizeof s->work.keys[0]);
    s->work.answers = must_alloc(s->work.n, sizeof s->work.answers[0]);
    s->work.tally = s->tally;
    return s;
}

static void insert_all(agent *a)
{
    stage *s = a->shared;
    const size_t begin = a->index * s->range;
    uint32_t *keys = (uint32_t *)s->work.keys + begin, n = 0;
    for (uint32_t i = 0; i < s->range; i++)
        if (s->same || i % a->count == a->index) keys[n++] = i;
    for (uint32_t i = n; i > 1; i--) { /* half of the agents go upwards, so that they meet in the same leaves */
        const uint32_t j = a->index % 2 == 0 ? i - 1 : (uint32_t)rng_below(&a->r, i), other = keys[j];
        keys[j] = keys[i - 1];
        keys[i - 1] = other;
    }
    for (uint32_t i = 0; i < n; i++) keys[i] = key_at(s, keys[i]);
    abl_run_part(s->variant, s->tree, &s->work, begin, begin + n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t number = keys[i] / (ABL_TOP / s->range), answer = s->work.answers[begin + i];
        EXPECT(a, answer == ABL_INSERTED || answer == ABL_THERE);
        EXPECT(a, s->same || (answer == ABL_THERE) == (number % STEP == 0));
        if (answer == ABL_INSERTED) atomic_fetch_add(&s->inserted[number], 1);
    }
}

static void find_all(stage *s)
{
    for (uint32_t i = 0; i < s->range; i++) ((uint32_t *)s->work.keys)[i] = key_at(s, i);
    for (int variant = ABL_FIND_FENCED; variant < ABL_VARIANT_COUNT; variant++) {
        abl_run_part((enum abl_variant)variant, s->tree, &s->work, 0, s->range);
        for (uint32_t i = 0; i < s->range; i++) assert_int_equal(s->work.answers[i], abl_value(s->work.keys[i]));
        ((uint32_t *)s->work.keys)[0] = 1; /* of no tree */
        abl_run_part((enum abl_variant)variant, s->tree, &s->work, 0, 1);
        assert_int_equal(s->work.answers[0], ABL_NONE);
        ((uint32_t *)s->work.keys)[0] = 0;
    }
}

static void check_and_close(stage *s)
{
    abl_content content;
    uint64_t sum = 0;
    const char *wrong = abl_tree_check(s->tree, &content);
    if (wrong != NULL) fail_msg("%s", wrong);
    for (uint32_t i = 0; i < s->range; i++) {
        assert_int_equal(s->inserted[i], s->same || i % STEP != 0);
        sum += abl_key_sum(key_at(s, i));
    }
    assert_int_equal(content.count, s->range);
    assert_true(content.sum == sum);
    find_all(s);
    count_checked(s->work.n);
    abl_tree_destroy(&s->tree);
    free((void *)s->work.keys);
    free(s->work.answers);
    free(s->inserted);
    free(s);
}

static void run_stages(uint32_t range, bool same, size_t agents)
{
    for (int variant = ABL_INSERT_ROOT; variant <= ABL_INSERT_FENCED; variant++) {
        stage *s = open_stage((enum abl_variant)variant, range, same, agents);
        run_agents(agents, insert_all, s);
        check_and_close(s);
    }
}

static void one_thread(void)
{
    run_stages(1, true, 1);
    run_stages(15, true, 1);
    run_stages(3000, true, 1);
    run_stages((uint32_t)scaled(50000), false, 1);
}

static void threads_with_keys_of_their_own(void)
{
    run_stages((uint32_t)scaled(100000), false, calling_threads());
}

static void threads_with_the_same_keys(void)
{
    for (int round = 0; round < 20; round++) run_stages(200, true, calling_threads());
    run_stages((uint32_t)scaled(40000), true, calling_threads());
}

static void a_full_memory_is_told(void)
{
    uint32_t keys[100], answers[100];
    uint64_t tally[3] = {0, 0, 0};
    const abl_work work = {100, keys, answers, tally};
    abl_tree tree;
    for (uint32_t i = 0; i < 100; i++) keys[i] = i;
    assert_true(abl_tree_create(&tree, 3));
    abl_tree_build(&tree, keys, 0);
    abl_run_part(ABL_INSERT_ROOT, tree, &work, 0, 100);
    assert_int_equal(answers[0], ABL_INSERTED);
    assert_int_equal(answers[99], ABL_NO_ROOM);
    abl_tree_destroy(&tree);
}

/* ---- batches ---- */

/* Of keys below the range, each with some chance. Answers how many. */
static size_t draw_batch(rng *r, uint32_t range, unsigned percent, uint32_t *keys)
{
    size_t n = 0;
    for (uint32_t key = 0; key < range && n < PALM_BATCH; key++)
        if (rng_percent(r, percent)) keys[n++] = key;
    return n;
}

static void expect_content(struct palm *tree, const uint8_t *there, uint32_t range, uint32_t *keys, uint32_t *values)
{
    abl_content content, expected = {0, 0};
    const char *wrong = palm_check(tree, &content);
    if (wrong != NULL) fail_msg("%s", wrong);
    for (uint32_t key = 0; key < range; key++) {
        expected.count += there[key];
        expected.sum += there[key] ? abl_key_sum(key) : 0;
        keys[key] = key;
    }
    assert_true(content.count == expected.count && content.sum == expected.sum);
    palm_find(tree, keys, range, values);
    for (uint32_t key = 0; key < range; key++)
        assert_int_equal(values[key], there[key] ? abl_value(key) : PALM_EMPTY);
}

/* Odd keys come, even ones go; the first of them are there at first. */
static void run_batches(bool append, bool parents, uint32_t range, uint32_t first, unsigned percent)
{
    struct palm tree = {.append = append, .parents = parents};
    FREED uint32_t *keys = must_alloc(PALM_BATCH, sizeof keys[0]), *values = must_alloc(PALM_BATCH, sizeof values[0]);
    FREED uint8_t *there = must_alloc(range, 1), *answers = must_alloc(PALM_BATCH, 1);
    rng r = rng_for(test_seed(), range + first + percent);
    assert_true(palm_create(&tree, first, range));
    for (uint32_t i = 0; i < range; i++) there[i] = i % 2 == 0 && i / 2 < first;
    for (uint32_t i = 0; i < first; i++) keys[i] = 2 * i;
    palm_build(&tree, keys, first);
    for (int round = 0; round < 12; round++) {
        const size_t n = draw_batch(&r, range, percent, keys);
        assert_true(palm_update(&tree, keys, n, answers));
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(answers[i], keys[i] % 2 == 1 ? !there[keys[i]] : there[keys[i]]);
            there[keys[i]] = keys[i] % 2 == 1;
        }
        expect_content(&tree, there, range, keys, values);
        count_checked(n);
    }
    palm_destroy(&tree);
}

static void batches_with_every_choice(void)
{
    for (int choice = 0; choice < 4; choice++) {
        const bool append = choice % 2 == 1, parents = choice / 2 == 1;
        run_batches(append, parents, 100, 0, 10);
        run_batches(append, parents, 100, 50, 50);
        run_batches(append, parents, PALM_BATCH, 0, 10);
        run_batches(append, parents, PALM_BATCH, 0, 100);
        run_batches(append, parents, PALM_BATCH, PALM_BATCH / 2, 20);
    }
}

static unit_case cases[] = {
    UNIT(one_thread),
    UNIT(threads_with_keys_of_their_own),
    UNIT(threads_with_the_same_keys),
    UNIT(a_full_memory_is_told),
    UNIT(batches_with_every_choice),
};

int main(int argc, char **argv) { return run_units("test_ablations", argc, argv, cases, COUNT_OF(cases)); }
