/* map/map_cpu_range.c - packed ranges of a CPU map.
 *
 * A call counts the pairs, computes offsets from the counts, and fills. Between counting and filling other calls may
 * insert and erase. Gaps that are due to erased keys are closed. A query that now has more pairs than its section of
 * the arrays holds is not cut short, because that could lose a key which was present all the time. Instead all queries
 * are filled again, into larger sections, with twice as many spare slots in every round, until all fit. At a timestamp
 * the map does not change in between.
 *
 * Queries that threads hand back while they are counted (map_cpu_long.c) are replaced by their parts, which are packed
 * like queries; their offsets are translated back to the caller's at the end. The limit of a query is applied to its
 * parts only after all of them are filled, because what lies before the limit may have changed.
 */
#include <string.h>

#include "../base/memory.h"
#include "map_cpu.h"

static size_t offsets_of_counts(uint64_t *offsets, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t count = offsets[i];
        offsets[i] = total;
        total += count;
    }
    offsets[n] = total;
    return total;
}

static void copy_pairs(void *to, const void *from, size_t key_bytes, uint64_t to_place, uint64_t from_place,
                       uint64_t count)
{
    if (!to || (to == from && to_place == from_place)) return;
    memmove((char *)to + to_place * key_bytes, (const char *)from + from_place * key_bytes, count * key_bytes);
}

/* ---- filling ---- */

typedef struct fill_job {
    const packing *p;
    const request *fill;
} fill_job;

/* A part with an empty section has nothing to write: it had no pairs, or lies beyond its query's limit. */
static void fill_parts_here(const fill_job *job, size_t begin, size_t end)
{
    const uint64_t *places = job->fill->offsets;
    while (begin < end) {
        size_t stop = begin;
        while (stop < end && places[stop] < places[stop + 1]) stop++;
        if (stop > begin) cpu_run_here(job->p->map, job->fill, begin, stop, NULL);
        begin = stop + 1;
    }
}

/* Here begin and end count the parts of all queries, from 0. */
static void fill_parts(void *context, size_t begin, size_t end)
{
    const fill_job *job = context;
    size_t first = 0;
    for (unsigned s = 0; s < job->p->stretch_count && first < end; s++) {
        const stretch *at = &job->p->stretches[s];
        size_t next = first + (at->end - at->begin);
        size_t from = begin > first ? begin : first, to = end < next ? end : next;
        if (from < to) fill_parts_here(job, at->begin + (from - first), at->begin + (to - first));
        first = next;
    }
}

/* Fills all elements that are not parts. */
static void fill_between(void *context, size_t begin, size_t end)
{
    const fill_job *job = context;
    for (unsigned s = 0; s < job->p->stretch_count && begin < end; s++) {
        const stretch *at = &job->p->stretches[s];
        size_t stop = at->begin < end ? at->begin : end;
        if (begin < stop) cpu_run_here(job->p->map, job->fill, begin, stop, NULL);
        if (begin < at->end) begin = at->end;
    }
    if (begin < end) cpu_run_here(job->p->map, job->fill, begin, end, NULL);
}

static void fill_all(const packing *p, const request *fill)
{
    if (p->stretch_count == 0) {
        cpu_run_elements(p->map, fill, NULL);
        return;
    }
    fill_job job = {p, fill};
    size_t parts = 0, n = p->r.n;
    for (unsigned s = 0; s < p->stretch_count; s++) parts += p->stretches[s].end - p->stretches[s].begin;
    workers_run(p->map->workers, parts, PARTS_TOGETHER, fill_parts, &job);
    if (parts < n) workers_run(p->map->workers, n, workers_grain(p->map->threads, n), fill_between, &job);
}

/* One round; found[i] is set to the number of pairs that query i had. */
static void fill_places(const packing *p, void *keys, void *values, const uint64_t *places, uint64_t *found)
{
    request fill = p->r;
    fill.out_keys = keys;
    fill.out_values = values;
    fill.offsets = places;
    fill.long_counts = found;
    fill_all(p, &fill);
}

static bool all_fitted(const uint64_t *places, const uint64_t *found, size_t begin, size_t end)
{
    bool fitted = true;
    for (size_t i = begin; i < end; i++) fitted &= found[i] <= places[i + 1] - places[i];
    return fitted;
}

/* The same for parts whose sections were made shorter by the limit of their query. The part at the limit may have more
 * pairs than its section holds, unless the parts before it have become shorter. */
static bool limited_fitted(const stretch *at, const uint64_t *places, const uint64_t *found)
{
    uint64_t left = at->limit;
    for (size_t i = at->begin; i < at->end; i++) {
        uint64_t room = places[i + 1] - places[i];
        if (found[i] > room && room < left) return false;
        left -= found[i] < room ? found[i] : room;
    }
    return left == 0;
}

/* Returns whether the pairs of all queries are in their sections, in which there may be gaps. */
static bool fitted_as_counted(const packing *p, const bool *limited, const uint64_t *places, const uint64_t *found)
{
    size_t from = 0;
    for (unsigned s = 0; s < p->stretch_count; s++) {
        const stretch *at = &p->stretches[s];
        if (!all_fitted(places, found, from, limited[s] ? at->begin : at->end)) return false;
        if (limited[s] && !limited_fitted(at, places, found)) return false;
        from = at->end;
    }
    return all_fitted(places, found, from, p->r.n);
}

/* ---- packing ---- */

/* Reduces the counts of parts to the limit of their query. Unless limited is NULL, limited[s] is set to whether pairs
 * are left out. */
static void keep_limits(const packing *p, uint64_t *counts, bool *limited)
{
    for (unsigned s = 0; s < p->stretch_count; s++) {
        uint64_t left = p->stretches[s].limit;
        bool less = p->stretches[s].cut_off;
        for (size_t i = p->stretches[s].begin; i < p->stretches[s].end; i++) {
            less |= counts[i] > left;
            if (counts[i] > left) counts[i] = left;
            left -= counts[i];
        }
        if (limited) limited[s] = less;
    }
}

/* Returns whether a query has fewer pairs than its limit although more may lie beyond its last part. */
static bool is_cut_too_short(const packing *p, const uint64_t *found)
{
    for (unsigned s = 0; s < p->stretch_count; s++) {
        const stretch *at = &p->stretches[s];
        uint64_t sum = 0;
        for (size_t i = at->begin; i < at->end; i++) sum += found[i];
        if (at->cut_off && sum < at->limit) return true;
    }
    return false;
}

/* Moves the pairs to the caller's arrays, without gaps, if they fit there. */
static pleach_status close_gaps(packing *p, const void *keys, const void *values, const uint64_t *places,
                                uint64_t *found)
{
    const size_t n = p->r.n, key_bytes = p->map->key_bits / 8;
    keep_limits(p, found, NULL);
    p->cut_too_short = is_cut_too_short(p, found);
    if (p->cut_too_short) return PLEACH_OK;
    p->total = 0;
    for (size_t i = 0; i < n; i++) p->total += found[i];
    bool fits = p->total <= p->capacity;
    uint64_t place = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t from = places[i]; /* read first, because places may be offsets */
        if (fits) copy_pairs(p->r.out_keys, keys, key_bytes, place, from, found[i]);
        if (fits) copy_pairs(p->r.out_values, values, key_bytes, place, from, found[i]);
        p->offsets[i] = place;
        place += found[i];
    }
    p->offsets[n] = place;
    return fits ? PLEACH_OK : PLEACH_E_SPACE;
}

static pleach_status fill_with_room_to_spare(packing *p, uint64_t *found)
{
    const request *r = &p->r;
    size_t key_bytes = p->map->key_bits / 8;
    uint64_t *places = base_alloc(r->n + 1, sizeof *places);
    pleach_status status = places ? PLEACH_OK : PLEACH_E_MEMORY;
    bool fitted = false;
    for (unsigned round = 0; status == PLEACH_OK && !fitted; round++) {
        for (size_t i = 0; i < r->n; i++) places[i] = found[i] + ((uint64_t)4 << (round < 20 ? round : 20));
        size_t room = offsets_of_counts(places, r->n);
        void *keys = r->out_keys ? base_alloc(room, key_bytes) : NULL;
        void *values = r->out_values ? base_alloc(room, key_bytes) : NULL;
        if ((r->out_keys && !keys) || (r->out_values && !values))
            status = PLEACH_E_MEMORY;
        else
            fill_places(p, keys, values, places, found);
        fitted = status == PLEACH_OK && all_fitted(places, found, 0, r->n);
        if (fitted) status = close_gaps(p, keys, values, places, found);
        base_free(keys);
        base_free(values);
    }
    base_free(places);
    return status;
}

/* At a timestamp there are as many pairs as were counted. */
static pleach_status pack_snapshot(packing *p)
{
    keep_limits(p, p->offsets, NULL);
    p->total = offsets_of_counts(p->offsets, p->r.n);
    if (p->total > p->capacity) return PLEACH_E_SPACE;
    request fill = p->r;
    fill.offsets = p->offsets;
    fill.long_counts = NULL;
    fill_all(p, &fill);
    return PLEACH_OK;
}

static pleach_status pack_present(packing *p, uint64_t *found)
{
    bool limited[LONG_MOST];
    memcpy(found, p->offsets, p->r.n * sizeof *found);
    keep_limits(p, p->offsets, limited);
    p->total = offsets_of_counts(p->offsets, p->r.n);
    if (p->total > p->capacity) return PLEACH_E_SPACE;
    fill_places(p, p->r.out_keys, p->r.out_values, p->offsets, found);
    if (fitted_as_counted(p, limited, p->offsets, found))
        return close_gaps(p, p->r.out_keys, p->r.out_values, p->offsets, found);
    return fill_with_room_to_spare(p, found);
}

pleach_status cpu_pack(packing *p)
{
    if (p->r.at) return pack_snapshot(p);
    uint64_t *found = base_alloc(p->r.n, sizeof *found);
    if (!found) return PLEACH_E_MEMORY;
    pleach_status status = pack_present(p, found);
    base_free(found);
    return status;
}

/* ---- queries and their parts ---- */

/* The caller's queries, with long ones replaced by their parts; the first part is what was read before the division. */
typedef struct mixture {
    size_t n;
    void *lows, *highs;
    uint64_t *offsets;
    stretch stretches[LONG_MOST];
} mixture;

static bool mixture_alloc(const cpu_map *map, mixture *m)
{
    const size_t key_bytes = map->key_bits / 8;
    m->lows = base_alloc(m->n, key_bytes);
    m->highs = base_alloc(m->n, key_bytes);
    m->offsets = base_alloc(m->n + 1, sizeof *m->offsets);
    return m->lows && m->highs && m->offsets;
}

static void mixture_free(mixture *m)
{
    base_free(m->lows);
    base_free(m->highs);
    base_free(m->offsets);
}

/* Copies intervals and counts, beginning with `from`, to the elements beginning with `to`. */
static void mixture_copy(const cpu_map *map, mixture *m, size_t to, const void *lows, const void *highs,
                         const uint64_t *counts, size_t from, size_t n)
{
    const size_t bytes = n * (map->key_bits / 8);
    memcpy(cpu_cell(map, m->lows, to), cpu_cell(map, lows, from), bytes);
    memcpy(cpu_cell(map, m->highs, to), cpu_cell(map, highs, from), bytes);
    memcpy(m->offsets + to, counts + from, n * sizeof *counts);
}

static void mix(const cpu_map *map, const request *r, const uint64_t *counts, const long_list *longs,
                const long_parts *parts, mixture *m)
{
    size_t from = 0, to = 0;
    for (unsigned q = 0; q < parts->queries; q++) {
        const long_query *query = &longs->query[q];
        size_t short_ones = query->element - from, of_query = parts->first[q + 1] - parts->first[q];
        mixture_copy(map, m, to, r->keys, r->values, counts, from, short_ones);
        to += short_ones;
        from = query->element + 1;
        m->stretches[q] = (stretch){to, to + 1 + of_query, r->limit ? r->limit : UINT64_MAX, parts->cut_off[q]};
        long_set_head(map, m->lows, m->highs, to, cpu_cell(map, r->keys, query->element), query->next);
        m->offsets[to++] = query->count;
        mixture_copy(map, m, to, parts->lows, parts->highs, parts->counts, parts->first[q], of_query);
        to += of_query;
    }
    mixture_copy(map, m, to, r->keys, r->values, counts, from, r->n - from);
}

static void offsets_of_mixture(const mixture *m, const long_list *longs, unsigned queries, uint64_t *offsets, size_t n)
{
    size_t to = 0, from = 0;
    for (unsigned q = 0; q < queries; q++) {
        while (to < longs->query[q].element) offsets[to++] = m->offsets[from++];
        offsets[to++] = m->offsets[from];
        from = m->stretches[q].end;
    }
    while (to <= n) offsets[to++] = m->offsets[from++];
}

static pleach_status pack_mixture(cpu_map *map, const request *r, const long_list *longs, const long_parts *parts,
                                  size_t capacity, uint64_t *offsets, size_t *total, bool *undivided)
{
    mixture m = {.n = r->n + parts->n};
    pleach_status status = PLEACH_E_MEMORY;
    if (mixture_alloc(map, &m)) {
        mix(map, r, offsets, longs, parts, &m);
        packing p = {.map = map, .r = *r, .capacity = capacity, .offsets = m.offsets, .stretches = m.stretches,
                     .stretch_count = parts->queries};
        p.r.n = m.n;
        p.r.keys = m.lows;
        p.r.values = m.highs;
        status = cpu_pack(&p);
        *total = p.total;
        *undivided = p.cut_too_short;
        if (!*undivided && (status == PLEACH_OK || status == PLEACH_E_SPACE))
            offsets_of_mixture(&m, longs, parts->queries, offsets, r->n);
    }
    mixture_free(&m);
    if (status == PLEACH_E_MEMORY) *undivided = true; /* undivided queries need less memory */
    return status;
}

/* On entry, offsets has counts. */
static pleach_status pack_queries(cpu_map *map, const request *r, size_t capacity, uint64_t *offsets, size_t *total)
{
    packing p = {.map = map, .r = *r, .capacity = capacity, .offsets = offsets};
    pleach_status status = PLEACH_OK;
    if (r->out_keys || r->out_values)
        status = cpu_pack(&p);
    else
        p.total = offsets_of_counts(offsets, r->n);
    *total = p.total;
    return status;
}

static pleach_status pack_long_queries(cpu_map *map, const request *r, const long_list *longs, unsigned queries,
                                       size_t capacity, uint64_t *offsets, size_t *total, bool *undivided)
{
    long_parts parts;
    *undivided = !long_divide(map, r, longs, queries, &parts);
    if (*undivided) return PLEACH_OK;
    pleach_status status = PLEACH_OK;
    if (r->out_keys || r->out_values) {
        status = pack_mixture(map, r, longs, &parts, capacity, offsets, total, undivided);
    } else {
        for (unsigned q = 0; q < queries; q++)
            offsets[longs->query[q].element] = long_total(r, longs, &parts, q);
        *total = offsets_of_counts(offsets, r->n);
    }
    long_parts_free(&parts);
    return status;
}

static pleach_status range_packed(cpu_map *map, const request *r, size_t capacity, uint64_t *offsets, size_t *total)
{
    request count = *r;
    long_list longs;
    count.kind = OP_COUNT;
    count.out_keys = count.out_values = NULL;
    count.long_counts = offsets;
    longs.used = 0;
    cpu_run_elements(map, &count, cpu_divides(map) ? &longs : NULL);
    unsigned queries = long_list_sort(&longs);
    if (queries > 0) {
        bool undivided;
        pleach_status status = pack_long_queries(map, r, &longs, queries, capacity, offsets, total, &undivided);
        if (!undivided) return status;
        cpu_run_elements(map, &count, NULL);
    }
    return pack_queries(map, r, capacity, offsets, total);
}

pleach_status cpu_range_packed(void *exec, const request *r, size_t capacity, uint64_t *offsets, size_t *total)
{
    cpu_map *map = exec;
    request at_instant = *r;
    cpu_instant instant = {.taken = false};
    if (cpu_divides(map)) cpu_instant_begin(map, &at_instant, &instant);
    pleach_status status = range_packed(map, &at_instant, capacity, offsets, total);
    cpu_instant_end(map, &instant);
    return status;
}
