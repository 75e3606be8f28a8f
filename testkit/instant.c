#include "instant.h"

/* The place of the first pair at or above the key. */
static size_t place_of(instant now, uint64_t key)
{
    size_t at = 0;
    while (at < now.count && now.pairs[at].key < key) at++;
    return at;
}

/* A query for one pair: the one at this place, or none. */
static bool is_answer(instant now, bool found, size_t at, const history_op *op, bool with_key)
{
    if (!found) return op->outcome == HISTORY_NOT_FOUND;
    return op->outcome == HISTORY_FOUND && op->out_value == now.pairs[at].value &&
           (!with_key || op->out_key == now.pairs[at].key);
}

static bool answers_floor(instant now, const history_op *op)
{
    size_t above = place_of(now, op->key);
    if (above < now.count && now.pairs[above].key == op->key) above++;
    return is_answer(now, above > 0, above - 1, op, true);
}

static bool answers_range(instant now, const history_op *op, const history_pair *reported)
{
    size_t at = place_of(now, op->key);
    for (uint32_t i = 0; i < op->pair_count; i++, at++)
        if (at == now.count || reported[i].key != now.pairs[at].key || reported[i].value != now.pairs[at].value)
            return false;
    return op->limited || at == now.count || now.pairs[at].key > op->high;
}

static size_t count_between(instant now, uint64_t low, uint64_t high)
{
    size_t first = place_of(now, low), at = first;
    while (at < now.count && now.pairs[at].key <= high) at++;
    return at - first;
}

bool instant_answers(instant now, const history_op *op, const history_pair *reported)
{
    size_t at = place_of(now, op->key);
    switch (op->kind) {
    case HISTORY_FIND: return is_answer(now, at < now.count && now.pairs[at].key == op->key, at, op, false);
    case HISTORY_CEIL: return is_answer(now, at < now.count, at, op, true);
    case HISTORY_FLOOR: return answers_floor(now, op);
    case HISTORY_RANGE_ATOMIC: return answers_range(now, op, reported);
    case HISTORY_COUNT_ATOMIC: return op->out_value == count_between(now, op->key, op->high);
    default: return false;
    }
}
