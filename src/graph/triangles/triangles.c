/* graph/triangles/triangles.c - counts triangles of a graph given as rows.
 *
 * Vertices are renumbered by decreasing degree, and each keeps only its neighbours with smaller numbers, so no such
 * list is longer than the square root of twice the number of edges. A triangle a < b < c is found at c: the list of c
 * becomes bits, the list of every member b of it is read, and those members a are counted whose bits are set. So
 * nothing is sorted; and the bits that are tested most, those of vertices with many neighbours, are next to each other.
 *
 * If edges are marked, lists have the marked ones last, as rows do, and c also has bits for its marked edges alone. If
 * (b, c) is not marked, an unmarked (a, b) tests these bits, because one of a triangle's edges must be marked. So each
 * triangle is examined once, as without marks.
 */
#include "triangles.h"

#include <stdatomic.h>

#include "../../base/memory.h"

enum { CHUNK = 256 };

typedef struct oriented {
    const triangle_rows *rows;
    uint64_t n;
    uint32_t *number;  /* by id: the new number */
    uint32_t *id;      /* by number */
    uint64_t *offsets; /* by number, n + 1 */
    uint32_t *targets; /* numbers */
    uint64_t *marked;  /* by number: where the marked ones begin in targets; NULL if all are marked */
    uint64_t *by_vertex;
    atomic_uint_fast64_t total;
    atomic_bool failed;
} oriented;

/* Counting sort. Degrees above a limit, of which there are few, count as equal, because any order is correct. */
static bool number_by_degree(oriented *o)
{
    enum { LIMIT = 1 << 16 };
    uint64_t *first = base_alloc(LIMIT + 1, sizeof *first);
    if (!first) return false;
    const uint64_t *offsets = o->rows->offsets;
    for (uint64_t id = 0; id < o->n; id++) {
        uint64_t degree = offsets[id + 1] - offsets[id];
        first[degree < LIMIT ? degree : LIMIT]++;
    }
    uint64_t sum = 0;
    for (uint64_t degree = LIMIT + 1; degree-- > 0;) {
        uint64_t count = first[degree];
        first[degree] = sum;
        sum += count;
    }
    for (uint64_t id = 0; id < o->n; id++) {
        uint64_t degree = offsets[id + 1] - offsets[id];
        uint64_t number = first[degree < LIMIT ? degree : LIMIT]++;
        o->number[id] = (uint32_t)number;
        o->id[number] = (uint32_t)id;
    }
    base_free(first);
    return true;
}

/* ---- lists ---- */

static void size_part(void *context, size_t begin, size_t end)
{
    oriented *o = context;
    for (uint64_t number = begin; number < end; number++) {
        uint64_t from = o->rows->offsets[o->id[number]], to = o->rows->offsets[o->id[number] + 1], smaller = 0;
        for (uint64_t i = from; i < to; i++) smaller += o->number[o->rows->targets[i]] < number;
        o->offsets[number + 1] = smaller;
    }
}

static void fill_part(void *context, size_t begin, size_t end)
{
    oriented *o = context;
    for (uint64_t number = begin; number < end; number++) {
        uint64_t from = o->rows->offsets[o->id[number]], to = o->rows->offsets[o->id[number] + 1];
        uint64_t at = o->offsets[number], unmarked = o->marked ? o->rows->marked[o->id[number]] : from;
        for (uint64_t i = from; i < to; i++) {
            if (o->marked && i == unmarked) o->marked[number] = at;
            uint32_t other = o->number[o->rows->targets[i]];
            if (other < number) o->targets[at++] = other;
        }
        if (o->marked && unmarked == to) o->marked[number] = at;
    }
}

/* ---- counting ---- */

static bool has_bit(const uint64_t *bits, uint32_t number) { return bits[number / 64] >> number % 64 & 1; }

static void charge(uint64_t *by_vertex, uint32_t id, uint64_t triangles)
{
    if (triangles) __atomic_fetch_add(&by_vertex[id], triangles, __ATOMIC_RELAXED);
}

/* Counts members of a list, from `at` on, whose bits are set. */
static uint64_t count_bits(const oriented *o, const uint64_t *bits, uint64_t at, uint64_t end)
{
    uint64_t count = 0;
    if (!o->by_vertex) {
        for (; at < end; at++) count += has_bit(bits, o->targets[at]);
        return count;
    }
    for (; at < end; at++) {
        if (!has_bit(bits, o->targets[at])) continue;
        count++;
        charge(o->by_vertex, o->id[o->targets[at]], 1);
    }
    return count;
}

static uint64_t count_at(const oriented *o, const uint64_t *bits, const uint64_t *marked_bits, uint64_t number)
{
    uint64_t count = 0;
    for (uint64_t i = o->offsets[number]; i < o->offsets[number + 1]; i++) {
        uint32_t middle = o->targets[i];
        uint64_t begin = o->offsets[middle], end = o->offsets[middle + 1], here = 0;
        if (o->marked && i < o->marked[number]) {
            here = count_bits(o, marked_bits, begin, o->marked[middle]);
            begin = o->marked[middle];
        }
        here += count_bits(o, bits, begin, end);
        if (o->by_vertex) charge(o->by_vertex, o->id[middle], here);
        count += here;
    }
    if (o->by_vertex) charge(o->by_vertex, o->id[number], count);
    return count;
}

static void set_bits(uint64_t *bits, const uint32_t *list, const uint32_t *end)
{
    for (; list < end; list++) bits[*list / 64] |= (uint64_t)1 << *list % 64;
}

static void clear_bits(uint64_t *bits, const uint32_t *list, const uint32_t *end)
{
    for (; list < end; list++) bits[*list / 64] = 0;
}

static void count_part(void *context, size_t begin, size_t end)
{
    oriented *o = context;
    uint64_t words = o->n / 64 + 1, total = 0;
    uint64_t *bits = base_alloc(o->marked ? 2 * words : words, sizeof *bits);
    if (!bits) {
        atomic_store(&o->failed, true);
        return;
    }
    uint64_t *marked_bits = bits + words;
    for (uint64_t number = begin; number < end; number++) {
        const uint32_t *list = o->targets + o->offsets[number], *stop = o->targets + o->offsets[number + 1];
        const uint32_t *marked = o->marked ? o->targets + o->marked[number] : stop;
        set_bits(bits, list, stop);
        set_bits(marked_bits, marked, stop);
        total += count_at(o, bits, marked_bits, number);
        clear_bits(bits, list, stop);
        clear_bits(marked_bits, marked, stop);
    }
    base_free(bits);
    atomic_fetch_add(&o->total, total);
}

static pleach_status count_oriented(workers *all, unsigned threads, oriented *o)
{
    if (!number_by_degree(o)) return PLEACH_E_MEMORY;
    workers_run(all, o->n, CHUNK, size_part, o);
    for (uint64_t i = 0; i < o->n; i++) o->offsets[i + 1] += o->offsets[i];
    o->targets = base_alloc(o->offsets[o->n] + 1, sizeof *o->targets);
    if (!o->targets) return PLEACH_E_MEMORY;
    workers_run(all, o->n, CHUNK, fill_part, o);
    /* Every part clears n bits of its own, so parts are long if n is large. */
    size_t part = o->n / (64 * (size_t)threads);
    workers_run(all, o->n, part > CHUNK ? part : CHUNK, count_part, o);
    return atomic_load(&o->failed) ? PLEACH_E_MEMORY : PLEACH_OK;
}

pleach_status triangles_count(workers *all, unsigned threads, const triangle_rows *rows, uint64_t *by_vertex,
                              uint64_t *total)
{
    oriented o = {.rows = rows, .n = rows->n, .by_vertex = by_vertex};
    o.number = base_alloc(o.n + 1, sizeof *o.number);
    o.id = base_alloc(o.n + 1, sizeof *o.id);
    o.offsets = base_alloc(o.n + 1, sizeof *o.offsets);
    if (rows->marked) o.marked = base_alloc(o.n + 1, sizeof *o.marked);
    bool fine = o.number && o.id && o.offsets && (o.marked || !rows->marked);
    pleach_status status = fine ? count_oriented(all, threads, &o) : PLEACH_E_MEMORY;
    base_free(o.number);
    base_free(o.id);
    base_free(o.offsets);
    base_free(o.targets);
    base_free(o.marked);
    *total = atomic_load(&o.total);
    return status;
}
