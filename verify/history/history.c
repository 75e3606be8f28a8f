#include "history.h"

#include <stdlib.h>

#include "checker.h"

history_checker *history_checker_create(void)
{
    return calloc(1, sizeof(history_checker));
}

static void free_search(search *s)
{
    free(s->masks.at);
    free(s->slot_items.at);
    free(s->free_slots.at);
    free(s->memo.words.at);
    free(s->memo.slots);
    free(s->states.words.at);
    free(s->states.slots);
    free(s->tuple.at);
    free(s->choices.at);
    free(s->collected.at);
}

void history_checker_destroy(history_checker *checker)
{
    if (!checker)
        return;
    free(checker->items.at);
    free(checker->groups.at);
    free(checker->events.at);
    free(checker->scratch.at);
    free(checker->places.at);
    free(checker->expected.at);
    free(checker->group_numbers.slots);
    free(checker->value_numbers.slots);
    free(checker->values.at);
    free(checker->lives.at);
    free(checker->next_reads.at);
    free(checker->wide.at);
    free(checker->narrow.at);
    free_search(&checker->s);
    free(checker);
}

uint32_t item_events(const history_checker *c, uint32_t which, event *out)
{
    uint32_t op = c->items.at[which].op;
    if (op == NONE) {
        out[0] = (event){UINT64_MAX, which, PHASE_FINAL};
        out[1] = (event){UINT64_MAX, which, PHASE_FINAL_RETURNED};
        return 2;
    }
    out[0] = (event){c->h->ops[op].invoked, which, PHASE_INVOKED};
    out[1] = (event){c->h->ops[op].returned, which, PHASE_RETURNED};
    return c->h->ops[op].returned == HISTORY_PENDING ? 1 : 2;
}

/* The events of each group side by side, not yet in order. */
static bool group_events(history_checker *c)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < c->items.count; i++)
        if (c->items.at[i].group != NONE)
            c->groups.at[c->items.at[i].group].event_count += 2;
    for (size_t i = 0; i < c->groups.count; i++) {
        c->groups.at[i].first_event = sum;
        sum += c->groups.at[i].event_count;
        c->groups.at[i].event_count = 0;
    }
    if (!LIST_ROOM(c->events, sum))
        return false;
    for (uint32_t i = 0; i < c->items.count; i++)
        if (c->items.at[i].group != NONE) {
            group *g = &c->groups.at[c->items.at[i].group];
            g->event_count += item_events(c, i, c->events.at + g->first_event + g->event_count);
        }
    return true;
}

static history_verdict check_keys(history_checker *c)
{
    history_verdict all = HISTORY_GOOD;
    for (uint32_t i = 0; i < c->groups.count; i++) {
        history_verdict one = c->groups.at[i].event_count ? search_key(c, i) : HISTORY_GOOD;
        if (one == HISTORY_BAD) {
            c->fault = FAULT_KEY;
            c->fault_group = i;
            return HISTORY_BAD;
        }
        if (one == HISTORY_UNDECIDED)
            all = HISTORY_UNDECIDED;
    }
    return all;
}

history_verdict history_check(history_checker *checker, const history *h)
{
    history_verdict verdict = gather_history(checker, h);
    if (verdict != HISTORY_GOOD)
        return verdict;
    if (!group_events(checker))
        return HISTORY_UNDECIDED;
    verdict = check_keys(checker);
    if (verdict == HISTORY_BAD || !checker->has_many)
        return verdict;
    verdict = search_whole(checker); /* speaks of everything, so it decides also where a key alone was too much */
    if (verdict == HISTORY_BAD)
        checker->fault = FAULT_WHOLE;
    return verdict;
}

bool collect_states(history_checker *c, const history *h, bool whole)
{
    c->s.collecting = true;
    bool complete = gather_history(c, h) == HISTORY_GOOD && group_events(c);
    if (complete && whole)
        complete = search_whole(c) == HISTORY_BAD; /* having tried all ways */
    else if (complete)
        complete = c->groups.count == 1 && search_key(c, 0) == HISTORY_BAD;
    c->s.collecting = false;
    return complete;
}

size_t collected_pairs(const history_checker *c, bool whole, uint32_t state, history_pair *pairs)
{
    const uint32_t *states = whole ? tuple_at(&c->s.states, state) : &state;
    size_t keys = whole ? c->places.count : 1, present = 0;
    for (size_t i = 0; i < keys; i++)
        if (states[i] != ABSENT)
            pairs[present++] = (history_pair){whole ? c->places.at[i].stamp : c->groups.at[0].key,
                                              c->values.at[states[i] - 1]};
    return present;
}
