/* bench_batch.c - the arguments and results of one array call: making them, moving them, checking them. */
#include <stdatomic.h>
#include <stdio.h>

#include <pleach/batch.h>

#include "bench.h"

enum { SPOIL = 0xa5 };

bool batch_create(struct batch *batch, struct bench *bench, size_t n, int parts, size_t results)
{
    const size_t word = word_bytes(bench->bits), arguments = n * word, counts = (n + 1) * sizeof(uint64_t);
    struct bench_memory *const memory = &batch->memory;
    *batch = (struct batch){.bench = bench, .n = n, .results = results};
    batch->host_a = bench_memory_host(memory, arguments);
    batch->a = bench_memory_device(memory, bench->device, arguments);
    batch->host_bytes = bench_memory_host(memory, n);
    batch->bytes = bench_memory_device(memory, bench->device, n);
    if (parts & BATCH_B) {
        batch->host_b = bench_memory_host(memory, arguments);
        batch->b = bench_memory_device(memory, bench->device, arguments);
    }
    if (parts & BATCH_OUT_A) {
        batch->host_out_a = bench_memory_host(memory, results * word);
        batch->out_a = bench_memory_device(memory, bench->device, results * word);
    }
    if (parts & BATCH_OUT_B) {
        batch->host_out_b = bench_memory_host(memory, results * word);
        batch->out_b = bench_memory_device(memory, bench->device, results * word);
    }
    if (parts & BATCH_COUNTS) {
        batch->host_counts = bench_memory_host(memory, counts);
        batch->counts = bench_memory_device(memory, bench->device, counts);
    }
    return batch_has_memory(batch, "batch");
}

bool batch_has_memory(struct batch *batch, const char *name)
{
    if (!batch->memory.lacking) return true;
    batch_destroy(batch);
    return bench_complain(batch->bench, name, "allocating it", PLEACH_E_MEMORY);
}

void batch_destroy(struct batch *batch) { bench_memory_release(&batch->memory); }

struct filling {
    struct batch *batch;
    void (*make)(struct batch *batch, size_t i);
};

static void fill_slice(void *context, size_t begin, size_t end)
{
    const struct filling *filling = context;
    for (size_t i = begin; i < end; i++) filling->make(filling->batch, i);
}

static bool batch_send(struct batch *batch)
{
    const struct tool_device *device = batch->bench->device;
    const size_t bytes = batch->n * word_bytes(batch->bench->bits);
    return (device->copy_in(batch->a, batch->host_a, bytes) &&
            (batch->b == NULL || device->copy_in(batch->b, batch->host_b, bytes))) ||
           bench_complain(batch->bench, "batch", "copying it to the device", PLEACH_E_CUDA);
}

bool batch_fill(struct batch *batch, void (*make)(struct batch *batch, size_t i))
{
    struct filling filling = {batch, make};
    crew_share(batch->bench->crew, batch->n, fill_slice, &filling);
    return batch_send(batch);
}

bool batch_fetch(struct batch *batch)
{
    const struct tool_device *device = batch->bench->device;
    const size_t bytes = batch->results * word_bytes(batch->bench->bits);
    return (device->copy_out(batch->host_bytes, batch->bytes, batch->n) &&
            (batch->out_a == NULL || device->copy_out(batch->host_out_a, batch->out_a, bytes)) &&
            (batch->out_b == NULL || device->copy_out(batch->host_out_b, batch->out_b, bytes)) &&
            (batch->counts == NULL ||
             device->copy_out(batch->host_counts, batch->counts, (batch->n + 1) * sizeof(uint64_t)))) ||
           bench_complain(batch->bench, "batch", "copying the results back", PLEACH_E_CUDA);
}

bool batch_spoil(struct batch *batch)
{
    const struct tool_device *device = batch->bench->device;
    const size_t bytes = batch->results * word_bytes(batch->bench->bits);
    return (device->fill(batch->bytes, SPOIL, batch->n) &&
            (batch->out_a == NULL || device->fill(batch->out_a, SPOIL, bytes)) &&
            (batch->out_b == NULL || device->fill(batch->out_b, SPOIL, bytes)) &&
            (batch->counts == NULL || device->fill(batch->counts, SPOIL, (batch->n + 1) * sizeof(uint64_t)))) ||
           bench_complain(batch->bench, "batch", "clearing the results", PLEACH_E_CUDA);
}

struct checking {
    const struct batch *batch;
    bool (*right)(const struct batch *batch, size_t i);
    atomic_size_t wrong;
};

static void check_slice(void *context, size_t begin, size_t end)
{
    struct checking *checking = context;
    size_t wrong = 0;
    for (size_t i = begin; i < end; i++) wrong += !checking->right(checking->batch, i);
    atomic_fetch_add(&checking->wrong, wrong);
}

size_t batch_count_wrong(struct batch *batch, size_t n, bool (*right)(const struct batch *batch, size_t i))
{
    struct checking checking = {.batch = batch, .right = right};
    crew_share(batch->bench->crew, n, check_slice, &checking);
    return atomic_load(&checking.wrong);
}

/* ---- what several benchmarks ask and answer ---- */

static void set_pair(struct batch *batch, size_t i, uint64_t key)
{
    const unsigned bits = batch->bench->bits;
    bench_set_word(batch->host_a, bits, i, key);
    if (batch->host_b != NULL) bench_set_word(batch->host_b, bits, i, bench_value(bits, key));
}

void batch_make_present(struct batch *batch, size_t i)
{
    const struct bench_keys *keys = &batch->bench->keys;
    set_pair(batch, i, bench_key(keys, bench_keys_rank(keys, i, batch->n)));
}

void batch_make_ascending(struct batch *batch, size_t i) { set_pair(batch, i, bench_key(&batch->bench->keys, i)); }

void batch_make_absent(struct batch *batch, size_t i)
{
    set_pair(batch, i, bench_keys_absent(&batch->bench->keys, i));
}

/* A sorted key is given its value again. */
static void make_value(struct batch *batch, size_t i)
{
    set_pair(batch, i, bench_word(batch->host_a, batch->bench->bits, i));
}

bool batch_sort(struct batch *batch)
{
    if (bench_sort(batch->host_a, batch->bench->bits, batch->n)) return batch_fill(batch, make_value);
    return bench_complain(batch->bench, "batch", "sorting it", PLEACH_E_MEMORY);
}

pleach_status batch_call_find(void *context, pleach_stream stream)
{
    struct batch *batch = context;
    return pleach_map_find(batch->bench->map, batch->n, batch->a, batch->out_a, batch->bytes, stream);
}

bool batch_right_found(const struct batch *batch, size_t i)
{
    const unsigned bits = batch->bench->bits;
    return batch->host_bytes[i] == 1 &&
           bench_word(batch->host_out_a, bits, i) == bench_value(bits, bench_word(batch->host_a, bits, i));
}

bool batch_right_missing(const struct batch *batch, size_t i) { return batch->host_bytes[i] == 0; }
bool batch_right_inserted(const struct batch *batch, size_t i) { return batch->host_bytes[i] == PLEACH_INSERTED; }
bool batch_right_erased(const struct batch *batch, size_t i) { return batch->host_bytes[i] == PLEACH_ERASED; }

void bench_say_stages(const struct bench *bench, const char *what, const pleach_batch_times *times, bool ranges)
{
    const pleach_batch_times *t = times;
    const double all = t->list + t->read + t->sort + t->search + t->query + t->modify;
    char line[160], asked[32] = "";
    if (ranges) snprintf(asked, sizeof asked, ", ranges %.0f%%", 100 * t->query / all);
    snprintf(line, sizeof line, "%sof %.0f us: list %.0f%%, read %.0f%%, sort %.0f%%, search %.0f%%, modify %.0f%%%s",
             what, 1e6 * all, 100 * t->list / all, 100 * t->read / all, 100 * t->sort / all, 100 * t->search / all,
             100 * t->modify / all, asked);
    bench_report_say(bench->report, line);
}

bool batch_warm_map(struct batch *batch)
{
    struct bench *bench = batch->bench;
    pleach_status status = PLEACH_OK;
    uint8_t *finds = bench->device->allocate(batch->n);
    if (finds == NULL || !bench->device->fill(finds, PLEACH_OP_FIND, batch->n)) status = PLEACH_E_MEMORY;
    pleach_batch warm = {.n = batch->n, .kinds = finds, .keys = batch->a, .flags = batch->bytes};
    if (status == PLEACH_OK) status = pleach_map_apply(bench->map, &warm);
    bench->device->release(finds);
    return status == PLEACH_OK || bench_complain(bench, "map", "a batch of finds", status);
}
