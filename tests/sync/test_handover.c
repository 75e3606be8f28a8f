/* test_handover.c - memory that one thread writes, and another reads after it has found a key that the first has put
 * since: plain memory of the program's, with nothing between the two threads but a structure. Every call that puts,
 * and every call that finds, takes a turn. The contents are checked; that the order is one of the memory model's,
 * ThreadSanitizer checks, with the library compiled for it or without it (scripts/test has both). */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"

enum { HUB = 1, FIRST_KEY = 10 };

typedef struct structures {
    unsigned bits;
    pleach_map *map;
    pleach_hash *hash;
    pleach_graph *graph;
    pleach_queue *queue;
} structures;

/* A key or a value as an array of one element. */
typedef union word { uint32_t narrow; uint64_t wide; } word;

static word word_of(const structures *s, uint64_t number)
{
    word w = {.wide = 0};
    if (s->bits == 32)
        w.narrow = (uint32_t)number;
    else
        w.wide = number;
    return w;
}

static uint64_t number_of(const structures *s, word w) { return s->bits == 32 ? w.narrow : w.wide; }

/* ---- calls that put: whether the pair is there now ---- */

typedef bool put_call(const structures *s, uint64_t key, uint64_t value);

static bool map_put_one(const structures *s, uint64_t key, uint64_t value)
{
    return pleach_map_put_one(s->map, key, value, NULL, NULL) == PLEACH_OK;
}

static bool map_add_one(const structures *s, uint64_t key, uint64_t value)
{
    return pleach_map_add_one(s->map, key, value, NULL, NULL) == PLEACH_OK;
}

/* Another value for a key that is there. */
static bool map_put_again(const structures *s, uint64_t key, uint64_t value)
{
    pleach_outcome outcome;
    if (pleach_map_put_one(s->map, key, UINT32_MAX, NULL, NULL) != PLEACH_OK) return false;
    return pleach_map_put_one(s->map, key, value, &outcome, NULL) == PLEACH_OK;
}

static bool map_put_array(const structures *s, uint64_t key, uint64_t value)
{
    word k = word_of(s, key), v = word_of(s, value);
    return pleach_map_put(s->map, 1, &k, &v, NULL, NULL, PLEACH_SYNC) == PLEACH_OK;
}

static bool map_put_batch(const structures *s, uint64_t key, uint64_t value)
{
    word k = word_of(s, key), v = word_of(s, value);
    uint8_t kind = PLEACH_OP_PUT;
    return pleach_map_apply(s->map, &(pleach_batch){.n = 1, .kinds = &kind, .keys = &k, .values = &v}) == PLEACH_OK;
}

static bool queue_put(const structures *s, uint64_t key, uint64_t value)
{
    pleach_answer answer;
    return pleach_queue_call(s->queue, PLEACH_OP_PUT, key, value, &answer) == PLEACH_OK;
}

static bool queue_submit(const structures *s, uint64_t key, uint64_t value)
{
    return pleach_queue_submit(s->queue, PLEACH_OP_PUT, key, value, NULL, NULL) == PLEACH_OK;
}

static bool hash_put_one(const structures *s, uint64_t key, uint64_t value)
{
    return pleach_hash_put_one(s->hash, key, value, NULL, NULL) == PLEACH_OK;
}

static bool hash_put_again(const structures *s, uint64_t key, uint64_t value)
{
    return hash_put_one(s, key, UINT32_MAX) && hash_put_one(s, key, value);
}

static bool hash_add_array(const structures *s, uint64_t key, uint64_t value)
{
    word k = word_of(s, key), v = word_of(s, value);
    return pleach_hash_add(s->hash, 1, &k, &v, NULL, NULL, PLEACH_SYNC) == PLEACH_OK;
}

static bool graph_put(const structures *s, uint64_t key, uint64_t value)
{
    uint32_t from = HUB, to = (uint32_t)key, v = (uint32_t)value;
    return pleach_graph_insert_edges(s->graph, 1, &from, &to, &v, NULL, PLEACH_SYNC) == PLEACH_OK;
}

static bool graph_put_again(const structures *s, uint64_t key, uint64_t value)
{
    return graph_put(s, key, UINT32_MAX) && graph_put(s, key, value);
}

/* ---- calls that find: the pair's value, or false as long as it is not there ---- */

typedef bool get_call(const structures *s, uint64_t key, uint64_t *value);

static bool map_find_one(const structures *s, uint64_t key, uint64_t *value)
{
    int found = 0;
    return pleach_map_find_one(s->map, key, &found, value) == PLEACH_OK && found;
}

static bool map_find_array(const structures *s, uint64_t key, uint64_t *value)
{
    word k = word_of(s, key), v = {0};
    uint8_t found = 0;
    if (pleach_map_find(s->map, 1, &k, &v, &found, PLEACH_SYNC) != PLEACH_OK || !found) return false;
    *value = number_of(s, v);
    return true;
}

static bool map_succ(const structures *s, uint64_t key, uint64_t *value)
{
    int found = 0;
    uint64_t at = 0;
    return pleach_map_succ_one(s->map, key - 1, &found, &at, value) == PLEACH_OK && found && at == key;
}

static bool map_pred(const structures *s, uint64_t key, uint64_t *value)
{
    int found = 0;
    uint64_t at = 0;
    return pleach_map_pred_one(s->map, key + 1, &found, &at, value) == PLEACH_OK && found && at == key;
}

static bool map_max(const structures *s, uint64_t key, uint64_t *value)
{
    int found = 0;
    uint64_t at = 0;
    return pleach_map_max(s->map, &found, &at, value) == PLEACH_OK && found && at == key;
}

static bool map_range_limit(const structures *s, uint64_t key, uint64_t *value)
{
    word k = word_of(s, key), v = {0};
    uint32_t count = 0;
    if (pleach_map_range_limit(s->map, 1, &k, &k, 1, NULL, &v, &count, PLEACH_SYNC) != PLEACH_OK || !count)
        return false;
    *value = number_of(s, v);
    return true;
}

static bool map_range(const structures *s, uint64_t key, uint64_t *value)
{
    word k = word_of(s, key), v = {0};
    uint64_t offsets[2];
    size_t total = 0;
    if (pleach_map_range(s->map, 1, &k, &k, 0, 1, NULL, &v, offsets, &total) != PLEACH_OK || !total) return false;
    *value = number_of(s, v);
    return true;
}

/* The last of all pairs. */
static bool last_of(const structures *s, pleach_status status, size_t n, const uint64_t *keys, const uint64_t *values,
                    uint64_t key, uint64_t *value)
{
    if (status != PLEACH_OK || n == 0) return false;
    *value = s->bits == 32 ? ((const uint32_t *)values)[n - 1] : values[n - 1];
    return (s->bits == 32 ? ((const uint32_t *)keys)[n - 1] : keys[n - 1]) == key;
}

enum { MOST_PAIRS = 1024 };

static bool map_export(const structures *s, uint64_t key, uint64_t *value)
{
    uint64_t keys[MOST_PAIRS], values[MOST_PAIRS];
    size_t n = 0;
    pleach_status status = pleach_map_export(s->map, MOST_PAIRS, keys, values, &n);
    return last_of(s, status, n, keys, values, key, value);
}

static bool map_erase(const structures *s, uint64_t key, uint64_t *value)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    return pleach_map_erase_one(s->map, key, &outcome, value) == PLEACH_OK && outcome == PLEACH_ERASED;
}

/* The value that is replaced; the key stays. */
static bool map_replace(const structures *s, uint64_t key, uint64_t *value)
{
    int found = 0;
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    if (pleach_map_contains_one(s->map, key, &found) != PLEACH_OK || !found) return false;
    return pleach_map_put_one(s->map, key, UINT32_MAX, &outcome, value) == PLEACH_OK && outcome == PLEACH_REPLACED;
}

/* Once the key is there its value is known. */
static bool map_contains(const structures *s, uint64_t key, uint64_t *value)
{
    int found = 0;
    *value = key - FIRST_KEY;
    return pleach_map_contains_one(s->map, key, &found) == PLEACH_OK && found;
}

static bool get_by_batch(const structures *s, pleach_operation operation, uint64_t key, uint64_t *value)
{
    word k = word_of(s, key), v = {0};
    uint8_t kind = (uint8_t)operation, flag = 0;
    pleach_batch batch = {.n = 1, .kinds = &kind, .keys = &k, .flags = &flag, .out_values = &v};
    if (pleach_map_apply(s->map, &batch) != PLEACH_OK) return false;
    *value = number_of(s, v);
    return flag == (operation == PLEACH_OP_FIND ? 1 : PLEACH_ERASED);
}

static bool map_find_batch(const structures *s, uint64_t key, uint64_t *value)
{
    return get_by_batch(s, PLEACH_OP_FIND, key, value);
}

static bool map_erase_batch(const structures *s, uint64_t key, uint64_t *value)
{
    return get_by_batch(s, PLEACH_OP_ERASE, key, value);
}

static bool queue_find(const structures *s, uint64_t key, uint64_t *value)
{
    pleach_answer answer;
    if (pleach_queue_call(s->queue, PLEACH_OP_FIND, key, 0, &answer) != PLEACH_OK || !answer.flag) return false;
    *value = answer.value;
    return true;
}

static bool snapshot_find(const structures *s, uint64_t key, uint64_t *value)
{
    word k = word_of(s, key), v = {0};
    uint8_t found = 0;
    pleach_snapshot *snapshot = NULL;
    if (pleach_snapshot_take(s->map, &snapshot, PLEACH_SYNC) != PLEACH_OK) return false;
    const pleach_status status = pleach_snapshot_find(snapshot, 1, &k, &v, &found, PLEACH_SYNC);
    pleach_snapshot_release(snapshot);
    *value = number_of(s, v);
    return status == PLEACH_OK && found;
}

static bool snapshot_export(const structures *s, uint64_t key, uint64_t *value)
{
    uint64_t keys[MOST_PAIRS], values[MOST_PAIRS];
    size_t n = 0;
    pleach_snapshot *snapshot = NULL;
    if (pleach_snapshot_take(s->map, &snapshot, PLEACH_SYNC) != PLEACH_OK) return false;
    const pleach_status status = pleach_snapshot_export(snapshot, MOST_PAIRS, keys, values, &n);
    pleach_snapshot_release(snapshot);
    return last_of(s, status, n, keys, values, key, value);
}

static bool hash_find_one(const structures *s, uint64_t key, uint64_t *value)
{
    int found = 0;
    return pleach_hash_find_one(s->hash, key, &found, value) == PLEACH_OK && found;
}

static bool hash_find_array(const structures *s, uint64_t key, uint64_t *value)
{
    word k = word_of(s, key), v = {0};
    uint8_t found = 0;
    if (pleach_hash_find(s->hash, 1, &k, &v, &found, PLEACH_SYNC) != PLEACH_OK || !found) return false;
    *value = number_of(s, v);
    return true;
}

static bool hash_erase(const structures *s, uint64_t key, uint64_t *value)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    return pleach_hash_erase_one(s->hash, key, &outcome, value) == PLEACH_OK && outcome == PLEACH_ERASED;
}

static bool hash_export(const structures *s, uint64_t key, uint64_t *value)
{
    uint64_t keys[MOST_PAIRS], values[MOST_PAIRS];
    size_t n = 0;
    if (pleach_hash_export(s->hash, MOST_PAIRS, keys, values, &n) != PLEACH_OK) return false;
    for (size_t i = 0; i < n; i++) {
        *value = s->bits == 32 ? ((const uint32_t *)values)[i] : values[i];
        if ((s->bits == 32 ? ((const uint32_t *)keys)[i] : keys[i]) == key) return true;
    }
    return false;
}

static bool graph_find(const structures *s, uint64_t key, uint64_t *value)
{
    uint32_t from = (uint32_t)key, to = HUB, v = 0; /* undirected: from the other end */
    uint8_t found = 0;
    if (pleach_graph_find_edges(s->graph, 1, &from, &to, &v, &found, PLEACH_SYNC) != PLEACH_OK) return false;
    *value = v;
    return found;
}

static bool graph_neighbours(const structures *s, uint64_t key, uint64_t *value)
{
    uint32_t vertex = HUB, listed[MOST_PAIRS], values[MOST_PAIRS];
    uint64_t offsets[2];
    size_t n = 0;
    if (pleach_graph_neighbours(s->graph, 1, &vertex, MOST_PAIRS, listed, values, offsets, &n) != PLEACH_OK)
        return false;
    for (size_t i = 0; i < n; i++)
        if (listed[i] == key) return *value = values[i], true;
    return false;
}

static bool graph_export(const structures *s, uint64_t key, uint64_t *value)
{
    uint32_t from[2 * MOST_PAIRS], to[2 * MOST_PAIRS], values[2 * MOST_PAIRS];
    size_t n = 0;
    if (pleach_graph_export_edges(s->graph, 2 * MOST_PAIRS, from, to, values, &n) != PLEACH_OK) return false;
    for (size_t i = 0; i < n; i++)
        if (from[i] == key || to[i] == key) return *value = values[i], true;
    return false;
}

/* ---- two threads, to and fro ---- */

typedef struct parcel { uint64_t number, inverse; bool back; } parcel; /* plain memory */

typedef struct post {
    const structures *s;
    put_call *put;
    get_call *get;
    size_t parcels;
    uint64_t base; /* numbers of earlier posts are below */
    parcel *parcel;
} post;

/* Agents take turns in sending. No other word of memory is shared by both but by the structure. */
static void send_and_receive(agent *a)
{
    const post *p = a->shared;
    for (uint64_t i = 0; i < p->parcels; i++) {
        parcel *it = &p->parcel[i];
        const uint64_t key = FIRST_KEY + p->base + i;
        if (i % 2 == a->index) {
            if (i > 0) EXPECT(a, p->parcel[i - 1].back);
            it->number = i;
            it->inverse = ~i;
            EXPECT(a, p->put(p->s, key, p->base + i));
            continue;
        }
        uint64_t value = UINT64_MAX;
        while (!p->get(p->s, key, &value) || value == UINT32_MAX) { /* ends: it is put, or the other has failed */
            if (stopped(a)) return;
            sched_yield();
        }
        EXPECT(a, value == p->base + i);
        EXPECT(a, it->number == i && it->inverse == ~i);
        it->back = true;
    }
}

static void every_pair_of_calls(const structures *s, size_t puts, put_call *const *put, size_t gets,
                                get_call *const *get)
{
    enum { MOST_PARCELS = 40 };
    const size_t parcels = s->graph ? 4 : shrunk(MOST_PARCELS, 4);
    uint64_t base = 0;
    for (size_t i = 0; i < puts; i++)
        for (size_t j = 0; j < gets; j++) {
            if (s->map && j % 8 == 7) {
                assert_ok(pleach_map_clear(s->map));
                base = 0;
            }
            FREED parcel *parcel = must_alloc(parcels, sizeof *parcel);
            memset(parcel, 0, parcels * sizeof *parcel);
            post p = {s, put[i], get[j], parcels, base, parcel};
            run_agents(2, send_and_receive, &p);
            count_checked(2 * parcels);
            base += parcels;
        }
}

static void through_map(const setting *where, pleach_structure structure, unsigned versioned)
{
    static put_call *const put[] = {map_put_one, map_add_one, map_put_again, map_put_array, map_put_batch};
    static get_call *const get[] = {map_find_one, map_find_array, map_succ,     map_pred,      map_max,
                                    map_range,    map_range_limit, map_export,  map_erase,     map_replace,
                                    map_contains, map_find_batch, map_erase_batch, snapshot_find, snapshot_export};
    const size_t no_batches = structure == PLEACH_SKIPLIST ? 1 : 0;
    const size_t less = structure == PLEACH_SKIPLIST ? 4 : versioned ? 0 : 2;
    structures s = {.bits = where->key_bits};
    assert_ok(pleach_map_create(&s.map, &(pleach_map_config){.device = where->device, .key_bits = where->key_bits,
                                                             .threads = where->threads, .structure = structure,
                                                             .versioned = versioned}));
    every_pair_of_calls(&s, COUNT_OF(put) - no_batches, put, COUNT_OF(get) - less, get);
    pleach_map_destroy(s.map);
}

static void through_a_tree(const setting *where) { through_map(where, PLEACH_BLINK, 0); }
static void through_a_versioned_tree(const setting *where) { through_map(where, PLEACH_BLINK, 1); }
static void through_a_skiplist(const setting *where) { through_map(where, PLEACH_SKIPLIST, 0); }

static void through_a_queue(const setting *where)
{
    static put_call *const put[] = {queue_put, queue_submit, map_put_one};
    static get_call *const get[] = {queue_find, map_find_one};
    structures s = {.bits = where->key_bits};
    assert_ok(pleach_map_create(&s.map, &(pleach_map_config){.device = where->device, .key_bits = where->key_bits,
                                                             .threads = where->threads}));
    assert_ok(pleach_queue_create(&s.queue, s.map, &(pleach_queue_config){.age_us = 1}));
    every_pair_of_calls(&s, COUNT_OF(put), put, COUNT_OF(get), get);
    pleach_queue_destroy(s.queue);
    pleach_map_destroy(s.map);
}

static void through_a_hash_table(const setting *where)
{
    static put_call *const put[] = {hash_put_one, hash_put_again, hash_add_array};
    static get_call *const get[] = {hash_find_one, hash_find_array, hash_erase, hash_export};
    structures s = {.bits = where->key_bits};
    assert_ok(pleach_hash_create(&s.hash, &(pleach_hash_config){.device = where->device, .key_bits = where->key_bits,
                                                                .threads = where->threads}));
    every_pair_of_calls(&s, COUNT_OF(put), put, COUNT_OF(get), get);
    pleach_hash_destroy(s.hash);
}

static void through_graph(const setting *where, pleach_adjacency adjacency)
{
    static put_call *const put[] = {graph_put, graph_put_again};
    static get_call *const get[] = {graph_find, graph_neighbours, graph_export};
    structures s = {.bits = 32};
    if (where->key_bits != 32) return;
    assert_ok(pleach_graph_create(&s.graph, &(pleach_graph_config){.device = where->device, .values = 1,
                                                                   .threads = where->threads, .adjacency = adjacency}));
    every_pair_of_calls(&s, COUNT_OF(put), put, COUNT_OF(get), get);
    pleach_graph_destroy(s.graph);
}

static void through_a_graph(const setting *where) { through_graph(where, PLEACH_ADJACENCY_HASH); }
static void through_an_ordered_graph(const setting *where) { through_graph(where, PLEACH_ADJACENCY_ORDERED); }

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(through_a_tree),       CASE(through_a_versioned_tree), CASE(through_a_skiplist), CASE(through_a_queue),
        CASE(through_a_hash_table), CASE(through_a_graph),          CASE(through_an_ordered_graph),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
