/* search.c - looks for an order of items that explains their answers.
 *
 * THE SEARCH (Wing and Gong's, with Lowe's just-in-time order)
 *
 * It goes through the events in order of time. An invocation opens its item. At a return the item must have been
 * carried out; if it has not, then now is the last moment: open items are carried out, one after the other, until this
 * one is among them. Nothing changes the state before some return asks for it. That loses no order: cut any good order
 * behind the item that returns; what stands before the cut was invoked before this return, so it is open or done.
 *
 * A configuration is the position among the events, the state, and the set of open items that are done. Whoever
 * reaches one a second time has the same future as the first time, so each is visited once (the memo). Items that are
 * not open are all done or all not yet invoked, so a set is a mask over the slots of open items, however long the
 * history is.
 *
 * WHAT IS NOT TRIED
 *
 * R1  Reads are done at once, as soon as they are open and the state is what they told. Take a good order in which such
 *     a read comes later and move it here: it leaves the state as it is, so all others answer as before; it told the
 *     present state; and it is invoked, so whatever returned before it was invoked is done already.
 * R2  Of several open updates that would now have the same effect, only the one that returns first is tried. Where a
 *     good order has another one here, swap the two: the other one then stands where the first one stood, which is
 *     before the first one's return and so before its own; what it is told there, it is told here too.
 *     (A pending update fits wherever a completed one with the same effect stood, and it returns last.)
 * R3  A pending update that would change nothing here is not done: leaving it open keeps all that is possible.
 * R4  Of one key only: a pending put or add of a value that no answer tells is not done. In a good order nothing but
 *     another pending update can follow it, and that one needs no value to be there, so it can be left out.
 *
 * Updates that return first are tried first: they are those that cannot wait.
 */
#include <string.h>

#include "checker.h"

/* ---- masks over the slots ---------------------------------------------------------------------------------------- */

static uint64_t *open_reads(const search *s)
{
    return s->masks.at;
}

static uint64_t *open_updates(const search *s)
{
    return s->masks.at + s->mask_words;
}

static uint64_t *done(const search *s)
{
    return s->masks.at + 2 * (size_t)s->mask_words;
}

static bool mask_has(const uint64_t *mask, uint32_t slot)
{
    return mask[slot / 64] >> slot % 64 & 1;
}

static void mask_add(uint64_t *mask, uint32_t slot)
{
    mask[slot / 64] |= (uint64_t)1 << slot % 64;
}

static void mask_drop(uint64_t *mask, uint32_t slot)
{
    mask[slot / 64] &= ~((uint64_t)1 << slot % 64);
}

static bool is_read(const item *it)
{
    return it->effect == EFFECT_READ || it->effect >= EFFECT_SLICE;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static uint32_t state_for(const search *s, const item *it)
{
    return s->whole ? tuple_at(&s->states, s->state)[it->place] : s->state;
}

static bool count_matches(const search *s, const item *it)
{
    const uint32_t *states = tuple_at(&s->states, s->state) + it->place;
    uint32_t present = 0;
    for (uint32_t i = 0; i < it->length; i++)
        present += states[i] != ABSENT;
    return present == it->before;
}

static bool answer_matches(const search *s, const item *it)
{
    if (it->effect == EFFECT_READ)
        return state_for(s, it) == it->before;
    if (it->effect == EFFECT_COUNT)
        return count_matches(s, it);
    return it->length == 0 || !memcmp(tuple_at(&s->states, s->state) + it->place, s->expected + it->expected,
                                      it->length * sizeof *s->expected);
}

static bool can_change(const search *s, const item *it)
{
    uint32_t now = state_for(s, it);
    switch (it->effect) {
    case EFFECT_CHANGE: return now == it->before;
    case EFFECT_PENDING_ADD: return now == ABSENT && !it->unseen;
    default: return now != it->after && !it->unseen; /* R3, R4 */
    }
}

static bool change_state(search *s, const item *it)
{
    if (!s->whole) {
        s->state = it->after;
        return true;
    }
    memcpy(s->tuple.at, tuple_at(&s->states, s->state), s->states.width * sizeof *s->tuple.at);
    s->tuple.at[it->place] = it->after;
    s->state = tuple_set_add(&s->states, s->tuple.at);
    return s->state != NONE;
}

/* ---- moving through the events ----------------------------------------------------------------------------------- */

static void open_item(search *s, uint32_t which)
{
    const item *it = &s->items[which];
    s->slot_items.at[it->slot] = which;
    mask_add(is_read(it) ? open_reads(s) : open_updates(s), it->slot);
}

static void close_item(search *s, const item *it)
{
    mask_drop(is_read(it) ? open_reads(s) : open_updates(s), it->slot);
}

/* To the next return of an item that is not done, or to the end: true. */
static bool advance(search *s)
{
    for (; s->at < s->event_count; s->at++) {
        const event *e = &s->events[s->at];
        const item *it = &s->items[e->item];
        if (!is_return(e)) {
            open_item(s, e->item);
            if (is_read(it) && answer_matches(s, it))
                mask_add(done(s), it->slot);
        } else if (mask_has(done(s), it->slot)) {
            mask_drop(done(s), it->slot);
            close_item(s, it);
        } else {
            return false;
        }
    }
    return true;
}

/* Back to an earlier event, all but state and done. */
static void rewind_to(search *s, uint32_t at)
{
    while (s->at > at) {
        const event *e = &s->events[--s->at];
        if (is_return(e))
            open_item(s, e->item);
        else
            close_item(s, &s->items[e->item]);
    }
}

static void do_reads(search *s) /* R1 */
{
    for (uint32_t w = 0; w < s->mask_words; w++)
        for (uint64_t left = open_reads(s)[w] & ~done(s)[w]; left; left &= left - 1) {
            uint32_t slot = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (answer_matches(s, &s->items[s->slot_items.at[slot]]))
                mask_add(done(s), slot);
        }
}

static bool do_update(search *s, uint32_t which)
{
    const item *it = &s->items[which];
    mask_add(done(s), it->slot);
    if (!change_state(s, it))
        return false;
    do_reads(s);
    return true;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

/* Whether `it`, where both can be done, may stand for `other` (R2). Pending ones do so for their kind only: an add fits
 * in fewer places than a put. */
static bool stands_for(const item *it, const item *other)
{
    return it->group == other->group && it->after == other->after &&
           (it->effect == EFFECT_CHANGE || it->effect == other->effect);
}

/* The open update that can be done now and has the earliest deadline after `after`. With `other`: of those that may
 * stand for it. */
static uint32_t first_update(const search *s, uint32_t after, const item *other)
{
    uint32_t best = NONE, best_deadline = NONE;
    for (uint32_t w = 0; w < s->mask_words; w++)
        for (uint64_t left = open_updates(s)[w] & ~done(s)[w]; left; left &= left - 1) {
            uint32_t which = s->slot_items.at[w * 64 + (uint32_t)__builtin_ctzll(left)];
            const item *it = &s->items[which];
            bool fits = !other || stands_for(it, other);
            if (it->deadline > after && it->deadline < best_deadline && fits && can_change(s, it)) {
                best = which;
                best_deadline = it->deadline;
            }
        }
    return best;
}

static uint32_t next_update(const search *s, uint32_t after)
{
    for (;;) {
        uint32_t which = first_update(s, after, NULL);
        if (which == NONE || after == 0 || first_update(s, 0, &s->items[which]) == which)
            return which;
        after = s->items[which].deadline; /* R2 */
    }
}

/* ---- the memo ---------------------------------------------------------------------------------------------------- */

/* The number of the present configuration; *is_new tells if nobody has been here. NONE: no memory. */
static uint32_t remember(search *s, bool *is_new)
{
    uint32_t before = s->memo.count;
    s->tuple.at[0] = s->at;
    s->tuple.at[1] = s->state;
    memcpy(s->tuple.at + 2, done(s), s->mask_words * sizeof(uint64_t));
    uint32_t number = tuple_set_add(&s->memo, s->tuple.at);
    *is_new = number == before;
    s->visited++;
    return number;
}

static void go_back(search *s, uint32_t memo)
{
    const uint32_t *tuple = tuple_at(&s->memo, memo);
    rewind_to(s, tuple[0]);
    s->state = tuple[1];
    memcpy(done(s), tuple + 2, s->mask_words * sizeof(uint64_t));
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* GOOD: went on. BAD: no way on from here. */
static history_verdict go_on(search *s)
{
    uint32_t which = next_update(s, 0);
    if (which == NONE)
        return HISTORY_BAD;
    uint32_t deadline = s->items[which].deadline;
    bool only = next_update(s, deadline) == NONE;
    if (!only || s->choices.count > 0 || s->collecting) { /* else nobody can come here a second time */
        bool is_new;
        uint32_t memo = remember(s, &is_new);
        if (memo == NONE || s->visited > s->budget)
            return HISTORY_UNDECIDED;
        if (!is_new)
            return HISTORY_BAD;
        if (!only && !LIST_PUSH(s->choices, ((choice){memo, deadline})))
            return HISTORY_UNDECIDED;
    }
    return do_update(s, which) ? HISTORY_GOOD : HISTORY_UNDECIDED;
}

/* To the last choice, and another way from there. */
static history_verdict try_another(search *s)
{
    if (s->choices.count == 0)
        return HISTORY_BAD;
    choice *last = &s->choices.at[s->choices.count - 1];
    go_back(s, last->memo);
    uint32_t which = next_update(s, last->tried);
    last->tried = s->items[which].deadline;
    if (next_update(s, last->tried) == NONE)
        s->choices.count--;
    return do_update(s, which) ? HISTORY_GOOD : HISTORY_UNDECIDED;
}

static bool collect(search *s)
{
    for (size_t i = 0; i < s->collected.count; i++)
        if (s->collected.at[i] == s->state)
            return true;
    return LIST_PUSH(s->collected, s->state);
}

static history_verdict search_from(search *s, uint32_t state)
{
    s->state = state;
    for (;;) {
        history_verdict way = HISTORY_BAD;
        if (!advance(s))
            way = go_on(s);
        else if (!s->collecting)
            return HISTORY_GOOD;
        else if (!collect(s))
            return HISTORY_UNDECIDED;
        if (way == HISTORY_BAD)
            way = try_another(s);
        if (way != HISTORY_GOOD)
            return way;
    }
}

/* ---- preparing it ------------------------------------------------------------------------------------------------ */

/* Gives each item a slot while it is open, and its deadline; answers the number of slots, or NONE. */
static uint32_t give_slots(search *s)
{
    uint32_t slots = 0;
    s->free_slots.count = 0;
    for (uint32_t i = 0; i < s->event_count; i++) {
        item *it = &s->items[s->events[i].item];
        if (is_return(&s->events[i])) {
            it->deadline = i + 1;
            if (!LIST_PUSH(s->free_slots, it->slot))
                return NONE;
        } else {
            it->opened = i + 1;
            it->deadline = s->event_count + i + 1; /* if no return comes */
            it->slot = s->free_slots.count ? s->free_slots.at[--s->free_slots.count] : slots++;
        }
    }
    return slots;
}

static uint64_t budget_of(const search *s)
{
    enum { LEAST = 2000000, PER_EVENT = 4 };
    return (s->least_budget ? s->least_budget : LEAST) + (uint64_t)PER_EVENT * s->event_count;
}

static bool prepare(search *s, const event *events, uint32_t event_count)
{
    s->events = events;
    s->event_count = event_count;
    s->at = 0;
    s->visited = 0;
    s->budget = budget_of(s);
    s->choices.count = s->collected.count = 0;
    uint32_t slots = give_slots(s);
    if (slots == NONE)
        return false;
    s->mask_words = slots ? (slots + 63) / 64 : 1;
    size_t tuple_words = 2 + 2 * (size_t)s->mask_words;
    if (s->whole && tuple_words < s->states.width)
        tuple_words = s->states.width;
    if (!LIST_ROOM(s->slot_items, slots) || !LIST_ROOM(s->masks, 3 * (size_t)s->mask_words) ||
        !LIST_ROOM(s->tuple, tuple_words))
        return false;
    memset(s->masks.at, 0, 3 * s->mask_words * sizeof *s->masks.at);
    tuple_set_clear(&s->memo, 2 + 2 * (size_t)s->mask_words);
    return true;
}

history_verdict search_key(history_checker *c, uint32_t which)
{
    search *s = &c->s;
    const group *g = &c->groups.at[which];
    event *events = c->events.at + g->first_event;
    if (!sort_events(&c->scratch, events, g->event_count))
        return HISTORY_UNDECIDED;
    s->items = c->items.at;
    s->whole = false;
    if (!prepare(s, events, g->event_count))
        return HISTORY_UNDECIDED;
    history_verdict verdict = s->collecting ? HISTORY_UNDECIDED : check_zones(c, s, g->initial);
    return verdict == HISTORY_UNDECIDED ? search_from(s, g->initial) : verdict;
}

/* Keys that are never updated were checked by themselves, and so was what loose ranges and the final contents say of
 * them. */
static bool is_of_use(const history_checker *c, const item *it)
{
    return it->group == NONE || (!it->implied && c->groups.at[it->group].updated);
}

static bool gather_all_events(history_checker *c)
{
    c->events.count = 0;
    if (!LIST_ROOM(c->events, 2 * c->items.count))
        return false;
    for (uint32_t i = 0; i < c->items.count; i++) {
        item *it = &c->items.at[i];
        if (!is_of_use(c, it))
            continue;
        it->unseen = false; /* a count may have seen it, and tells no value */
        if (it->group != NONE)
            it->place = c->groups.at[it->group].place;
        c->events.count += item_events(c, i, c->events.at + c->events.count);
    }
    return sort_events(&c->scratch, c->events.at, c->events.count);
}

static uint32_t initial_vector(history_checker *c)
{
    search *s = &c->s;
    for (size_t i = 0; i < c->places.count; i++)
        s->tuple.at[i] = c->groups.at[c->places.at[i].item].initial;
    s->tuple.at[c->places.count] = ABSENT;
    return tuple_set_add(&s->states, s->tuple.at);
}

history_verdict search_whole(history_checker *c)
{
    search *s = &c->s;
    s->items = c->items.at;
    s->expected = c->expected.at;
    s->whole = true;
    tuple_set_clear(&s->states, c->places.count + 1); /* one more, always absent: no vector is empty */
    if (!gather_all_events(c) || !prepare(s, c->events.at, (uint32_t)c->events.count))
        return HISTORY_UNDECIDED;
    uint32_t state = initial_vector(c);
    return state == NONE ? HISTORY_UNDECIDED : search_from(s, state);
}
