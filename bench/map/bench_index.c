/* bench_index.c - the multi-value index: arrays of pairs and of keys, and batches of all operations.
 *
 * Pair p is id number p of key number p / 8, both scrambled. Those below `pairs` are in the index before every repeat,
 * the others are not. Arrays lie in host memory, also for a GPU: the clock sees the transfers.
 */
#include <string.h>

#include <pleach/index.h>

#include "bench/harness/bench.h"

enum { IDS_A_KEY = 8, ORDER_SEED = 30, KINDS = 4 };

struct indexed {
    struct batch batch; /* first: bench_measure hands it to the functions below. Its arrays are not used */
    pleach_index *index;
    size_t pairs;
    void *loaded, *zeros; /* the keys and values of the map underneath, in order */
    struct mix_order order;

    void *keys, *ids;
    uint8_t *kinds, *flags;
    uint64_t *counts, *offsets;
    void *found;
    size_t room, total;
};

static unsigned bits_of(const struct indexed *x) { return x->batch.bench->bits; }

static uint64_t key_of(const struct indexed *x, size_t p) { return mix_key(bits_of(x), p / IDS_A_KEY); }
static uint64_t id_of(const struct indexed *x, size_t p) { return mix_key(bits_of(x), p); }

static void set_pair(struct indexed *x, size_t i, size_t p)
{
    word_set(x->keys, bits_of(x), i, key_of(x, p));
    word_set(x->ids, bits_of(x), i, id_of(x, p));
}

/* ---- arguments, all different ---- */

static size_t old_pair(const struct indexed *x, size_t i) { return (size_t)mix_order_at(&x->order, i % x->pairs); }

static void make_new(struct batch *batch, size_t i)
{
    struct indexed *x = (struct indexed *)batch;
    set_pair(x, i, x->pairs + i);
}

static void make_old(struct batch *batch, size_t i)
{
    struct indexed *x = (struct indexed *)batch;
    set_pair(x, i, old_pair(x, i));
}

/* Inserts of new keys, erasures in the lower half of the old ones, queries in the upper half. */
static void make_mixed(struct batch *batch, size_t i)
{
    struct indexed *x = (struct indexed *)batch;
    static const uint8_t kinds[KINDS] = {PLEACH_INDEX_INSERT, PLEACH_INDEX_ERASE, PLEACH_INDEX_COUNT,
                                         PLEACH_INDEX_RETRIEVE};
    const size_t half = x->pairs / 2 / IDS_A_KEY * IDS_A_KEY, p = old_pair(x, i);
    x->kinds[i] = kinds[i % KINDS];
    if (x->kinds[i] == PLEACH_INDEX_INSERT)
        set_pair(x, i, x->pairs + i);
    else if (x->kinds[i] == PLEACH_INDEX_ERASE)
        set_pair(x, i, i / KINDS % half);
    else
        set_pair(x, i, p < half ? p + half : p);
}

/* ---- calls ---- */

static pleach_status call_insert(void *context, pleach_stream stream)
{
    struct indexed *x = context;
    (void)stream; /* all of them are synchronous */
    return pleach_index_insert(x->index, x->batch.n, x->keys, x->ids, x->flags);
}

static pleach_status call_erase(void *context, pleach_stream stream)
{
    struct indexed *x = context;
    (void)stream;
    return pleach_index_erase(x->index, x->batch.n, x->keys, x->ids, x->flags);
}

static pleach_status call_count(void *context, pleach_stream stream)
{
    struct indexed *x = context;
    (void)stream;
    return pleach_index_count(x->index, x->batch.n, x->keys, x->counts);
}

static pleach_status call_retrieve(void *context, pleach_stream stream)
{
    struct indexed *x = context;
    (void)stream;
    return pleach_index_retrieve(x->index, x->batch.n, x->keys, 0, x->room, x->found, x->offsets, &x->total);
}

static pleach_status call_apply(void *context, pleach_stream stream)
{
    struct indexed *x = context;
    (void)stream;
    pleach_index_batch batch = {.n = x->batch.n, .kinds = x->kinds, .keys = x->keys, .ids = x->ids, .flags = x->flags,
                                .counts = x->counts, .capacity = x->room, .out_ids = x->found, .offsets = x->offsets};
    return pleach_index_apply(x->index, &batch);
}

/* ---- checks ---- */

static bool right_inserted(const struct batch *batch, size_t i)
{
    return ((const struct indexed *)batch)->flags[i] == PLEACH_INSERTED;
}

static bool right_erased(const struct batch *batch, size_t i)
{
    return ((const struct indexed *)batch)->flags[i] == PLEACH_ERASED;
}

static bool right_count(const struct batch *batch, size_t i)
{
    return ((const struct indexed *)batch)->counts[i] == IDS_A_KEY;
}

/* All ids of the key, ascending; its number is that of any of its pairs. */
static bool right_ids(const struct indexed *x, size_t i, size_t p)
{
    const size_t first = p / IDS_A_KEY * IDS_A_KEY, at = (size_t)x->offsets[i];
    uint64_t last = 0;
    if (x->offsets[i + 1] - at != IDS_A_KEY) return false;
    for (size_t k = 0; k < IDS_A_KEY; k++) {
        const uint64_t id = word_get(x->found, bits_of(x), at + k);
        bool known = false;
        for (size_t j = 0; j < IDS_A_KEY; j++) known |= id_of(x, first + j) == id;
        if (!known || (k > 0 && id <= last)) return false;
        last = id;
    }
    return true;
}

static bool right_retrieved(const struct batch *batch, size_t i)
{
    const struct indexed *x = (const struct indexed *)batch;
    return right_ids(x, i, old_pair(x, i));
}

static bool right_mixed(const struct batch *batch, size_t i)
{
    const struct indexed *x = (const struct indexed *)batch;
    const size_t half = x->pairs / 2 / IDS_A_KEY * IDS_A_KEY, p = old_pair(x, i);
    switch ((pleach_index_operation)x->kinds[i]) {
    case PLEACH_INDEX_INSERT: return x->flags[i] == PLEACH_INSERTED;
    case PLEACH_INDEX_ERASE: return x->flags[i] == (i / KINDS < half ? PLEACH_ERASED : PLEACH_ABSENT);
    case PLEACH_INDEX_COUNT: return x->counts[i] == IDS_A_KEY;
    case PLEACH_INDEX_RETRIEVE: return right_ids(x, i, p < half ? p + half : p);
    case PLEACH_INDEX_CONTAINS: break; /* not among the kinds that are made */
    }
    return false;
}

/* ---- the index as it was ---- */

static bool load_index(struct batch *batch)
{
    struct indexed *x = (struct indexed *)batch;
    pleach_map *map = pleach_index_map(x->index);
    pleach_status status = pleach_map_clear(map);
    if (status == PLEACH_OK) status = pleach_map_load(map, x->pairs, x->loaded, x->zeros, 0);
    if (status == PLEACH_OK && batch->bench->options->reserve) status = pleach_map_reserve(map, x->pairs + batch->n);
    memset(x->flags, 0, batch->n);
    memset(x->counts, 0, batch->n * sizeof *x->counts);
    return status == PLEACH_OK || bench_complain(batch->bench, "index", "loading it", status);
}

/* The pairs in order, as the map gives them back. */
static pleach_status sort_pairs(struct indexed *x)
{
    pleach_map *map = pleach_index_map(x->index);
    size_t n = 0;
    for (size_t p = 0; p < x->pairs; p++) {
        if (bits_of(x) == 32)
            ((uint64_t *)x->loaded)[p] = key_of(x, p) << 32 | id_of(x, p);
        else
            ((pleach_key128 *)x->loaded)[p] = (pleach_key128){.high = key_of(x, p), .low = id_of(x, p)};
    }
    pleach_status status = pleach_map_load(map, x->pairs, x->loaded, x->zeros, 0);
    if (status == PLEACH_OK) status = pleach_map_export(map, x->pairs, x->loaded, NULL, &n);
    return status;
}

static bool create_index(struct indexed *x)
{
    struct bench *bench = x->batch.bench;
    struct bench_memory *memory = &x->batch.memory;
    const size_t bytes = word_bytes(bench->bits), n = x->batch.n;
    const pleach_index_config config = {.device = bench->device->kind, .key_bits = bench->bits,
                                        .threads = bench->threads, .versioned = bench->options->versioned};
    pleach_status status = pleach_index_create(&x->index, &config);
    if (status != PLEACH_OK) return bench_complain(bench, "index", "creating it", status);
    x->room = IDS_A_KEY * n;
    x->order = mix_order_make(x->pairs, ORDER_SEED);
    x->loaded = bench_memory_host(memory, x->pairs * 2 * bytes);
    x->zeros = bench_memory_zeros(memory, x->pairs * 2 * bytes);
    x->keys = bench_memory_host(memory, n * bytes);
    x->ids = bench_memory_host(memory, n * bytes);
    x->kinds = bench_memory_host(memory, n);
    x->flags = bench_memory_host(memory, n);
    x->counts = bench_memory_host(memory, n * sizeof *x->counts);
    x->offsets = bench_memory_host(memory, (n + 1) * sizeof *x->offsets);
    x->found = bench_memory_host(memory, x->room * bytes);
    status = memory->lacking ? PLEACH_E_MEMORY : sort_pairs(x);
    return status == PLEACH_OK || bench_complain(bench, "index", "making its pairs", status);
}

void bench_index(struct bench *bench, const struct bench_case *which)
{
    const struct {
        const char *name;
        void (*make)(struct batch *batch, size_t i);
        tool_call *call;
        bool (*right)(const struct batch *batch, size_t i);
    } rows[] = {{"index/insert", make_new, call_insert, right_inserted},
                {"index/erase", make_old, call_erase, right_erased},
                {"index/count", make_old, call_count, right_count},
                {"index/retrieve", make_old, call_retrieve, right_retrieved},
                {"index/apply", make_mixed, call_apply, right_mixed}};
    if (bench->device->kind == PLEACH_CUDA && bench->bits > 32) return; /* there is no such index */
    struct indexed x = {.pairs = bench_key_count(bench, &which->sizes) / (2 * IDS_A_KEY) * (2 * IDS_A_KEY)};
    size_t n = bench_op_count(bench, &which->sizes);
    if (n > x.pairs) n = x.pairs; /* each is erased once */
    if (!bench_use_keys(bench, x.pairs) || !batch_create(&x.batch, bench, n, 0, 0)) return;
    const bool created = create_index(&x);
    for (size_t i = 0; created && i < sizeof rows / sizeof rows[0] && !bench->failed; i++) {
        const struct bench_work work = {.name = rows[i].name, .ops = n, .prepare = load_index, .call = rows[i].call,
                                        .elements = n, .right = rows[i].right};
        if (batch_fill(&x.batch, rows[i].make)) bench_measure(&x.batch, &work);
    }
    pleach_index_destroy(x.index);
    batch_destroy(&x.batch);
}
