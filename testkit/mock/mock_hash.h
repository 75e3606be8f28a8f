/* testkit/mock_hash.h - an executor of hash tables that writes down what it is handed, and answers what the case
 * wants. For test_hash_arguments.c, which compiles the api layer into itself: include it after that. */
#ifndef PLEACH_TESTS_COUNTERFEIT_HASH_H
#define PLEACH_TESTS_COUNTERFEIT_HASH_H

#include <string.h>

#include <hash/hash_backend.h>

enum { COUNTERFEIT_VALUE = 6 }; /* what it answers where a number is asked for */

typedef struct counterfeit {
    pleach_status answer; /* of every call but quiesce */
    pleach_status quiesce_answer;
    uint8_t flag;         /* written by run, if the request has flags */
    size_t calls;         /* that came through */
    size_t quiesced, destroyed, views_closed;
    uint64_t reserved;    /* keys of the last resize */
    hash_request request; /* of the last run */
} counterfeit;

static pleach_status answer_once(void *exec)
{
    counterfeit *c = exec;
    c->calls++;
    return c->answer;
}

static pleach_status mock_run(void *exec, const hash_request *r, pleach_stream stream)
{
    counterfeit *c = exec;
    const uint32_t value = COUNTERFEIT_VALUE; /* the least that both widths read */
    (void)stream;
    c->request = *r;
    if (r->flags) *r->flags = c->flag;
    if (r->out_values) memcpy(r->out_values, &value, sizeof value);
    return answer_once(exec);
}

static pleach_status mock_size(void *exec, uint64_t *size)
{
    *size = COUNTERFEIT_VALUE;
    return answer_once(exec);
}

static pleach_status mock_view(void *exec, pleach_hash_view *view)
{
    *view = (pleach_hash_view){.state = exec, .slabs = exec, .key_bits = 32, .set = 1, .seed = {COUNTERFEIT_VALUE}};
    return answer_once(exec);
}

static void mock_view_closed(void *exec) { ((counterfeit *)exec)->views_closed++; }

static pleach_status mock_quiesce(void *exec)
{
    counterfeit *c = exec;
    c->quiesced++;
    return c->quiesce_answer;
}

static pleach_status mock_resize(void *exec, uint64_t keys)
{
    ((counterfeit *)exec)->reserved = keys;
    return answer_once(exec);
}

static pleach_status mock_export(void *exec, size_t capacity, void *out_keys, void *out_values, size_t *n)
{
    (void)capacity, (void)out_keys, (void)out_values;
    *n = COUNTERFEIT_VALUE;
    return answer_once(exec);
}

static pleach_status mock_stats(void *exec, pleach_hash_stats *stats)
{
    stats->keys = COUNTERFEIT_VALUE;
    return answer_once(exec);
}

static pleach_status mock_validate(void *exec, char *message, size_t message_size)
{
    assert_true(message && message_size && message[0] == 0);
    if (message_size > 1) memcpy(message, "H", 2);
    return answer_once(exec);
}

static void mock_destroy(void *exec) { ((counterfeit *)exec)->destroyed++; }

static const hash_exec_ops mock_ops = {
    .destroy = mock_destroy,
    .run = mock_run,
    .size = mock_size,
    .view = mock_view,
    .view_closed = mock_view_closed,
    .quiesce = mock_quiesce,
    .resize = mock_resize,
    .export_pairs = mock_export,
    .stats = mock_stats,
    .clear = answer_once,
    .validate = mock_validate,
};

#endif
