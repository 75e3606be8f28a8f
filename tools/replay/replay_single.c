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

bool pair_store_add(struct pair_store *store, unsigned bits, size_t from, size_t n, const void *keys,
                    const void *values)
{
    if (store->pairs + n > store->capacity) {
        size_t capacity = store->capacity > 0 ? store->capacity : 256;
        while (capacity < store->pairs + n) capacity *= 2;
        uint64_t *words = realloc(store->words, 2 * capacity * sizeof words[0]);
        if (words == NULL) return false;
        store->words = words;
        store->capacity = capacity;
    }
    for (size_t i = from; i < from + n; i++, store->pairs++) {
        store->words[2 * store->pairs] = word_get(keys, bits, i);
        store->words[2 * store->pairs + 1] = word_get(values, bits, i);
    }
    return true;
}

struct answer answer_pairs(const struct replay *replay, unsigned index, size_t from, size_t n, const void *keys,
                           const void *values)
{
    struct pair_store *store = &replay->stores[index];
    const struct answer answer = {.form = ANSWER_PAIRS, .store = index, .key = store->pairs, .value = n};
    return pair_store_add(store, replay->key_bits, from, n, keys, values) ? answer : answer_error(PLEACH_E_MEMORY);
}

static struct answer answer_update(enum op_kind kind, pleach_outcome outcome, uint64_t old_value)
{
    switch (outcome) {
    case PLEACH_INSERTED: return answer_word("new");
    case PLEACH_EXISTS: return answer_word("exists");
    case PLEACH_ABSENT: return answer_word("-");
    case PLEACH_REPLACED:
    case PLEACH_ERASED: return answer_number(old_value);
    case PLEACH_NOT_APPLIED: break;
    }
    return answer_error(kind == OP_DEL ? PLEACH_E_CORRUPT : PLEACH_E_FULL);
}

struct answer answer_key(enum op_kind kind, unsigned flag, uint64_t key, uint64_t value)
{
    if (op_changes_key(kind)) return answer_update(kind, (pleach_outcome)flag, value);
    if (kind == OP_HAS) return answer_number(flag);
    if (flag == 0) return answer_word("-");
    if (kind == OP_GET) return answer_number(value);
    return (struct answer){.form = ANSWER_PAIR, .key = key, .value = value};
}

static struct answer ask_key(const struct replay *replay, const struct op *op)
{
    const struct result result = target_one(&replay->target, op->kind, op->a, op->b);
    if (result.status != PLEACH_OK) return answer_error(result.status);
    return answer_key(op->kind, (unsigned)result.flag, result.key, result.value);
}

struct ends replay_ends(const struct replay *replay, uint64_t lo, uint64_t hi)
{
    struct ends ends = {0};
    word_set(&ends.lo, replay->key_bits, 0, lo);
    word_set(&ends.hi, replay->key_bits, 0, hi);
    return ends;
}

static struct answer count_keys(const struct replay *replay, const struct op *op)
{
    const struct ends ends = replay_ends(replay, op->a, op->b);
    uint64_t count = 0;
    const pleach_status status =
        pleach_map_range_count(replay->target.map, 1, &ends.lo, &ends.hi, &count, PLEACH_SYNC);
    return status == PLEACH_OK ? answer_number(count) : answer_error(status);
}

bool replay_range_is_empty(const struct op *op) { return op->a > op->b || op->limit == 0; }

uint32_t replay_range_limit(uint64_t limit) { return limit <= UINT32_MAX ? (uint32_t)limit : 0; }

static struct answer ask_range(const struct replay *replay, unsigned index, const struct op *op)
{
    const struct pair_store *store = &replay->stores[index];
    const struct ends ends = replay_ends(replay, op->a, op->b);
    uint64_t offsets[2];
    size_t total = 0;
    if (replay_range_is_empty(op)) return answer_number(0);
    if (store->pairs >= STORE_PAIRS) return (struct answer){.form = ANSWER_FETCH};
    const pleach_status status =
        pleach_map_range(replay->target.map, 1, &ends.lo, &ends.hi, replay_range_limit(op->limit), RANGE_CHUNK,
                         store->keys, store->values, offsets, &total);
    if (status == PLEACH_OK) return answer_pairs(replay, index, 0, total, store->keys, store->values);
    return status == PLEACH_E_SPACE ? (struct answer){.form = ANSWER_FETCH} : answer_error(status);
}

static struct answer ask_end(pleach_map *map, bool lower)
{
    int found = 0;
    uint64_t key = 0, value = 0;
    const pleach_status status = lower ? pleach_map_min(map, &found, &key, &value)
                                       : pleach_map_max(map, &found, &key, &value);
    return status == PLEACH_OK ? answer_key(OP_SUCC, found != 0, key, value) : answer_error(status);
}

static struct answer validate(struct replay *replay)
{
    replay->message[0] = '\0';
    const pleach_status status = target_validate(&replay->target, replay->message, sizeof replay->message);
    if (status == PLEACH_OK) return answer_word("ok");
    if (status == PLEACH_E_CORRUPT && replay->message[0] != '\0') return (struct answer){.form = ANSWER_TEXT};
    return answer_error(status);
}

struct answer replay_on_whole(struct replay *replay, enum op_kind kind)
{
    uint64_t size = 0;
    if (kind == OP_VALIDATE) return validate(replay);
    if (kind != OP_SIZE) return ask_end(replay->target.map, kind == OP_MIN);
    const pleach_status status = target_size(&replay->target, &size);
    return status == PLEACH_OK ? answer_number(size) : answer_error(status);
}

static void carry_out(struct replay *replay, unsigned index, size_t i)
{
    const struct op *op = &replay->ops[i];
    struct answer *answer = &replay->answers[i];
    if (op_is_on_key(op->kind))
        *answer = ask_key(replay, op);
    else if (op->kind == OP_COUNT)
        *answer = count_keys(replay, op);
    else if (op->kind == OP_RANGE)
        *answer = ask_range(replay, index, op);
    else if (op_is_on_whole(op->kind))
        *answer = replay_on_whole(replay, op->kind);
    else if (op->kind != OP_BAD)
        replay_snapshot(replay, op, answer);
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
