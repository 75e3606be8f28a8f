#include <inttypes.h>
#include <stdio.h>

#include "demo.h"

/* What the operation must answer; an update takes effect in the oracle. */
static struct call_answer expect(struct oracle *oracle, const struct demo_op *op)
{
    struct call_answer e = {.status = PLEACH_OK};
    switch (op->kind) {
    case CALL_PUT: e.what = oracle_put(oracle, op->cell, op->value, &e.value); break;
    case CALL_ADD: e.what = oracle_add(oracle, op->cell, op->value, &e.value); break;
    case CALL_ERASE: e.what = oracle_erase(oracle, op->cell, &e.value); break;
    case CALL_FIND: e.what = oracle_find(oracle, op->cell, &e.value); break;
    case CALL_CONTAINS: e.what = oracle->present[op->cell]; break;
    case CALL_SUCC:
    case CALL_PRED: {
        const size_t cell = op->kind == CALL_SUCC ? oracle_succ(oracle, op->cell) : oracle_pred(oracle, op->cell);
        e.what = 1;
        e.key = oracle_key(oracle, cell);
        e.value = oracle->values[cell];
        break;
    }
    case CALL_COUNT: {
        uint64_t unused = 0;
        e.what = oracle_range(oracle, op->cell, op->last, ORACLE_BLOCK, &unused);
        break;
    }
    case CALL_RANGE_LIMIT: e.what = oracle_range(oracle, op->cell, op->last, CALL_LIMIT, &e.key); break;
    case CALL_RANGE: e.what = oracle_range(oracle, op->cell, op->last, ORACLE_BLOCK, &e.key); break;
    case CALL_KINDS: break;
    }
    return e;
}

static bool same(const struct call_answer *x, const struct call_answer *y)
{
    return x->status == y->status && x->what == y->what && x->key == y->key && x->value == y->value;
}

static void note_mistake(const struct demo *demo, struct demo_hand *hand, const struct demo_op *op,
                         const struct call_answer *got, const struct call_answer *wanted)
{
    if (hand->mistakes++ > 0) return;
    snprintf(hand->first_mistake, sizeof hand->first_mistake,
             "%s of %" PRIu64 " answered %s, %" PRIu64 ", %" PRIu64 ":%" PRIu64 "; right is %" PRIu64 ", %" PRIu64
             ":%" PRIu64,
             call_kind_name(op->kind), oracle_key(&demo->oracle, op->cell), pleach_status_name(got->status),
             got->what, got->key, got->value, wanted->what, wanted->key, wanted->value);
}

void demo_check(void *context, unsigned index)
{
    struct demo *demo = context;
    struct demo_hand *hand = &demo->hands[index];
    for (size_t i = 0; i < hand->count; i++) {
        const struct call_answer wanted = expect(&demo->oracle, &hand->ops[i]);
        if (!same(&hand->answers[i], &wanted)) note_mistake(demo, hand, &hand->ops[i], &hand->answers[i], &wanted);
    }
    hand->checked += hand->count;
}
