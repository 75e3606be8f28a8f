/* replay_array.c - carrying out a run by one array call for each kind of operation.
 *
 * The operations of a run commute, so it does not matter that all its puts come before all its gets, or in which
 * order the elements of one call take effect.
 */
#include <stdlib.h>
#include <string.h>

#include "replay.h"
#include "tools/common/words.h"

bool array_scratch_create(struct array_scratch *scratch)
{
    *scratch = (struct array_scratch){.pair_keys = malloc(STORE_PAIRS * sizeof(uint64_t)),
                                      .pair_values = malloc(STORE_PAIRS * sizeof(uint64_t))};
    return scratch->pair_keys != NULL && scratch->pair_values != NULL;
}

static void free_elements(struct array_scratch *scratch)
{
    free(scratch->members);
    free(scratch->a);
    free(scratch->b);
    free(scratch->out_a);
    free(scratch->out_b);
    free(scratch->counts);
    free(scratch->bytes);
}

void array_scratch_destroy(struct array_scratch *scratch)
{
    free_elements(scratch);
    free(scratch->pair_keys);
    free(scratch->pair_values);
}

static bool reserve_elements(struct array_scratch *scratch, size_t capacity)
{
    if (capacity <= scratch->capacity) return true;
    free_elements(scratch);
    scratch->members = malloc(capacity * sizeof scratch->members[0]);
    scratch->a = malloc(capacity * sizeof(uint64_t));
    scratch->b = malloc(capacity * sizeof(uint64_t));
    scratch->out_a = malloc(capacity * sizeof(uint64_t));
    scratch->out_b = malloc(capacity * sizeof(uint64_t));
    scratch->counts = malloc((capacity + 1) * sizeof scratch->counts[0]); /* offsets have one element more */
    scratch->bytes = malloc(capacity);
    const bool complete = scratch->members != NULL && scratch->a != NULL && scratch->b != NULL &&
                          scratch->out_a != NULL && scratch->out_b != NULL && scratch->counts != NULL &&
                          scratch->bytes != NULL;
    scratch->capacity = complete ? capacity : 0;
    return complete;
}

static void fail_members(struct replay *replay, size_t n, pleach_status status)
{
    for (size_t i = 0; i < n; i++)
        replay->answers[replay->scratch.members[i]] = (struct answer){.form = ANSWER_ERROR, .status = status};
}

static void run_updates(struct replay *replay, enum op_kind kind, size_t n)
{
    struct array_scratch *s = &replay->scratch;
    memset(s->bytes, PLEACH_NOT_APPLIED, n);
    const pleach_status status = points_update(replay, kind, n);
    if (status != PLEACH_OK && status != PLEACH_E_FULL) {
        fail_members(replay, n, status);
        return;
    }
    for (size_t i = 0; i < n; i++)
        replay_answer_update(&replay->answers[s->members[i]], kind, (pleach_outcome)s->bytes[i],
                             word_get(s->out_a, replay->key_bits, i));
}

static void run_point_reads(struct replay *replay, enum op_kind kind, size_t n)
{
    struct array_scratch *s = &replay->scratch;
    const pleach_status status = points_find(replay, kind, n);
    if (status != PLEACH_OK) {
        fail_members(replay, n, status);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct answer *answer = &replay->answers[s->members[i]];
        if (kind == OP_HAS)
            *answer = (struct answer){.form = ANSWER_NUMBER, .value = s->bytes[i]};
        else if (s->bytes[i])
            *answer = (struct answer){.form = ANSWER_NUMBER, .value = word_get(s->out_a, replay->key_bits, i)};
        else
            *answer = (struct answer){.form = ANSWER_WORD, .word = "-"};
    }
}

static void run_neighbours(struct replay *replay, enum op_kind kind, size_t n)
{
    struct array_scratch *s = &replay->scratch;
    pleach_status status = PLEACH_E_ARGUMENT;
    if (kind == OP_SUCC) status = pleach_map_succ(replay->map, n, s->a, s->out_a, s->out_b, s->bytes, PLEACH_SYNC);
    if (kind == OP_PRED) status = pleach_map_pred(replay->map, n, s->a, s->out_a, s->out_b, s->bytes, PLEACH_SYNC);
    if (status != PLEACH_OK) {
        fail_members(replay, n, status);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct answer *answer = &replay->answers[s->members[i]];
        *answer = (struct answer){.form = ANSWER_WORD, .word = "-"};
        if (s->bytes[i])
            *answer = (struct answer){.form = ANSWER_PAIR,
                                      .key = word_get(s->out_a, replay->key_bits, i),
                                      .value = word_get(s->out_b, replay->key_bits, i)};
    }
}

static void run_counts(struct replay *replay, size_t n)
{
    struct array_scratch *s = &replay->scratch;
    const pleach_status status = pleach_map_range_count(replay->map, n, s->a, s->b, s->counts, PLEACH_SYNC);
    if (status != PLEACH_OK) {
        fail_members(replay, n, status);
        return;
    }
    for (size_t i = 0; i < n; i++)
        replay->answers[s->members[i]] = (struct answer){.form = ANSWER_NUMBER, .value = s->counts[i]};
}

/* One limit that gives every member enough: the largest; 0, which is none, if one of them has none. */
static uint32_t common_limit(const struct replay *replay, size_t n)
{
    uint64_t largest = 1;
    for (size_t i = 0; i < n; i++) {
        const uint64_t limit = replay->ops[replay->scratch.members[i]].limit;
        if (limit > largest) largest = limit;
    }
    return replay_range_limit(largest);
}

static void keep_member_pairs(struct replay *replay, size_t i)
{
    struct array_scratch *s = &replay->scratch;
    struct pair_store *store = &replay->stores[0];
    const struct op *op = &replay->ops[s->members[i]];
    struct answer *answer = &replay->answers[s->members[i]];
    const uint64_t found = s->counts[i + 1] - s->counts[i];
    const uint64_t wanted = found < op->limit ? found : op->limit;
    *answer = (struct answer){.form = ANSWER_PAIRS, .key = store->pairs, .value = wanted};
    for (size_t at = s->counts[i]; at < s->counts[i] + wanted; at++) {
        const uint64_t key = word_get(s->pair_keys, replay->key_bits, at);
        if (!pair_store_add(store, key, word_get(s->pair_values, replay->key_bits, at)))
            *answer = (struct answer){.form = ANSWER_ERROR, .status = PLEACH_E_MEMORY};
    }
}

static void run_ranges(struct replay *replay, size_t n)
{
    struct array_scratch *s = &replay->scratch;
    const pleach_status status = pleach_map_range(replay->map, n, s->a, s->b, common_limit(replay, n), STORE_PAIRS,
                                                  s->pair_keys, s->pair_values, s->counts, NULL);
    if (status != PLEACH_OK && status != PLEACH_E_SPACE) {
        fail_members(replay, n, status);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (status == PLEACH_OK)
            keep_member_pairs(replay, i);
        else
            replay->answers[s->members[i]] = (struct answer){.form = ANSWER_FETCH};
    }
}

static size_t gather(struct replay *replay, enum op_kind kind, size_t begin, size_t end)
{
    struct array_scratch *s = &replay->scratch;
    size_t n = 0;
    for (size_t i = begin; i < end; i++) {
        if (replay->ops[i].kind != kind) continue;
        s->members[n] = i;
        word_set(s->a, replay->key_bits, n, replay->ops[i].a);
        word_set(s->b, replay->key_bits, n, replay->ops[i].b);
        n++;
    }
    return n;
}

/* Within a run all operations of such a kind have the same answer. */
static void run_whole(struct replay *replay, size_t n)
{
    struct answer *answers = replay->answers;
    const size_t *members = replay->scratch.members;
    replay_whole_map(replay, &replay->ops[members[0]], &answers[members[0]]);
    for (size_t i = 1; i < n; i++) answers[members[i]] = answers[members[0]];
}

static void run_kind(struct replay *replay, enum op_kind kind, size_t n)
{
    const size_t *members = replay->scratch.members;
    switch (kind) {
    case OP_PUT:
    case OP_ADD:
    case OP_DEL: run_updates(replay, kind, n); break;
    case OP_GET:
    case OP_HAS: run_point_reads(replay, kind, n); break;
    case OP_SUCC:
    case OP_PRED: run_neighbours(replay, kind, n); break;
    case OP_COUNT: run_counts(replay, n); break;
    case OP_RANGE: run_ranges(replay, n); break;
    case OP_MIN:
    case OP_MAX:
    case OP_SIZE:
    case OP_VALIDATE: run_whole(replay, n); break;
    case OP_SNAP:
    case OP_DROP:
    case OP_AT:
    case OP_SAVE:
    case OP_LOAD: /* each is a run of its own */
        for (size_t i = 0; i < n; i++) replay_snapshot(replay, &replay->ops[members[i]], &replay->answers[members[i]]);
        break;
    case OP_BAD:
    case OP_KINDS: break;
    }
}

void replay_run_arrays(struct replay *replay, size_t begin, size_t end)
{
    if (!reserve_elements(&replay->scratch, end - begin)) {
        for (size_t i = begin; i < end; i++)
            replay->answers[i] = (struct answer){.form = ANSWER_ERROR, .status = PLEACH_E_MEMORY};
        return;
    }
    for (int kind = 0; kind < OP_BAD; kind++) {
        const size_t n = gather(replay, (enum op_kind)kind, begin, end);
        if (n > 0) run_kind(replay, (enum op_kind)kind, n);
        if (n > 1) replay->stats.together += n;
    }
}
