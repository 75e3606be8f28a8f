/* test_baselines.c - the baselines of pleach-bench baselines: one that gives wrong answers would be no baseline. Each
 * is compared with an array that has a place for every key of a small range, on the CPU or (--device cuda) on a GPU. */
#include <stdlib.h>
#include <string.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "bench/baselines/baseline.h"
#include "bench/baselines/coupled.h"
#define STEP_BITS 32
#include "bench/baselines/baseline_merge.h"
#undef STEP_BITS
#define STEP_BITS 64
#include "bench/baselines/baseline_merge.h"
#undef STEP_BITS
#include "tools/common/crew.h"
#include "tools/common/words.h"

enum { LIMIT = 7 };

/* Numbers below `range` stand for keys; batches have up to `most` elements. */
typedef struct measure {
    uint32_t range, most;
    size_t batch; /* of struct baseline_needs */
} measure;

/* A machine, and what must be given back with it. */
typedef struct workshop {
    struct crew *crew;
    struct baseline_machine machine;
} workshop;

/* A store, and what it should hold: of number i, key_at(i). */
typedef struct stage {
    const struct baseline_verbs *verbs;
    measure size;
    unsigned bits;
    bool in_order; /* of equal keys in a call the last one counts */
    workshop shop;
    void *store;
    bool *there;
    uint64_t *value;
    uint32_t *numbers, *high_numbers;
    /* Arguments and answers here, and the same in the machine's memory. */
    void *host_keys, *host_values;
    uint8_t *host_bytes;
    uint32_t *host_counts;
    void *keys, *highs, *values, *out_keys;
    uint8_t *bytes;
    uint32_t *counts;
} stage;

/* From 0 to the largest key there is. */
static uint64_t key_at(const stage *s, uint64_t i)
{
    const uint64_t most = word_max(s->bits);
    return i + 1 == s->size.range ? most : i * (most / s->size.range);
}

static void open_workshop(workshop *shop, const setting *where)
{
    shop->crew = crew_create(where->threads > 0 ? where->threads : 1);
    assert_non_null(shop->crew);
    if (where->device == PLEACH_CPU)
        baseline_machine_cpu(&shop->machine, shop->crew);
    else
        assert_ok(baseline_machine_cuda(&shop->machine));
}

static void close_workshop(workshop *shop)
{
    baseline_machine_close(&shop->machine);
    crew_destroy(shop->crew);
}

static void *machine_memory(struct baseline_machine *m, size_t bytes)
{
    void *memory = m->verbs->allocate(bytes);
    assert_non_null(memory);
    return memory;
}

static void allocate(stage *s)
{
    struct baseline_machine *m = &s->shop.machine;
    const size_t words = s->size.most * word_bytes(s->bits), pairs = words * LIMIT;
    s->there = must_alloc(s->size.range, sizeof *s->there);
    s->value = must_alloc(s->size.range, sizeof *s->value);
    s->numbers = must_alloc(s->size.most, sizeof *s->numbers);
    s->high_numbers = must_alloc(s->size.most, sizeof *s->high_numbers);
    s->host_keys = must_alloc(1, pairs);
    s->host_values = must_alloc(1, pairs);
    s->host_bytes = must_alloc(s->size.most, 1);
    s->host_counts = must_alloc(s->size.most, sizeof *s->host_counts);
    s->keys = machine_memory(m, words);
    s->highs = machine_memory(m, words);
    s->values = machine_memory(m, pairs);
    s->out_keys = machine_memory(m, pairs);
    s->bytes = machine_memory(m, s->size.most);
    s->counts = machine_memory(m, s->size.most * sizeof *s->counts);
}

static stage *open_stage(const setting *where, const struct baseline_verbs *verbs, const measure *size)
{
    stage *s = must_alloc(1, sizeof *s);
    s->verbs = verbs;
    s->size = *size;
    s->bits = where->key_bits;
    s->in_order = verbs != &baseline_coupled || (where->device == PLEACH_CPU && where->threads == 1);
    open_workshop(&s->shop, where);
    s->store = verbs->create(&(struct baseline_needs){&s->shop.machine, s->bits, size->batch});
    assert_non_null(s->store);
    allocate(s);
    return s;
}

static void close_stage(stage *s)
{
    void *const here[] = {s->there, s->value, s->numbers, s->high_numbers, s->host_keys, s->host_values, s->host_bytes,
                          s->host_counts};
    void *const there[] = {s->keys, s->highs, s->values, s->out_keys, s->bytes, s->counts};
    s->verbs->destroy(s->store);
    for (size_t i = 0; i < COUNT_OF(here); i++) free(here[i]);
    for (size_t i = 0; i < COUNT_OF(there); i++) s->shop.machine.verbs->release(there[i]);
    close_workshop(&s->shop);
    free(s);
}

/* ---- to the machine and back ---- */

static void send(stage *s, void *to, const void *from, size_t bytes)
{
    assert_ok(s->shop.machine.verbs->write(&s->shop.machine, to, from, bytes));
}

static void fetch(stage *s, void *to, const void *from, size_t bytes)
{
    assert_ok(s->shop.machine.verbs->read(&s->shop.machine, to, from, bytes));
}

static void send_words(stage *s, void *to, const void *from, size_t n) { send(s, to, from, n * word_bytes(s->bits)); }
static void fetch_words(stage *s, void *to, const void *from, size_t n) { fetch(s, to, from, n * word_bytes(s->bits)); }

/* Answers that nobody gives are seen. */
static void spoil_bytes(stage *s)
{
    memset(s->host_bytes, UNTOUCHED, s->size.most);
    send(s, s->bytes, s->host_bytes, s->size.most);
}

/* Numbers of n keys, some of them more than once. */
static void draw_keys(stage *s, rng *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        s->numbers[i] = (uint32_t)rng_below(r, s->size.range);
        word_set(s->host_keys, s->bits, i, key_at(s, s->numbers[i]));
    }
    send_words(s, s->keys, s->host_keys, n);
}

/* ---- calls ---- */

/* Where threads share a call, equal keys get equal values. */
static void insert_some(stage *s, rng *r, size_t n)
{
    const uint64_t same = rng_next(r);
    draw_keys(s, r, n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t value = (s->in_order ? rng_next(r) : same ^ s->numbers[i]) & word_max(s->bits);
        word_set(s->host_values, s->bits, i, value);
        s->there[s->numbers[i]] = true;
        s->value[s->numbers[i]] = value;
    }
    send_words(s, s->values, s->host_values, n);
    assert_ok(s->verbs->insert(s->store, n, s->keys, s->values));
}

static void erase_some(stage *s, rng *r, size_t n)
{
    draw_keys(s, r, n);
    for (size_t i = 0; i < n; i++) s->there[s->numbers[i]] = false;
    assert_ok(s->verbs->erase(s->store, n, s->keys));
}

static void find_some(stage *s, rng *r, size_t n)
{
    draw_keys(s, r, n);
    spoil_bytes(s);
    assert_ok(s->verbs->find(s->store, n, s->keys, s->values, s->bytes));
    fetch(s, s->host_bytes, s->bytes, n);
    fetch_words(s, s->host_values, s->values, n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t number = s->numbers[i];
        assert_int_equal(s->host_bytes[i], s->there[number]);
        if (s->there[number]) assert_int_equal(word_get(s->host_values, s->bits, i), s->value[number]);
    }
}

static void assert_pair(const stage *s, size_t place, uint32_t number)
{
    assert_int_equal(word_get(s->host_keys, s->bits, place), key_at(s, number));
    assert_int_equal(word_get(s->host_values, s->bits, place), s->value[number]);
}

/* From each key to another, which may be below it. */
static void range_some(stage *s, rng *r, size_t n)
{
    draw_keys(s, r, n);
    for (size_t i = 0; i < n; i++) {
        s->high_numbers[i] = (uint32_t)rng_below(r, s->size.range);
        word_set(s->host_keys, s->bits, i, key_at(s, s->high_numbers[i]));
    }
    send_words(s, s->highs, s->host_keys, n);
    assert_ok(s->verbs->range(s->store, n, s->keys, s->highs, LIMIT, s->out_keys, s->values, s->counts));
    fetch(s, s->host_counts, s->counts, n * sizeof *s->counts);
    fetch_words(s, s->host_keys, s->out_keys, n * LIMIT);
    fetch_words(s, s->host_values, s->values, n * LIMIT);
    for (size_t i = 0; i < n; i++) {
        uint32_t found = 0;
        for (uint32_t number = s->numbers[i]; number <= s->high_numbers[i] && found < LIMIT; number++)
            if (s->there[number]) assert_pair(s, i * LIMIT + found++, number);
        assert_int_equal(s->host_counts[i], found);
    }
}

static void succ_some(stage *s, rng *r, size_t n)
{
    draw_keys(s, r, n);
    spoil_bytes(s);
    assert_ok(s->verbs->succ(s->store, n, s->keys, s->out_keys, s->values, s->bytes));
    fetch(s, s->host_bytes, s->bytes, n);
    fetch_words(s, s->host_keys, s->out_keys, n);
    fetch_words(s, s->host_values, s->values, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t number = s->numbers[i] + 1;
        while (number < s->size.range && !s->there[number]) number++;
        assert_int_equal(s->host_bytes[i], number < s->size.range);
        if (number < s->size.range) assert_pair(s, i, number);
    }
}

static void count_all(stage *s)
{
    uint64_t expected = 0, count = 0;
    for (uint32_t i = 0; i < s->size.range; i++) expected += s->there[i];
    assert_ok(s->verbs->count(s->store, &count));
    assert_int_equal(count, expected);
}

/* Batches of all sizes, the empty one too; queries before the first insert; erases of what is not there. */
static void work_on(stage *s, size_t rounds)
{
    rng r = rng_for(test_seed(), s->bits);
    for (size_t round = 0; round < rounds; round++) {
        const size_t n = rng_below(&r, s->size.most + 1);
        switch (rng_below(&r, 8)) {
        case 0: erase_some(s, &r, n); break;
        case 1: find_some(s, &r, n); break;
        case 2: range_some(s, &r, n); break;
        case 3: succ_some(s, &r, n); break;
        case 4: count_all(s); break;
        case 5: assert_ok(s->verbs->reserve(s->store, rng_below(&r, s->size.range), n)); break;
        default: insert_some(s, &r, n); break;
        }
        count_checked(n);
        if (rng_below(&r, 200) > 0) continue;
        assert_ok(s->verbs->clear(s->store));
        memset(s->there, 0, s->size.range * sizeof *s->there);
    }
    count_all(s);
}

/* Small batches of which a store takes many, and large ones, which take several blocks of a GPU to merge. */
static void as_an_array(const setting *where, const struct baseline_verbs *verbs)
{
    static const struct {
        measure size;
        size_t rounds, gpu_rounds;
    } sizes[] = {{{600, 100, 1}, 200, 30}, /* batches of 1 take long */
                 {{600, 100, 16}, 1000, 100},
                 {{600, 100, 100}, 1000, 100},
                 {{30000, 9000, 3000}, 60, 60}};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        stage *s = open_stage(where, verbs, &sizes[i].size);
        work_on(s, scaled(where->device == PLEACH_CPU ? sizes[i].rounds : sizes[i].gpu_rounds));
        close_stage(s);
    }
}

static void sorted_as_an_array(const setting *where) { as_an_array(where, &baseline_sorted); }
static void rebuild_as_an_array(const setting *where) { as_an_array(where, &baseline_rebuild); }
static void merge_tree_as_an_array(const setting *where) { as_an_array(where, &baseline_merge_tree); }
static void coupled_as_an_array(const setting *where) { as_an_array(where, &baseline_coupled); }

/* ---- threads on one tree of coupled.h ---- */

enum { TREE_KEYS = 3000 };

typedef struct shared_tree {
    coupled_tree tree;
    size_t rounds;
} shared_tree;

static uint64_t value_of(const coupled_tree *t, uint64_t key) { return ~key & word_max(t->bits); }

/* An agent knows its own keys: those with its remainder. */
static void keys_of_its_own(agent *a)
{
    shared_tree *s = a->shared;
    const coupled_tree *t = &s->tree;
    FREED uint8_t *there = must_alloc(TREE_KEYS, 1);
    for (size_t round = 0; round < s->rounds && !a->failed && !stopped(a); round++) {
        const uint64_t key = rng_below(&a->r, TREE_KEYS / a->count) * a->count + a->index;
        uint64_t value = 0, keys[4], values[4]; /* of either width */
        switch (rng_below(&a->r, 4)) {
        case 0: coupled_erase(t, key); there[key] = 0; break;
        case 1: {
            const uint32_t n = coupled_range(t, key, key, 4, keys, values, 0);
            if (n != there[key]) agent_fail(a, __FILE__, __LINE__, "a range of one's own key");
            break;
        }
        case 2:
            if (coupled_find(t, key, &value) != there[key] || (there[key] && value != value_of(t, key)))
                agent_fail(a, __FILE__, __LINE__, "a find of one's own key");
            break;
        default: coupled_insert(t, key, value_of(t, key)); there[key] = 1; break;
        }
    }
    for (uint64_t key = a->index; key < TREE_KEYS && !a->failed; key += a->count) {
        uint64_t value;
        if (coupled_find(t, key, &value) != there[key]) agent_fail(a, __FILE__, __LINE__, "what is left of a key");
    }
}

static void threads_on_one_tree(const setting *where)
{
    const size_t agents = calling_threads(), rounds = scaled(30000);
    const uint64_t nodes = coupled_nodes_for(agents * rounds), words = nodes * coupled_words(where->key_bits);
    uint64_t used[2] = {1, 0};
    shared_tree s = {{must_alloc(words, sizeof(uint64_t)), used, where->key_bits}, rounds};
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
    FREED size_t *counts = must_alloc(keys, sizeof *counts);
    size_t at = 0;
    for (size_t i = 0; i < n; i++) counts[rng_below(r, keys)]++;
    for (uint64_t key = 0; key < keys; key++)
        for (size_t i = 0; i < counts[key]; i++) word_set(run.keys, bits, at++, most - (keys - 1 - key) * step);
    for (size_t i = 0; i < n; i++) word_set(run.values, bits, i, first_value + i);
    for (size_t i = 0; i < n && has_dead; i++) run.dead[i] = (uint8_t)rng_below(r, 2);
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

/* A way to merge two runs on the host. */
typedef void merge_way(workshop *shop, unsigned bits, const baseline_run *older, const baseline_run *newer,
                       const baseline_run *to);

static void merge_once(workshop *shop, unsigned bits, merge_way *merge, rng *r)
{
    const size_t older_n = draw_size(bits, r), newer_n = draw_size(bits, r);
    const uint64_t keys = (uint64_t)1 << rng_below(r, 16);
    const bool dead = rng_below(r, 2), new_dead = rng_below(r, 2);
    baseline_run older = draw_run(bits, older_n, keys, 0, dead, r);
    baseline_run newer = draw_run(bits, newer_n, keys, older_n, new_dead, r);
    baseline_run to = empty_run(bits, older_n + newer_n, dead || new_dead);
    merge(shop, bits, &older, &newer, &to);
    assert_merged(bits, &older, &newer, &to);
    free_run(&older);
    free_run(&newer);
    free_run(&to);
    count_checked(older_n + newer_n);
}

static void by_blocks(workshop *shop, unsigned bits, const baseline_run *older, const baseline_run *newer,
                      const baseline_run *to)
{
    (void)shop;
    (bits == 32 ? merge_by_blocks32 : merge_by_blocks64)(older, newer, to);
}

static void merges_by_blocks(const setting *where)
{
    rng r = rng_for(test_seed(), where->key_bits + where->threads);
    for (size_t round = 0; round < scaled(150); round++) merge_once(NULL, where->key_bits, by_blocks, &r);
}

/* The same run in the machine's memory. */
static baseline_run run_there(struct baseline_machine *m, unsigned bits, const baseline_run *run)
{
    const size_t bytes = run->n * word_bytes(bits);
    const baseline_run copy = {machine_memory(m, bytes + 1), machine_memory(m, bytes + 1),
                               run->dead != NULL ? machine_memory(m, run->n + 1) : NULL, run->n};
    assert_ok(m->verbs->write(m, copy.keys, run->keys, bytes));
    assert_ok(m->verbs->write(m, copy.values, run->values, bytes));
    if (run->dead != NULL) assert_ok(m->verbs->write(m, copy.dead, run->dead, run->n));
    return copy;
}

static void release_run(struct baseline_machine *m, const baseline_run *run)
{
    m->verbs->release(run->keys);
    m->verbs->release(run->values);
    m->verbs->release(run->dead);
}

static void by_machine(workshop *shop, unsigned bits, const baseline_run *older, const baseline_run *newer,
                       const baseline_run *to)
{
    struct baseline_machine *m = &shop->machine;
    const baseline_run one = run_there(m, bits, older), other = run_there(m, bits, newer), all = run_there(m, bits, to);
    assert_ok(m->verbs->merge(m, bits, &one, &other, &all));
    assert_ok(m->verbs->read(m, to->keys, all.keys, to->n * word_bytes(bits)));
    assert_ok(m->verbs->read(m, to->values, all.values, to->n * word_bytes(bits)));
    if (to->dead != NULL) assert_ok(m->verbs->read(m, to->dead, all.dead, to->n));
    release_run(m, &one);
    release_run(m, &other);
    release_run(m, &all);
}

static void merges_by_the_machine(const setting *where)
{
    workshop shop;
    rng r = rng_for(test_seed(), where->key_bits + where->threads);
    open_workshop(&shop, where);
    for (size_t round = 0; round < scaled(150); round++) merge_once(&shop, where->key_bits, by_machine, &r);
    close_workshop(&shop);
}

static const test_case cases[] = {
    CASE(sorted_as_an_array), CASE(rebuild_as_an_array), CASE(merge_tree_as_an_array), CASE(coupled_as_an_array),
    CASE(merges_by_the_machine),
    /* those of the host's threads alone */
    CASE(threads_on_one_tree), CASE(merges_by_blocks),
};
enum { OF_THE_HOST = 2 };

int main(int argc, char **argv)
{
    size_t count = COUNT_OF(cases);
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i - 1], "--device") == 0 && strcmp(argv[i], "cuda") == 0) count = COUNT_OF(cases) - OF_THE_HOST;
    return run_cases(argc, argv, PLEACH_CPU, cases, count);
}
