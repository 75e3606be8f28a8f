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

static void free_elements(struct array_scratch *s)
{
    void *const all[] = {s->members,      s->kinds,    s->x.keys,  s->x.values, s->x.out_keys,
                         s->x.out_values, s->x.counts, s->x.flags, s->offsets};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
}

void array_scratch_destroy(struct array_scratch *scratch)
{
    free_elements(scratch);
    free(scratch->pair_keys);
    free(scratch->pair_values);
}

bool array_scratch_reserve(struct array_scratch *s, size_t capacity)
{
    const size_t words = capacity * sizeof(uint64_t);
    if (capacity <= s->capacity) return true;
    free_elements(s);
    s->members = malloc(capacity * sizeof s->members[0]);
    s->kinds = malloc(capacity);
    s->x = (struct arrays){.keys = malloc(words), .values = malloc(words), .out_keys = malloc(words),
                           .out_values = malloc(words), .flags = malloc(capacity)};
    s->x.counts = malloc(words + sizeof(uint64_t)); /* offsets have one element more */
    s->offsets = malloc(words + sizeof(uint64_t));
    const bool complete = s->members != NULL && s->kinds != NULL && s->x.keys != NULL && s->x.values != NULL &&
                          s->x.out_keys != NULL && s->x.out_values != NULL && s->x.flags != NULL &&
                          s->x.counts != NULL && s->offsets != NULL;
    s->capacity = complete ? capacity : 0;
    return complete;
}

void array_scratch_set(struct replay *replay, size_t n, size_t i)
{
    struct array_scratch *s = &replay->scratch;
    s->members[n] = i;
    s->kinds[n] = (uint8_t)replay->ops[i].kind;
    word_set(s->x.keys, replay->key_bits, n, replay->ops[i].a);
    word_set(s->x.values, replay->key_bits, n, replay->ops[i].b);
}

static void fail_members(struct replay *replay, size_t n, pleach_status status)
{
    for (size_t i = 0; i < n; i++) replay->answers[replay->scratch.members[i]] = answer_error(status);
}

static void run_on_keys(struct replay *replay, enum op_kind kind, size_t n)
{
    const struct array_scratch *s = &replay->scratch;
    memset(s->x.flags, PLEACH_NOT_APPLIED, n);
    const pleach_status status = target_array(&replay->target, kind, n, &s->x, 0, PLEACH_SYNC);
    /* If the structure is full, the outcomes say which updates have been applied. */
    if (status != PLEACH_OK && !(op_changes_key(kind) && status == PLEACH_E_FULL)) {
        fail_members(replay, n, status);
        return;
    }
    for (size_t i = 0; i < n; i++)
        replay->answers[s->members[i]] = answer_key(kind, s->x.flags[i], word_get(s->x.out_keys, replay->key_bits, i),
                                                    word_get(s->x.out_values, replay->key_bits, i));
}

static void run_counts(struct replay *replay, size_t n)
{
    const struct array_scratch *s = &replay->scratch;
    const pleach_status status = target_array(&replay->target, OP_COUNT, n, &s->x, 0, PLEACH_SYNC);
    if (status != PLEACH_OK) fail_members(replay, n, status);
    for (size_t i = 0; status == PLEACH_OK && i < n; i++)
        replay->answers[s->members[i]] = answer_number(s->x.counts[i]);
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

/* What a member has found, but no more than it wants. */
static struct answer answer_member(const struct replay *replay, size_t i)
{
    const struct array_scratch *s = &replay->scratch;
    const uint64_t limit = replay->ops[s->members[i]].limit, found = s->x.counts[i + 1] - s->x.counts[i];
    return answer_pairs(replay, 0, s->x.counts[i], found < limit ? found : limit, s->pair_keys, s->pair_values);
}

static void run_ranges(struct replay *replay, size_t n)
{
    const struct array_scratch *s = &replay->scratch;
    const pleach_status status =
        pleach_map_range(replay->target.map, n, s->x.keys, s->x.values, common_limit(replay, n), STORE_PAIRS,
                         s->pair_keys, s->pair_values, s->x.counts, NULL);
    if (status != PLEACH_OK && status != PLEACH_E_SPACE) {
        fail_members(replay, n, status);
        return;
    }
    for (size_t i = 0; i < n; i++)
        replay->answers[s->members[i]] =
            status == PLEACH_OK ? answer_member(replay, i) : (struct answer){.form = ANSWER_FETCH};
}

static size_t gather(struct replay *replay, enum op_kind kind, size_t begin, size_t end)
{
    size_t n = 0;
    for (size_t i = begin; i < end; i++)
        if (replay->ops[i].kind == kind) array_scratch_set(replay, n++, i);
    return n;
}

/* Within a run all operations of such a kind have the same answer. */
static void run_on_whole(struct replay *replay, enum op_kind kind, size_t n)
{
    const struct answer answer = replay_on_whole(replay, kind);
    for (size_t i = 0; i < n; i++) replay->answers[replay->scratch.members[i]] = answer;
}

static void run_kind(struct replay *replay, enum op_kind kind, size_t n)
{
    const size_t *members = replay->scratch.members;
    if (op_is_on_key(kind))
        run_on_keys(replay, kind, n);
    else if (kind == OP_COUNT)
        run_counts(replay, n);
    else if (kind == OP_RANGE)
        run_ranges(replay, n);
    else if (op_is_on_whole(kind))
        run_on_whole(replay, kind, n);
    else /* each is a run of its own */
        for (size_t i = 0; i < n; i++) replay_snapshot(replay, &replay->ops[members[i]], &replay->answers[members[i]]);
}

void replay_run_arrays(struct replay *replay, size_t begin, size_t end)
{
    if (!array_scratch_reserve(&replay->scratch, end - begin)) {
        for (size_t i = begin; i < end; i++) replay->answers[i] = answer_error(PLEACH_E_MEMORY);
        return;
    }
    for (int kind = 0; kind < OP_BAD; kind++) {
        const size_t n = gather(replay, (enum op_kind)kind, begin, end);
        if (n > 0) run_kind(replay, (enum op_kind)kind, n);
        if (n > 1) replay->stats.together += n;
    }
}
