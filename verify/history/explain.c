/* explain.c - makes a bad history small, so that a person can see what is wrong.
 *
 * Every step keeps the part bad, and is sound: if the part has no explanation, then the history has none. Dropping an
 * update is not sound by itself, since others may have seen what it did. What is:
 *
 *   one key        locality: a history is linearizable only if what it says of each key is.
 *   a prefix       in order of responses, with the operations that were open at the cut as pending ones. Cut a good
 *                  order behind the last operation of the prefix: what is before the cut was invoked in time.
 *   a suffix       from an instant at which only pending operations were open, if it stays bad from every state that
 *                  the map may have had there, with all pending operations still to come.
 *   without reads  an operation that changed nothing can be taken out of a good order.
 *   without a pending put or add of a value that no answer tells. Only another pending update can follow it in a good
 *                  order, and that one needs no value to be there, so the put can be taken out.
 *   some keys      those of which operations on many keys say something: the rest of a good order is still good.
 */
#include "explain.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "checker.h"

enum {
    CONTEXT = 6,       /* operations that are kept before the fault even where fewer would do */
    MOST_SECONDS = 10, /* of making it smaller */
    BUDGET = 100000    /* of one of many searches: better a part that is not the smallest than a long wait */
};

typedef struct block {
    struct block *next;
    history_pair pairs[];
} block;

typedef struct explainer {
    history_checker *c;
    const history *h;
    part now, other; /* what is known to be bad, and what may become of it; each with room for all operations */
    block *blocks;   /* contents, freed at the end */
    clock_t give_up_at;
} explainer;

static history_pair *take_pairs(explainer *e, size_t count)
{
    block *b = malloc(sizeof *b + count * sizeof *b->pairs);
    if (!b)
        return NULL;
    b->next = e->blocks;
    e->blocks = b;
    return b->pairs;
}

/* ---- is it still bad? -------------------------------------------------------------------------------------------- */

static history history_of(const explainer *e, const part *p, size_t start)
{
    return (history){.initial = p->start[start].pairs, .initial_count = p->start[start].count, .ops = p->ops,
                     .count = p->count, .pairs = e->h->pairs, .final = p->with_final ? p->final.pairs : NULL,
                     .final_count = p->final.count};
}

/* From every start. When time is over: no, so that nothing more is dropped. */
static bool is_bad(explainer *e, const part *p)
{
    for (size_t i = 0; i < p->starts; i++) {
        history h = history_of(e, p, i);
        if (clock() > e->give_up_at || history_check(e->c, &h) != HISTORY_BAD)
            return false;
    }
    return true;
}

/* Begins e->other: as e->now, but without operations. */
static part *begin_other(explainer *e)
{
    part kept = e->other;
    e->other = e->now;
    e->other.ops = kept.ops;
    e->other.sources = kept.sources;
    e->other.count = 0;
    return &e->other;
}

static void add_op(part *p, const history_op *op, uint32_t source)
{
    p->ops[p->count] = *op;
    p->sources[p->count++] = source;
}

/* e->other becomes e->now if it is bad. */
static bool accept_other(explainer *e)
{
    if (!is_bad(e, &e->other))
        return false;
    part kept = e->now;
    e->now = e->other;
    e->other = kept;
    return true;
}

/* ---- a prefix ---------------------------------------------------------------------------------------------------- */

static int by_stamp(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The stamps of all responses, ascending. NULL: no memory. */
static uint64_t *responses(const part *p, size_t *count)
{
    uint64_t *stamps = calloc(p->count + 1, sizeof *stamps);
    *count = 0;
    for (size_t i = 0; stamps && i < p->count; i++)
        if (p->ops[i].returned != HISTORY_PENDING)
            stamps[(*count)++] = p->ops[i].returned;
    if (stamps)
        qsort(stamps, *count, sizeof *stamps, by_stamp);
    return stamps;
}

static void prefix_until(explainer *e, uint64_t cut)
{
    part *other = begin_other(e);
    other->with_final = false;
    for (size_t i = 0; i < e->now.count; i++) {
        history_op op = e->now.ops[i];
        if (op.returned > cut)
            op.returned = HISTORY_PENDING;
        if (op.invoked <= cut && !is_ignored(&op))
            add_op(other, &op, e->now.sources[i]);
    }
}

/* If a prefix is bad then so is each longer one, so the shortest is found by halving. */
static void cut_end(explainer *e)
{
    size_t low = 0, high;
    uint64_t *stamps = responses(&e->now, &high);
    while (stamps && low < high) {
        size_t middle = low + (high - low) / 2;
        prefix_until(e, stamps[middle]);
        if (accept_other(e))
            high = middle;
        else
            low = middle + 1;
    }
    free(stamps);
}

/* ---- a suffix ---------------------------------------------------------------------------------------------------- */

/* The last place among the operations before which all that was invoked had returned, or is pending, with CONTEXT
 * operations after it; 0: none. */
static size_t quiet_place(const part *p)
{
    size_t place = 0;
    uint64_t last_response = 0;
    bool any = false;
    for (size_t i = 0; i + CONTEXT <= p->count; i++) {
        if (any && last_response < p->ops[i].invoked)
            place = i;
        if (p->ops[i].returned == HISTORY_PENDING)
            continue;
        any = true;
        if (p->ops[i].returned > last_response)
            last_response = p->ops[i].returned;
    }
    return place;
}

static bool same_contents(const contents *a, const contents *b)
{
    return a->count == b->count && (a->count == 0 || !memcmp(a->pairs, b->pairs, a->count * sizeof *a->pairs));
}

static bool add_start(part *p, contents what)
{
    for (size_t i = 0; i < p->starts; i++)
        if (same_contents(&p->start[i], &what))
            return true;
    if (p->starts == MOST_STATES)
        return false;
    p->start[p->starts++] = what;
    return true;
}

/* What the map may hold after the first `count` operations: the starts of e->other. False: too much, or no memory. */
static bool start_after(explainer *e, size_t count)
{
    e->other.starts = 0;
    for (size_t i = 0; i < e->now.starts; i++) {
        history h = history_of(e, &e->now, i);
        h.count = count;
        h.final = NULL;
        if (!collect_states(e->c, &h, !e->now.one_key) || e->c->s.collected.count > MOST_STATES)
            return false;
        for (size_t k = 0; k < e->c->s.collected.count; k++) {
            contents what = {take_pairs(e, e->c->groups.count), 0};
            if (!what.pairs)
                return false;
            what.count = collected_pairs(e->c, !e->now.one_key, e->c->s.collected.at[k], what.pairs);
            if (!add_start(&e->other, what))
                return false;
        }
    }
    return true;
}

static void cut_beginning(explainer *e)
{
    size_t place = quiet_place(&e->now);
    if (place == 0)
        return;
    part *other = begin_other(e);
    for (size_t i = 0; i < e->now.count; i++)
        if (i >= place || e->now.ops[i].returned == HISTORY_PENDING)
            add_op(other, &e->now.ops[i], e->now.sources[i]);
    if (start_after(e, place))
        accept_other(e);
}

/* ---- without what only looks, and without what nobody saw -------------------------------------------------------- */

static bool is_completed_read(const history_op *op)
{
    return op->returned != HISTORY_PENDING && changes_nothing(op);
}

/* Without the reads at places [from, to); answers whether there were any and the rest is bad. */
static bool drop_reads_between(explainer *e, size_t from, size_t to)
{
    part *other = begin_other(e);
    for (size_t i = 0; i < e->now.count; i++)
        if (i < from || i >= to || !is_completed_read(&e->now.ops[i]))
            add_op(other, &e->now.ops[i], e->now.sources[i]);
    return other->count < e->now.count && accept_other(e);
}

/* Many at a time while that works, then one by one. */
static void drop_reads(explainer *e)
{
    for (size_t many = e->now.count; many > 0; many /= 2)
        for (size_t from = 0; from < e->now.count;)
            if (!drop_reads_between(e, from, from + many))
                from += many;
}

static bool tells(const history_op *op, uint64_t value)
{
    bool tells_a_value = op->outcome == HISTORY_REPLACED || op->outcome == HISTORY_EXISTS ||
                         op->outcome == HISTORY_ERASED || op->outcome == HISTORY_FOUND;
    return op->returned != HISTORY_PENDING && tells_a_value && op->out_value == value;
}

static bool is_told(const part *p, uint64_t value)
{
    for (size_t i = 0; i < p->count; i++)
        if (tells(&p->ops[i], value))
            return true;
    return p->with_final && p->final.count && p->final.pairs[0].value == value;
}

/* Of one key only: many keys at one instant may tell that a key is there without telling its value. */
static void drop_unseen_pending(explainer *e)
{
    part *other = begin_other(e);
    for (size_t i = 0; i < e->now.count; i++) {
        const history_op *op = &e->now.ops[i];
        if (op->returned != HISTORY_PENDING || op->kind == HISTORY_ERASE || is_told(&e->now, op->value))
            add_op(other, op, e->now.sources[i]);
    }
    accept_other(e);
}

/* ---- some keys --------------------------------------------------------------------------------------------------- */

bool told_interval(const history *h, const history_op *op, uint64_t *low, uint64_t *high)
{
    bool found = op->outcome == HISTORY_FOUND;
    *low = op->kind == HISTORY_FLOOR ? (found ? op->out_key : 0) : op->key;
    if (op->kind == HISTORY_CEIL)
        *high = found ? op->out_key : UINT64_MAX;
    else
        *high = op->kind == HISTORY_FLOOR ? op->key : op->high;
    if (op->kind != HISTORY_RANGE && op->kind != HISTORY_RANGE_ATOMIC)
        return true;
    if (op->limited && op->pair_count)
        *high = h->pairs[op->pairs + op->pair_count - 1].key;
    return !op->limited || op->pair_count;
}

static bool is_spanned(const explainer *e, uint64_t key)
{
    uint64_t low, high;
    for (size_t i = 0; i < e->now.count; i++)
        if (is_span(&e->now.ops[i]) && told_interval(e->h, &e->now.ops[i], &low, &high) && key >= low && key <= high)
            return true;
    return false;
}

/* NULL in the answer: no memory. */
static contents spanned_contents(explainer *e, contents all)
{
    contents some = {take_pairs(e, all.count), 0};
    for (size_t i = 0; some.pairs && i < all.count; i++)
        if (is_spanned(e, all.pairs[i].key))
            some.pairs[some.count++] = all.pairs[i];
    return some;
}

static void drop_other_keys(explainer *e)
{
    part *other = begin_other(e);
    for (size_t i = 0; i < e->now.count; i++)
        if (is_span(&e->now.ops[i]) || is_spanned(e, e->now.ops[i].key))
            add_op(other, &e->now.ops[i], e->now.sources[i]);
    other->final = spanned_contents(e, e->now.final);
    bool complete = other->final.pairs;
    for (size_t i = 0; i < other->starts; i++) {
        other->start[i] = spanned_contents(e, e->now.start[i]);
        complete &= other->start[i].pairs != NULL;
    }
    if (complete)
        accept_other(e);
}

/* ---- the part to begin with -------------------------------------------------------------------------------------- */

static const history_pair *reported(const history *h, const history_op *op, uint64_t key)
{
    for (uint32_t i = 0; i < op->pair_count; i++)
        if (h->pairs[op->pairs + i].key == key)
            return &h->pairs[op->pairs + i];
    return NULL;
}

/* What an operation on many keys says of one key, as a find; false: nothing. */
static bool as_find(const history *h, const history_op *op, uint64_t key, history_op *find)
{
    history_pair answer = {op->out_key, op->out_value};
    const history_pair *pair = NULL;
    uint64_t low, high;
    if (op->kind == HISTORY_COUNT_ATOMIC || !told_interval(h, op, &low, &high) || key < low || key > high)
        return false;
    if (op->kind == HISTORY_RANGE || op->kind == HISTORY_RANGE_ATOMIC)
        pair = reported(h, op, key);
    else if (op->outcome == HISTORY_FOUND && op->out_key == key)
        pair = &answer;
    *find = (history_op){.invoked = op->invoked, .returned = op->returned, .key = key, .agent = op->agent,
                         .kind = HISTORY_FIND, .outcome = pair ? HISTORY_FOUND : HISTORY_NOT_FOUND,
                         .out_value = pair ? pair->value : 0};
    return true;
}

static bool select_op(const history *h, const part *p, const history_op *op, history_op *selected)
{
    *selected = *op;
    if (is_ignored(op))
        return false;
    if (p->one_key && is_span(op))
        return as_find(h, op, p->key, selected);
    return !p->one_key || op->key == p->key;
}

/* The operations of e->now from those of the history, by way of the places in e->other, in order of invocation. */
static bool select_ops(explainer *e)
{
    event_list order = {0}, scratch = {0};
    history_op selected;
    bool complete = LIST_ROOM(order, e->h->count);
    for (size_t i = 0; complete && i < e->h->count; i++)
        order.at[i] = (event){e->h->ops[i].invoked, (uint32_t)i, 0};
    complete = complete && sort_events(&scratch, order.at, e->h->count);
    for (size_t i = 0; complete && i < e->h->count; i++)
        if (select_op(e->h, &e->now, &e->h->ops[order.at[i].item], &selected))
            add_op(&e->now, &selected, order.at[i].item);
    free(order.at);
    free(scratch.at);
    return complete;
}

static contents select_contents(explainer *e, const history_pair *pairs, size_t count)
{
    contents some = {take_pairs(e, count), 0};
    for (size_t i = 0; some.pairs && i < count; i++)
        if (!e->now.one_key || pairs[i].key == e->now.key)
            some.pairs[some.count++] = pairs[i];
    return some;
}

static bool select_all(explainer *e)
{
    part *all[] = {&e->now, &e->other};
    for (size_t i = 0; i < 2; i++) {
        all[i]->ops = calloc(e->h->count + 1, sizeof *all[i]->ops);
        all[i]->sources = calloc(e->h->count + 1, sizeof *all[i]->sources);
        if (!all[i]->ops || !all[i]->sources)
            return false;
    }
    e->now.one_key = e->c->fault == FAULT_KEY;
    e->now.key = e->now.one_key ? e->c->groups.at[e->c->fault_group].key : 0;
    e->now.starts = 1;
    e->now.start[0] = select_contents(e, e->h->initial, e->h->initial_count);
    e->now.with_final = e->h->final;
    e->now.final = select_contents(e, e->h->final, e->h->final ? e->h->final_count : 0);
    return e->now.start[0].pairs && e->now.final.pairs && select_ops(e);
}

static void free_explainer(explainer *e)
{
    free(e->now.ops);
    free(e->now.sources);
    free(e->other.ops);
    free(e->other.sources);
    while (e->blocks) {
        block *b = e->blocks;
        e->blocks = b->next;
        free(b);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void make_small(explainer *e)
{
    e->c->s.least_budget = BUDGET;
    cut_end(e);
    cut_beginning(e);
    drop_reads(e);
    if (e->now.one_key)
        drop_unseen_pending(e);
    else
        drop_other_keys(e);
    cut_beginning(e); /* there may be more quiet places now */
    e->c->s.least_budget = 0;
}

static void explain_form(const history_checker *c, const history *h, FILE *out)
{
    fprintf(out, "%s\n", c->fault_text);
    if (c->fault_op == NONE)
        return;
    fprintf(out, "  ");
    history_print_op(&h->ops[c->fault_op], h->pairs, out);
    fprintf(out, "\n");
}

void history_explain(history_checker *checker, const history *h, FILE *out)
{
    explainer e = {.c = checker, .h = h, .give_up_at = clock() + (clock_t)MOST_SECONDS * CLOCKS_PER_SEC};
    if (history_check(checker, h) != HISTORY_BAD) {
        fprintf(out, "this history is not known to be bad\n");
        return;
    }
    if (checker->fault == FAULT_FORM) {
        explain_form(checker, h, out);
        return;
    }
    if (select_all(&e)) {
        make_small(&e);
        print_part(&e.now, h, out);
    } else {
        fprintf(out, "a bad history, and not enough memory to say why\n");
    }
    free_explainer(&e);
}
