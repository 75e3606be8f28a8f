/* replay_plan.c - cutting a batch into runs of operations that commute.
 *
 * THE RULE
 *
 * The operations of a run may be carried out in any order, or at once, and each still answers as if they had come one
 * after the other. That holds when no operation of the run reads what another one updates, and no two update the same
 * key. What an operation reads or updates:
 *
 *   put, add, del K    updates K (and reads it)
 *   get, has K         reads K
 *   range, count       reads the interval [LO, HI]; nothing if LO > HI
 *   succ K             reads [K+1, greatest key]: the answer depends on no key outside
 *   pred K             reads [0, K-1]
 *   min, max           reads every key
 *   size, validate     is a run of its own; so is all that has to do with snapshots and files
 *
 * An operation that would break the rule starts the next run, so operations are never moved past each other.
 *
 * Single keys are in a hash set. Intervals, and updated keys as intervals of one key, are in two short lists that are
 * searched from end to end; when a list is full only its hull is known, and a run is cut sooner than it need be.
 */
#include <stdlib.h>

#include "tools/common/mix.h"
#include "replay.h"
#include "tools/common/words.h"

struct plan_key {
    uint64_t key;
    uint32_t run; /* the run that entered it */
    bool updated;
};

bool plan_create(struct plan *plan, size_t most_ops, unsigned key_bits)
{
    size_t slots = 16;
    while (slots < 2 * most_ops) slots *= 2;
    plan->keys = calloc(slots, sizeof plan->keys[0]);
    plan->key_mask = slots - 1;
    plan->key_max = word_max(key_bits);
    plan->run = 0;
    plan_start_run(plan);
    return plan->keys != NULL;
}

void plan_destroy(struct plan *plan) { free(plan->keys); }

void plan_start_run(struct plan *plan)
{
    if (++plan->run == 0) {
        /* The run numbers have come round: entries of long ago must not seem to be of this run. */
        for (size_t i = 0; i <= plan->key_mask; i++) plan->keys[i].run = 0;
        plan->run = 1;
    }
    plan->ops = 0;
    plan->barrier = false;
    plan->reads.count = 0;
    plan->writes.count = 0;
}

/* The key's entry in the current run, or the free one where it belongs. The set is at most half full. */
static struct plan_key *find_key(struct plan *plan, uint64_t key)
{
    size_t at = (size_t)mix64(key) & plan->key_mask;
    while (plan->keys[at].run == plan->run && plan->keys[at].key != key) at = (at + 1) & plan->key_mask;
    return &plan->keys[at];
}

static bool spans_meet(struct span x, struct span y) { return x.lo <= y.hi && y.lo <= x.hi; }

/* Whether one of the spans has a key in common with `span`; may say so wrongly when not all are kept. */
static bool meets_any(const struct spans *spans, struct span span)
{
    if (spans->count == 0 || !spans_meet(spans->hull, span)) return false;
    if (spans->count > SPANS_KEPT) return true;
    for (size_t i = 0; i < spans->count; i++)
        if (spans_meet(spans->kept[i], span)) return true;
    return false;
}

static void add_span(struct spans *spans, struct span span)
{
    if (spans->count == 0) spans->hull = span;
    if (span.lo < spans->hull.lo) spans->hull.lo = span.lo;
    if (span.hi > spans->hull.hi) spans->hull.hi = span.hi;
    if (spans->count < SPANS_KEPT) spans->kept[spans->count] = span;
    spans->count++;
}

static bool admit_update(struct plan *plan, uint64_t key)
{
    const struct span span = {key, key};
    struct plan_key *entry = find_key(plan, key);
    if (entry->run == plan->run || meets_any(&plan->reads, span)) return false;
    *entry = (struct plan_key){.key = key, .run = plan->run, .updated = true};
    add_span(&plan->writes, span);
    return true;
}

static bool admit_point_read(struct plan *plan, uint64_t key)
{
    struct plan_key *entry = find_key(plan, key);
    if (entry->run == plan->run) return !entry->updated;
    *entry = (struct plan_key){.key = key, .run = plan->run, .updated = false};
    return true;
}

static bool admit_interval_read(struct plan *plan, struct span span)
{
    if (span.lo > span.hi) return true;
    if (meets_any(&plan->writes, span)) return false;
    add_span(&plan->reads, span);
    return true;
}

static bool admit_barrier(struct plan *plan)
{
    plan->barrier = plan->ops == 0;
    return plan->barrier;
}

static bool admit_by_kind(struct plan *plan, const struct op *op)
{
    static const struct span nothing = {1, 0};
    const uint64_t key = op->a, most = plan->key_max;
    if (op_changes_key(op->kind)) return admit_update(plan, key);
    if (op->kind == OP_GET || op->kind == OP_HAS) return admit_point_read(plan, key);
    if (op->kind == OP_SUCC) return admit_interval_read(plan, key < most ? (struct span){key + 1, most} : nothing);
    if (op->kind == OP_PRED) return admit_interval_read(plan, key > 0 ? (struct span){0, key - 1} : nothing);
    if (op->kind == OP_RANGE || op->kind == OP_COUNT) return admit_interval_read(plan, (struct span){key, op->b});
    if (op->kind == OP_MIN || op->kind == OP_MAX) return admit_interval_read(plan, (struct span){0, most});
    return admit_barrier(plan);
}

bool plan_admit(struct plan *plan, const struct op *op)
{
    if (op->kind == OP_BAD) return true;
    if (plan->barrier || !admit_by_kind(plan, op)) return false;
    plan->ops++;
    return true;
}
