/* bench_queue.c - single operations from all threads through a queue: each thread waits for every answer, or has as
 * many operations under way as the queue takes. */
#include <stdio.h>
#include <string.h>

#include <pleach/queue.h>

#include "bench/harness/bench.h"

/* Calls that wait are slower by the time that a batch takes. */
enum { OPERATIONS_PER_CALL = 20 };

/* An answer, as its callback leaves it. */
struct answer {
    uint64_t value;
    uint8_t flag;
};

struct queued {
    struct batch batch; /* first: bench_measure hands it to the functions below. Operations stay on the host */
    pleach_queue *queue;
    struct answer *answers;
    unsigned share; /* percent of puts, which replace a value by itself */
};

static bool is_put(const struct queued *q, size_t i) { return mix64(i) % 100 < q->share; }

static pleach_operation operation_of(const struct queued *q, size_t i)
{
    return is_put(q, i) ? PLEACH_OP_PUT : PLEACH_OP_FIND;
}

static void keep_answer(void *context, const pleach_answer *answer)
{
    if (answer->status == PLEACH_OK) *(struct answer *)context = (struct answer){answer->value, answer->flag};
}

static void call_slice(void *context, size_t begin, size_t end)
{
    const struct queued *q = context;
    const unsigned bits = q->batch.bench->bits;
    for (size_t i = begin; i < end; i++) {
        pleach_answer answer;
        pleach_queue_call(q->queue, operation_of(q, i), bench_word(q->batch.host_a, bits, i),
                          bench_word(q->batch.host_b, bits, i), &answer);
        keep_answer(&q->answers[i], &answer);
    }
}

/* What is refused leaves no answer, and is found out by the check. */
static void submit_slice(void *context, size_t begin, size_t end)
{
    const struct queued *q = context;
    const unsigned bits = q->batch.bench->bits;
    for (size_t i = begin; i < end; i++)
        pleach_queue_submit(q->queue, operation_of(q, i), bench_word(q->batch.host_a, bits, i),
                            bench_word(q->batch.host_b, bits, i), keep_answer, &q->answers[i]);
}

static pleach_status call_all(void *context, pleach_stream stream)
{
    struct queued *q = context;
    (void)stream; /* the queue knows none */
    crew_share(q->batch.bench->crew, q->batch.n, call_slice, q);
    return PLEACH_OK;
}

static pleach_status submit_all(void *context, pleach_stream stream)
{
    struct queued *q = context;
    (void)stream;
    crew_share(q->batch.bench->crew, q->batch.n, submit_slice, q);
    return pleach_queue_flush(q->queue);
}

static bool forget_answers(struct batch *batch)
{
    const struct queued *q = (const struct queued *)batch;
    memset(q->answers, 0, batch->n * sizeof *q->answers);
    return true;
}

static bool right_answer(const struct batch *batch, size_t i)
{
    const struct queued *q = (const struct queued *)batch;
    return q->answers[i].flag == (is_put(q, i) ? PLEACH_REPLACED : 1) &&
           q->answers[i].value == bench_word(batch->host_b, batch->bench->bits, i);
}

static void measure_queued(struct queued *q, const char *kind, tool_call *call)
{
    char name[BENCH_NAME_BYTES];
    snprintf(name, sizeof name, "queue/%s/%u%%", kind, q->share);
    const struct bench_work work = {.name = name,
                                    .ops = q->batch.n,
                                    .prepare = forget_answers,
                                    .call = call,
                                    .elements = q->batch.n,
                                    .right = right_answer};
    if (batch_fill(&q->batch, batch_make_present)) bench_measure(&q->batch, &work);
}

static void queue_share(struct bench *bench, size_t n, unsigned share, bool waits)
{
    struct queued q = {.share = share};
    /* Who waits for an answer does not fill a batch: its age would be all that is measured. */
    const pleach_queue_config config = {.age_us = waits ? 1 : 0};
    if (!batch_create(&q.batch, bench, n, BATCH_B, 0)) return;
    q.answers = bench_memory_host(&q.batch.memory, n * sizeof *q.answers);
    const pleach_status status =
        q.answers != NULL ? pleach_queue_create(&q.queue, bench->map, &config) : PLEACH_E_MEMORY;
    if (status == PLEACH_OK)
        measure_queued(&q, waits ? "call" : "submit", waits ? call_all : submit_all);
    else
        bench_complain(bench, "queue", "creating it", status);
    pleach_queue_destroy(q.queue);
    batch_destroy(&q.batch);
}

void bench_queue(struct bench *bench, const struct bench_case *which)
{
    static const unsigned shares[] = {0, 5, 50};
    const size_t n = bench_op_count(bench, &which->sizes), calls = n / OPERATIONS_PER_CALL;
    if (!bench_have_map(bench, bench_key_count(bench, &which->sizes))) return;
    for (size_t i = 0; i < sizeof shares / sizeof shares[0] && !bench->failed; i++)
        queue_share(bench, n, shares[i], false);
    if (!bench->failed) queue_share(bench, calls > 0 ? calls : 1, 5, true);
}
