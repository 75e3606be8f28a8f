#include "checker.h"

/* ---- form -------------------------------------------------------------------------------------------------------- */

static bool outcome_fits(const history_op *op)
{
    switch (op->kind) {
    case HISTORY_PUT: return op->outcome == HISTORY_INSERTED || op->outcome == HISTORY_REPLACED;
    case HISTORY_ADD: return op->outcome == HISTORY_INSERTED || op->outcome == HISTORY_EXISTS;
    case HISTORY_ERASE: return op->outcome == HISTORY_ERASED || op->outcome == HISTORY_ABSENT;
    case HISTORY_FIND:
    case HISTORY_CEIL:
    case HISTORY_FLOOR: return op->outcome == HISTORY_FOUND || op->outcome == HISTORY_NOT_FOUND;
    default: return op->kind <= HISTORY_COUNT_ATOMIC;
    }
}

static const char *range_fault(const history_op *op, const history_pair *pairs)
{
    for (uint32_t i = 0; i < op->pair_count; i++) {
        if (pairs[i].key < op->key || pairs[i].key > op->high)
            return "a range reports a key outside of its interval";
        if (i > 0 && pairs[i].key == pairs[i - 1].key)
            return "a range reports a key twice";
        if (i > 0 && pairs[i].key < pairs[i - 1].key)
            return "a range does not report its keys in ascending order";
    }
    return NULL;
}

static const char *form_fault(const history *h, const history_op *op)
{
    if (op->returned < op->invoked)
        return "an operation returns before it is invoked";
    if (is_ignored(op) || op->returned == HISTORY_PENDING)
        return NULL;
    if (!outcome_fits(op))
        return "no map answers such an operation so";
    if (op->kind == HISTORY_RANGE || op->kind == HISTORY_RANGE_ATOMIC)
        return range_fault(op, op->pair_count ? h->pairs + op->pairs : NULL);
    if (op->kind == HISTORY_CEIL && op->outcome == HISTORY_FOUND && op->out_key < op->key)
        return "a ceil answers a key below the one that was asked for";
    if (op->kind == HISTORY_FLOOR && op->outcome == HISTORY_FOUND && op->out_key > op->key)
        return "a floor answers a key above the one that was asked for";
    return NULL;
}

static bool has_form_fault(history_checker *c)
{
    const history *h = c->h;
    for (size_t i = 0; i < h->count && !c->fault_text; i++) {
        c->fault_text = form_fault(h, &h->ops[i]);
        c->fault_op = (uint32_t)i;
    }
    for (size_t i = 1; h->final && i < h->final_count && !c->fault_text; i++)
        if (h->final[i].key <= h->final[i - 1].key) {
            c->fault_text = "the final contents are not in ascending order of keys";
            c->fault_op = NONE;
        }
    return c->fault_text;
}

/* ---- numbers for keys and values --------------------------------------------------------------------------------- */

static bool group_of(history_checker *c, uint64_t key, uint32_t *which)
{
    *which = number_for(&c->group_numbers, key);
    if (*which < c->groups.count)
        return true;
    return *which != NONE && LIST_PUSH(c->groups, ((group){.key = key}));
}

static bool state_of(history_checker *c, uint64_t value, uint32_t *state)
{
    uint32_t number = number_for(&c->value_numbers, value);
    *state = number + 1;
    if (number < c->values.count)
        return true;
    return number != NONE && LIST_PUSH(c->values, value);
}

static bool gather_contents(history_checker *c)
{
    const history *h = c->h;
    uint32_t which, state;
    for (size_t i = 0; i < h->initial_count; i++) {
        if (!group_of(c, h->initial[i].key, &which) || !state_of(c, h->initial[i].value, &state))
            return false;
        c->groups.at[which].initial = state;
    }
    for (size_t i = 0; h->final && i < h->final_count; i++) {
        if (!group_of(c, h->final[i].key, &which) || !state_of(c, h->final[i].value, &state))
            return false;
        c->groups.at[which].final = state;
    }
    return true;
}

/* ---- point operations -------------------------------------------------------------------------------------------- */

static bool tells_a_value(const history_op *op)
{
    return op->outcome == HISTORY_REPLACED || op->outcome == HISTORY_EXISTS || op->outcome == HISTORY_ERASED ||
           op->outcome == HISTORY_FOUND;
}

static void describe_pending(const history_op *op, uint32_t given, item *it)
{
    it->effect = op->kind == HISTORY_PUT   ? EFFECT_PENDING_PUT
                 : op->kind == HISTORY_ADD ? EFFECT_PENDING_ADD
                                           : EFFECT_PENDING_ERASE;
    it->after = op->kind == HISTORY_ERASE ? ABSENT : given;
}

static void describe_completed(const history_op *op, uint32_t given, uint32_t told, item *it)
{
    it->before = told;
    if (op->outcome == HISTORY_INSERTED || op->outcome == HISTORY_REPLACED)
        it->after = given;
    else
        it->after = op->outcome == HISTORY_ERASED ? ABSENT : told;
    it->effect = it->before == it->after ? EFFECT_READ : EFFECT_CHANGE;
}

static bool gather_point(history_checker *c, uint32_t place)
{
    const history_op *op = &c->h->ops[place];
    item it = {.op = place};
    uint32_t given = ABSENT, told = ABSENT;
    if (!group_of(c, op->key, &it.group))
        return false;
    if ((op->kind == HISTORY_PUT || op->kind == HISTORY_ADD) && !state_of(c, op->value, &given))
        return false;
    if (op->returned == HISTORY_PENDING)
        describe_pending(op, given, &it);
    else if (tells_a_value(op) && !state_of(c, op->out_value, &told))
        return false;
    else
        describe_completed(op, given, told, &it);
    if (it.effect != EFFECT_READ)
        c->groups.at[it.group].updated = true;
    return LIST_PUSH(c->items, it);
}

/* ---- operations that speak of many keys -------------------------------------------------------------------------- */

/* Keys that a span names belong to the map's keys, too. */
static bool gather_named_keys(history_checker *c, const history_op *op)
{
    uint32_t which;
    if (op->kind == HISTORY_CEIL || op->kind == HISTORY_FLOOR)
        return op->outcome != HISTORY_FOUND || group_of(c, op->out_key, &which);
    if (op->kind == HISTORY_COUNT_ATOMIC)
        return true;
    for (uint32_t i = 0; i < op->pair_count; i++)
        if (!group_of(c, c->h->pairs[op->pairs + i].key, &which))
            return false;
    return true;
}

static bool order_places(history_checker *c)
{
    if (!LIST_ROOM(c->places, c->groups.count))
        return false;
    c->places.count = c->groups.count;
    for (uint32_t i = 0; i < c->groups.count; i++)
        c->places.at[i] = (event){c->groups.at[i].key, i, 0};
    if (!sort_events(&c->scratch, c->places.at, c->places.count))
        return false;
    for (uint32_t i = 0; i < c->places.count; i++)
        c->groups.at[c->places.at[i].item].place = i;
    return true;
}

/* The first place whose key is not below `key`. */
static uint32_t place_at_or_above(const history_checker *c, uint64_t key)
{
    uint32_t low = 0, high = (uint32_t)c->places.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->places.at[middle].stamp < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t place_above(const history_checker *c, uint64_t key)
{
    return key == UINT64_MAX ? (uint32_t)c->places.count : place_at_or_above(c, key + 1);
}

/* The places of which the operation says something: [*low, *high). */
static void span_of(const history_checker *c, const history_op *op, uint32_t *low, uint32_t *high)
{
    bool found = op->outcome == HISTORY_FOUND;
    *low = place_at_or_above(c, op->key);
    switch (op->kind) {
    case HISTORY_CEIL:
        *high = found ? place_above(c, op->out_key) : (uint32_t)c->places.count;
        break;
    case HISTORY_FLOOR:
        *low = found ? place_at_or_above(c, op->out_key) : 0;
        *high = place_above(c, op->key);
        break;
    default:
        *high = place_above(c, op->high);
        if (op->kind != HISTORY_COUNT_ATOMIC && op->limited)
            *high = op->pair_count ? place_above(c, c->h->pairs[op->pairs + op->pair_count - 1].key) : *low;
    }
    if (*high < *low)
        *high = *low; /* an empty interval */
}

/* What the operation says of the keys at [low, high), appended to `expected`. */
static bool expect_states(history_checker *c, const history_op *op, uint32_t low, uint32_t high)
{
    history_pair answer = {op->out_key, op->out_value};
    const history_pair *pairs = &answer;
    uint32_t count = op->outcome == HISTORY_FOUND, next = 0, state;
    if (op->kind == HISTORY_RANGE || op->kind == HISTORY_RANGE_ATOMIC) {
        count = op->pair_count;
        pairs = count ? c->h->pairs + op->pairs : NULL;
    }
    for (uint32_t i = low; i < high; i++) {
        state = ABSENT;
        if (next < count && pairs[next].key == c->places.at[i].stamp && !state_of(c, pairs[next++].value, &state))
            return false;
        if (!LIST_PUSH(c->expected, state))
            return false;
    }
    return true;
}

/* One find per key of the span. For a span at one instant this is what follows for each key by itself: it holds less,
 * but finds most faults, and finds them at a key. */
static bool gather_finds(history_checker *c, uint32_t place, const item *span)
{
    for (uint32_t i = 0; i < span->length; i++) {
        uint32_t state = c->expected.at[span->expected + i];
        item it = {.op = place, .group = c->places.at[span->place + i].item, .before = state, .after = state,
                   .effect = EFFECT_READ, .implied = c->h->ops[place].kind != HISTORY_RANGE};
        if (!LIST_PUSH(c->items, it))
            return false;
    }
    return true;
}

static bool gather_span(history_checker *c, uint32_t place)
{
    const history_op *op = &c->h->ops[place];
    uint32_t low, high;
    span_of(c, op, &low, &high);
    item it = {.op = place, .group = NONE, .place = low, .length = high - low, .effect = EFFECT_COUNT};
    it.before = op->out_value < NONE ? (uint32_t)op->out_value : NONE;
    if (op->kind == HISTORY_COUNT_ATOMIC)
        return LIST_PUSH(c->items, it);
    it.effect = EFFECT_SLICE;
    it.expected = (uint32_t)c->expected.count;
    if (!expect_states(c, op, low, high) || !gather_finds(c, place, &it))
        return false;
    return op->kind == HISTORY_RANGE || LIST_PUSH(c->items, it);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static bool gather_ops(history_checker *c)
{
    for (uint32_t i = 0; i < c->h->count; i++) {
        const history_op *op = &c->h->ops[i];
        if (is_ignored(op))
            continue;
        if (is_span(op)) {
            c->has_spans = true;
            c->has_many |= op->kind != HISTORY_RANGE;
        }
        if (is_span(op) ? !gather_named_keys(c, op) : !gather_point(c, i))
            return false;
    }
    if (!c->has_spans && !c->s.collecting)
        return true;
    if (!order_places(c))
        return false;
    for (uint32_t i = 0; i < c->h->count; i++)
        if (is_span(&c->h->ops[i]) && !is_ignored(&c->h->ops[i]) && !gather_span(c, i))
            return false;
    return true;
}

static bool gather_final(history_checker *c)
{
    for (uint32_t i = 0; c->h->final && i < c->groups.count; i++) {
        uint32_t state = c->groups.at[i].final;
        item it = {.op = NONE, .group = i, .before = state, .after = state, .effect = EFFECT_READ};
        if (!LIST_PUSH(c->items, it))
            return false;
    }
    return true;
}

static bool forget(history_checker *c, const history *h)
{
    c->h = h;
    c->items.count = c->groups.count = c->expected.count = c->values.count = 0;
    c->has_spans = c->has_many = false;
    c->fault = FAULT_NONE;
    c->fault_text = NULL;
    number_table_clear(&c->group_numbers);
    number_table_clear(&c->value_numbers);
    return h->count < NONE / 4; /* places are 32-bit numbers */
}

history_verdict gather_history(history_checker *c, const history *h)
{
    if (!forget(c, h))
        return HISTORY_UNDECIDED;
    if (has_form_fault(c)) {
        c->fault = FAULT_FORM;
        return HISTORY_BAD;
    }
    bool gathered = gather_contents(c) && gather_ops(c) && gather_final(c) && c->items.count < NONE / 4;
    return gathered ? HISTORY_GOOD : HISTORY_UNDECIDED;
}
