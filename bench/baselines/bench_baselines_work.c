/* bench_baselines_work.c - what is measured of a store: growing, inserting, erasing, and queries. */
#include <stdio.h>
#include <stdlib.h>

#include "bench_baselines.h"
#include "tools/common/cli.h"

/* ---- stores and their keys ---- */

bool contest_open(struct contest *c, size_t batch)
{
    const struct baseline_needs needs = {&c->machine, c->bench.bits, batch};
    c->store = c->kind->is_map ? contest_map_create(c) : c->kind->verbs->create(&needs);
    return c->store != NULL || bench_complain(&c->bench, "store", "creating it", PLEACH_E_MEMORY);
}

void contest_close(struct contest *c)
{
    c->kind->verbs->destroy(c->store);
    c->store = NULL;
}

void contest_drop_keys(struct contest *c)
{
    if (c->has_load) batch_destroy(&c->load);
    c->has_load = false;
}

bool contest_use_keys(struct contest *c, size_t n)
{
    if (c->has_load && c->load.n == n) return true;
    contest_drop_keys(c);
    if (!bench_use_keys(&c->bench, n)) return false;
    c->has_load = batch_create(&c->load, &c->bench, n, BATCH_B | BATCH_OUT_A, n);
    return c->has_load && batch_fill(&c->load, batch_make_present);
}

static size_t most_of(const struct contest *c)
{
    const size_t most = c->bench.device->kind == PLEACH_CUDA ? c->kind->gpu_most : c->kind->cpu_most;
    return most > 0 ? most : SIZE_MAX;
}

size_t contest_keys(const struct contest *c, enum contest_task task)
{
    enum { MILLION = 1000000, QUICK = 150000 };
    static const size_t cpu[TASKS] = {MILLION, MILLION, MILLION, MILLION, MILLION, MILLION, (size_t)1 << 21};
    static const size_t gpu[TASKS] = {(size_t)1 << 24, (size_t)1 << 24, 60 * (size_t)MILLION, 60 * (size_t)MILLION,
                                      60 * (size_t)MILLION, 40 * (size_t)MILLION, (size_t)1 << 26};
    const struct bench_options *options = c->bench.options;
    const bool on_gpu = c->bench.device->kind == PLEACH_CUDA;
    size_t keys = options->keys > 0 ? (size_t)options->keys : on_gpu ? gpu[task] : cpu[task];
    if (options->quick && options->keys == 0) keys = on_gpu ? (size_t)1 << 22 : QUICK;
    return keys < most_of(c) ? keys : most_of(c);
}

static bool good(struct contest *c, const char *what, pleach_status status)
{
    return status == PLEACH_OK || bench_complain(&c->bench, c->kind->name, what, status);
}

/* Exactly the keys, with room for a batch. */
static bool fill(struct contest *c, size_t batch)
{
    const struct baseline_verbs *verbs = c->kind->verbs;
    const size_t n = c->load.n;
    pleach_status status = verbs->clear(c->store);
    if (status == PLEACH_OK && c->kind->is_map)
        status = contest_map_load(c->store, n, c->bench.load_keys, c->bench.load_values);
    if (status == PLEACH_OK) status = verbs->reserve(c->store, n + batch, batch);
    if (status == PLEACH_OK && !c->kind->is_map) status = verbs->insert(c->store, n, c->load.a, c->load.b);
    if (status == PLEACH_OK) status = c->machine.verbs->wait(&c->machine);
    return good(c, "filling it", status);
}

static bool holds(struct contest *c, size_t expected)
{
    uint64_t count = 0;
    return c->kind->verbs->count(c->store, &count) == PLEACH_OK && count == expected;
}

/* ---- timed calls ---- */

typedef pleach_status contest_call(struct contest *c, const struct batch *b);

static pleach_status make_on(struct batch *b, pleach_stream stream, contest_call *call)
{
    struct contest *c = contest_of(b);
    c->machine.stream = stream;
    const pleach_status status = call(c, b);
    c->machine.stream = NULL;
    return status;
}

static pleach_status find(struct contest *c, const struct batch *b)
{
    return c->kind->verbs->find(c->store, b->n, b->a, b->out_a, b->bytes);
}

static pleach_status range(struct contest *c, const struct batch *b)
{
    return c->kind->verbs->range(c->store, b->n, b->a, b->b, b->limit, b->out_a, b->out_b, (uint32_t *)b->counts);
}

static pleach_status succ(struct contest *c, const struct batch *b)
{
    return c->kind->verbs->succ(c->store, b->n, b->a, b->out_a, b->out_b, b->bytes);
}

static pleach_status insert(struct contest *c, const struct batch *b)
{
    return c->kind->verbs->insert(c->store, b->n, b->a, b->b);
}

static pleach_status erase(struct contest *c, const struct batch *b)
{
    return c->kind->verbs->erase(c->store, b->n, b->a);
}

static pleach_status grow(struct contest *c, const struct batch *b)
{
    pleach_status status = PLEACH_OK;
    for (size_t done = 0; done < b->n && status == PLEACH_OK; done += c->grow_batch) {
        const size_t left = b->n - done, n = left < c->grow_batch ? left : c->grow_batch;
        status = c->kind->verbs->insert(c->store, n, word_at(b->a, c->bench.bits, done),
                                        word_at(b->b, c->bench.bits, done));
    }
    return status;
}

static pleach_status call_find(void *context, pleach_stream stream) { return make_on(context, stream, find); }
static pleach_status call_range(void *context, pleach_stream stream) { return make_on(context, stream, range); }
static pleach_status call_succ(void *context, pleach_stream stream) { return make_on(context, stream, succ); }
static pleach_status call_insert(void *context, pleach_stream stream) { return make_on(context, stream, insert); }
static pleach_status call_erase(void *context, pleach_stream stream) { return make_on(context, stream, erase); }
static pleach_status call_grow(void *context, pleach_stream stream) { return make_on(context, stream, grow); }

/* ---- checks ---- */

/* Asks for all keys of the batch, which has BATCH_OUT_A. */
static bool answers(struct batch *batch, bool (*right)(const struct batch *batch, size_t i))
{
    struct contest *c = contest_of(batch);
    return batch_spoil(batch) && call_find(batch, PLEACH_SYNC) == PLEACH_OK &&
           c->machine.verbs->wait(&c->machine) == PLEACH_OK && batch_fetch(batch) &&
           batch_count_wrong(batch, batch->n, right) == 0;
}

static bool right_after_insert(struct batch *batch)
{
    struct contest *c = contest_of(batch);
    return holds(c, c->load.n + batch->n) && answers(batch, batch_right_found);
}

static bool right_after_erase(struct batch *batch)
{
    struct contest *c = contest_of(batch);
    return holds(c, c->load.n - batch->n) && answers(batch, batch_right_missing);
}

/* ---- growing ---- */

static bool grow_once(void *context, double *rate)
{
    struct contest *c = context;
    double seconds = 1;
    pleach_status status = c->kind->verbs->clear(c->store);
    if (status == PLEACH_OK) status = c->kind->verbs->reserve(c->store, c->load.n, c->grow_batch);
    if (status == PLEACH_OK) status = c->machine.verbs->wait(&c->machine);
    if (status == PLEACH_OK) status = c->bench.device->time(call_grow, &c->load, &seconds);
    if (!good(c, "growing", status)) return false;
    *rate = (double)c->load.n / seconds / 1e6;
    if (holds(c, c->load.n) && answers(&c->load, batch_right_found)) return true;
    cli_complain("pleach-bench baselines", "grow on %s: WRONG", c->bench.device->name);
    c->bench.failed = true;
    return false;
}

static void grow_by(struct contest *c, size_t batch)
{
    struct bench_row row;
    c->grow_batch = batch;
    bench_start_row(&c->bench, &row, "grow", batch);
    if (bench_repeat(&row, c->bench.options->repeats, c->bench.device->kind == PLEACH_CUDA, grow_once, c))
        bench_add_row(&c->bench, &row);
}

/* From nothing to all keys: the mean rate over all sizes on the way. */
void contest_grow(struct contest *c)
{
    if (!contest_use_keys(c, contest_keys(c, TASK_GROW))) return;
    for (unsigned power = CONTEST_BATCH_POWER; power <= CONTEST_MOST_POWER; power += 2) {
        const size_t batch = (size_t)1 << power;
        if (batch > c->load.n && power > CONTEST_BATCH_POWER) break;
        if (contest_open(c, batch)) grow_by(c, batch);
        contest_close(c);
    }
}

/* ---- a batch into a store that has its keys ---- */

static bool prepare_insert(struct batch *batch) { return fill(contest_of(batch), batch->n); }

static void insert_batch(struct contest *c, size_t n)
{
    bench_run(&c->bench, &(struct bench_arguments){n, BATCH_B | BATCH_OUT_A, n, 0, batch_make_absent, false},
              (struct bench_work){.name = "insert", .prepare = prepare_insert, .call = call_insert,
                                  .right_after = right_after_insert});
}

void contest_insert(struct contest *c)
{
    const unsigned most = c->bench.options->quick ? 18 : CONTEST_MOST_POWER;
    if (!contest_use_keys(c, contest_keys(c, TASK_INSERT))) return;
    for (unsigned power = CONTEST_BATCH_POWER; power <= most; power += 2) {
        const size_t n = (size_t)1 << power;
        if (n > most_of(c)) break;
        if (contest_open(c, n)) insert_batch(c, n);
        contest_close(c);
    }
}

static void erase_share(struct contest *c, size_t percent)
{
    char name[BENCH_NAME_BYTES];
    const size_t share = c->load.n * percent / 100, n = share > 0 ? share : 1;
    snprintf(name, sizeof name, "erase/%zu%%", percent);
    bench_run(&c->bench, &(struct bench_arguments){n, BATCH_OUT_A, n, 0, batch_make_present, false},
              (struct bench_work){.name = name, .prepare = prepare_insert, .call = call_erase,
                                  .right_after = right_after_erase});
}

/* Runs of a merge tree that is asked, or that is erased from in one go. */
static size_t usual_batch(const struct contest *c)
{
    return (size_t)1 << (c->bench.device->kind == PLEACH_CUDA ? 20 : 16);
}

void contest_erase(struct contest *c)
{
    if (!contest_use_keys(c, contest_keys(c, TASK_ERASE))) return;
    if (contest_open(c, usual_batch(c))) {
        erase_share(c, 10);
        erase_share(c, 50);
    }
    contest_close(c);
}

/* ---- queries ---- */

static void points(struct contest *c, const char *name, tool_call *call,
                   bool (*right)(const struct batch *batch, size_t i))
{
    const size_t n = c->load.n;
    bench_run(&c->bench,
              &(struct bench_arguments){n, BATCH_OUT_A | BATCH_OUT_B, n, 0, batch_make_present, false},
              (struct bench_work){.name = name, .call = call, .right = right});
}

/* As many as there are keys, but not more results than a machine's memory has room for. */
static void ranges(struct contest *c, uint32_t expected)
{
    enum { MOST_RESULTS = 1 << 28, PARTS = BATCH_B | BATCH_OUT_A | BATCH_OUT_B | BATCH_COUNTS };
    char name[BENCH_NAME_BYTES];
    const size_t most = MOST_RESULTS / (2 * expected), n = c->load.n < most ? c->load.n : most;
    snprintf(name, sizeof name, "range/%u", expected);
    bench_run(&c->bench,
              &(struct bench_arguments){n, PARTS, n * 2 * expected, 2 * expected, batch_make_interval, false},
              (struct bench_work){.name = name, .call = call_range, .right = batch_right_limited});
}

void contest_queries(struct contest *c, const bool *wanted)
{
    if (!contest_use_keys(c, contest_keys(c, TASK_FIND))) return;
    if (contest_open(c, usual_batch(c)) && fill(c, 0)) {
        if (wanted[TASK_FIND]) points(c, "find", call_find, batch_right_found);
        if (wanted[TASK_RANGE]) ranges(c, 8);
        if (wanted[TASK_RANGE]) ranges(c, 32);
        if (wanted[TASK_SUCC]) points(c, "succ", call_succ, batch_right_succ);
    }
    contest_close(c);
}
