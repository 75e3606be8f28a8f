#include "recorder.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "buffers.h"

enum { FIRST_ROOM = 256 };

/* Room for `more` elements behind those that are there. */
static void *roomier(void *old, size_t count, size_t more, size_t *room, size_t size)
{
    if (old && count + more <= *room)
        return old;
    size_t larger = *room ? *room : FIRST_ROOM;
    while (larger < count + more)
        larger *= 2;
    void *memory = must_alloc(larger, size);
    if (count)
        memcpy(memory, old, count * size);
    free(old);
    *room = larger;
    return memory;
}

static void add_op(book *b, history_op op)
{
    b->ops = roomier(b->ops, b->count, 1, &b->room, sizeof *b->ops);
    b->ops[b->count++] = op;
}

static void add_pairs(book *b, size_t n, const history_pair *pairs)
{
    b->pairs = roomier(b->pairs, b->pair_count, n, &b->pair_room, sizeof *b->pairs);
    if (n)
        memcpy(b->pairs + b->pair_count, pairs, n * sizeof *pairs);
    b->pair_count += n;
}

recorder *recorder_create(size_t agents)
{
    recorder *r = must_alloc(1, sizeof *r);
    r->agents = agents;
    r->books = must_alloc(agents, sizeof *r->books);
    atomic_init(&r->clock, 1);
    return r;
}

static void free_book(book *b)
{
    free(b->ops);
    free(b->pairs);
}

void recorder_destroy(recorder *r)
{
    for (size_t i = 0; i < r->agents; i++)
        free_book(&r->books[i]);
    free_book(&r->all);
    free(r->books);
    free(r->initial);
    free(r->final);
    free(r);
}

uint64_t recorder_now(recorder *r)
{
    return atomic_fetch_add(&r->clock, 1);
}

static void spin(uint64_t turns)
{
    for (volatile uint64_t i = 0; i < turns; i++) {}
}

void loiter(rng *r)
{
    uint64_t dice = rng_below(r, 1000);
    if (dice < 2)
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    else if (dice < 60)
        sched_yield();
    else if (dice < 300)
        spin(rng_below(r, 200));
}

void record(recorder *r, size_t agent, history_op op)
{
    op.agent = (uint32_t)agent;
    add_op(&r->books[agent], op);
}

void record_array(recorder *r, size_t agent, const array_call *c, uint64_t invoked, uint64_t returned)
{
    for (size_t i = 0; i < c->n; i++) {
        uint8_t outcome = c->outcomes[i];
        if (c->kind == HISTORY_FIND)
            outcome = outcome ? HISTORY_FOUND : HISTORY_NOT_FOUND;
        record(r, agent, (history_op){.invoked = invoked, .returned = returned, .kind = (uint8_t)c->kind,
                                      .key = c->keys[i], .value = c->values[i], .out_value = c->told[i],
                                      .outcome = outcome});
    }
}

void record_range(recorder *r, size_t agent, history_op op, uint32_t limit, size_t n, const uint64_t *keys,
                  const uint64_t *values)
{
    book *b = &r->books[agent];
    op.pairs = (uint32_t)b->pair_count;
    op.pair_count = (uint32_t)n;
    op.limited = limit && n >= limit;
    for (size_t i = 0; i < n; i++)
        add_pairs(b, 1, &(history_pair){keys[i], values[i]});
    record(r, agent, op);
}

void record_final(recorder *r, size_t n, const uint64_t *keys, const uint64_t *values)
{
    if (n >= r->contents_room) {
        r->contents_room = 2 * n + FIRST_ROOM;
        free(r->final);
        r->final = must_alloc(r->contents_room, sizeof *r->final);
        history_pair *initial = must_alloc(r->contents_room, sizeof *initial);
        if (r->initial_count)
            memcpy(initial, r->initial, r->initial_count * sizeof *initial);
        free(r->initial);
        r->initial = initial;
    }
    for (size_t i = 0; i < n; i++)
        r->final[i] = (history_pair){keys[i], values[i]};
    r->final_count = n;
}

/* Pairs are named by their place, which is another one when books are put together. */
static void append_book(book *all, const book *b)
{
    for (size_t i = 0; i < b->count; i++) {
        history_op op = b->ops[i];
        op.pairs += (uint32_t)all->pair_count;
        add_op(all, op);
    }
    add_pairs(all, b->pair_count, b->pairs);
}

history recorded_history(recorder *r)
{
    r->all.count = r->all.pair_count = 0;
    for (size_t i = 0; i < r->agents; i++)
        append_book(&r->all, &r->books[i]);
    return (history){.initial = r->initial, .initial_count = r->initial_count, .ops = r->all.ops,
                     .count = r->all.count, .pairs = r->all.pairs, .final = r->final, .final_count = r->final_count};
}

void recorder_forget(recorder *r)
{
    history_pair *initial = r->initial;
    r->initial = r->final;
    r->initial_count = r->final_count;
    r->final = initial;
    for (size_t i = 0; i < r->agents; i++)
        r->books[i].count = r->books[i].pair_count = 0;
}
