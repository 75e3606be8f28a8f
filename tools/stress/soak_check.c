/* soak_check.c - what a hand was told in a turn, call by call in the order of its making, against the oracle. */
#include <inttypes.h>

#include "soak.h"
#include "tools/common/words.h"

enum { AHEAD = 24 };  /* elements whose cells are fetched from memory beforehand */
enum { WINDOW = 64 }; /* cells that are looked at for a neighbour that was passed over */

struct checking {
    struct soak *soak;
    struct soak_hand *hand;
    const struct soak_call *call;
    unsigned bits;
};

static bool is_own(const struct checking *x, size_t cell) { return soak_owner(x->soak, cell) == x->hand->index; }
static size_t cell_at(const struct checking *x, size_t i) { return x->hand->cells[x->call->first + i]; }
static uint8_t byte_at(const struct checking *x, size_t i) { return x->hand->here.bytes[x->call->first + i]; }

static uint64_t out_key_at(const struct checking *x, size_t i)
{
    return word_get(x->hand->here.out_a, x->bits, x->call->first_out + i);
}

static uint64_t out_value_at(const struct checking *x, size_t i)
{
    return word_get(x->hand->here.out_b, x->bits, x->call->first_out + i);
}

static const char *style_name(enum soak_style style)
{
    static const char *const names[] = {"single call", "array in host memory", "array"};
    return names[style];
}

static void complain(const struct checking *x, size_t i, const char *right, uint64_t right_value)
{
    const struct soak *soak = x->soak;
    const size_t cell = cell_at(x, i);
    soak_wrong(x->soak, x->hand->index,
               "thread %u, call %zu of its turn (%s of %zu, %s), element %zu, key %" PRIu64 " (cell %zu): answered %u, "
               "%" PRIu64 ":%" PRIu64 ", count %" PRIu64 "/%" PRIu32 "; right is %s %" PRIu64,
               x->hand->index, (size_t)(x->call - x->hand->calls), call_kind_name(x->call->kind), x->call->n,
               style_name(x->hand->style), i, soak_key(&soak->keys, cell), cell, byte_at(x, i), out_key_at(x, i),
               out_value_at(x, i), x->hand->here.counts[x->call->first + i],
               x->hand->here.short_counts[x->call->first + i], right, right_value);
}

static void fetch_ahead(const struct checking *x, size_t i)
{
    if (i + AHEAD >= x->call->n) return;
    const size_t cell = cell_at(x, i + AHEAD);
    __builtin_prefetch(&x->soak->oracle.present[cell], 1);
    __builtin_prefetch(&x->soak->oracle.values[cell], 1);
}

/* ---- updates and finds: the hand's own cells, known exactly ---- */

pleach_outcome soak_expected_outcome(struct oracle *oracle, enum call_kind kind, size_t cell, uint64_t value,
                                     uint64_t *old_value)
{
    switch (kind) {
    case CALL_PUT: return oracle_put(oracle, cell, value, old_value);
    case CALL_ADD: return oracle_add(oracle, cell, value, old_value);
    case CALL_ERASE: return oracle_erase(oracle, cell, old_value);
    case CALL_FIND:
    case CALL_CONTAINS:
    case CALL_SUCC:
    case CALL_PRED:
    case CALL_COUNT:
    case CALL_RANGE_LIMIT:
    case CALL_RANGE:
    case CALL_KINDS: break; /* no updates */
    }
    return PLEACH_NOT_APPLIED;
}

static const char *outcome_name(pleach_outcome outcome)
{
    static const char *const names[] = {"not applied", "inserted", "replaced", "exists", "erased", "absent"};
    return names[outcome];
}

static void check_update(const struct checking *x, size_t i)
{
    uint64_t old = 0;
    const uint64_t value = word_get(x->hand->here.b, x->bits, x->call->first + i);
    const pleach_outcome right = soak_expected_outcome(&x->soak->oracle, x->call->kind, cell_at(x, i), value, &old);
    const bool has_old = right == PLEACH_REPLACED || right == PLEACH_EXISTS || right == PLEACH_ERASED;
    if (byte_at(x, i) != right || (has_old && out_value_at(x, i) != old)) complain(x, i, outcome_name(right), old);
}

static void check_find(const struct checking *x, size_t i)
{
    uint64_t value = 0;
    const bool right = oracle_find(&x->soak->oracle, cell_at(x, i), &value);
    const bool has_value = right && x->call->kind == CALL_FIND;
    if (byte_at(x, i) != right || (has_value && out_value_at(x, i) != value))
        complain(x, i, right ? "found" : "not found", value);
}

/* ---- neighbours and intervals: exact about own cells, careful about the others' ---- */

size_t soak_check_owner(const struct soak *soak, uint64_t key, uint64_t value)
{
    const size_t cell = soak_cell(&soak->keys, key);
    if (cell == SOAK_NO_CELL || soak_writer(soak->bits, key, value) != soak_owner(soak, cell)) return SOAK_NO_CELL;
    return cell;
}

/* The cell of a pair that may have been reported: for an own cell it must be what the oracle has. */
static size_t check_pair(const struct checking *x, uint64_t key, uint64_t value)
{
    uint64_t right;
    const size_t cell = soak_check_owner(x->soak, key, value);
    if (cell == SOAK_NO_CELL || !is_own(x, cell)) return cell;
    return oracle_find(&x->soak->oracle, cell, &right) && right == value ? cell : SOAK_NO_CELL;
}

static size_t own_present(const struct checking *x, size_t from, size_t end)
{
    size_t count = 0;
    for (size_t cell = from; cell < end; cell++) count += is_own(x, cell) && x->soak->oracle.present[cell];
    return count;
}

/* Whether the answer may be the present cell that is nearest to start, start included, in this direction: there is no
 * own present cell before it. Below cell 0 is SIZE_MAX, which is 0 - 1. */
static bool right_neighbour(const struct checking *x, size_t start, bool up, bool found, uint64_t key, uint64_t value)
{
    size_t cell = up ? x->soak->keys.cells : SIZE_MAX;
    if (found) {
        cell = check_pair(x, key, value);
        if (cell == SOAK_NO_CELL || (up ? cell < start : cell + 1 > start + 1)) return false;
    }
    size_t from = up ? start : cell + 1, end = up ? cell : start + 1;
    if (end - from > WINDOW && up) end = from + WINDOW;
    if (end - from > WINDOW && !up) from = end - WINDOW;
    return own_present(x, from, end) == 0;
}

static void check_neighbour(const struct checking *x, size_t i)
{
    const bool up = x->call->kind == CALL_SUCC;
    const size_t start = cell_at(x, i) + (up ? 1 : SIZE_MAX);
    const uint8_t found = byte_at(x, i);
    if (found > 1 || !right_neighbour(x, start, up, found == 1, out_key_at(x, i), out_value_at(x, i)))
        complain(x, i, "the nearest key; presence of the cell beside it is",
                 start < x->soak->keys.cells && is_own(x, start) && x->soak->oracle.present[start]);
}

static size_t last_cell(const struct checking *x, size_t i)
{
    return soak_cell(&x->soak->keys, word_get(x->hand->here.b, x->bits, x->call->first + i));
}

static void check_count(const struct checking *x, size_t i)
{
    const size_t first = cell_at(x, i), end = last_cell(x, i) + 1;
    const size_t least = own_present(x, first, end);
    size_t most = least;
    for (size_t cell = first; cell < end; cell++) most += !is_own(x, cell);
    const uint64_t count = x->hand->here.counts[x->call->first + i];
    if (count < least || count > most) complain(x, i, "at least", least);
}

/* Where the pairs of one range are, counted from the call's first; false if that cannot be. */
static bool locate_pairs(const struct checking *x, size_t i, size_t *from, size_t *count)
{
    const uint64_t *counts = &x->hand->here.counts[x->call->first + i];
    if (x->call->kind == CALL_RANGE_LIMIT) {
        *from = i * CALL_LIMIT;
        *count = x->hand->here.short_counts[x->call->first + i];
        return *count <= CALL_LIMIT;
    }
    const bool single = x->hand->style == SOAK_SINGLE;
    *from = single ? i * SOAK_SPAN : counts[0];
    *count = single ? counts[0] : counts[1] - counts[0];
    return *count <= SOAK_SPAN && *from <= x->call->n * SOAK_SPAN - *count;
}

/* Ascending pairs of the interval, with all of the hand's own present cells among them. */
static bool right_pairs(const struct checking *x, size_t i, size_t from, size_t count)
{
    const size_t end = last_cell(x, i) + 1;
    size_t next = cell_at(x, i); /* the first cell that may come */
    for (size_t k = 0; k < count; k++) {
        const size_t cell = check_pair(x, out_key_at(x, from + k), out_value_at(x, from + k));
        if (cell == SOAK_NO_CELL || cell < next || cell >= end || own_present(x, next, cell) > 0) return false;
        next = cell + 1;
    }
    const bool cut = x->call->kind == CALL_RANGE_LIMIT && count == CALL_LIMIT;
    return cut || own_present(x, next, end) == 0;
}

static void check_range(const struct checking *x, size_t i)
{
    size_t from, count;
    if (locate_pairs(x, i, &from, &count) && right_pairs(x, i, from, count)) return;
    complain(x, i, "a range with this many own keys:", own_present(x, cell_at(x, i), last_cell(x, i) + 1));
}

/* ---- the turn ---- */

static void check_call(const struct checking *x)
{
    static void (*const checks[CALL_KINDS])(const struct checking *x, size_t i) = {
        [CALL_PUT] = check_update,     [CALL_ADD] = check_update,   [CALL_ERASE] = check_update,
        [CALL_FIND] = check_find,      [CALL_CONTAINS] = check_find, [CALL_SUCC] = check_neighbour,
        [CALL_PRED] = check_neighbour, [CALL_COUNT] = check_count,  [CALL_RANGE_LIMIT] = check_range,
        [CALL_RANGE] = check_range,
    };
    if (!soak_good(x->soak, x->hand->index, call_kind_name(x->call->kind), x->call->status)) return;
    for (size_t i = 0; i < x->call->n; i++) {
        fetch_ahead(x, i);
        checks[x->call->kind](x, i);
    }
    soak_count(x->hand, x->call->n, x->call->n);
}

/* Min and max came after all calls of the hand. */
static void check_ends(const struct checking *x)
{
    const struct call_answer *least = &x->hand->least, *most = &x->hand->most;
    if (!soak_good(x->soak, x->hand->index, "min", least->status) ||
        !soak_good(x->soak, x->hand->index, "max", most->status))
        return;
    if (!right_neighbour(x, 0, true, least->what == 1, least->key, least->value))
        soak_wrong(x->soak, x->hand->index, "min answered %" PRIu64 ", %" PRIu64 ":%" PRIu64, least->what, least->key,
                   least->value);
    if (!right_neighbour(x, x->soak->keys.cells - 1, false, most->what == 1, most->key, most->value))
        soak_wrong(x->soak, x->hand->index, "max answered %" PRIu64 ", %" PRIu64 ":%" PRIu64, most->what, most->key,
                   most->value);
    soak_count(x->hand, 2, 2);
}

void soak_check(void *context, unsigned index)
{
    struct soak *soak = context;
    struct checking x = {.soak = soak, .hand = &soak->hands[index], .bits = soak->bits};
    for (size_t i = 0; i < x.hand->call_count; i++) {
        x.call = &x.hand->calls[i];
        check_call(&x);
    }
    if (x.hand->style == SOAK_SINGLE) check_ends(&x);
}
