#include "target.h"

const char *op_name(unsigned op)
{
    static const char *const names[OPS] = {"put",  "add",  "erase", "find",  "contains",
                                           "succ", "pred", "count", "range", "range_limit"};
    return names[op];
}

void target_destroy(struct target *target)
{
    pleach_map_destroy(target->map);
    pleach_hash_destroy(target->hash);
    *target = (struct target){0};
}

/* The call of the same name for the map or the hash table. */
#define CALL(target, name, ...)                                               \
    ((target)->hash != NULL ? pleach_hash_##name((target)->hash, __VA_ARGS__) \
                            : pleach_map_##name((target)->map, __VA_ARGS__))

struct result target_one(const struct target *t, unsigned op, uint64_t key, uint64_t value)
{
    struct result r = {.status = PLEACH_E_ARGUMENT};
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    int found = 0;
    switch (t->hash != NULL && op == PLEACH_OP_CONTAINS ? PLEACH_OP_FIND : op) {
    case PLEACH_OP_PUT: r.status = CALL(t, put_one, key, value, &outcome, &r.value); break;
    case PLEACH_OP_ADD: r.status = CALL(t, add_one, key, value, &outcome, &r.value); break;
    case PLEACH_OP_ERASE: r.status = CALL(t, erase_one, key, &outcome, &r.value); break;
    case PLEACH_OP_FIND: r.status = CALL(t, find_one, key, &found, &r.value); break;
    case PLEACH_OP_CONTAINS: r.status = pleach_map_contains_one(t->map, key, &found); break;
    case PLEACH_OP_SUCC: r.status = pleach_map_succ_one(t->map, key, &found, &r.key, &r.value); break;
    case PLEACH_OP_PRED: r.status = pleach_map_pred_one(t->map, key, &found, &r.key, &r.value); break;
    default: break;
    }
    r.flag = op_is_update(op) ? (uint64_t)outcome : (uint64_t)(found != 0);
    return r;
}

pleach_status target_array(const struct target *t, unsigned op, size_t n, const struct arrays *x, size_t capacity,
                           pleach_stream stream)
{
    void *values = t->set ? NULL : x->values, *olds = t->set ? NULL : x->out_values;
    switch (op) {
    case PLEACH_OP_PUT: return CALL(t, put, n, x->keys, values, x->flags, olds, stream);
    case PLEACH_OP_ADD: return CALL(t, add, n, x->keys, values, x->flags, olds, stream);
    case PLEACH_OP_ERASE: return CALL(t, erase, n, x->keys, x->flags, olds, stream);
    case PLEACH_OP_FIND: return CALL(t, find, n, x->keys, olds, x->flags, stream);
    case PLEACH_OP_CONTAINS: return CALL(t, contains, n, x->keys, x->flags, stream);
    case PLEACH_OP_SUCC: return pleach_map_succ(t->map, n, x->keys, x->out_keys, x->out_values, x->flags, stream);
    case PLEACH_OP_PRED: return pleach_map_pred(t->map, n, x->keys, x->out_keys, x->out_values, x->flags, stream);
    case PLEACH_OP_COUNT: return pleach_map_range_count(t->map, n, x->keys, x->values, x->counts, stream);
    case PLEACH_OP_RANGE:
        return pleach_map_range(t->map, n, x->keys, x->values, 0, capacity, x->out_keys, x->out_values, x->counts,
                                NULL);
    case OP_RANGE_LIMIT:
        return pleach_map_range_limit(t->map, n, x->keys, x->values, RANGE_LIMIT, x->out_keys, x->out_values,
                                      x->short_counts, stream);
    default: return PLEACH_E_ARGUMENT;
    }
}

pleach_status target_load(const struct target *t, size_t n, const void *keys, const void *values)
{
    return t->hash == NULL ? pleach_map_load(t->map, n, keys, values, 0)
                           : pleach_hash_put(t->hash, n, keys, t->set ? NULL : values, NULL, NULL, PLEACH_SYNC);
}

pleach_status target_export(const struct target *t, size_t capacity, void *keys, void *values, size_t *n)
{
    return CALL(t, export, capacity, keys, t->set ? NULL : values, n);
}

pleach_status target_size(const struct target *t, uint64_t *size) { return CALL(t, size, size); }

pleach_status target_compact(const struct target *t, double fill)
{
    return t->hash != NULL ? pleach_hash_compact(t->hash) : pleach_map_compact(t->map, fill);
}

pleach_status target_clear(const struct target *t)
{
    return t->hash != NULL ? pleach_hash_clear(t->hash) : pleach_map_clear(t->map);
}

pleach_status target_validate(const struct target *t, char *message, size_t size)
{
    return CALL(t, validate, message, size);
}
