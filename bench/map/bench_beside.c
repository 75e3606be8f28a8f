/* bench_beside.c - array finds while somebody else updates the same map all the time.
 *
 * The writer puts keys that the finds ask for, with another value than they were loaded with, and inserts and erases
 * keys in between, so leaves change and split under the readers. On a GPU it makes array calls on a stream of its
 * own; on the CPU it is one thread that makes single calls, and the map has a worker less, so that readers and writer
 * together have as many threads as was asked for.
 */
#define _DEFAULT_SOURCE 1
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "bench/harness/bench.h"

enum { WRITER_GPU_BATCH = 1 << 18, WRITER_CPU_BATCH = 1 << 12 };

struct writer {
    struct bench *bench;
    struct batch present; /* keys in the map, with the other value */
    struct batch absent;  /* keys not in the map */
    pleach_stream stream;
    pthread_t thread;
    pleach_status status;
    atomic_bool stop;
    atomic_ullong updates;
};

static uint64_t other_value(unsigned bits, uint64_t key) { return bench_value(bits, key) ^ word_max(bits); }

static void make_other_value(struct batch *batch, size_t i)
{
    const struct bench_keys *keys = &batch->bench->keys;
    const uint64_t key = bench_key(keys, bench_keys_rank(keys, i, batch->n));
    bench_set_word(batch->host_a, keys->bits, i, key);
    bench_set_word(batch->host_b, keys->bits, i, other_value(keys->bits, key));
}

/* Each update is counted when it is done; a failed one ends the writer. */
static bool count_updates(struct writer *writer, size_t n, pleach_status status)
{
    writer->status = status;
    if (status == PLEACH_OK) atomic_fetch_add_explicit(&writer->updates, n, memory_order_relaxed);
    return status == PLEACH_OK;
}

static pleach_status await_stream(struct writer *writer, pleach_status status)
{
    if (status != PLEACH_OK) return status;
    return writer->bench->device->wait_stream(writer->stream) ? PLEACH_OK : PLEACH_E_CUDA;
}

static void update_by_arrays(struct writer *writer)
{
    pleach_map *map = writer->bench->map;
    const struct batch *p = &writer->present, *a = &writer->absent;
    const pleach_stream stream = writer->stream;
    pleach_status status = pleach_map_put(map, p->n, p->a, p->b, NULL, NULL, stream);
    if (!count_updates(writer, p->n, await_stream(writer, status))) return;
    status = pleach_map_add(map, a->n, a->a, a->b, NULL, NULL, stream);
    if (!count_updates(writer, a->n, await_stream(writer, status))) return;
    status = pleach_map_erase(map, a->n, a->a, NULL, NULL, stream);
    count_updates(writer, a->n, await_stream(writer, status));
}

static void update_by_single_calls(struct writer *writer)
{
    pleach_map *map = writer->bench->map;
    const unsigned bits = writer->bench->bits;
    const struct batch *p = &writer->present, *a = &writer->absent;
    bool good = true;
    for (size_t i = 0; i < p->n && good; i++) {
        const uint64_t key = bench_word(p->a, bits, i), new_key = bench_word(a->a, bits, i);
        good = count_updates(writer, 1, pleach_map_put_one(map, key, bench_word(p->b, bits, i), NULL, NULL)) &&
               count_updates(writer, 1, pleach_map_add_one(map, new_key, bench_word(a->b, bits, i), NULL, NULL));
    }
    for (size_t i = 0; i < a->n && good; i++)
        good = count_updates(writer, 1, pleach_map_erase_one(map, bench_word(a->a, bits, i), NULL, NULL));
}

static void *writer_main(void *argument)
{
    struct writer *writer = argument;
    const bool arrays = writer->bench->device->kind == PLEACH_CUDA;
    while (!atomic_load(&writer->stop) && writer->status == PLEACH_OK) {
        if (arrays)
            update_by_arrays(writer);
        else
            update_by_single_calls(writer);
    }
    atomic_store(&writer->stop, true);
    return NULL;
}

static bool writer_start(struct writer *writer)
{
    atomic_store(&writer->stop, false);
    atomic_store(&writer->updates, 0);
    writer->status = PLEACH_OK;
    if (pthread_create(&writer->thread, NULL, writer_main, writer) != 0) return false;
    while (atomic_load(&writer->updates) == 0 && !atomic_load(&writer->stop)) sched_yield(); /* until it is at work */
    return true;
}

static bool writer_stop(struct writer *writer)
{
    atomic_store(&writer->stop, true);
    pthread_join(writer->thread, NULL);
    return writer->status == PLEACH_OK;
}

static bool writer_create(struct writer *writer, struct bench *bench)
{
    const size_t n = bench->device->kind == PLEACH_CUDA ? WRITER_GPU_BATCH : WRITER_CPU_BATCH;
    *writer = (struct writer){.bench = bench};
    if (!batch_create(&writer->present, bench, n < bench->keys.n ? n : bench->keys.n, BATCH_B, 0)) return false;
    if (batch_create(&writer->absent, bench, writer->present.n, BATCH_B, 0)) {
        if (batch_fill(&writer->present, make_other_value) && batch_fill(&writer->absent, batch_make_absent) &&
            bench->device->open_stream(&writer->stream))
            return true;
        batch_destroy(&writer->absent);
    }
    batch_destroy(&writer->present);
    return false;
}

static void writer_destroy(struct writer *writer)
{
    writer->bench->device->close_stream(writer->stream);
    batch_destroy(&writer->absent);
    batch_destroy(&writer->present);
}

static bool right_either(const struct batch *batch, size_t i)
{
    const unsigned bits = batch->bench->bits;
    const uint64_t key = bench_word(batch->host_a, bits, i), value = bench_word(batch->host_out_a, bits, i);
    return batch->host_bytes[i] == 1 && (value == bench_value(bits, key) || value == other_value(bits, key));
}

/* One timed find with the writer at work; its rate and the writer's. */
static bool find_beside(struct batch *batch, struct writer *writer, double *rate, double *writer_rate)
{
    struct bench *bench = batch->bench;
    double seconds = 1;
    if (!batch_spoil(batch) || !writer_start(writer)) return false;
    const unsigned long long before = atomic_load(&writer->updates);
    const pleach_status status = bench->device->time(batch_call_find, batch, &seconds);
    const unsigned long long during = atomic_load(&writer->updates) - before;
    if (!writer_stop(writer)) return bench_complain(bench, "find-mixed", "the writer", writer->status);
    if (status != PLEACH_OK) return bench_complain(bench, "find-mixed", "the timed call", status);
    *rate = (double)batch->n / seconds / 1e6;
    *writer_rate = (double)during / seconds / 1e6;
    if (batch_fetch(batch) && batch_count_wrong(batch, batch->n, right_either) == 0) return true;
    return bench_complain(bench, "find-mixed", "WRONG results", PLEACH_E_CORRUPT);
}

static void measure_beside(struct batch *batch, struct writer *writer, const char *name, unsigned readers)
{
    struct bench *bench = batch->bench;
    struct bench_row finds, updates;
    char writer_name[BENCH_NAME_BYTES];
    snprintf(writer_name, sizeof writer_name, "%s/writer", name);
    bench_start_row(bench, &finds, name, batch->n);
    bench_start_row(bench, &updates, writer_name, writer->present.n);
    finds.threads = readers;
    updates.threads = readers > 0 ? 1 : 0;
    for (size_t i = 0; i < bench->options->repeats; i++)
        if (!find_beside(batch, writer, &finds.rates[i], &updates.rates[i])) return;
    finds.repeats = updates.repeats = bench->options->repeats;
    bench_add_row(bench, &finds);
    bench_add_row(bench, &updates);
}

void bench_find_mixed(struct bench *bench, const struct bench_case *which)
{
    struct batch batch;
    struct writer writer;
    const size_t n = bench_op_count(bench, &which->sizes);
    const unsigned readers = bench->threads > 1 ? bench->threads - 1 : bench->threads;
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes)) || !bench_open_map(bench, readers)) return;
    if (!bench_load_map(bench) || !batch_create(&batch, bench, n, BATCH_OUT_A, n)) return;
    bench->map_loaded = false;
    if (writer_create(&writer, bench)) {
        if (batch_fill(&batch, batch_make_present)) measure_beside(&batch, &writer, which->name, readers);
        writer_destroy(&writer);
    } else {
        bench_complain(bench, which->name, "preparing the writer", PLEACH_E_MEMORY);
    }
    batch_destroy(&batch);
}
