/* replay_points.c - the calls that maps and hash tables have alike. */
#include "replay.h"

/* Single calls come from threads of ours, and the structure needs none of its own. */
static unsigned worker_threads(const struct replay *replay)
{
    return replay->by_batches || replay->by_arrays ? replay->threads : 1;
}

pleach_status points_create(struct replay *replay)
{
    if (replay->hashed) {
        const pleach_hash_config config = {.device = replay->device, .key_bits = replay->key_bits,
                                           .threads = worker_threads(replay), .fixed_seed = 1};
        return pleach_hash_create(&replay->hash, &config);
    }
    const pleach_map_config config = {.device = replay->device, .key_bits = replay->key_bits,
                                      .threads = worker_threads(replay),
                                      .versioned = replay->versioned,
                                      .structure = replay->skiplist ? PLEACH_SKIPLIST : PLEACH_BLINK,
                                      .chunk = replay->chunk};
    return pleach_map_create(&replay->map, &config);
}

void points_destroy(struct replay *replay)
{
    pleach_map_destroy(replay->map);
    pleach_hash_destroy(replay->hash);
}

pleach_status points_update_one(const struct replay *replay, const struct op *op, pleach_outcome *outcome,
                                uint64_t *old_value)
{
    pleach_map *map = replay->map;
    pleach_hash *hash = replay->hash;
    if (op->kind == OP_PUT)
        return hash ? pleach_hash_put_one(hash, op->a, op->b, outcome, old_value)
                    : pleach_map_put_one(map, op->a, op->b, outcome, old_value);
    if (op->kind == OP_ADD)
        return hash ? pleach_hash_add_one(hash, op->a, op->b, outcome, old_value)
                    : pleach_map_add_one(map, op->a, op->b, outcome, old_value);
    if (op->kind == OP_DEL)
        return hash ? pleach_hash_erase_one(hash, op->a, outcome, old_value)
                    : pleach_map_erase_one(map, op->a, outcome, old_value);
    return PLEACH_E_ARGUMENT;
}

pleach_status points_find_one(const struct replay *replay, const struct op *op, int *found, uint64_t *value)
{
    if (replay->hash) return pleach_hash_find_one(replay->hash, op->a, found, value);
    if (op->kind == OP_GET) return pleach_map_find_one(replay->map, op->a, found, value);
    if (op->kind == OP_HAS) return pleach_map_contains_one(replay->map, op->a, found);
    return PLEACH_E_ARGUMENT;
}

pleach_status points_update(const struct replay *replay, enum op_kind kind, size_t n)
{
    const struct array_scratch *s = &replay->scratch;
    pleach_map *map = replay->map;
    pleach_hash *hash = replay->hash;
    if (kind == OP_PUT)
        return hash ? pleach_hash_put(hash, n, s->a, s->b, s->bytes, s->out_a, PLEACH_SYNC)
                    : pleach_map_put(map, n, s->a, s->b, s->bytes, s->out_a, PLEACH_SYNC);
    if (kind == OP_ADD)
        return hash ? pleach_hash_add(hash, n, s->a, s->b, s->bytes, s->out_a, PLEACH_SYNC)
                    : pleach_map_add(map, n, s->a, s->b, s->bytes, s->out_a, PLEACH_SYNC);
    if (kind == OP_DEL)
        return hash ? pleach_hash_erase(hash, n, s->a, s->bytes, s->out_a, PLEACH_SYNC)
                    : pleach_map_erase(map, n, s->a, s->bytes, s->out_a, PLEACH_SYNC);
    return PLEACH_E_ARGUMENT;
}

pleach_status points_find(const struct replay *replay, enum op_kind kind, size_t n)
{
    const struct array_scratch *s = &replay->scratch;
    if (kind == OP_GET)
        return replay->hash ? pleach_hash_find(replay->hash, n, s->a, s->out_a, s->bytes, PLEACH_SYNC)
                            : pleach_map_find(replay->map, n, s->a, s->out_a, s->bytes, PLEACH_SYNC);
    if (kind == OP_HAS)
        return replay->hash ? pleach_hash_contains(replay->hash, n, s->a, s->bytes, PLEACH_SYNC)
                            : pleach_map_contains(replay->map, n, s->a, s->bytes, PLEACH_SYNC);
    return PLEACH_E_ARGUMENT;
}

pleach_status points_size(const struct replay *replay, uint64_t *size)
{
    return replay->hash ? pleach_hash_size(replay->hash, size) : pleach_map_size(replay->map, size);
}

pleach_status points_validate(struct replay *replay)
{
    if (replay->hash) return pleach_hash_validate(replay->hash, replay->message, sizeof replay->message);
    return pleach_map_validate(replay->map, replay->message, sizeof replay->message);
}
