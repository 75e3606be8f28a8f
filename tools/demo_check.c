#include <inttypes.h>
#include <stdio.h>

#include "demo.h"

const char *demo_kind_name(enum demo_kind kind)
{
    static const char *const names[DEMO_KINDS] = {"put",  "add",  "erase", "find",        "contains",
                                                  "succ", "pred", "count", "range_limit", "range"};
    return names[kind];
}

/* What the operation must answer; an update takes effect in the oracle. */
static struct demo_answer expect(struct oracle *oracle, const struct demo_op *op)
{
    struct demo_answer e = {.status = PLEACH_OK};
    switch (op->kind) {
    case DEMO_PUT: e.what = oracle_put(oracle, op->cell, op->value, &e.value); break;
    case DEMO_ADD: e.what = oracle_add(oracle, op->cell, op->value, &e.value); break;
    case DEMO_ERASE: e.what = oracle_erase(oracle, op->cell, &e.value); break;
    case DEMO_FIND: e.what = oracle_find(oracle, op->cell, &e.value); break;
    case DEMO_CONTAINS: e.what = oracle->present[op->cell]; break;
    case DEMO_SUCC:
    case DEMO_PRED: {
        const size_t cell = op->kind == DEMO_SUCC ? oracle_succ(oracle, op->cell) : oracle_pred(oracle, op->cell);
        e.what = 1;
        e.key = oracle_key(oracle, cell);
        e.value = oracle->values[cell];
        break;
    }
    case DEMO_COUNT: {
        uint64_t unused = 0;
        e.what = oracle_range(oracle, op->cell, op->last, ORACLE_BLOCK, &unused);
        break;
    }
    case DEMO_RANGE_LIMIT: e.what = oracle_range(oracle, op->cell, op->last, DEMO_LIMIT, &e.key); break;
    default: e.what = oracle_range(oracle, op->cell, op->last, ORACLE_BLOCK, &e.key); break;
    }
    return e;
}

static bool same(const struct demo_answer *x, const struct demo_answer *y)
{
    return x->status == y->status && x->what == y->what && x->key == y->key && x->value == y->value;
}

static void note_mistake(const struct demo *demo, struct demo_hand *hand, const struct demo_op *op,
                         const struct demo_answer *got, const struct demo_answer *wanted)
{
    if (hand->mistakes++ > 0) return;
    snprintf(hand->first_mistake, sizeof hand->first_mistake,
             "%s of %" PRIu64 " answered %s, %" PRIu64 ", %" PRIu64 ":%" PRIu64 "; right is %" PRIu64 ", %" PRIu64
             ":%" PRIu64,
             demo_kind_name(op->kind), oracle_key(&demo->oracle, op->cell), pleach_status_name(got->status),
             got->what, got->key, got->value, wanted->what, wanted->key, wanted->value);
}

void demo_check(void *context, unsigned index)
{
    struct demo *demo = context;
    struct demo_hand *hand = &demo->hands[index];
    for (size_t i = 0; i < hand->count; i++) {
        const struct demo_answer wanted = expect(&demo->oracle, &hand->ops[i]);
        if (!same(&hand->answers[i], &wanted)) note_mistake(demo, hand, &hand->ops[i], &hand->answers[i], &wanted);
    }
    hand->checked += hand->count;
}
