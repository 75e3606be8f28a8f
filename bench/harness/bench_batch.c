/* bench_batch.c - the arguments and results of one array call: making them, moving them, checking them. */
#include <stdatomic.h>
#include <stdlib.h>

#include <pleach/batch.h>

#include "bench.h"

enum { SPOIL = 0xa5 };

/* A pair of arrays, on the host and on the device; false when one could not be had. */
static bool allocate_twice(const struct tool_device *device, size_t bytes, void **host, void **memory)
{
    *host = malloc(bytes);
    *memory = device->allocate(bytes);
    return *host != NULL && *memory != NULL;
}

bool batch_create(struct batch *batch, struct bench *bench, size_t n, int parts, size_t results)
{
    const struct tool_device *device = bench->device;
    const size_t argument_bytes = n * word_bytes(bench->bits), result_bytes = results * word_bytes(bench->bits);
    void *host_bytes = NULL, *bytes = NULL, *host_counts = NULL, *counts = NULL;
    *batch = (struct batch){.bench = bench, .n = n, .results = results};
    bool complete = allocate_twice(device, argument_bytes, &batch->host_a, &batch->a) &&
                    allocate_twice(device, n, &host_bytes, &bytes);
    if (parts & BATCH_B) complete &= allocate_twice(device, argument_bytes, &batch->host_b, &batch->b);
    if (parts & BATCH_OUT_A) complete &= allocate_twice(device, result_bytes, &batch->host_out_a, &batch->out_a);
    if (parts & BATCH_OUT_B) complete &= allocate_twice(device, result_bytes, &batch->host_out_b, &batch->out_b);
    if (parts & BATCH_COUNTS) complete &= allocate_twice(device, (n + 1) * sizeof(uint64_t), &host_counts, &counts);
    batch->host_bytes = host_bytes;
    batch->bytes = bytes;
    batch->host_counts = host_counts;
    batch->counts = counts;
    if (complete) return true;
    batch_destroy(batch);
    return bench_complain(bench, "batch", "allocating it", PLEACH_E_MEMORY);
}

void batch_destroy(struct batch *batch)
{
    void *const host[] = {batch->host_a,     batch->host_b,     batch->host_out_a,
                          batch->host_out_b, batch->host_bytes, batch->host_counts};
    void *const memory[] = {batch->a, batch->b, batch->out_a, batch->out_b, batch->bytes, batch->counts};
    for (size_t i = 0; i < sizeof host / sizeof host[0]; i++) free(host[i]);
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) batch->bench->device->release(memory[i]);
}

struct filling {
    struct batch *batch;
    void (*make)(struct batch *batch, size_t i);
};

static void fill_slice(void *context, size_t begin, size_t end)
{
    const struct filling *filling = context;
    for (size_t i = begin; i < end; i++) filling->make(filling->batch, i);
}

bool batch_fill(struct batch *batch, void (*make)(struct batch *batch, size_t i))
{
    struct filling filling = {batch, make};
    crew_share(batch->bench->crew, batch->n, fill_slice, &filling);
    return batch_send(batch);
}

bool batch_send(struct batch *batch)
{
    const struct tool_device *device = batch->bench->device;
    const size_t bytes = batch->n * word_bytes(batch->bench->bits);
    return (device->copy_in(batch->a, batch->host_a, bytes) &&
            (batch->b == NULL || device->copy_in(batch->b, batch->host_b, bytes))) ||
           bench_complain(batch->bench, "batch", "copying it to the device", PLEACH_E_CUDA);
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

bool batch_right_inserted(const struct batch *batch, size_t i) { return batch->host_bytes[i] == PLEACH_INSERTED; }

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
