/* test_own_keys.c - threads that have keys of their own, and so know the result of each of their calls, while another
 * thread rebuilds and reads the whole structure: compact, export, validate, reserve, statistics. */
#include <stdlib.h>
#include <string.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/interrupts.h"

enum { OWNERS = 3, OWN = 400, ALL = OWNERS * OWN };

typedef struct property {
    const setting *where;
    pleach_map *map;
    pleach_hash *hash; /* instead of the map */
    bool versioned;
    size_t calls;
    uint64_t value[ALL]; /* each by its owner; 0: not there */
    atomic_int busy;     /* owners */
    atomic_size_t looks;
} property;

static uint64_t key_of(size_t owner, uint64_t i) { return (i * OWNERS + owner) * 7 + 1; }

/* ---- owners ---- */

typedef enum update { PUT, ADD, ERASE } update;

static bool update_is_right(const property *p, update kind, uint64_t key, uint64_t value, uint64_t old)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    uint64_t got = 0;
    pleach_status status;
    if (p->hash)
        status = kind == PUT   ? pleach_hash_put_one(p->hash, key, value, &outcome, &got)
                 : kind == ADD ? pleach_hash_add_one(p->hash, key, value, &outcome, &got)
                               : pleach_hash_erase_one(p->hash, key, &outcome, &got);
    else
        status = kind == PUT   ? pleach_map_put_one(p->map, key, value, &outcome, &got)
                 : kind == ADD ? pleach_map_add_one(p->map, key, value, &outcome, &got)
                               : pleach_map_erase_one(p->map, key, &outcome, &got);
    const pleach_outcome present[] = {PLEACH_REPLACED, PLEACH_EXISTS, PLEACH_ERASED};
    const pleach_outcome absent[] = {PLEACH_INSERTED, PLEACH_INSERTED, PLEACH_ABSENT};
    return status == PLEACH_OK && outcome == (old ? present : absent)[kind] && (!old || got == old);
}

static bool find_is_right(const property *p, uint64_t key, uint64_t value)
{
    int found = 0;
    uint64_t got = 0;
    const pleach_status status = p->hash ? pleach_hash_find_one(p->hash, key, &found, &got)
                                         : pleach_map_find_one(p->map, key, &found, &got);
    return status == PLEACH_OK && found == (value != 0) && (!value || got == value);
}

/* No key of others lies between a key of this owner's and the key itself plus one. */
static bool neighbour_is_right(const property *p, uint64_t key, uint64_t value)
{
    int found = 0;
    uint64_t at = 0, got = 0;
    if (p->hash) return true;
    if (pleach_map_succ_one(p->map, key - 1, &found, &at, &got) != PLEACH_OK) return false;
    if (value) return found && at == key && got == value;
    return !found || at > key;
}

static void own(agent *a)
{
    property *p = a->shared;
    uint64_t *mine = &p->value[a->index * OWN];
    interrupts stops = interrupts_begin(test_seed() + a->index, 300);
    for (size_t n = 1; n <= p->calls && !stopped(a); n++) {
        const uint64_t i = rng_below(&a->r, OWN), key = key_of(a->index, i);
        const unsigned what = (unsigned)rng_below(&a->r, 8);
        bool good = true;
        if (what < 4) {
            const update kind = what < 2 ? (update)what : ERASE;
            good = update_is_right(p, kind, key, n, mine[i]);
            if (kind == ERASE || kind == PUT || !mine[i]) mine[i] = kind == ERASE ? 0 : n;
        } else if (what < 7)
            good = find_is_right(p, key, mine[i]);
        else
            good = neighbour_is_right(p, key, mine[i]);
        if (!good) agent_fail(a, __FILE__, (int)what, "an owner's key is not what the owner made it");
    }
    interrupts_end(&stops);
    atomic_fetch_sub(&p->busy, 1);
}

/* ---- the whole structure ---- */

/* What may be there: keys of owners, once each, and in order where the structure has one. */
static bool listed_right(const property *p, size_t n, const uint64_t *keys, const uint64_t *values, uint64_t *listed)
{
    uint64_t before = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = get_word(p->where->key_bits, keys, i), number = (key - 1) / 7;
        if (key % 7 != 1 || number >= ALL) return false;
        if (!p->hash && key <= before) return false;
        before = key;
        uint64_t *place = &listed[number % OWNERS * OWN + number / OWNERS];
        if (*place) return false; /* twice */
        *place = get_word(p->where->key_bits, values, i);
        if (!*place) return false;
    }
    return true;
}

static bool list(const property *p, uint64_t *listed)
{
    uint64_t keys[ALL], values[ALL];
    size_t n = 0;
    memset(listed, 0, ALL * sizeof *listed);
    const pleach_status status = p->hash ? pleach_hash_export(p->hash, ALL, keys, values, &n)
                                         : pleach_map_export(p->map, ALL, keys, values, &n);
    return status == PLEACH_OK && listed_right(p, n, keys, values, listed);
}

static bool compact(const property *p, double fill)
{
    return (p->hash ? pleach_hash_compact(p->hash) : pleach_map_compact(p->map, fill)) == PLEACH_OK;
}

static bool validate(const property *p)
{
    char why[200];
    return (p->hash ? pleach_hash_validate(p->hash, why, sizeof why)
                    : pleach_map_validate(p->map, why, sizeof why)) == PLEACH_OK;
}

/* The same contents twice, whatever happens in between. */
static bool snapshot_stays(const property *p)
{
    uint64_t keys[2][ALL], values[2][ALL], listed[ALL] = {0};
    size_t n[2] = {0};
    pleach_snapshot *snapshot = NULL;
    if (pleach_snapshot_take(p->map, &snapshot, PLEACH_SYNC) != PLEACH_OK) return false;
    memset(keys, 0, sizeof keys), memset(values, 0, sizeof values);
    bool good = true;
    for (unsigned i = 0; i < 2; i++)
        good = good && pleach_snapshot_export(snapshot, ALL, keys[i], values[i], &n[i]) == PLEACH_OK;
    pleach_snapshot_release(snapshot);
    return good && n[0] == n[1] && memcmp(keys[0], keys[1], sizeof keys[0]) == 0 &&
           memcmp(values[0], values[1], sizeof values[0]) == 0 && listed_right(p, n[0], keys[0], values[0], listed);
}

static void rebuild(agent *a)
{
    property *p = a->shared;
    size_t looks = 0;
    uint64_t listed[ALL];
    for (; atomic_load(&p->busy) > 0 && !stopped(a); looks++) {
        const unsigned what = (unsigned)rng_below(&a->r, 6);
        bool good = true;
        if (what < 2)
            good = compact(p, 0.3 + 0.1 * (double)rng_below(&a->r, 8));
        else if (what < 4)
            good = list(p, listed);
        else if (what == 4)
            good = validate(p);
        else
            good = p->versioned ? snapshot_stays(p)
                                : (p->hash ? pleach_hash_reserve(p->hash, rng_below(&a->r, 4 * ALL))
                                           : pleach_map_reserve(p->map, 2 * ALL)) == PLEACH_OK;
        if (!good) agent_fail(a, __FILE__, (int)what, "the whole structure is wrong");
        for (unsigned wait = 0; wait < 20 && atomic_load(&p->busy) > 0; wait++) find_is_right(p, 0, 0);
    }
    atomic_fetch_add(&p->looks, looks);
}

static void take_part(agent *a)
{
    if (a->index < OWNERS)
        own(a);
    else
        rebuild(a);
}

static void run_on(property *p)
{
    uint64_t listed[ALL];
    p->calls = scaled_single_calls(p->where, 30000);
    atomic_init(&p->busy, OWNERS);
    run_agents(OWNERS + 1, take_part, p);
    assert_true(list(p, listed));
    assert_memory_equal(listed, p->value, sizeof listed);
    assert_true(validate(p));
    count_checked(OWNERS * p->calls + p->looks);
}

static void on_map(const setting *where, pleach_structure structure, bool versioned)
{
    property p = {.where = where, .versioned = versioned};
    assert_ok(pleach_map_create(&p.map, &(pleach_map_config){.device = where->device, .key_bits = where->key_bits,
                                                             .threads = where->threads, .structure = structure,
                                                             .versioned = versioned}));
    run_on(&p);
    pleach_map_destroy(p.map);
}

static void own_keys_in_a_tree(const setting *where) { on_map(where, PLEACH_BLINK, false); }
static void own_keys_in_a_versioned_tree(const setting *where) { on_map(where, PLEACH_BLINK, true); }
static void own_keys_in_a_skiplist(const setting *where) { on_map(where, PLEACH_SKIPLIST, false); }

static void own_keys_in_a_hash_table(const setting *where)
{
    property p = {.where = where};
    assert_ok(pleach_hash_create(&p.hash, &(pleach_hash_config){.device = where->device, .key_bits = where->key_bits,
                                                                .threads = where->threads}));
    run_on(&p);
    pleach_hash_destroy(p.hash);
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(own_keys_in_a_tree),
        CASE(own_keys_in_a_versioned_tree),
        CASE(own_keys_in_a_skiplist),
        CASE(own_keys_in_a_hash_table),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
