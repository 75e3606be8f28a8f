/* testkit/batches.h - batches of random operations, what they must answer, and the comparison. */
#ifndef PLEACH_TESTS_BATCHES_H
#define PLEACH_TESTS_BATCHES_H

#include <pleach/batch.h>

#include "oracle.h"
#include "random.h"
#include "wide.h"

enum { OPERATIONS = PLEACH_OP_RANGE + 1 };

/* Which keys a batch names. */
typedef enum batch_keys { KEYS_UNIFORM, KEYS_ASCENDING, KEYS_HOT, KEYS_SKEWED, KEYS_GAUSSIAN, KEY_CHOICES } batch_keys;

typedef struct batch_plan {
    size_t n;
    batch_keys keys;
    unsigned weight[OPERATIONS]; /* how often each operation comes */
    size_t widest;               /* rows of the universe that a range spans at most */
    uint32_t limit;
} batch_plan;

/* Fills `random_plan` for operations that make the map grow, shrink, or neither (0). */
batch_plan random_plan(rng *r, size_t most, int growth);

/* Applies one random batch to map and oracle, and fails the test where results differ. Checks what they hold only if
 * `whole`. */
void batch_both(const wide *w, oracle *o, rng *r, const batch_plan *plan, bool whole);

/* The same with given operations; `capacity` is enough for the pairs of all ranges. Answers pleach_batch_times.steps. */
typedef struct given_batch {
    size_t n, capacity;
    uint8_t *kinds;
    uint64_t *keys, *values;
    uint32_t limit;
} given_batch;

uint64_t batch_given(const wide *w, oracle *o, const given_batch *given);

/* Asks the map for a random batch, and answers its status; if it is not OK, checks that the map holds what it held. The
 * oracle does not hear of it. */
pleach_status batch_try(const wide *w, const oracle *o, rng *r, const batch_plan *plan);

#endif
