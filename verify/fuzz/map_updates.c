/* map_updates.c - updates, and whether their outcomes can be explained.
 *
 * Elements of one array call take effect in an unspecified order, so equal keys in one call have several right
 * answers. An answer is right if there is an order that gives it: explain looks for one, element after element. It
 * needs no search, because values are given out once: what an element reports as old tells who came before it.
 */
#include <stdlib.h>
#include <string.h>

#include "../../tools/common/words.h"
#include "map_subject.h"

typedef struct update {
    update_kind kind;
    key_array a;
    uint64_t *values;  /* for the model */
    void *value_words; /* for the map; NULL for an erase */
    uint8_t *outcomes; /* may be NULL */
    void *olds;        /* may be NULL, or value_words */
    bool *done;        /* elements that have been explained */
} update;

static update take_update(subject *s, update_kind kind)
{
    unsigned form = take_byte(&s->in);
    update u = {.kind = kind, .a = take_keys(s, 512)};
    u.values = fuzz_alloc(u.a.n * sizeof *u.values);
    u.done = fuzz_alloc(u.a.n * sizeof *u.done);
    memset(u.done, 0, u.a.n * sizeof *u.done);
    u.value_words = maybe_words(s, u.a.n, kind != UPDATE_ERASE);
    for (size_t i = 0; i < u.a.n && u.value_words; i++) {
        u.values[i] = next_value(s);
        word_set(u.value_words, s->key_bits, i, u.values[i]);
    }
    u.outcomes = maybe_bytes(u.a.n, form % 4 != 1);
    u.olds = form / 4 % 4 == 2 && u.value_words ? u.value_words : maybe_words(s, u.a.n, form / 4 % 4 != 1);
    return u;
}

static void free_update(update *u)
{
    if (u->olds != u->value_words) free(u->olds);
    free(u->value_words);
    free(u->outcomes);
    free(u->values);
    free(u->done);
    free_keys(&u->a);
}

static pleach_outcome outcome_for(update_kind kind, const model_pair *present)
{
    if (kind == UPDATE_ERASE) return present ? PLEACH_ERASED : PLEACH_ABSENT;
    if (!present) return PLEACH_INSERTED;
    return kind == UPDATE_PUT ? PLEACH_REPLACED : PLEACH_EXISTS;
}

static void apply(subject *s, update_kind kind, uint64_t key, uint64_t value)
{
    if (kind == UPDATE_ERASE)
        model_remove(&s->model, key);
    else if (kind == UPDATE_PUT || !model_find(&s->model, key))
        model_set(&s->model, key, value);
}

/* What olds[i] is if the element reports no old value. */
static uint64_t old_untouched(const subject *s, const update *u, size_t i)
{
    return u->olds == u->value_words ? u->values[i] : untouched_word(s);
}

/* Whether the element can have come next. */
static bool explains(const subject *s, const update *u, size_t i)
{
    const model_pair *present = model_find(&s->model, u->a.keys[i]);
    if (u->outcomes[i] != outcome_for(u->kind, present)) return false;
    if (!u->olds) return true;
    return get_word(s, u->olds, i) == (present ? present->value : old_untouched(s, u, i));
}

/* Applies to the model what the outcomes say, in an order that makes them true. Answers how many were not applied. */
static size_t explain(subject *s, update *u)
{
    size_t left = 0, refused = 0;
    for (size_t i = 0; i < u->a.n; i++) {
        u->done[i] = u->outcomes[i] == PLEACH_NOT_APPLIED;
        refused += u->done[i];
        left += !u->done[i];
        if (u->done[i] && u->olds)
            CHECK(get_word(s, u->olds, i) == old_untouched(s, u, i), "element %zu was refused with an old value", i);
    }
    while (left > 0) {
        size_t before = left;
        for (size_t i = 0; i < u->a.n; i++) {
            if (u->done[i] || !explains(s, u, i)) continue;
            apply(s, u->kind, u->a.keys[i], u->values[i]);
            u->done[i] = true;
            left--;
        }
        CHECK(left < before, "no order of the elements explains the outcomes of %zu of %zu", left, u->a.n);
    }
    return refused;
}

/* Whether an element of the call that has this key wrote this value. */
static bool is_of_the_call(const update *u, uint64_t key, uint64_t value)
{
    for (size_t i = 0; i < u->a.n; i++)
        if (u->a.keys[i] == key && u->values[i] == value) return true;
    return false;
}

/* Without outcomes, or without old values: the map is asked which of the call's values it kept. Answers how many
 * elements were not applied. */
static size_t ask_what_happened(subject *s, const update *u)
{
    size_t refused = 0;
    for (size_t i = 0; i < u->a.n; i++) {
        uint64_t value = 0, key = u->a.keys[i];
        int found = -1;
        CHECK(pleach_map_find_one(s->map, key, &found, &value) == PLEACH_OK, "find after an update");
        const model_pair *present = model_find(&s->model, key);
        bool keeps = u->kind == UPDATE_ADD && present;
        CHECK(found || !present, "element %zu has lost its key", i);
        refused += !found;
        if (!found) continue;
        CHECK(keeps ? value == present->value : is_of_the_call(u, key, value), "the value of element %zu", i);
        model_set(&s->model, key, value);
    }
    return refused;
}

/* While a snapshot is live every update may need a node, and any may be refused. The map is asked what it holds under
 * the call's keys, and must have a reason. */
static void settle_beside_snapshots(subject *s, update *u, pleach_status status)
{
    size_t refused = u->outcomes ? explain(s, u) : 0;
    CHECK(status == PLEACH_OK || status == PLEACH_E_FULL, "an update answers %s", pleach_status_name(status));
    CHECK(status == PLEACH_OK || s->nodes > 0, "FULL without a limit");
    CHECK(!u->outcomes || (status == PLEACH_OK) == (refused == 0), "%zu refused", refused);
    if (u->kind == UPDATE_ERASE) s->only_grown = false;
    if (u->outcomes && u->olds) return;
    for (size_t i = 0; i < u->a.n; i++) {
        uint64_t value = 0, key = u->a.keys[i];
        int found = -1;
        CHECK(pleach_map_find_one(s->map, key, &found, &value) == PLEACH_OK, "find after an update");
        const model_pair *present = model_find(&s->model, key);
        bool stays = present && found == 1 && value == present->value;
        CHECK(stays || u->kind != UPDATE_ERASE || !found, "element %zu has another value", i);
        CHECK(stays || !found || u->kind == UPDATE_ERASE || is_of_the_call(u, key, value), "the value of element %zu",
              i);
        CHECK(found || !present || u->kind == UPDATE_ERASE, "element %zu has lost its key", i);
        if (found)
            model_set(&s->model, key, value);
        else
            model_remove(&s->model, key);
    }
}

/* A key that was refused is not there: nobody else in the call can have had room for it. */
static void check_refused_are_absent(const subject *s, const update *u)
{
    for (size_t i = 0; i < u->a.n; i++)
        if (u->outcomes[i] == PLEACH_NOT_APPLIED)
            CHECK(!model_find(&s->model, u->a.keys[i]), "element %zu was refused, and its key is there", i);
}

static void settle_erase(subject *s, update *u, pleach_status status)
{
    CHECK(status == PLEACH_OK, "erase answers %s", pleach_status_name(status));
    if (u->outcomes) CHECK(explain(s, u) == 0, "an erase was not applied");
    for (size_t i = 0; i < u->a.n; i++) model_remove(&s->model, u->a.keys[i]);
    if (u->a.n > 0) s->only_grown = false;
}

static void settle_insert(subject *s, update *u, pleach_status status)
{
    size_t refused = u->outcomes ? explain(s, u) : 0;
    if (u->outcomes) check_refused_are_absent(s, u);
    if (!u->outcomes || !u->olds) refused = ask_what_happened(s, u);
    CHECK(status == (refused ? PLEACH_E_FULL : PLEACH_OK), "%zu refused, but the call answers %s", refused,
          pleach_status_name(status));
    if (refused) check_full_is_justified(s, s->model.n + refused);
}

void update_array(subject *s, update_kind kind)
{
    update u = take_update(s, kind);
    size_t n = u.a.n;
    pleach_status status;
    if (kind == UPDATE_ERASE)
        status = pleach_map_erase(s->map, n, u.a.words, u.outcomes, u.olds, PLEACH_SYNC);
    else if (kind == UPDATE_PUT)
        status = pleach_map_put(s->map, n, u.a.words, u.value_words, u.outcomes, u.olds, PLEACH_SYNC);
    else
        status = pleach_map_add(s->map, n, u.a.words, u.value_words, u.outcomes, u.olds, PLEACH_SYNC);
    if (s->live > 0)
        settle_beside_snapshots(s, &u, status);
    else if (kind == UPDATE_ERASE)
        settle_erase(s, &u, status);
    else
        settle_insert(s, &u, status);
    free_update(&u);
}

/* ---- single calls ---- */

static pleach_status call_one(subject *s, update_kind kind, uint64_t key, uint64_t value, pleach_outcome *outcome,
                              uint64_t *old)
{
    if (kind == UPDATE_ERASE) return pleach_map_erase_one(s->map, key, outcome, old);
    if (kind == UPDATE_PUT) return pleach_map_put_one(s->map, key, value, outcome, old);
    return pleach_map_add_one(s->map, key, value, outcome, old);
}

static void settle_one(subject *s, update_kind kind, uint64_t key, uint64_t value, pleach_status status)
{
    if (status == PLEACH_E_FULL && s->live > 0) {
        CHECK(s->nodes > 0, "FULL without a limit");
        return;
    }
    if (status == PLEACH_E_FULL) {
        CHECK(kind != UPDATE_ERASE && !model_find(&s->model, key), "FULL, and no node was needed");
        check_full_is_justified(s, s->model.n + 1);
        return;
    }
    CHECK(status == PLEACH_OK, "a single update answers %s", pleach_status_name(status));
    apply(s, kind, key, value);
    if (kind == UPDATE_ERASE) s->only_grown = false;
}

void update_one(subject *s, update_kind kind)
{
    unsigned form = take_byte(&s->in);
    uint64_t key = take_key(s), value = kind == UPDATE_ERASE ? 0 : next_value(s), old = 77;
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    const model_pair *present = model_find(&s->model, key);
    uint64_t expected_old = present ? present->value : 77;
    pleach_outcome expected = outcome_for(kind, present);
    pleach_status status = call_one(s, kind, key, value, form & 1 ? NULL : &outcome, form & 2 ? NULL : &old);
    if (status == PLEACH_E_FULL) expected = PLEACH_NOT_APPLIED, expected_old = 77;
    if (!(form & 1)) CHECK(outcome == expected, "outcome %d instead of %d", (int)outcome, (int)expected);
    if (!(form & 2)) CHECK(old == expected_old, "old value of a single update");
    settle_one(s, kind, key, value, status);
}
