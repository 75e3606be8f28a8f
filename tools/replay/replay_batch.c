/* replay_batch.c - carrying out all kinds of operations on keys by one pleach_map_apply, in their order. */
#include <pleach/batch.h>

#include <stdlib.h>

#include "replay.h"
#include "tools/common/words.h"

/* How many there are. *limit becomes that of the longest range; 1 if there is none. */
static size_t gather(struct replay *replay, size_t begin, size_t end, uint64_t *limit)
{
    size_t n = 0;
    *limit = 1;
    for (size_t i = begin; i < end; i++) {
        const struct op *op = &replay->ops[i];
        if (op->kind == OP_BAD) continue;
        array_scratch_set(replay, n++, i);
        if (op->kind == OP_RANGE && op->limit > *limit) *limit = op->limit;
    }
    return n;
}

/* Room for pairs, in place of what there was. */
static bool make_room(pleach_batch *batch, size_t pairs)
{
    free(batch->range_keys);
    free(batch->range_values);
    batch->capacity = pairs;
    batch->range_keys = malloc((pairs > 0 ? pairs : 1) * sizeof(uint64_t));
    batch->range_values = malloc((pairs > 0 ? pairs : 1) * sizeof(uint64_t));
    return batch->range_keys != NULL && batch->range_values != NULL;
}

/* Without room first, which tells how many pairs there are. */
static pleach_status apply(const struct replay *replay, pleach_batch *batch)
{
    if (!make_room(batch, 0)) return PLEACH_E_MEMORY;
    const pleach_status status = pleach_map_apply(replay->target.map, batch);
    if (status != PLEACH_E_SPACE) return status;
    return make_room(batch, batch->total) ? pleach_map_apply(replay->target.map, batch) : PLEACH_E_MEMORY;
}

/* All ranges have one limit: what is more than one's own is left out. */
static struct answer answer_operation(const struct replay *replay, const pleach_batch *batch, size_t i)
{
    const struct op *op = &replay->ops[replay->scratch.members[i]];
    const uint64_t count = batch->counts[i];
    if (op->kind == OP_COUNT) return answer_number(count);
    if (op->kind == OP_RANGE)
        return answer_pairs(replay, 0, batch->offsets[i], count < op->limit ? count : op->limit, batch->range_keys,
                            batch->range_values);
    return answer_key(op->kind, batch->flags[i], word_get(batch->out_keys, replay->key_bits, i),
                      word_get(batch->out_values, replay->key_bits, i));
}

void replay_run_batch(struct replay *replay, size_t begin, size_t end)
{
    const struct array_scratch *s = &replay->scratch;
    if (!array_scratch_reserve(&replay->scratch, end - begin)) {
        for (size_t i = begin; i < end; i++) replay->answers[i] = answer_error(PLEACH_E_MEMORY);
        return;
    }
    uint64_t limit;
    const size_t n = gather(replay, begin, end, &limit);
    pleach_batch batch = {.n = n, .kinds = s->kinds, .keys = s->x.keys, .values = s->x.values, .flags = s->x.flags,
                          .out_keys = s->x.out_keys, .out_values = s->x.out_values, .counts = s->x.counts,
                          .limit = replay_range_limit(limit), .offsets = s->offsets};
    const pleach_status status = apply(replay, &batch);
    for (size_t i = 0; i < n; i++)
        replay->answers[s->members[i]] =
            status == PLEACH_OK ? answer_operation(replay, &batch, i) : answer_error(status);
    replay->stats.together += n;
    free(batch.range_keys);
    free(batch.range_values);
}
