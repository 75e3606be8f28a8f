/* replay_batch.c - carrying out all kinds of operations on keys by one pleach_map_apply, in their order. */
#include <pleach/batch.h>

#include <stdlib.h>
#include <string.h>

#include "replay.h"
#include "tools/common/words.h"


enum { NO_OPERATION = UINT8_MAX };

/* NO_OPERATION if a batch has none of this kind. */
static uint8_t operation_of(enum op_kind kind)
{
    switch (kind) {
    case OP_PUT: return PLEACH_OP_PUT;
    case OP_ADD: return PLEACH_OP_ADD;
    case OP_DEL: return PLEACH_OP_ERASE;
    case OP_GET: return PLEACH_OP_FIND;
    case OP_HAS: return PLEACH_OP_CONTAINS;
    case OP_SUCC: return PLEACH_OP_SUCC;
    case OP_PRED: return PLEACH_OP_PRED;
    case OP_COUNT: return PLEACH_OP_COUNT;
    case OP_RANGE: return PLEACH_OP_RANGE;
    case OP_MIN:
    case OP_MAX:
    case OP_SIZE:
    case OP_VALIDATE:
    case OP_SNAP:
    case OP_DROP:
    case OP_AT:
    case OP_SAVE:
    case OP_LOAD:
    case OP_BAD:
    case OP_KINDS: break;
    }
    return NO_OPERATION;
}

bool replay_is_batchable(const struct op *op) { return op->kind == OP_BAD || operation_of(op->kind) != NO_OPERATION; }

/* Arguments and results of one batch. */
struct arrays {
    size_t n;
    size_t *members; /* the operations, by place in the batch */
    uint8_t *kinds, *flags;
    void *keys, *values, *out_keys, *out_values;
    uint64_t *counts, *offsets;
    void *pair_keys, *pair_values;
    uint64_t limit;
};

static bool arrays_create(struct arrays *a, size_t n)
{
    *a = (struct arrays){.members = malloc(n * sizeof a->members[0]),
                         .kinds = malloc(n),
                         .flags = malloc(n),
                         .keys = malloc(n * sizeof(uint64_t)),
                         .values = malloc(n * sizeof(uint64_t)),
                         .out_keys = malloc(n * sizeof(uint64_t)),
                         .out_values = malloc(n * sizeof(uint64_t)),
                         .counts = malloc(n * sizeof a->counts[0]),
                         .offsets = malloc((n + 1) * sizeof a->offsets[0]),
                         .limit = 1};
    return a->members != NULL && a->kinds != NULL && a->flags != NULL && a->keys != NULL && a->values != NULL &&
           a->out_keys != NULL && a->out_values != NULL && a->counts != NULL && a->offsets != NULL;
}

static void arrays_destroy(struct arrays *a)
{
    void *const all[] = {a->members,  a->kinds,      a->flags,  a->keys,    a->values,
                         a->out_keys, a->out_values, a->counts, a->offsets, a->pair_keys, a->pair_values};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
}

static void gather(const struct replay *replay, struct arrays *a, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const struct op *op = &replay->ops[i];
        if (op->kind == OP_BAD) continue;
        a->members[a->n] = i;
        a->kinds[a->n] = operation_of(op->kind);
        word_set(a->keys, replay->key_bits, a->n, op->a);
        word_set(a->values, replay->key_bits, a->n, op->b);
        if (op->kind == OP_RANGE && op->limit > a->limit) a->limit = op->limit;
        a->n++;
    }
}

/* One limit for all ranges: that of the longest. What the others get too much is left out when they are answered. */
static pleach_status apply(struct replay *replay, struct arrays *a)
{
    pleach_batch batch = {.n = a->n, .kinds = a->kinds, .keys = a->keys, .values = a->values, .flags = a->flags,
                          .out_keys = a->out_keys, .out_values = a->out_values, .counts = a->counts,
                          .limit = replay_range_limit(a->limit), .offsets = a->offsets};
    batch.range_keys = a->pair_keys = malloc(sizeof(uint64_t));
    batch.range_values = a->pair_values = malloc(sizeof(uint64_t));
    if (a->pair_keys == NULL || a->pair_values == NULL) return PLEACH_E_MEMORY;
    pleach_status status = pleach_map_apply(replay->map, &batch);
    if (status != PLEACH_E_SPACE) return status;
    free(a->pair_keys);
    free(a->pair_values);
    batch.capacity = batch.total;
    batch.range_keys = a->pair_keys = malloc(batch.capacity * sizeof(uint64_t));
    batch.range_values = a->pair_values = malloc(batch.capacity * sizeof(uint64_t));
    return a->pair_keys != NULL && a->pair_values != NULL ? pleach_map_apply(replay->map, &batch) : PLEACH_E_MEMORY;
}

static void answer_range(struct replay *replay, const struct arrays *a, size_t i, struct answer *answer)
{
    struct pair_store *store = &replay->stores[0];
    const uint64_t limit = replay->ops[a->members[i]].limit, found = a->counts[i];
    const uint64_t wanted = found < limit ? found : limit;
    *answer = (struct answer){.form = ANSWER_PAIRS, .key = store->pairs, .value = wanted};
    for (size_t at = a->offsets[i]; at < a->offsets[i] + wanted; at++)
        if (!pair_store_add(store, word_get(a->pair_keys, replay->key_bits, at),
                            word_get(a->pair_values, replay->key_bits, at)))
            *answer = (struct answer){.form = ANSWER_ERROR, .status = PLEACH_E_MEMORY};
}

static struct answer answer_of_pair(uint64_t key, uint64_t value)
{
    return (struct answer){.form = ANSWER_PAIR, .key = key, .value = value};
}

static void answer_operation(struct replay *replay, const struct arrays *a, size_t i, struct answer *answer)
{
    const enum op_kind kind = replay->ops[a->members[i]].kind;
    const uint64_t value = word_get(a->out_values, replay->key_bits, i);
    const uint64_t key = word_get(a->out_keys, replay->key_bits, i);
    *answer = (struct answer){.form = ANSWER_WORD, .word = "-"};
    switch (kind) {
    case OP_PUT:
    case OP_ADD:
    case OP_DEL: replay_answer_update(answer, kind, (pleach_outcome)a->flags[i], value); break;
    case OP_HAS: *answer = (struct answer){.form = ANSWER_NUMBER, .value = a->flags[i]}; break;
    case OP_GET:
        if (a->flags[i]) *answer = (struct answer){.form = ANSWER_NUMBER, .value = value};
        break;
    case OP_COUNT: *answer = (struct answer){.form = ANSWER_NUMBER, .value = a->counts[i]}; break;
    case OP_RANGE: answer_range(replay, a, i, answer); break;
    case OP_SUCC:
    case OP_PRED:
        if (a->flags[i]) *answer = answer_of_pair(key, value);
        break;
    case OP_MIN:
    case OP_MAX:
    case OP_SIZE:
    case OP_VALIDATE:
    case OP_SNAP:
    case OP_DROP:
    case OP_AT:
    case OP_SAVE:
    case OP_LOAD:
    case OP_BAD:
    case OP_KINDS: *answer = (struct answer){.form = ANSWER_ERROR, .status = PLEACH_E_ARGUMENT}; break;
    }
}

void replay_run_batch(struct replay *replay, size_t begin, size_t end)
{
    struct arrays a;
    pleach_status status = PLEACH_E_MEMORY;
    if (arrays_create(&a, end - begin)) {
        gather(replay, &a, begin, end);
        status = apply(replay, &a);
    }
    for (size_t i = 0; i < a.n; i++) {
        struct answer *answer = &replay->answers[a.members[i]];
        if (status == PLEACH_OK)
            answer_operation(replay, &a, i, answer);
        else
            *answer = (struct answer){.form = ANSWER_ERROR, .status = status};
    }
    if (status != PLEACH_OK && a.n == 0)
        for (size_t i = begin; i < end; i++)
            replay->answers[i] = (struct answer){.form = ANSWER_ERROR, .status = status};
    replay->stats.together += a.n;
    arrays_destroy(&a);
}
