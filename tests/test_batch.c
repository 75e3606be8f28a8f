/* test_batch.c - batches against the oracle, which does one operation after the other. */
#include <stdlib.h>
#include <string.h>

#include "support/batches.h"
#include "support/buffers.h"
#include "support/compare.h"
#include "support/harness.h"
#include "support/patterns.h"

static oracle *universe(rng *r, size_t n, uint64_t top, pattern which)
{
    uint64_t *keys = pattern_keys(which, n, top, r);
    oracle *o = oracle_create(n, keys);
    free(keys);
    return o;
}

/* Batches until so many operations are done; the map grows and shrinks, and is emptied now and then. */
static void random_batches(const setting *where, size_t rows, size_t most, size_t operations, uint64_t part)
{
    rng r = rng_for(test_seed(), 10 * part + where->threads);
    wide w = wide_open(where);
    oracle *o = universe(&r, rows, w.top, (pattern)rng_below(&r, PATTERNS));
    for (size_t done = 0, batches = 0; done < operations; batches++) {
        batch_plan plan = random_plan(&r, most, batches % 16 < 9 ? 1 : batches % 16 < 15 ? -1 : 0);
        batch_both(&w, o, &r, &plan, batches % 8 == 0);
        done += plan.n;
    }
    assert_same(&w, o);
    wide_close(&w);
    oracle_destroy(o);
}

static void small_batches(const setting *where) { random_batches(where, 300, 60, scaled(100000), 1); }
static void batches_on_few_keys(const setting *where) { random_batches(where, 40, 3000, scaled(200000), 2); }

static void batches_on_many_keys(const setting *where)
{
    random_batches(where, shrunk(50000, 5000), 20000, scaled(800000), 3);
}

/* A batch into an empty map splits one leaf into as many as there are, and the root into several levels. */
static void one_batch_builds_the_map(const setting *where)
{
    for (pattern which = 0; which < PATTERNS; which++) {
        rng r = rng_for(test_seed(), which);
        wide w = wide_open(where);
        size_t n = scaled(100000);
        oracle *o = universe(&r, n, w.top, which);
        batch_plan plan = {.n = 2 * n, .weight = {[PLEACH_OP_PUT] = 5, [PLEACH_OP_FIND] = 1}, .widest = 1};
        batch_both(&w, o, &r, &plan, true);
        plan.keys = KEYS_ASCENDING;
        batch_both(&w, o, &r, &plan, true);
        plan.weight[PLEACH_OP_PUT] = 0;
        plan.weight[PLEACH_OP_ERASE] = 9;
        batch_both(&w, o, &r, &plan, true);
        batch_both(&w, o, &r, &plan, true);
        wide_close(&w);
        oracle_destroy(o);
    }
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(small_batches),
        CASE(batches_on_few_keys),
        CASE(batches_on_many_keys),
        CASE(one_batch_builds_the_map),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
