/* ycsb_work.c - the records and operations of pleach-bench ycsb: computed from indices and a seed, so that every
 * store gets the same. */
#include <stdlib.h>
#include <string.h>

#include "ycsb.h"
#include "tools/common/cli.h"

enum { KIND_SEED = 40, DRAW_SEED = 41, MOST_DRAWS = 64 };

/* YCSB's scrambled zipfian: ranks among so many items, whatever the number of records. */
static const size_t zipf_items = 10000000000u;
static const double zipf_exponent = 0.99;

bool ycsb_complain(struct ycsb *y, const char *what, pleach_status status)
{
    const char *cuda = y->device->kind == PLEACH_CUDA ? pleach_cuda_error() : "";
    cli_complain("pleach-bench ycsb", "%s, %s%s, on %s: %s: %s%s%s", y->workload->name,
                 y->rival != NULL ? y->rival->name : "-", y->form != NULL ? y->form : "", y->device->name, what,
                 pleach_strerror(status), cuda[0] != '\0' ? ": " : "", cuda);
    y->failed = true;
    return false;
}

static double next_share(struct mix_random *random) { return (double)(mix_next(random) >> 11) * 0x1p-53; }

/* FNV-1a of the eight bytes, which YCSB scatters popular records with. */
static uint64_t scatter(uint64_t rank)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int byte = 0; byte < 8; byte++, rank >>= 8) hash = (hash ^ (rank & 0xff)) * 0x100000001b3u;
    return hash;
}

/* ---- the kind of each operation ---- */

static uint8_t draw_kind(const struct ycsb_workload *workload, double share)
{
    uint8_t last = YCSB_READ;
    for (uint8_t kind = 0; kind < YCSB_KINDS; kind++) {
        if (workload->share[kind] <= 0) continue;
        if (share < workload->share[kind]) return kind;
        share -= workload->share[kind];
        last = kind; /* for what rounding leaves */
    }
    return last;
}

static void make_kinds(void *context, size_t begin, size_t end)
{
    struct ycsb *y = context;
    for (size_t i = begin; i < end; i++) {
        struct mix_random random = {mix64(y->options->seed + ((uint64_t)KIND_SEED << 48)) ^ mix64(i)};
        y->ops.kinds[i] = draw_kind(y->workload, next_share(&random));
    }
}

static size_t count_kind(const struct ycsb_ops *ops, uint8_t kind, size_t begin, size_t end)
{
    size_t count = 0;
    for (size_t i = begin; i < end; i++) count += ops->kinds[i] == kind;
    return count;
}

/* ---- its record ---- */

/* What a client knows of: the first records, and `own` that begin at own_from. */
struct known {
    uint64_t first, own_from, own;
};

static bool is_known(const struct known *known, uint64_t record)
{
    return record < known->first || (record >= known->own_from && record - known->own_from < known->own);
}

/* The first records in their order, then its own. */
static uint64_t known_at(const struct known *known, uint64_t i)
{
    return i < known->first ? i : known->own_from + (i - known->first);
}

/* Scattered over all records that will be there; what the client does not know of is drawn again, as YCSB does. */
static uint64_t draw_zipfian(const struct ycsb *y, const struct known *known, struct mix_random *random)
{
    uint64_t hash = 0;
    for (int draw = 0; draw < MOST_DRAWS; draw++) {
        hash = scatter(bench_zipf_rank(zipf_exponent, zipf_items, random));
        const uint64_t record = hash % (y->first + y->ops.inserts);
        if (is_known(known, record)) return record;
    }
    return known_at(known, hash % (known->first + known->own));
}

static uint64_t draw_record(const struct ycsb *y, const struct known *known, struct mix_random *random)
{
    const uint64_t count = known->first + known->own;
    switch (y->workload->dist) {
    case YCSB_UNIFORM: return known_at(known, mix_below(random, count));
    case YCSB_LATEST: return known_at(known, count - 1 - bench_zipf_rank(zipf_exponent, count, random));
    case YCSB_ZIPFIAN:
    case YCSB_DISTS: break;
    }
    return draw_zipfian(y, known, random);
}

static unsigned draw_length(const struct ycsb_workload *workload, struct mix_random *random)
{
    const unsigned choices = workload->most_scan - workload->least_scan + 1;
    const size_t more = workload->zipfian_scans ? bench_zipf_rank(zipf_exponent, choices, random)
                                                : (size_t)mix_below(random, choices);
    return workload->least_scan + (unsigned)more;
}

static void make_operation(struct ycsb *y, size_t i, const struct known *known, uint64_t inserted)
{
    struct ycsb_ops *ops = &y->ops;
    struct mix_random random = {mix64(y->options->seed + ((uint64_t)DRAW_SEED << 48)) ^ mix64(i)};
    const uint64_t record = ops->kinds[i] == YCSB_INSERT ? inserted : draw_record(y, known, &random);
    ops->records[i] = (uint32_t)record;
    ops->keys[i] = ycsb_key(y, record);
    ops->values[i] = ycsb_value(ops->keys[i], i + 1);
    ops->lengths[i] = ops->kinds[i] == YCSB_SCAN ? (uint16_t)draw_length(y->workload, &random) : 0;
}

static void make_operations(void *context, size_t begin, size_t end)
{
    struct ycsb *y = context;
    const struct ycsb_ops *ops = &y->ops;
    unsigned client = ycsb_client(ops->n, y->clients, begin);
    const size_t from = ycsb_client_begin(ops->n, y->clients, client);
    struct known known = {.first = y->first, .own_from = y->first + count_kind(ops, YCSB_INSERT, 0, from)};
    known.own = count_kind(ops, YCSB_INSERT, from, begin);
    for (size_t i = begin; i < end; i++) {
        if (ycsb_client(ops->n, y->clients, i) != client) {
            client = ycsb_client(ops->n, y->clients, i);
            known.own_from += known.own;
            known.own = 0;
        }
        make_operation(y, i, &known, known.own_from + known.own);
        known.own += ops->kinds[i] == YCSB_INSERT;
    }
}

/* What each operation reads if they come in the order of the array. */
static bool note_expected(struct ycsb *y)
{
    struct ycsb_ops *ops = &y->ops;
    uint32_t *writers = calloc(y->first + ops->inserts, sizeof *writers);
    if (writers == NULL) return false;
    for (size_t i = 0; i < ops->n; i++) {
        ops->expected[i] = ycsb_value(ops->keys[i], writers[ops->records[i]]);
        if (ycsb_writes(ops->kinds[i])) writers[ops->records[i]] = (uint32_t)i + 1;
    }
    free(writers);
    return true;
}

/* ---- a workload ---- */

static void make_first(void *context, size_t begin, size_t end)
{
    struct ycsb *y = context;
    for (size_t record = begin; record < end; record++) {
        y->first_keys[record] = ycsb_key(y, record);
        y->first_values[record] = ycsb_value(y->first_keys[record], 0);
    }
}

static bool sort_keys(struct ycsb *y)
{
    const size_t all = y->first + y->ops.inserts;
    y->sorted_first = bench_memory_host(&y->memory, y->first * sizeof *y->sorted_first);
    y->sorted_all = bench_memory_host(&y->memory, all * sizeof *y->sorted_all);
    if (y->memory.lacking) return false;
    for (size_t record = 0; record < all; record++) y->sorted_all[record] = ycsb_key(y, record);
    memcpy(y->sorted_first, y->sorted_all, y->first * sizeof *y->sorted_first);
    return bench_sort(y->sorted_first, 64, y->first) && bench_sort(y->sorted_all, 64, all);
}

static bool allocate(struct ycsb *y)
{
    const size_t n = y->ops.n, words = n * sizeof(uint64_t), first = y->first * sizeof(uint64_t);
    y->ops.kinds = bench_memory_host(&y->memory, n);
    y->ops.records = bench_memory_host(&y->memory, n * sizeof *y->ops.records);
    y->ops.lengths = bench_memory_host(&y->memory, n * sizeof *y->ops.lengths);
    y->ops.keys = bench_memory_host(&y->memory, words);
    y->ops.values = bench_memory_host(&y->memory, words);
    y->ops.expected = bench_memory_host(&y->memory, words);
    y->counts = bench_memory_host(&y->memory, n * sizeof *y->counts);
    y->values = bench_memory_host(&y->memory, words);
    y->lasts = bench_memory_host(&y->memory, words);
    y->first_keys = bench_memory_host(&y->memory, first);
    y->first_values = bench_memory_host(&y->memory, first);
    return !y->memory.lacking;
}

void ycsb_drop_workload(struct ycsb *y)
{
    bench_memory_release(&y->memory);
    y->ops = (struct ycsb_ops){0};
}

/* The first records where array calls can read them. */
static bool send_first(struct ycsb *y)
{
    const size_t bytes = y->first * sizeof(uint64_t);
    y->device_keys = bench_memory_device(&y->memory, y->device, bytes);
    y->device_values = bench_memory_device(&y->memory, y->device, bytes);
    return !y->memory.lacking && y->device->copy_in(y->device_keys, y->first_keys, bytes) &&
           y->device->copy_in(y->device_values, y->first_values, bytes);
}

/* Records, operations, and those of a group. With a file no more operations than records, unless it was said otherwise:
 * so that the tenth of it that is left suffices for the inserts of YCSB's workloads. */
static void choose_sizes(struct ycsb *y, const struct ycsb_workload *workload)
{
    const struct ycsb_options *o = y->options;
    const bool gpu = y->device->kind == PLEACH_CUDA;
    const size_t in_file = o->key_file.count;
    const size_t keys = in_file > 0 ? in_file - in_file / 10 : gpu ? (o->quick ? 4000000 : 16000000) : 1000000;
    size_t ops = gpu ? (o->quick ? 1 << 20 : 16000000) : o->quick ? 1 << 18 : 1000000;
    y->first = o->keys > 0 ? (size_t)o->keys : workload->keys > 0 ? (size_t)workload->keys : keys;
    if (in_file > 0 && ops > y->first) ops = y->first;
    y->ops.n = o->ops > 0 ? (size_t)o->ops : workload->ops > 0 ? (size_t)workload->ops : ops;
    y->group = o->batch > 0 ? (size_t)o->batch : gpu ? 1 << 20 : 1 << 14;
    if (y->group > y->ops.n) y->group = y->ops.n;
}

static bool has_keys(struct ycsb *y, size_t inserts)
{
    const size_t in_file = y->options->key_file.count;
    if (in_file == 0 || y->first + inserts <= in_file) return true;
    cli_complain("pleach-bench ycsb", "%s: %zu records at first and %zu inserts need more keys than the %zu of the "
                 "file: give smaller --keys or --ops", y->workload->name, y->first, inserts, in_file);
    y->refused = true;
    return false;
}

bool ycsb_use_workload(struct ycsb *y, const struct ycsb_workload *workload)
{
    y->workload = workload;
    choose_sizes(y, workload);
    if (!has_keys(y, 0)) return false;
    if (!allocate(y)) return ycsb_complain(y, "operations", PLEACH_E_MEMORY);
    crew_share(y->crew, y->ops.n, make_kinds, y);
    y->ops.inserts = count_kind(&y->ops, YCSB_INSERT, 0, y->ops.n);
    y->ops.scans = count_kind(&y->ops, YCSB_SCAN, 0, y->ops.n);
    if (!has_keys(y, y->ops.inserts)) return false;
    crew_share(y->crew, y->first, make_first, y);
    crew_share(y->crew, y->ops.n, make_operations, y);
    if (!note_expected(y) || (y->ops.scans > 0 && !sort_keys(y)) || !send_first(y))
        return ycsb_complain(y, "operations", PLEACH_E_MEMORY);
    return true;
}
