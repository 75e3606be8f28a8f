/* test_history_random.c - the checker of histories: random histories, good and changed, whose verdicts are compared with
 * a checker that tries every order; large ones, in which one answer is wrong; and two ways to the same verdict. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/rounds.h"
#include "testkit/units.h"

/* ---- a map that is slow and obvious ------------------------------------------------------------------------------ */

enum { MOST_KEYS = 24 };

typedef struct slow_map {
    size_t keys; /* that there can be */
    bool present[MOST_KEYS];
    uint64_t value[MOST_KEYS];
} slow_map;

/* The largest key is the largest of all, so that the end of the key space is tried. */
static uint64_t key_at(const slow_map *m, size_t i)
{
    return i + 1 == m->keys ? UINT64_MAX : 3 * i;
}

static size_t index_of(const slow_map *m, uint64_t key)
{
    size_t i = 0;
    while (key_at(m, i) != key)
        i++;
    return i;
}

static void slow_update(slow_map *m, history_op *op)
{
    size_t i = index_of(m, op->key);
    bool was = m->present[i];
    op->out_value = m->value[i];
    if (op->kind == HISTORY_ERASE) {
        op->outcome = was ? HISTORY_ERASED : HISTORY_ABSENT;
        m->present[i] = false;
    } else {
        op->outcome = !was ? HISTORY_INSERTED : op->kind == HISTORY_PUT ? HISTORY_REPLACED : HISTORY_EXISTS;
        if (!was || op->kind == HISTORY_PUT) {
            m->present[i] = true;
            m->value[i] = op->value;
        }
    }
}

static void slow_neighbour(const slow_map *m, history_op *op)
{
    op->outcome = HISTORY_NOT_FOUND;
    for (size_t i = 0; i < m->keys; i++) {
        uint64_t key = key_at(m, i);
        bool found = op->outcome == HISTORY_FOUND;
        bool fits = op->kind == HISTORY_CEIL ? key >= op->key && !found : key <= op->key;
        if (m->present[i] && fits) {
            op->outcome = HISTORY_FOUND;
            op->out_key = key;
            op->out_value = m->value[i];
        }
    }
}

/* At most `limit` pairs; answers their number. */
static uint32_t slow_range(const slow_map *m, const history_op *op, uint32_t limit, history_pair *pairs)
{
    uint32_t n = 0;
    for (size_t i = 0; i < m->keys && n < limit; i++)
        if (m->present[i] && key_at(m, i) >= op->key && key_at(m, i) <= op->high)
            pairs[n++] = (history_pair){key_at(m, i), m->value[i]};
    return n;
}

/* Carries the operation out and fills in its answer; what ranges report goes to `pairs`. */
static void slow_do(slow_map *m, history_op *op, uint32_t limit, history_pair *pairs)
{
    size_t i;
    switch (op->kind) {
    case HISTORY_FIND:
        i = index_of(m, op->key);
        op->outcome = m->present[i] ? HISTORY_FOUND : HISTORY_NOT_FOUND;
        op->out_value = m->value[i];
        break;
    case HISTORY_CEIL:
    case HISTORY_FLOOR: slow_neighbour(m, op); break;
    case HISTORY_RANGE:
    case HISTORY_RANGE_ATOMIC: op->pair_count = slow_range(m, op, limit, pairs); break;
    case HISTORY_COUNT_ATOMIC: op->out_value = slow_range(m, op, MOST_KEYS, pairs); break;
    default: slow_update(m, op);
    }
}

/* ---- every order ------------------------------------------------------------------------------------------------- */

enum { MOST_TRIED = 8 };

typedef struct every_order {
    const history *h;
    bool gone[MOST_TRIED];
    uint32_t unseen[MOST_TRIED]; /* loose ranges: keys that they have yet to look at, as bits */
} every_order;

static bool answers_like(const history *h, const history_op *told, const history_op *right, const history_pair *pairs)
{
    if (told->kind == HISTORY_COUNT_ATOMIC)
        return told->out_value == right->out_value;
    if (told->kind == HISTORY_RANGE_ATOMIC)
        return told->pair_count == right->pair_count &&
               (!told->pair_count || !memcmp(h->pairs + told->pairs, pairs, told->pair_count * sizeof *pairs));
    if (told->outcome != right->outcome)
        return false;
    if (told->outcome == HISTORY_FOUND && told->kind != HISTORY_FIND && told->out_key != right->out_key)
        return false;
    bool without_value = told->outcome == HISTORY_INSERTED || told->outcome == HISTORY_ABSENT ||
                         told->outcome == HISTORY_NOT_FOUND;
    return without_value || told->out_value == right->out_value;
}

/* Nobody who is still to come had returned before it was invoked. */
static bool may_be_next(const every_order *e, size_t which)
{
    for (size_t i = 0; i < e->h->count; i++)
        if (!e->gone[i] && e->h->ops[i].returned < e->h->ops[which].invoked)
            return false;
    return !e->gone[which];
}

static bool only_pending_left(const every_order *e)
{
    for (size_t i = 0; i < e->h->count; i++)
        if (!e->gone[i] && e->h->ops[i].returned != HISTORY_PENDING)
            return false;
    return true;
}

static bool is_final(const every_order *e, const slow_map *m)
{
    size_t n = 0;
    for (size_t i = 0; e->h->final && i < m->keys; i++) {
        if (!m->present[i])
            continue;
        if (n == e->h->final_count || e->h->final[n].key != key_at(m, i) || e->h->final[n].value != m->value[i])
            return false;
        n++;
    }
    return !e->h->final || n == e->h->final_count;
}

static bool some_order_fits(every_order *e, const slow_map *m);

static bool range_tells(const history *h, const history_op *op, const slow_map *m, size_t key)
{
    for (uint32_t i = 0; i < op->pair_count; i++)
        if (h->pairs[op->pairs + i].key == key_at(m, key))
            return m->present[key] && m->value[key] == h->pairs[op->pairs + i].value;
    return !m->present[key];
}

/* A loose range looks at one of its keys, whichever. */
static bool fits_with_a_look(every_order *e, const slow_map *m, size_t which)
{
    for (size_t key = 0; key < m->keys; key++) {
        uint32_t bit = (uint32_t)1 << key;
        if (!(e->unseen[which] & bit) || !range_tells(e->h, &e->h->ops[which], m, key))
            continue;
        e->unseen[which] &= ~bit;
        e->gone[which] = !e->unseen[which];
        bool fits = some_order_fits(e, m);
        e->unseen[which] |= bit;
        e->gone[which] = false;
        if (fits)
            return true;
    }
    return false;
}

static bool fits_with_next(every_order *e, const slow_map *m, size_t which)
{
    const history_op *told = &e->h->ops[which];
    if (told->kind == HISTORY_RANGE)
        return fits_with_a_look(e, m, which);
    slow_map after = *m;
    history_op right = *told;
    history_pair pairs[MOST_KEYS];
    slow_do(&after, &right, told->limited ? told->pair_count : MOST_KEYS, pairs);
    if (told->returned != HISTORY_PENDING && !answers_like(e->h, told, &right, pairs))
        return false;
    e->gone[which] = true;
    bool fits = some_order_fits(e, &after);
    e->gone[which] = false;
    return fits;
}

static bool some_order_fits(every_order *e, const slow_map *m)
{
    if (only_pending_left(e) && is_final(e, m))
        return true;
    for (size_t i = 0; i < e->h->count; i++)
        if (may_be_next(e, i) && fits_with_next(e, m, i))
            return true;
    return false;
}

static bool range_is_in_order(const history *h, const history_op *op)
{
    const history_pair *pairs = h->pairs + op->pairs;
    for (uint32_t i = 0; i < op->pair_count; i++)
        if (pairs[i].key < op->key || pairs[i].key > op->high || (i && pairs[i].key <= pairs[i - 1].key))
            return false;
    return true;
}

static uint32_t keys_to_look_at(const history *h, const history_op *op, const slow_map *m)
{
    uint32_t keys = 0;
    uint64_t high = op->high;
    if (op->limited && op->pair_count)
        high = h->pairs[op->pairs + op->pair_count - 1].key;
    for (size_t i = 0; i < m->keys; i++)
        if (key_at(m, i) >= op->key && key_at(m, i) <= high && (!op->limited || op->pair_count))
            keys |= (uint32_t)1 << i;
    return keys;
}

static bool is_linearizable(const history *h, size_t keys)
{
    every_order e = {.h = h};
    slow_map m = {.keys = keys};
    for (size_t i = 0; i < h->initial_count; i++) {
        m.present[index_of(&m, h->initial[i].key)] = true;
        m.value[index_of(&m, h->initial[i].key)] = h->initial[i].value;
    }
    for (size_t i = 0; i < h->count; i++) {
        const history_op *op = &h->ops[i];
        bool pends = op->returned == HISTORY_PENDING, range = op->kind == HISTORY_RANGE;
        if (!pends && (range || op->kind == HISTORY_RANGE_ATOMIC) && !range_is_in_order(h, op))
            return false;
        e.unseen[i] = range ? keys_to_look_at(h, op, &m) : 0;
        e.gone[i] = pends ? op->kind >= HISTORY_FIND
                          : (range && !e.unseen[i]) || (op->kind < HISTORY_RANGE && op->outcome == HISTORY_NOT_APPLIED);
    }
    return some_order_fits(&e, &m);
}

/* ---- random histories --------------------------------------------------------------------------------------------
 * Agents take turns to invoke an operation, to carry it out on a slow map, and to return, so the order in which they
 * carry out explains all answers. */

typedef struct recipe {
    const char *name;
    size_t ops, keys, agents;
    size_t pending;  /* at most */
    uint64_t values; /* that there are; 0: each one is given once */
    unsigned kinds;  /* bits of history_kind */
} recipe;

#define POINTS (1u << HISTORY_PUT | 1u << HISTORY_ADD | 1u << HISTORY_ERASE | 1u << HISTORY_FIND)
#define LOOSE (1u << HISTORY_RANGE)
#define NEIGHBOURS (1u << HISTORY_CEIL | 1u << HISTORY_FLOOR)
#define ATOMICS (1u << HISTORY_RANGE_ATOMIC | 1u << HISTORY_COUNT_ATOMIC)

typedef struct random_history {
    history h;
    slow_map map;
    history_op *ops;
    history_pair *pairs;
    history_pair initial[MOST_KEYS], final[MOST_KEYS];
    uint64_t last_value;
} random_history;

typedef enum turn { IDLE, INVOKED, CARRIED_OUT } turn;

static history_kind random_kind(rng *r, unsigned kinds)
{
    history_kind kind;
    do
        kind = (history_kind)rng_below(r, HISTORY_COUNT_ATOMIC + 1);
    while (!(kinds >> kind & 1));
    return kind;
}

static uint64_t random_value(rng *r, random_history *x, const recipe *how)
{
    return how->values ? 1 + rng_below(r, how->values) : ++x->last_value;
}

static size_t contents_of(const slow_map *m, history_pair *pairs)
{
    history_op all = {.key = 0, .high = UINT64_MAX};
    return slow_range(m, &all, MOST_KEYS, pairs);
}

static void invoke_random(rng *r, random_history *x, const recipe *how, size_t which, size_t agent, uint64_t now)
{
    size_t low = rng_below(r, how->keys), high = rng_below(r, how->keys + 1);
    x->ops[which] = (history_op){.invoked = now, .returned = HISTORY_PENDING, .agent = (uint32_t)agent,
                                 .kind = (uint8_t)random_kind(r, how->kinds), .key = key_at(&x->map, low),
                                 .high = high == how->keys ? UINT64_MAX : key_at(&x->map, high),
                                 .value = random_value(r, x, how), .pairs = (uint32_t)(which * how->keys)};
}

/* A loose range looks at all keys at one instant here; changed answers take care of the rest. */
static void carry_out(rng *r, random_history *x, size_t which)
{
    history_op *op = &x->ops[which];
    uint32_t limit = rng_percent(r, 30) ? 1 + (uint32_t)rng_below(r, x->map.keys) : MOST_KEYS + 1;
    if (op->kind <= HISTORY_ERASE && rng_percent(r, 4)) {
        op->outcome = HISTORY_NOT_APPLIED;
        return;
    }
    slow_do(&x->map, op, limit, x->pairs + op->pairs);
    op->limited = (op->kind == HISTORY_RANGE || op->kind == HISTORY_RANGE_ATOMIC) && op->pair_count == limit;
}

static void play(rng *r, random_history *x, const recipe *how)
{
    turn turns[64] = {IDLE};
    size_t working[64] = {0}, started = 0, returned = 0;
    uint64_t now = 1;
    while (returned < how->ops) {
        size_t a = (size_t)rng_below(r, how->agents);
        if (turns[a] == IDLE && started == how->ops) {
            if (started - returned <= how->pending && rng_percent(r, 10))
                break; /* whoever is still at work stays pending */
            continue;
        }
        now += rng_below(r, 3) > 0;
        switch (turns[a]) {
        case IDLE: invoke_random(r, x, how, working[a] = started++, a, now); break;
        case INVOKED: carry_out(r, x, working[a]); break;
        default: x->ops[working[a]].returned = now; returned++;
        }
        turns[a] = turns[a] == CARRIED_OUT ? IDLE : turns[a] + 1;
    }
}

static random_history *make_random(rng *r, const recipe *how)
{
    random_history *x = must_alloc(1, sizeof *x);
    x->ops = must_alloc(how->ops, sizeof *x->ops);
    x->pairs = must_alloc(how->ops * how->keys, sizeof *x->pairs);
    x->map.keys = how->keys;
    for (size_t i = 0; i < how->keys; i++) {
        x->map.present[i] = rng_percent(r, 40);
        x->map.value[i] = random_value(r, x, how);
    }
    x->h = (history){.initial = x->initial, .initial_count = contents_of(&x->map, x->initial), .ops = x->ops,
                     .count = how->ops, .pairs = x->pairs};
    play(r, x, how);
    x->h.final_count = contents_of(&x->map, x->final);
    x->h.final = rng_percent(r, 60) ? x->final : NULL;
    return x;
}

static void free_random(random_history *x)
{
    free(x->ops);
    free(x->pairs);
    free(x);
}

static void change_pairs(rng *r, random_history *x, const recipe *how, history_op *op)
{
    history_pair *pairs = x->pairs + op->pairs;
    if (op->pair_count == 0)
        pairs[op->pair_count++] = (history_pair){op->key, random_value(r, x, how)};
    else if (rng_percent(r, 40))
        pairs[rng_below(r, op->pair_count)].value = random_value(r, x, how);
    else if (rng_percent(r, 30))
        pairs[rng_below(r, op->pair_count)].key = key_at(&x->map, rng_below(r, how->keys));
    else if (rng_percent(r, 30))
        op->limited = !op->limited;
    else {
        size_t gone = rng_below(r, op->pair_count);
        memmove(&pairs[gone], &pairs[gone + 1], (op->pair_count - gone - 1) * sizeof *pairs);
        op->pair_count--;
    }
}

static void change_answer(rng *r, random_history *x, const recipe *how, history_op *op)
{
    if (op->kind == HISTORY_RANGE || op->kind == HISTORY_RANGE_ATOMIC)
        change_pairs(r, x, how, op);
    else if (op->kind == HISTORY_COUNT_ATOMIC)
        op->out_value = rng_below(r, how->keys + 1);
    else if ((op->kind == HISTORY_CEIL || op->kind == HISTORY_FLOOR) && rng_percent(r, 40))
        op->out_key = key_at(&x->map, rng_below(r, how->keys));
    else if (rng_percent(r, 50))
        op->out_value = random_value(r, x, how);
    else
        op->outcome = (uint8_t)rng_below(r, HISTORY_NOT_FOUND + 1);
}

static void change_times(rng *r, history_op *op)
{
    uint64_t shift = rng_below(r, 6);
    if (op->returned == HISTORY_PENDING)
        op->returned = op->invoked + shift;
    else if (rng_percent(r, 20))
        op->returned = HISTORY_PENDING;
    else if (rng_percent(r, 50)) {
        op->invoked += shift;
        op->returned += shift;
    } else {
        op->invoked -= shift < op->invoked ? shift : 0;
        op->returned = op->returned - op->invoked > shift ? op->returned - shift : op->returned;
    }
}

static void change_final(rng *r, random_history *x, const recipe *how)
{
    if (x->h.final_count == 0)
        x->final[x->h.final_count++] = (history_pair){key_at(&x->map, 0), random_value(r, x, how)};
    else if (rng_percent(r, 50))
        x->h.final_count--;
    else
        x->final[rng_below(r, x->h.final_count)].value = random_value(r, x, how);
}

/* Changes something; the result may be good or bad. */
static void change_random(rng *r, random_history *x, const recipe *how)
{
    history_op *op = &x->ops[rng_below(r, x->h.count)];
    uint64_t dice = rng_below(r, 100);
    if (dice < 60)
        change_answer(r, x, how, op);
    else if (dice < 90)
        change_times(r, op);
    else
        change_final(r, x, how);
}

/* ---- compared with every order ----------------------------------------------------------------------------------- */

static const recipe small_ones[] = {
    {"point_operations_of_one_key", 7, 1, 3, 7, 3, POINTS},
    {"unique_values", 7, 2, 4, 7, 0, POINTS},
    {"unique_values_of_one_key", 8, 1, 5, 7, 0, POINTS},
    {"updates_by_many_agents", 7, 1, 7, 7, 3, POINTS & ~(1u << HISTORY_FIND)},
    {"loose_ranges", 5, 3, 3, 7, 3, POINTS | LOOSE},
    {"loose_ranges_of_unique_values", 5, 3, 3, 7, 0, POINTS | LOOSE},
    {"neighbours", 6, 4, 3, 7, 3, POINTS | NEIGHBOURS},
    {"atomic_ranges_and_counts", 6, 4, 4, 7, 3, POINTS | ATOMICS},
    {"updates_and_atomics", 7, 3, 4, 7, 0, 1u << HISTORY_PUT | 1u << HISTORY_ERASE | ATOMICS},
    {"all_kinds", 6, 3, 4, 7, 2, POINTS | LOOSE | NEIGHBOURS | ATOMICS},
};

typedef struct tally {
    size_t compared, bad;
} tally;

static tally all_compared;

static void show_difference(const random_history *x, bool expected, history_verdict verdict)
{
    printf("the checker says %d, and trying every order says %s:\n", verdict, expected ? "good" : "bad");
    for (size_t i = 0; i < x->h.initial_count; i++)
        printf("  initial %llu:%llu\n", (unsigned long long)x->initial[i].key, (unsigned long long)x->initial[i].value);
    for (size_t i = 0; i < x->h.count; i++) {
        printf("  ");
        history_print_op(&x->ops[i], x->pairs, stdout);
        printf("\n");
    }
    for (size_t i = 0; x->h.final && i < x->h.final_count; i++)
        printf("  final %llu:%llu\n", (unsigned long long)x->final[i].key, (unsigned long long)x->final[i].value);
}

static void compare(history_checker *c, const random_history *x, size_t keys, tally *t)
{
    bool expected = is_linearizable(&x->h, keys);
    history_verdict verdict = history_check(c, &x->h);
    if (verdict != (expected ? HISTORY_GOOD : HISTORY_BAD))
        show_difference(x, expected, verdict);
    assert_int_equal(verdict, expected ? HISTORY_GOOD : HISTORY_BAD);
    t->compared++;
    t->bad += !expected;
    if (!expected && t->bad % 16 == 0) {
        FREED char *text = explanation(c, &x->h);
        assert_true(strlen(text) > 0 && !strstr(text, "not known to be bad"));
    }
}

static void agrees_with_every_order(const void *argument)
{
    const recipe *how = argument;
    history_checker *c = new_checker(); /* one for all: what a check leaves behind must not matter */
    rng r = rng_for(test_seed(), (uint64_t)(how - small_ones));
    tally t = {0, 0};
    for (size_t i = 0; i < scaled(15000); i++) {
        random_history *x = make_random(&r, how);
        assert_int_equal(history_check(c, &x->h), HISTORY_GOOD);
        compare(c, x, how->keys, &t);
        for (size_t changes = 0; changes < 2; changes++) {
            change_random(&r, x, how);
            compare(c, x, how->keys, &t);
        }
        free_random(x);
    }
    assert_true(t.bad > t.compared / 10 && t.bad < t.compared);
    all_compared.compared += t.compared;
    all_compared.bad += t.bad;
    printf("compared %zu histories, %zu of them bad; in all %zu and %zu\n", t.compared, t.bad, all_compared.compared,
           all_compared.bad);
    history_checker_destroy(c);
}

/* ---- two ways to the same verdict --------------------------------------------------------------------------------
 * Keys without pending operations, and with each value given once, are decided without a search (zones.c). A pending
 * erase after everything explains nothing, where the final contents are not looked at, but brings the search in. */

static void erase_after_everything(random_history *x, const recipe *how)
{
    for (size_t i = 0; i < how->keys; i++)
        x->ops[x->h.count++] = (history_op){.agent = 99, .invoked = UINT64_MAX - 1, .returned = HISTORY_PENDING,
                                            .kind = HISTORY_ERASE, .key = key_at(&x->map, i)};
}

static void search_agrees_with_zones(void)
{
    const recipe how = {"", 40, 2, 8, 8, 0, POINTS};
    history_checker *c = new_checker();
    rng r = rng_for(test_seed(), 50);
    size_t bad = 0, rounds = scaled(5000);
    for (size_t i = 0; i < rounds; i++) {
        random_history *x = make_random(&r, &how);
        x->h.final = NULL;
        x->h.count = how.ops - how.keys; /* the last ones make room */
        for (size_t changes = rng_below(&r, 3); changes > 0; changes--)
            change_random(&r, x, &how);
        history_verdict without = history_check(c, &x->h);
        erase_after_everything(x, &how);
        assert_int_equal(history_check(c, &x->h), without);
        assert_int_not_equal(without, HISTORY_UNDECIDED);
        bad += without == HISTORY_BAD;
        free_random(x);
    }
    printf("compared %zu histories, %zu of them bad\n", rounds, bad);
    history_checker_destroy(c);
}

/* ---- large ones -------------------------------------------------------------------------------------------------- */

static const recipe large_ones[] = {
    {"many_point_operations", 4000, 8, 8, 3, 0, POINTS},
    {"point_operations_with_few_values", 300, 4, 4, 3, 4, POINTS},
    {"forty_agents_on_two_keys", 2000, 2, 40, 0, 0, POINTS},
    {"sixty_four_agents_on_one_key", 1000, 1, 64, 0, 0, POINTS},
    {"many_loose_ranges", 2000, 24, 6, 3, 0, POINTS | LOOSE},
    {"many_neighbours", 400, 12, 6, 3, 0, POINTS | NEIGHBOURS},
    {"many_atomics", 200, 12, 5, 3, 0, POINTS | ATOMICS},
    {"many_of_all_kinds", 200, 16, 6, 3, 0, POINTS | LOOSE | NEIGHBOURS | ATOMICS},
};

/* Somebody is told a value that nobody gave. */
static bool tell_a_foreign_value(rng *r, random_history *x)
{
    for (int tries = 0; tries < 1000; tries++) {
        history_op *op = &x->ops[rng_below(r, x->h.count)];
        bool tells = op->outcome == HISTORY_FOUND || op->outcome == HISTORY_REPLACED || op->outcome == HISTORY_ERASED;
        if (op->kind <= HISTORY_FLOOR && op->returned != HISTORY_PENDING && tells) {
            op->out_value = 77777777;
            return true;
        }
    }
    return false;
}

static void large_histories(const void *argument)
{
    const recipe *how = argument;
    history_checker *c = new_checker();
    rng r = rng_for(test_seed(), 100 + (uint64_t)(how - large_ones));
    for (size_t i = 0; i < scaled(20); i++) {
        random_history *x = make_random(&r, how);
        assert_int_equal(history_check(c, &x->h), HISTORY_GOOD);
        assert_true(tell_a_foreign_value(&r, x));
        assert_int_equal(history_check(c, &x->h), HISTORY_BAD);
        if (i < 3 && how->agents < 40) { /* beyond, it takes too long to make it small */
            char *text = explanation(c, &x->h);
            if (!strstr(text, "77777777"))
                fail_msg("does not name the operation:\n%s", text);
            free(text);
        }
        free_random(x);
    }
    history_checker_destroy(c);
}

int main(int argc, char **argv)
{
    static unit_case cases[COUNT_OF(small_ones) + COUNT_OF(large_ones) + 1];
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(small_ones); i++)
        cases[n++] = (unit_case)UNIT_WITH(small_ones[i].name, agrees_with_every_order, &small_ones[i]);
    cases[n++] = (unit_case)UNIT(search_agrees_with_zones);
    for (size_t i = 0; i < COUNT_OF(large_ones); i++)
        cases[n++] = (unit_case)UNIT_WITH(large_ones[i].name, large_histories, &large_ones[i]);
    return run_units("test_history_random", argc, argv, cases, n);
}
