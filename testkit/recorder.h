/* testkit/recorder.h - writes down what agents are told, with the times, so that verify/history can judge it.
 *
 * The clock counts: whoever is invoked after another one returned reads a larger number. Each agent writes into a book
 * of its own; recorded_history puts the books together when all agents are quiet.
 */
#ifndef PLEACH_TESTS_RECORDER_H
#define PLEACH_TESTS_RECORDER_H

#include <stdatomic.h>

#include "random.h"
#include "verify/history/history.h"

typedef struct book {
    history_op *ops;
    size_t count, room;
    history_pair *pairs;
    size_t pair_count, pair_room;
} book;

typedef struct recorder {
    atomic_uint_fast64_t clock;
    size_t agents;
    book *books;
    book all;
    history_pair *initial, *final;
    size_t initial_count, final_count, contents_room;
} recorder;

recorder *recorder_create(size_t agents);
void recorder_destroy(recorder *r);

/* The time. Sequentially consistent, so that neither the compiler nor the processor takes it at another time. */
uint64_t recorder_now(recorder *r);

/* Does nothing for a while, mostly a short one; seldom so long that the operating system runs others. */
void loiter(rng *r);

/* Adds an operation to the agent's book. */
void record(recorder *r, size_t agent, history_op op);

/* An array call: its arguments, and what it told. */
enum { MOST_IN_ARRAY = 8 };
typedef struct array_call {
    history_kind kind;
    size_t n;
    uint64_t keys[MOST_IN_ARRAY], values[MOST_IN_ARRAY], told[MOST_IN_ARRAY];
    uint8_t outcomes[MOST_IN_ARRAY]; /* of a find: found */
} array_call;

/* Adds the elements of a call, which all have its times. */
void record_array(recorder *r, size_t agent, const array_call *c, uint64_t invoked, uint64_t returned);

/* Adds a range with what it reported; limit 0: none. */
void record_range(recorder *r, size_t agent, history_op op, uint32_t limit, size_t n, const uint64_t *keys,
                  const uint64_t *values);

/* What the map holds now becomes the end of the history; recorder_forget makes it the beginning of the next one. */
void record_final(recorder *r, size_t n, const uint64_t *keys, const uint64_t *values);

/* Points into the recorder, and is good until something else is recorded. */
history recorded_history(recorder *r);

/* Begins the next history where this one ended. */
void recorder_forget(recorder *r);

#endif
