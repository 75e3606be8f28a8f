/* replay_single.c - carrying out a run by single calls, from several threads at once. */
#include <stdatomic.h>
#include <stdlib.h>

#include "replay.h"
#include "tools/common/words.h"

/* Shorter runs are not worth handing to other threads. */
enum { LEAST_SHARED = 32, MOST_TAKEN = 64 };

bool pair_store_create(struct pair_store *store)
{
    *store = (struct pair_store){.keys = malloc(RANGE_CHUNK * sizeof(uint64_t)),
                                 .values = malloc(RANGE_CHUNK * sizeof(uint64_t))};
    return store->keys != NULL && store->values != NULL;
}

void pair_store_destroy(struct pair_store *store)
{
    free(store->keys);
    free(store->values);
    free(store->words);
}

bool pair_store_add(struct pair_store *store, uint64_t key, uint64_t value)
{
    if (store->pairs == store->capacity) {
        const size_t capacity = store->capacity > 0 ? 2 * store->capacity : 256;
        uint64_t *words = realloc(store->words, 2 * capacity * sizeof words[0]);
        if (words == NULL) return false;
        store->words = words;
        store->capacity = capacity;
    }
    store->words[2 * store->pairs] = key;
    store->words[2 * store->pairs + 1] = value;
    store->pairs++;
    return true;
}

static void answer_error(struct answer *answer, pleach_status status)
{
    *answer = (struct answer){.form = ANSWER_ERROR, .status = status};
}

static void answer_word(struct answer *answer, const char *word)
{
    *answer = (struct answer){.form = ANSWER_WORD, .word = word};
}

static void answer_number(struct answer *answer, uint64_t number)
{
    *answer = (struct answer){.form = ANSWER_NUMBER, .value = number};
}

void replay_answer_update(struct answer *answer, enum op_kind kind, pleach_outcome outcome, uint64_t old_value)
{
    switch (outcome) {
    case PLEACH_INSERTED: answer_word(answer, "new"); break;
    case PLEACH_EXISTS: answer_word(answer, "exists"); break;
    case PLEACH_ABSENT: answer_word(answer, "-"); break;
    case PLEACH_REPLACED:
    case PLEACH_ERASED: answer_number(answer, old_value); break;
    case PLEACH_NOT_APPLIED: answer_error(answer, kind == OP_DEL ? PLEACH_E_CORRUPT : PLEACH_E_FULL); break;
    }
}

static void answer_update(const struct replay *replay, const struct op *op, struct answer *answer)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    uint64_t old_value = 0;
    const pleach_status status = points_update_one(replay, op, &outcome, &old_value);
    if (status == PLEACH_OK)
        replay_answer_update(answer, op->kind, outcome, old_value);
    else
        answer_error(answer, status);
}

static void answer_point_read(const struct replay *replay, const struct op *op, struct answer *answer)
{
    int found = 0;
    uint64_t value = 0;
    const pleach_status status = points_find_one(replay, op, &found, &value);
    if (status != PLEACH_OK)
        answer_error(answer, status);
    else if (op->kind == OP_HAS)
        answer_number(answer, found ? 1 : 0);
    else if (found)
        answer_number(answer, value);
    else
        answer_word(answer, "-");
}

static void answer_neighbour(pleach_map *map, const struct op *op, struct answer *answer)
{
    int found = 0;
    uint64_t key = 0, value = 0;
    pleach_status status = PLEACH_E_ARGUMENT;
    if (op->kind == OP_SUCC) status = pleach_map_succ_one(map, op->a, &found, &key, &value);
    if (op->kind == OP_PRED) status = pleach_map_pred_one(map, op->a, &found, &key, &value);
    if (op->kind == OP_MIN) status = pleach_map_min(map, &found, &key, &value);
    if (op->kind == OP_MAX) status = pleach_map_max(map, &found, &key, &value);
    if (status != PLEACH_OK)
        answer_error(answer, status);
    else if (found)
        *answer = (struct answer){.form = ANSWER_PAIR, .key = key, .value = value};
    else
        answer_word(answer, "-");
}

static void answer_count(const struct replay *replay, const struct op *op, struct answer *answer)
{
    uint64_t lo, hi, count = 0;
    word_set(&lo, replay->key_bits, 0, op->a);
    word_set(&hi, replay->key_bits, 0, op->b);
    const pleach_status status = pleach_map_range_count(replay->map, 1, &lo, &hi, &count, PLEACH_SYNC);
    if (status == PLEACH_OK)
        answer_number(answer, count);
    else
        answer_error(answer, status);
}

bool replay_range_is_empty(const struct op *op) { return op->a > op->b || op->limit == 0; }

uint32_t replay_range_limit(uint64_t limit) { return limit <= UINT32_MAX ? (uint32_t)limit : 0; }

/* Copies what the range call wrote into the store. */
static void keep_pairs(const struct replay *replay, unsigned index, size_t total, struct answer *answer)
{
    struct pair_store *store = &replay->stores[index];
    *answer = (struct answer){.form = ANSWER_PAIRS, .store = index, .key = store->pairs, .value = total};
    for (size_t i = 0; i < total; i++) {
        const uint64_t key = word_get(store->keys, replay->key_bits, i);
        const uint64_t value = word_get(store->values, replay->key_bits, i);
        if (!pair_store_add(store, key, value)) {
            answer_error(answer, PLEACH_E_MEMORY);
            return;
        }
    }
}

static void answer_range(const struct replay *replay, unsigned index, const struct op *op, struct answer *answer)
{
    struct pair_store *store = &replay->stores[index];
    uint64_t lo, hi, offsets[2];
    size_t total = 0;
    if (replay_range_is_empty(op)) {
        answer_number(answer, 0);
        return;
    }
    *answer = (struct answer){.form = ANSWER_FETCH};
    if (store->pairs >= STORE_PAIRS) return;
    word_set(&lo, replay->key_bits, 0, op->a);
    word_set(&hi, replay->key_bits, 0, op->b);
    const pleach_status status = pleach_map_range(replay->map, 1, &lo, &hi, replay_range_limit(op->limit),
                                                  RANGE_CHUNK, store->keys, store->values, offsets, &total);
    if (status == PLEACH_OK)
        keep_pairs(replay, index, total, answer);
    else if (status != PLEACH_E_SPACE)
        answer_error(answer, status);
}

static void answer_validate(struct replay *replay, struct answer *answer)
{
    replay->message[0] = '\0';
    const pleach_status status = points_validate(replay);
    if (status == PLEACH_OK)
        answer_word(answer, "ok");
    else if (status == PLEACH_E_CORRUPT && replay->message[0] != '\0')
        *answer = (struct answer){.form = ANSWER_TEXT};
    else
        answer_error(answer, status);
}

static void answer_size(struct replay *replay, struct answer *answer)
{
    uint64_t size = 0;
    const pleach_status status = points_size(replay, &size);
    answer_number(answer, size);
    if (status != PLEACH_OK) answer_error(answer, status);
}

void replay_whole_map(struct replay *replay, const struct op *op, struct answer *answer)
{
    switch (op->kind) {
    case OP_MIN:
    case OP_MAX: answer_neighbour(replay->map, op, answer); break;
    case OP_SIZE: answer_size(replay, answer); break;
    case OP_VALIDATE: answer_validate(replay, answer); break;
    case OP_PUT:
    case OP_ADD:
    case OP_DEL:
    case OP_GET:
    case OP_HAS:
    case OP_RANGE:
    case OP_COUNT:
    case OP_SUCC:
    case OP_PRED:
    case OP_SNAP:
    case OP_DROP:
    case OP_AT:
    case OP_SAVE:
    case OP_LOAD:
    case OP_BAD:
    case OP_KINDS: answer_error(answer, PLEACH_E_ARGUMENT); break; /* not of the whole map */
    }
}

static void carry_out(struct replay *replay, unsigned index, size_t i)
{
    const struct op *op = &replay->ops[i];
    struct answer *answer = &replay->answers[i];
    switch (op->kind) {
    case OP_PUT:
    case OP_ADD:
    case OP_DEL: answer_update(replay, op, answer); break;
    case OP_GET:
    case OP_HAS: answer_point_read(replay, op, answer); break;
    case OP_SUCC:
    case OP_PRED: answer_neighbour(replay->map, op, answer); break;
    case OP_RANGE: answer_range(replay, index, op, answer); break;
    case OP_COUNT: answer_count(replay, op, answer); break;
    case OP_SNAP:
    case OP_DROP:
    case OP_AT:
    case OP_SAVE:
    case OP_LOAD: replay_snapshot(replay, op, answer); break;
    case OP_MIN:
    case OP_MAX:
    case OP_SIZE:
    case OP_VALIDATE: replay_whole_map(replay, op, answer); break;
    case OP_BAD:
    case OP_KINDS: break;
    }
}

struct shared_run {
    struct replay *replay;
    size_t end, taken;
    atomic_size_t next;
};

static void take_and_carry_out(void *context, unsigned index)
{
    struct shared_run *run = context;
    size_t begin;
    while ((begin = atomic_fetch_add_explicit(&run->next, run->taken, memory_order_relaxed)) < run->end) {
        const size_t end = run->end - begin < run->taken ? run->end : begin + run->taken;
        for (size_t i = begin; i < end; i++) carry_out(run->replay, index, i);
    }
}

void replay_run_single(struct replay *replay, size_t begin, size_t end)
{
    if (replay->threads == 1 || end - begin < LEAST_SHARED) {
        for (size_t i = begin; i < end; i++) carry_out(replay, 0, i);
        return;
    }
    const size_t even = (end - begin) / (4 * replay->threads) + 1;
    struct shared_run run = {.replay = replay, .end = end, .taken = even < MOST_TAKEN ? even : MOST_TAKEN};
    atomic_init(&run.next, begin);
    crew_run(replay->crew, take_and_carry_out, &run);
    replay->stats.together += end - begin;
}
