/* test_hash_repeats.c - array calls in which many elements name one key, as skewed loads do. They run at the same time,
 * so their order is not known; but there must be one: every value that was put is replaced once, or is the last; of
 * those that add a key one has, and of those that erase it, one has. */
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/hashes.h"
#include "testkit/random.h"

enum { ELEMENTS = 60000, MOST_KEYS = 4096 };

typedef struct crowd {
    hashed h;
    size_t n, keys; /* elements of a call, and keys that they may name */
    uint64_t name[MOST_KEYS];
    uint64_t *key, *value, *old;
    uint32_t *rank; /* which of the names each element has */
    uint8_t *outcome;
    bool there[MOST_KEYS];
    uint64_t now[MOST_KEYS]; /* value */
} crowd;

static crowd crowd_open(const setting *where, bool set, size_t keys)
{
    crowd c = {.h = hashed_open(where, set), .n = shrunk(ELEMENTS, ELEMENTS / 4), .keys = keys};
    for (size_t i = 0; i < keys; i++) c.name[i] = i % 2 ? c.h.top - i : i;
    c.key = must_alloc(c.n, sizeof *c.key);
    c.value = must_alloc(c.n, sizeof *c.value);
    c.old = must_alloc(c.n, sizeof *c.old);
    c.rank = must_alloc(c.n, sizeof *c.rank);
    c.outcome = must_alloc(c.n, 1);
    return c;
}

static void crowd_close(crowd *c)
{
    hashed_close(&c->h);
    free(c->key), free(c->value), free(c->old), free(c->rank), free(c->outcome);
}

/* Half of the elements name the first key, half of the others the second, and so on; the rest any. Values differ. */
static void fill(crowd *c, rng *r, uint64_t first_value)
{
    for (size_t i = 0; i < c->n; i++) {
        uint32_t rank = 0;
        while (rank < 6 && rng_percent(r, 50)) rank++;
        c->rank[i] = rank < 6 && rank < c->keys ? rank : (uint32_t)rng_below(r, c->keys);
        c->key[i] = c->name[c->rank[i]];
        c->value[i] = first_value + i;
        c->old[i] = 0;
    }
    memset(c->outcome, 0xee, c->n);
}

static uint64_t find_value(const crowd *c, size_t rank, bool *there)
{
    uint64_t value = 0;
    uint8_t found = 9;
    assert_ok(hashed_find(&c->h, 1, &c->name[rank], &value, &found));
    *there = found == 1;
    return found ? value : 0;
}

/* Of one call: how many elements with this outcome name each key. */
static void tally(const crowd *c, pleach_outcome outcome, uint32_t *counts)
{
    memset(counts, 0, c->keys * sizeof *counts);
    for (size_t i = 0; i < c->n; i++) counts[c->rank[i]] += c->outcome[i] == outcome;
}

/* Values are numbers of elements, of this call or the one before. */
static void check_chain_of_values(crowd *c, uint64_t first_value)
{
    bool former[MOST_KEYS]; /* the value from before is still to be replaced */
    memcpy(former, c->there, sizeof former);
    FREED uint8_t *gone = must_alloc(c->n, 1);
    for (size_t i = 0; i < c->n; i++) {
        if (c->outcome[i] != PLEACH_REPLACED) continue;
        size_t rank = c->rank[i];
        if (former[rank] && c->old[i] == c->now[rank]) {
            former[rank] = false;
            continue;
        }
        assert_in_range(c->old[i], first_value, first_value + c->n - 1);
        size_t by = (size_t)(c->old[i] - first_value);
        assert_true(c->rank[by] == rank && by != i && !gone[by]);
        gone[by] = 1;
    }
    FREED uint32_t *left = must_alloc(c->keys, sizeof *left), *named = must_alloc(c->keys, sizeof *named);
    for (size_t i = 0; i < c->n; i++) {
        named[c->rank[i]]++;
        if (gone[i]) continue;
        left[c->rank[i]]++;
        bool there;
        assert_int_equal(find_value(c, c->rank[i], &there), c->value[i]);
        assert_true(there);
        c->now[c->rank[i]] = c->value[i];
    }
    for (size_t k = 0; k < c->keys; k++) {
        assert_int_equal(left[k], named[k] > 0);
        assert_false(former[k] && named[k]);
    }
}

static void put_all(crowd *c, rng *r, uint64_t first_value)
{
    FREED uint32_t *counts = must_alloc(c->keys, sizeof *counts), *named = must_alloc(c->keys, sizeof *named);
    fill(c, r, first_value);
    assert_ok(hashed_put(&c->h, c->n, c->key, c->value, c->outcome, c->old));
    for (size_t i = 0; i < c->n; i++) {
        named[c->rank[i]]++;
        assert_true(c->outcome[i] == PLEACH_INSERTED || c->outcome[i] == PLEACH_REPLACED);
    }
    tally(c, PLEACH_INSERTED, counts);
    for (size_t k = 0; k < c->keys; k++) assert_int_equal(counts[k], named[k] && !c->there[k]);
    if (!c->h.set) check_chain_of_values(c, first_value);
    for (size_t k = 0; k < c->keys; k++) c->there[k] |= named[k] > 0;
}

static void add_all(crowd *c, rng *r, uint64_t first_value)
{
    FREED uint64_t *came = must_alloc(c->keys, sizeof *came);
    FREED uint32_t *counts = must_alloc(c->keys, sizeof *counts), *named = must_alloc(c->keys, sizeof *named);
    fill(c, r, first_value);
    assert_ok(hashed_add(&c->h, c->n, c->key, c->value, c->outcome, c->old));
    for (size_t i = 0; i < c->n; i++) {
        named[c->rank[i]]++;
        assert_true(c->outcome[i] == PLEACH_INSERTED || c->outcome[i] == PLEACH_EXISTS);
        if (c->outcome[i] == PLEACH_INSERTED) came[c->rank[i]] = c->value[i];
    }
    tally(c, PLEACH_INSERTED, counts);
    for (size_t k = 0; k < c->keys; k++) assert_int_equal(counts[k], named[k] && !c->there[k]);
    for (size_t i = 0; i < c->n && !c->h.set; i++)
        if (c->outcome[i] == PLEACH_EXISTS)
            assert_int_equal(c->old[i], c->there[c->rank[i]] ? c->now[c->rank[i]] : came[c->rank[i]]);
    for (size_t k = 0; k < c->keys; k++)
        if (counts[k]) c->there[k] = true, c->now[k] = came[k];
}

static void erase_all(crowd *c, rng *r)
{
    FREED uint32_t *counts = must_alloc(c->keys, sizeof *counts), *named = must_alloc(c->keys, sizeof *named);
    fill(c, r, 0);
    assert_ok(hashed_erase(&c->h, c->n, c->key, c->outcome, c->old));
    for (size_t i = 0; i < c->n; i++) {
        named[c->rank[i]]++;
        assert_true(c->outcome[i] == PLEACH_ERASED || c->outcome[i] == PLEACH_ABSENT);
        if (c->outcome[i] == PLEACH_ERASED && !c->h.set) assert_int_equal(c->old[i], c->now[c->rank[i]]);
    }
    tally(c, PLEACH_ERASED, counts);
    for (size_t k = 0; k < c->keys; k++) {
        assert_int_equal(counts[k], named[k] && c->there[k]);
        if (named[k]) c->there[k] = false;
    }
}

static void calls_with_repeats(const setting *where, bool set, size_t keys)
{
    crowd c = crowd_open(where, set, keys);
    rng r = rng_for(test_seed(), keys);
    for (unsigned round = 0; round < 3; round++) {
        put_all(&c, &r, 1);
        put_all(&c, &r, 1 + c.n);
        erase_all(&c, &r);
        add_all(&c, &r, 1 + 2 * c.n);
        add_all(&c, &r, 1 + 3 * c.n);
    }
    for (size_t k = 0; k < c.keys; k++) {
        bool there;
        find_value(&c, k, &there);
        assert_int_equal(there, c.there[k]);
    }
    crowd_close(&c);
}

static void one_key(const setting *where, bool set) { calls_with_repeats(where, set, 1); }
static void few_keys(const setting *where, bool set) { calls_with_repeats(where, set, 7); }
static void many_keys(const setting *where, bool set) { calls_with_repeats(where, set, MOST_KEYS); }

static const test_case cases[] = {
    IN_MAPS_AND_SETS(one_key),
    IN_MAPS_AND_SETS(few_keys),
    IN_MAPS_AND_SETS(many_keys),
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
