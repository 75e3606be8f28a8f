/* zones.c - decides one key without a search, where no value is given twice and nothing is pending that anybody saw.
 *
 * A value that is given once is there for one stretch of time: from the update that brought it, through the reads that
 * told it, to the update that took it. If that one brought another value, the next stretch follows at once. So what was
 * done to the key falls into pieces that no other operation can come between: journeys from absent through some values
 * back to absent, and reads that told absent. All that is open is the order of the pieces.
 *
 * A piece has two times: `earliest`, its first response, and `latest`, its last invocation. Piece X must come before
 * piece Y if some operation of X had returned before one of Y was invoked, that is, if X.earliest < Y.latest. There is
 * an order if this relation has no cycle, and it has a cycle only if there are two pieces that must come before each
 * other. For take the piece X of a cycle with the smallest `earliest`. Every piece Z of the cycle has one that must
 * come before it, whose `earliest` is not below X's, so X must come before Z as well; and Z may be the one that must
 * come before X.
 *
 * Two such pieces are found by sorting. Call a piece with earliest < latest wide, else narrow. Two wide pieces are at
 * odds if their stretches (earliest, latest) overlap; a narrow piece is at odds with a wide one if it lies inside; two
 * narrow ones never are. (Gibbons and Korach's zones of a register, with an absent state.)
 *
 * The piece that begins with the initial value comes first: its `earliest` is before all. A piece whose last value is
 * never taken comes last: its `latest` is after all.
 */
#include "checker.h"

/* Positions of events serve as times; 0 is before all of them. */
enum { BEFORE_ALL = 0 };
#define AFTER_ALL UINT32_MAX

typedef struct piece {
    uint32_t earliest, latest;
} piece;

/* ---- who brings, tells and takes a value ------------------------------------------------------------------------- */

static void forget_states(history_checker *c, const item *it)
{
    static const value_life unknown = {NONE, NONE, NONE};
    c->lives.at[it->before] = unknown;
    c->lives.at[it->after] = unknown;
}

static void add_read(history_checker *c, uint32_t which)
{
    const item *it = &c->items.at[which];
    c->next_reads.at[which] = c->lives.at[it->before].first_read;
    c->lives.at[it->before].first_read = which;
}

/* ABSENT comes and goes many times; what else does is noted. */
static void add_change(history_checker *c, uint32_t which, bool *given_twice, bool *taken_twice)
{
    value_life *before = &c->lives.at[c->items.at[which].before], *after = &c->lives.at[c->items.at[which].after];
    *taken_twice |= before != c->lives.at && before->taker != NONE;
    *given_twice |= after != c->lives.at && after->bringer != NONE;
    before->taker = which;
    after->bringer = which;
}

/* Marks the pending updates that nobody saw; answers whether there are others. */
static bool is_any_pending_seen(history_checker *c, const search *s)
{
    bool any = false;
    for (uint32_t i = 0; i < s->event_count; i++) {
        item *it = &s->items[s->events[i].item];
        const value_life *life = &c->lives.at[it->after];
        if (it->effect < EFFECT_PENDING_PUT)
            continue;
        it->unseen = it->effect != EFFECT_PENDING_ERASE && life->first_read == NONE && life->taker == NONE;
        any |= !it->unseen;
    }
    return any;
}

/* GOOD: known. BAD: two updates took the same value. UNDECIDED: this is none of the cases that are decided here. */
static history_verdict know_lives(history_checker *c, const search *s, uint32_t initial)
{
    bool given_twice = false, taken_twice = false;
    if (!LIST_ROOM(c->lives, c->values.count + 1) || !LIST_ROOM(c->next_reads, c->items.count))
        return HISTORY_UNDECIDED;
    for (uint32_t i = 0; i < s->event_count; i++)
        forget_states(c, &s->items[s->events[i].item]);
    c->lives.at[initial] = (value_life){initial == ABSENT ? NONE : 0, NONE, NONE}; /* brought by whomever */
    for (uint32_t i = 0; i < s->event_count; i++) {
        uint32_t which = s->events[i].item;
        if (is_return(&s->events[i]))
            continue;
        if (s->items[which].effect == EFFECT_READ)
            add_read(c, which);
        else if (s->items[which].effect == EFFECT_CHANGE)
            add_change(c, which, &given_twice, &taken_twice);
    }
    if (is_any_pending_seen(c, s) || given_twice)
        return HISTORY_UNDECIDED;
    return taken_twice ? HISTORY_BAD : HISTORY_GOOD;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* The item stands behind all that were invoked until `latest`: false if it had returned before one of them. */
static bool join(piece *p, const item *it, uint32_t latest)
{
    if (it->opened > p->latest)
        p->latest = it->opened;
    if (it->deadline < p->earliest)
        p->earliest = it->deadline;
    return it->deadline > latest;
}

/* From the value that the piece has come to until absent; counts its items. */
static bool follow(const history_checker *c, uint32_t state, piece *p, uint32_t *items)
{
    while (state != ABSENT) {
        const value_life *life = &c->lives.at[state];
        uint32_t latest = p->latest;
        for (uint32_t i = life->first_read; i != NONE; i = c->next_reads.at[i]) {
            if (!join(p, &c->items.at[i], latest))
                return false;
            ++*items;
        }
        if (life->taker == NONE) {
            p->latest = AFTER_ALL;
            return true;
        }
        const item *taker = &c->items.at[life->taker];
        if (!join(p, taker, p->latest))
            return false;
        ++*items;
        state = taker->after;
    }
    return true;
}

/* A piece is kept as an event, so that it can be sorted: `stamp` is its earliest, `item` its latest. */
static bool keep_piece(history_checker *c, const piece *p)
{
    event kept = {p->earliest, p->latest, 0};
    return p->earliest < p->latest ? LIST_PUSH(c->wide, kept) : LIST_PUSH(c->narrow, kept);
}

static history_verdict make_pieces(history_checker *c, const search *s, uint32_t initial)
{
    uint32_t items = 0, all = 0;
    piece first = {BEFORE_ALL, BEFORE_ALL};
    c->wide.count = c->narrow.count = 0;
    if (initial != ABSENT) {
        if (!follow(c, initial, &first, &items))
            return HISTORY_BAD;
        if (!keep_piece(c, &first))
            return HISTORY_UNDECIDED;
    }
    for (uint32_t i = 0; i < s->event_count; i++) {
        const item *it = &s->items[s->events[i].item];
        if (is_return(&s->events[i]) || it->unseen)
            continue;
        all++;
        if (it->before != ABSENT)
            continue;
        piece p = {it->deadline, it->opened};
        items++;
        if (it->effect == EFFECT_CHANGE && !follow(c, it->after, &p, &items))
            return HISTORY_BAD;
        if (!keep_piece(c, &p))
            return HISTORY_UNDECIDED;
    }
    return items == all ? HISTORY_GOOD : HISTORY_BAD; /* some told or took a value that nobody had brought */
}

/* ---- pieces at odds ---------------------------------------------------------------------------------------------- */

/* The wide piece with the largest `earliest` below the time, or NULL. The wide ones do not overlap. */
static const event *wide_before(const history_checker *c, uint32_t time)
{
    size_t low = 0, high = c->wide.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->wide.at[middle].stamp < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &c->wide.at[low - 1] : NULL;
}

static bool are_at_odds(const history_checker *c)
{
    for (size_t i = 1; i < c->wide.count; i++)
        if (c->wide.at[i].stamp < c->wide.at[i - 1].item)
            return true;
    for (size_t i = 0; i < c->narrow.count; i++) {
        const event *wide = wide_before(c, c->narrow.at[i].item);
        if (wide && c->narrow.at[i].stamp < wide->item)
            return true;
    }
    return false;
}

history_verdict check_zones(history_checker *c, const search *s, uint32_t initial)
{
    history_verdict verdict = know_lives(c, s, initial);
    if (verdict == HISTORY_GOOD)
        verdict = make_pieces(c, s, initial);
    if (verdict != HISTORY_GOOD)
        return verdict;
    if (!sort_events(&c->scratch, c->wide.at, c->wide.count))
        return HISTORY_UNDECIDED;
    return are_at_odds(c) ? HISTORY_BAD : HISTORY_GOOD;
}
