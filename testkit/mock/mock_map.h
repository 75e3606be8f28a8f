/* testkit/counterfeit.h - an executor of the map that writes down what it is handed, and answers what the case wants.
 * For test_map_arguments.c, which compiles the api layer into itself: include it after that. */
#ifndef PLEACH_TESTS_COUNTERFEIT_H
#define PLEACH_TESTS_COUNTERFEIT_H

#include <string.h>

#include <map/map_backend.h>

typedef struct counterfeit {
    pleach_status answer;         /* of every call but these: */
    pleach_status quiesce_answer;
    uint8_t flag;                 /* written by run, if the request has flags */
    uint64_t leaves;              /* written by stats */
    size_t calls;                 /* that came through */
    size_t quiesced, views_closed;
    bool should_batch, declines; /* what it says of updates; `declines`: once it has been asked to run one */
    pleach_status update_answer;
    size_t updates;               /* that came as a batch */
    request request;              /* of the last run or range_packed */
    pleach_stream stream;
    double fill;
} counterfeit;

static void write_word(void *words, uint64_t value)
{
    if (words)
        memcpy(words, &value, sizeof(uint32_t)); /* the least that both widths read */
}

static pleach_status mock_run(void *exec, const request *r, pleach_stream stream)
{
    counterfeit *c = exec;
    c->calls++;
    c->request = *r;
    c->stream = stream;
    if (r->flags)
        *r->flags = c->flag;
    write_word(r->out_keys, 5);
    write_word(r->out_values, 6);
    if (r->may_redirect)
        *r->redirected = true;
    return c->answer;
}

static pleach_status mock_run_one(void *exec, op_kind kind, key128 key, key128 value, single_result *result)
{
    const uint64_t words[2] = {(uint64_t)key, (uint64_t)value};
    uint64_t out_key = 0, out_value = 0;
    const request r = {.kind = kind, .n = 1, .keys = &words[0], .values = &words[1], .out_keys = &out_key,
                       .out_values = &out_value, .flags = &result->flag};
    pleach_status status = mock_run(exec, &r, PLEACH_SYNC);
    result->key = out_key;
    result->value = out_value;
    return status;
}

static bool mock_prefers_batch(void *exec, request *r)
{
    counterfeit *c = exec;
    r->may_redirect = c->declines;
    return c->should_batch;
}

static pleach_status mock_update(void *exec, const request *r)
{
    counterfeit *c = exec;
    c->updates++;
    c->request = *r;
    return c->update_answer;
}

static pleach_status mock_range_packed(void *exec, const request *r, size_t capacity, uint64_t *offsets,
                                              size_t *total)
{
    counterfeit *c = exec;
    c->calls++;
    c->request = *r;
    *total = capacity;
    offsets[0] = 0;
    return c->answer;
}

static pleach_status answer_once(void *exec)
{
    counterfeit *c = exec;
    c->calls++;
    return c->answer;
}

static pleach_status mock_reserve(void *exec, uint64_t keys)
{
    (void)keys;
    return answer_once(exec);
}

static pleach_status mock_size(void *exec, uint64_t *size)
{
    *size = 7;
    return answer_once(exec);
}

static pleach_status mock_view(void *exec, map_ref *ref)
{
    *ref = (map_ref){.tree = exec};
    return answer_once(exec);
}

static pleach_status mock_take(void *exec, snapshot_place *place, pleach_stream stream)
{
    counterfeit *c = exec;
    c->stream = stream;
    place->at = &place->timestamp;
    return answer_once(exec);
}

static pleach_status mock_release(void *exec, snapshot_place *place)
{
    (void)place;
    return answer_once(exec);
}

static void mock_view_closed(void *exec) { ((counterfeit *)exec)->views_closed++; }

static pleach_status mock_quiesce(void *exec)
{
    counterfeit *c = exec;
    c->quiesced++;
    return c->quiesce_answer;
}

static pleach_status mock_apply(void *exec, pleach_batch *batch)
{
    batch->total = 3;
    return answer_once(exec);
}

static pleach_status mock_load(void *exec, size_t n, const void *keys, const void *values, double fill)
{
    counterfeit *c = exec;
    c->request = (request){.n = n, .keys = keys, .values = values};
    c->fill = fill;
    return answer_once(exec);
}

static pleach_status mock_export(void *exec, size_t capacity, void *out_keys, void *out_values, size_t *n)
{
    counterfeit *c = exec;
    c->request = (request){.n = capacity, .out_keys = out_keys, .out_values = out_values};
    *n = 7;
    return answer_once(exec);
}

static pleach_status mock_stats(void *exec, pleach_map_stats *stats)
{
    counterfeit *c = exec;
    stats->keys = 7;
    stats->leaves = c->leaves;
    return answer_once(exec);
}

static pleach_status mock_compact(void *exec, double fill)
{
    ((counterfeit *)exec)->fill = fill;
    return answer_once(exec);
}

static pleach_status mock_clear(void *exec) { return answer_once(exec); }

static pleach_status mock_validate(void *exec, char *message, size_t message_size)
{
    if (message && message_size)
        message[0] = 'I';
    return answer_once(exec);
}

static void mock_destroy(void *exec) { ((counterfeit *)exec)->calls++; }

static const exec_ops mock_ops = {
    .destroy = mock_destroy,
    .run = mock_run,
    .run_one = mock_run_one,
    .should_batch = mock_prefers_batch,
    .range_packed = mock_range_packed,
    .reserve = mock_reserve,
    .size = mock_size,
    .take = mock_take,
    .release = mock_release,
    .view = mock_view,
    .view_closed = mock_view_closed,
    .quiesce = mock_quiesce,
    .apply = mock_apply,
    .update = mock_update,
    .load = mock_load,
    .replace = mock_load,
    .export_pairs = mock_export,
    .stats = mock_stats,
    .compact = mock_compact,
    .clear = mock_clear,
    .validate = mock_validate,
};

#endif
