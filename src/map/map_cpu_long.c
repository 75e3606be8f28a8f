/* map/map_cpu_long.c - long queries of a CPU map, shared by its threads.
 *
 * A thread that has read LONG_LEAVES leaves for one range or count hands the query back, with the next key that it
 * would have read. When all elements have been processed, the caller divides the remainders of these queries into parts
 * (blink_cut.h), which the threads count as queries of their own. The counts determine where the pairs of each part go.
 *
 * Parts of one query are disjoint, and together they are all of its remainder. So a key that is present all the time is
 * reported exactly once. In a versioned map all parts, and what was read before, are read at one timestamp. See "Long
 * queries" in docs/blink.md and docs/versioned.md.
 *
 * If there is no memory for parts, the caller processes the remainders by itself.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/key128.h"
#include "../base/memory.h"
#include "../sync/gate.h"
#include "map_cpu.h"

enum {
    PARTS_A_THREAD = 16, /* of one query: so a delayed thread has a small part left */
    PARTS_MOST = 4096,   /* of all queries of a call, unless there are more queries than that */
    INSTANT_SCAN = 16    /* announcements that a call scans when it leaves, as single queries do */
};

/* ---- one timestamp for a call ---- */

void cpu_instant_begin(const cpu_map *map, request *r, cpu_instant *instant)
{
    instant->taken = map->ref.versions.state && !r->at;
    if (!instant->taken) return;
    instant->at = version_snapshot_begin(&map->ref.versions, &instant->agent, 1, gate_thread_number());
    r->at = &instant->at;
}

void cpu_instant_end(const cpu_map *map, cpu_instant *instant)
{
    if (instant->taken) version_snapshot_end(&map->ref.versions, &instant->agent, instant->at, 1, INSTANT_SCAN);
}

/* ---- the list ---- */

static int by_element(const void *a, const void *b)
{
    size_t x = ((const long_query *)a)->element, y = ((const long_query *)b)->element;
    return (x > y) - (x < y);
}

unsigned long_list_sort(long_list *longs)
{
    unsigned used = longs->used < LONG_MOST ? (unsigned)longs->used : LONG_MOST;
    if (used > 1) qsort(longs->query, used, sizeof longs->query[0], by_element);
    return used;
}

/* ---- parts ---- */

static void set_number(const cpu_map *map, void *array, size_t i, unsigned number)
{
    if (map->key_bits == 32)
        ((uint32_t *)array)[i] = number;
    else if (map->key_bits == 64)
        ((uint64_t *)array)[i] = number;
    else
        ((key128 *)array)[i] = number;
}

void long_set_empty(const cpu_map *map, void *lows, void *highs, size_t i)
{
    set_number(map, lows, i, 1);
    set_number(map, highs, i, 0);
}

void long_set_head(const cpu_map *map, void *lows, void *highs, size_t i, const void *low, const void *next)
{
    const size_t key_bytes = map->key_bits / 8;
    if (memcmp(low, next, key_bytes) == 0) {
        long_set_empty(map, lows, highs, i);
        return;
    }
    memcpy(cpu_cell(map, lows, i), low, key_bytes);
    memcpy(cpu_cell(map, highs, i), next, key_bytes);
    if (map->key_bits == 32)
        ((uint32_t *)highs)[i]--;
    else if (map->key_bits == 64)
        ((uint64_t *)highs)[i]--;
    else
        ((key128 *)highs)[i]--;
}

void long_parts_free(long_parts *parts)
{
    base_free(parts->lows);
    base_free(parts->highs);
    base_free(parts->counts);
}

static bool parts_alloc(const cpu_map *map, long_parts *parts, size_t room)
{
    parts->lows = base_alloc(room, map->key_bits / 8);
    parts->highs = base_alloc(room, map->key_bits / 8);
    parts->counts = base_alloc(room, sizeof *parts->counts);
    if (parts->lows && parts->highs && parts->counts) return true;
    long_parts_free(parts);
    return false;
}

static uint64_t limit_of(const request *r) { return r->limit ? r->limit : UINT64_MAX; }

/* Estimates how many leaves a query needs until its limit from the leaves that it has read, and adds a quarter. */
static uint64_t leaves_wanted(const request *r, const long_query *query)
{
    if (!r->limit) return UINT64_MAX;
    double rate = query->count ? (double)query->leaves / (double)query->count : 1;
    return LONG_LEAVES + (uint64_t)(1.25 * rate * (double)(r->limit - query->count));
}

typedef struct part_job {
    const cpu_map *map;
    const request *request;
} part_job;

static void run_parts(void *context, size_t begin, size_t end)
{
    part_job *job = context;
    cpu_run_here(job->map, job->request, begin, end, NULL);
}

static uint64_t sum_of_parts(const long_parts *parts, unsigned query)
{
    uint64_t sum = 0;
    for (size_t i = parts->first[query]; i < parts->first[query + 1]; i++) sum += parts->counts[i];
    return sum;
}

uint64_t long_total(const request *r, const long_list *longs, const long_parts *parts, unsigned query)
{
    uint64_t total = longs->query[query].count + sum_of_parts(parts, query);
    return total < limit_of(r) ? total : limit_of(r);
}

/* Each part counts up to the limit of its query; long_total applies the limit to the sum. */
static request counting(const request *r, const long_parts *parts)
{
    return (request){.kind = OP_COUNT, .at = r->at, .limit = r->limit, .n = parts->n, .keys = parts->lows,
                     .values = parts->highs, .long_counts = parts->counts};
}

/* If a query has been cut off, its last part is counted only if its other parts have fewer pairs than the limit. */
static void count_beyond(const cpu_map *map, const request *r, const long_list *longs, long_parts *parts,
                         unsigned char (*beyond)[16])
{
    const size_t key_bytes = map->key_bits / 8;
    for (unsigned q = 0; q < parts->queries; q++) {
        if (!parts->cut_off[q] || long_total(r, longs, parts, q) == limit_of(r)) continue;
        size_t last = parts->first[q + 1] - 1;
        request count = counting(r, parts);
        memcpy(cpu_cell(map, parts->lows, last), beyond[q], key_bytes);
        memcpy(cpu_cell(map, parts->highs, last), cpu_cell(map, r->values, longs->query[q].element), key_bytes);
        cpu_run_here(map, &count, last, last + 1, NULL);
        parts->cut_off[q] = false;
    }
}

/* Appends the parts of one query. */
static void cut_query(const cpu_map *map, const request *r, const long_query *query, uint32_t most, long_parts *parts,
                      unsigned char beyond[16])
{
    unsigned q = parts->queries++;
    long_cut cut = {query->next, cpu_cell(map, r->values, query->element), leaves_wanted(r, query), most, false};
    parts->first[q] = parts->n;
    parts->n += map->ops->cut(map->ref, gate_thread_number(), &cut, cpu_cell(map, parts->lows, parts->n),
                              cpu_cell(map, parts->highs, parts->n));
    parts->first[q + 1] = parts->n;
    parts->cut_off[q] = cut.rest;
    if (!cut.rest) return;
    memcpy(beyond, cpu_cell(map, parts->lows, parts->n - 1), map->key_bits / 8);
    long_set_empty(map, parts->lows, parts->highs, parts->n - 1);
}

bool long_divide(const cpu_map *map, const request *r, const long_list *longs, unsigned queries, long_parts *parts)
{
    unsigned char beyond[LONG_MOST][16];
    uint32_t most = PARTS_A_THREAD * map->threads < PARTS_MOST / queries ? PARTS_A_THREAD * map->threads
                                                                         : PARTS_MOST / queries;
    parts->queries = 0;
    parts->n = 0;
    if (!parts_alloc(map, parts, (size_t)queries * (most + 1))) return false;
    for (unsigned q = 0; q < queries; q++) cut_query(map, r, &longs->query[q], most, parts, beyond[q]);
    request count = counting(r, parts);
    part_job job = {map, &count};
    workers_run(map->workers, parts->n, PARTS_TOGETHER, run_parts, &job);
    count_beyond(map, r, longs, parts, beyond);
    return true;
}

/* ---- counts, and ranges with a limit ---- */

static void report_long(const request *r, size_t element, uint64_t count)
{
    if (r->counts) r->counts[element] = (uint32_t)count;
    if (r->long_counts) r->long_counts[element] = count;
}

static void *behind(const cpu_map *map, void *array, uint64_t pairs)
{
    return array ? cpu_cell(map, array, pairs) : NULL;
}

/* The caller processes the remainder of a query by itself. */
static void finish_undivided(const cpu_map *map, const request *r, const long_query *query)
{
    uint64_t more = 0, place = query->element * (uint64_t)r->limit + query->count;
    request rest = *r;
    rest.n = 1;
    rest.limit = r->limit ? r->limit - (uint32_t)query->count : 0;
    rest.keys = query->next;
    rest.values = cpu_cell(map, r->values, query->element);
    rest.out_keys = behind(map, r->out_keys, place);
    rest.out_values = behind(map, r->out_values, place);
    rest.counts = NULL;
    rest.long_counts = &more;
    cpu_run_here(map, &rest, 0, 1, NULL);
    report_long(r, query->element, query->count + more);
}

/* Writes the remaining pairs of a range with a limit, behind those that have been written. Returns false if there is no
 * memory, or if it must be read undivided. */
static bool fill_limited(cpu_map *map, const request *r, const long_query *query, const long_parts *parts, unsigned q)
{
    size_t first = parts->first[q], n = parts->first[q + 1] - first;
    uint64_t room = r->limit - query->count, place = query->element * (uint64_t)r->limit + query->count;
    stretch all = {0, n, room, parts->cut_off[q]};
    uint64_t *offsets = base_alloc(n + 1, sizeof *offsets);
    if (!offsets) return false;
    memcpy(offsets, parts->counts + first, n * sizeof *offsets);
    packing p = {.map = map, .r = *r, .capacity = room, .offsets = offsets, .stretches = &all, .stretch_count = 1};
    p.r.n = n;
    p.r.keys = cpu_cell(map, parts->lows, first);
    p.r.values = cpu_cell(map, parts->highs, first);
    p.r.out_keys = behind(map, r->out_keys, place);
    p.r.out_values = behind(map, r->out_values, place);
    p.r.counts = NULL;
    bool packed = cpu_pack(&p) == PLEACH_OK && !p.cut_too_short;
    if (packed) report_long(r, query->element, query->count + p.total);
    base_free(offsets);
    return packed;
}

static void finish_long(cpu_map *map, const request *r, const long_list *longs, unsigned queries)
{
    long_parts parts;
    bool divided = long_divide(map, r, longs, queries, &parts);
    bool only_count = r->kind == OP_COUNT || (!r->out_keys && !r->out_values);
    for (unsigned q = 0; q < queries; q++) {
        const long_query *query = &longs->query[q];
        if (divided && only_count)
            report_long(r, query->element, long_total(r, longs, &parts, q));
        else if (!divided || !fill_limited(map, r, query, &parts, q))
            finish_undivided(map, r, query);
    }
    if (divided) long_parts_free(&parts);
}

/* The pairs of parts are counted before they are written, so for writing two threads would take as long as one. */
static bool is_worth_dividing(const cpu_map *map, const request *r)
{
    bool writes = r->kind == OP_RANGE && (r->out_keys || r->out_values);
    return !writes || map->threads > 2;
}

static void run_ranges(cpu_map *map, const request *r)
{
    long_list longs;
    longs.used = 0;
    cpu_run_elements(map, r, is_worth_dividing(map, r) ? &longs : NULL);
    unsigned queries = long_list_sort(&longs);
    if (queries > 0) finish_long(map, r, &longs, queries);
}

void cpu_run_ranges(cpu_map *map, const request *r)
{
    if (!map->ref.versions.state || r->at) {
        run_ranges(map, r);
        return;
    }
    request at_instant = *r;
    cpu_instant instant;
    cpu_instant_begin(map, &at_instant, &instant);
    run_ranges(map, &at_instant);
    cpu_instant_end(map, &instant);
}
