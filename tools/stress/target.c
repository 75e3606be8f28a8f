#include "target.h"

const char *op_name(unsigned op)
{
    static const char *const names[OPS] = {"put",  "add",  "erase", "find",  "contains",
                                           "succ", "pred", "count", "range", "range_limit"};
    return names[op];
}

pleach_status target_create(struct target *target, enum target_structure structure, pleach_device device,
                            unsigned bits, bool versioned, uint64_t draw)
{
    static const double raises[] = {1, 1, 0.5, 0.1};
    *target = (struct target){0};
    if (structure == TARGET_HASH) {
        target->set = draw % 3 == 0;
        const pleach_hash_config config = {.device = device, .key_bits = bits, .set = target->set, .threads = 2,
                                           .seed = (uint32_t)draw, .fixed_seed = 1};
        return pleach_hash_create(&target->hash, &config);
    }
    pleach_map_config config = {.device = device, .key_bits = bits, .versioned = versioned};
    if (structure == TARGET_SKIPLIST) {
        config.structure = PLEACH_SKIPLIST;
        config.chunk = draw % 2 == 0 ? 16 : 32;
        config.raise = raises[draw / 2 % (sizeof raises / sizeof raises[0])];
    }
    return pleach_map_create(&target->map, &config);
}

void target_destroy(struct target *target)
{
    if (target->map != NULL) pleach_map_destroy(target->map);
    if (target->hash != NULL) pleach_hash_destroy(target->hash);
    *target = (struct target){0};
}

static struct result hash_one(pleach_hash *hash, unsigned op, uint64_t key, uint64_t value)
{
    struct result r = {.status = PLEACH_E_ARGUMENT};
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    int found = 0;
    switch (op) {
    case PLEACH_OP_PUT: r.status = pleach_hash_put_one(hash, key, value, &outcome, &r.value); break;
    case PLEACH_OP_ADD: r.status = pleach_hash_add_one(hash, key, value, &outcome, &r.value); break;
    case PLEACH_OP_ERASE: r.status = pleach_hash_erase_one(hash, key, &outcome, &r.value); break;
    case PLEACH_OP_FIND:
    case PLEACH_OP_CONTAINS: r.status = pleach_hash_find_one(hash, key, &found, &r.value); break;
    default: break;
    }
    r.flag = op_is_update(op) ? (uint64_t)outcome : (uint64_t)(found != 0);
    return r;
}

static struct result map_one(pleach_map *map, unsigned op, uint64_t key, uint64_t value)
{
    struct result r = {.status = PLEACH_E_ARGUMENT};
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    int found = 0;
    switch (op) {
    case PLEACH_OP_PUT: r.status = pleach_map_put_one(map, key, value, &outcome, &r.value); break;
    case PLEACH_OP_ADD: r.status = pleach_map_add_one(map, key, value, &outcome, &r.value); break;
    case PLEACH_OP_ERASE: r.status = pleach_map_erase_one(map, key, &outcome, &r.value); break;
    case PLEACH_OP_FIND: r.status = pleach_map_find_one(map, key, &found, &r.value); break;
    case PLEACH_OP_CONTAINS: r.status = pleach_map_contains_one(map, key, &found); break;
    case PLEACH_OP_SUCC: r.status = pleach_map_succ_one(map, key, &found, &r.key, &r.value); break;
    case PLEACH_OP_PRED: r.status = pleach_map_pred_one(map, key, &found, &r.key, &r.value); break;
    default: break;
    }
    r.flag = op_is_update(op) ? (uint64_t)outcome : (uint64_t)(found != 0);
    return r;
}

struct result target_one(const struct target *target, unsigned op, uint64_t key, uint64_t value)
{
    return target->hash != NULL ? hash_one(target->hash, op, key, value) : map_one(target->map, op, key, value);
}

static pleach_status hash_array(pleach_hash *hash, unsigned op, size_t n, const struct arrays *x, bool set,
                                pleach_stream stream)
{
    void *values = set ? NULL : x->values, *out_values = set ? NULL : x->out_values;
    switch (op) {
    case PLEACH_OP_PUT: return pleach_hash_put(hash, n, x->keys, values, x->flags, out_values, stream);
    case PLEACH_OP_ADD: return pleach_hash_add(hash, n, x->keys, values, x->flags, out_values, stream);
    case PLEACH_OP_ERASE: return pleach_hash_erase(hash, n, x->keys, x->flags, out_values, stream);
    case PLEACH_OP_FIND: return pleach_hash_find(hash, n, x->keys, out_values, x->flags, stream);
    case PLEACH_OP_CONTAINS: return pleach_hash_contains(hash, n, x->keys, x->flags, stream);
    default: return PLEACH_E_ARGUMENT;
    }
}

static pleach_status map_array(pleach_map *map, unsigned op, size_t n, const struct arrays *x, size_t capacity,
                               pleach_stream stream)
{
    switch (op) {
    case PLEACH_OP_PUT: return pleach_map_put(map, n, x->keys, x->values, x->flags, x->out_values, stream);
    case PLEACH_OP_ADD: return pleach_map_add(map, n, x->keys, x->values, x->flags, x->out_values, stream);
    case PLEACH_OP_ERASE: return pleach_map_erase(map, n, x->keys, x->flags, x->out_values, stream);
    case PLEACH_OP_FIND: return pleach_map_find(map, n, x->keys, x->out_values, x->flags, stream);
    case PLEACH_OP_CONTAINS: return pleach_map_contains(map, n, x->keys, x->flags, stream);
    case PLEACH_OP_SUCC: return pleach_map_succ(map, n, x->keys, x->out_keys, x->out_values, x->flags, stream);
    case PLEACH_OP_PRED: return pleach_map_pred(map, n, x->keys, x->out_keys, x->out_values, x->flags, stream);
    case PLEACH_OP_COUNT: return pleach_map_range_count(map, n, x->keys, x->values, x->counts, stream);
    case PLEACH_OP_RANGE:
        return pleach_map_range(map, n, x->keys, x->values, 0, capacity, x->out_keys, x->out_values, x->counts, NULL);
    case OP_RANGE_LIMIT:
        return pleach_map_range_limit(map, n, x->keys, x->values, RANGE_LIMIT, x->out_keys, x->out_values,
                                      x->short_counts, stream);
    default: return PLEACH_E_ARGUMENT;
    }
}

pleach_status target_array(const struct target *target, unsigned op, size_t n, const struct arrays *arrays,
                           size_t capacity, pleach_stream stream)
{
    return target->hash != NULL ? hash_array(target->hash, op, n, arrays, target->set, stream)
                                : map_array(target->map, op, n, arrays, capacity, stream);
}

pleach_status target_load(const struct target *target, size_t n, const void *keys, const void *values)
{
    if (target->hash == NULL) return pleach_map_load(target->map, n, keys, values, 0);
    return pleach_hash_put(target->hash, n, keys, target->set ? NULL : values, NULL, NULL, PLEACH_SYNC);
}

pleach_status target_export(const struct target *target, size_t capacity, void *keys, void *values, size_t *n)
{
    if (target->hash == NULL) return pleach_map_export(target->map, capacity, keys, values, n);
    return pleach_hash_export(target->hash, capacity, keys, target->set ? NULL : values, n);
}

pleach_status target_size(const struct target *target, uint64_t *size)
{
    return target->hash != NULL ? pleach_hash_size(target->hash, size) : pleach_map_size(target->map, size);
}

pleach_status target_compact(const struct target *target, double fill)
{
    return target->hash != NULL ? pleach_hash_compact(target->hash) : pleach_map_compact(target->map, fill);
}

pleach_status target_clear(const struct target *target)
{
    return target->hash != NULL ? pleach_hash_clear(target->hash) : pleach_map_clear(target->map);
}

pleach_status target_validate(const struct target *target, char *message, size_t size)
{
    return target->hash != NULL ? pleach_hash_validate(target->hash, message, size)
                                : pleach_map_validate(target->map, message, size);
}
