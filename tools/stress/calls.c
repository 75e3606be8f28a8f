#include "calls.h"

const char *call_kind_name(enum call_kind kind)
{
    static const char *const names[CALL_KINDS] = {"put",  "add",  "erase", "find",        "contains",
                                                  "succ", "pred", "count", "range_limit", "range"};
    return names[kind];
}

enum call_kind call_choose(struct mix_random *random, const uint8_t percent[CALL_KINDS])
{
    unsigned kind = 0, draw = (unsigned)mix_below(random, 100);
    while (draw >= percent[kind]) draw -= percent[kind++];
    return (enum call_kind)kind;
}

struct call_answer call_one(pleach_map *map, enum call_kind kind, uint64_t key, uint64_t value)
{
    struct call_answer answer = {.status = PLEACH_E_ARGUMENT};
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    int found = 0;
    switch (kind) {
    case CALL_PUT: answer.status = pleach_map_put_one(map, key, value, &outcome, &answer.value); break;
    case CALL_ADD: answer.status = pleach_map_add_one(map, key, value, &outcome, &answer.value); break;
    case CALL_ERASE: answer.status = pleach_map_erase_one(map, key, &outcome, &answer.value); break;
    case CALL_FIND: answer.status = pleach_map_find_one(map, key, &found, &answer.value); break;
    case CALL_CONTAINS: answer.status = pleach_map_contains_one(map, key, &found); break;
    case CALL_SUCC: answer.status = pleach_map_succ_one(map, key, &found, &answer.key, &answer.value); break;
    case CALL_PRED: answer.status = pleach_map_pred_one(map, key, &found, &answer.key, &answer.value); break;
    case CALL_COUNT:
    case CALL_RANGE_LIMIT:
    case CALL_RANGE:
    case CALL_KINDS: return answer; /* no single call */
    }
    answer.what = call_is_update(kind) ? (uint64_t)outcome : (uint64_t)(found != 0);
    return answer;
}

bool call_arrays_create(struct call_arrays *arrays, size_t n, size_t pairs, void *(*allocate)(size_t bytes))
{
    arrays->a = allocate(n * sizeof(uint64_t));
    arrays->b = allocate(n * sizeof(uint64_t));
    arrays->out_a = allocate(pairs * sizeof(uint64_t));
    arrays->out_b = allocate(pairs * sizeof(uint64_t));
    arrays->bytes = allocate(n);
    arrays->counts = allocate((n + 1) * sizeof(uint64_t));
    arrays->short_counts = allocate(n * sizeof(uint32_t));
    return arrays->a != NULL && arrays->b != NULL && arrays->out_a != NULL && arrays->out_b != NULL &&
           arrays->bytes != NULL && arrays->counts != NULL && arrays->short_counts != NULL;
}

void call_arrays_destroy(struct call_arrays *arrays, void (*release)(void *memory))
{
    release(arrays->a);
    release(arrays->b);
    release(arrays->out_a);
    release(arrays->out_b);
    release(arrays->bytes);
    release(arrays->counts);
    release(arrays->short_counts);
}

pleach_status call_array(pleach_map *map, enum call_kind kind, size_t n, const struct call_arrays *x, size_t capacity,
                         pleach_stream stream)
{
    switch (kind) {
    case CALL_PUT: return pleach_map_put(map, n, x->a, x->b, x->bytes, x->out_b, stream);
    case CALL_ADD: return pleach_map_add(map, n, x->a, x->b, x->bytes, x->out_b, stream);
    case CALL_ERASE: return pleach_map_erase(map, n, x->a, x->bytes, x->out_b, stream);
    case CALL_FIND: return pleach_map_find(map, n, x->a, x->out_b, x->bytes, stream);
    case CALL_CONTAINS: return pleach_map_contains(map, n, x->a, x->bytes, stream);
    case CALL_SUCC: return pleach_map_succ(map, n, x->a, x->out_a, x->out_b, x->bytes, stream);
    case CALL_PRED: return pleach_map_pred(map, n, x->a, x->out_a, x->out_b, x->bytes, stream);
    case CALL_COUNT: return pleach_map_range_count(map, n, x->a, x->b, x->counts, stream);
    case CALL_RANGE_LIMIT:
        return pleach_map_range_limit(map, n, x->a, x->b, CALL_LIMIT, x->out_a, x->out_b, x->short_counts, stream);
    case CALL_RANGE: return pleach_map_range(map, n, x->a, x->b, 0, capacity, x->out_a, x->out_b, x->counts, NULL);
    case CALL_KINDS: break;
    }
    return PLEACH_E_ARGUMENT;
}
