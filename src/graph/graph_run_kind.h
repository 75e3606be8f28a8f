/* graph/graph_run_kind.h - the functions of graph_run.h. Included by graph_run.c, and by the simulator's variant of
 * it. */
#include "graph_blocking.h"
#include "../hash/slabhash_walk.h"
#include "../hash/slabhash_check.h"
#include "../hash/slabhash_drop.h"
#include "../hash/slabhash_prefetch.h"

/* Prefetches what an edge touches first: the two vertices, and later the buckets of their tables. */
static void prefetch_bucket(const graph_ref *g, uint32_t from, uint32_t to)
{
    const slab_table *vertex = graph_vertex(g, from);
    uint64_t root = vertex ? port_load(&vertex->root) : 0;
    if (slab_root_first(root)) prefetch_slab(&g->slabs, root, to);
}

/* For a sparse graph: prefetches the dictionary's buckets, which say where the vertices are. Buckets are the same for
 * both kinds of table. */
static void prefetch_ids(const graph_ref *g, const graph_request *r, size_t begin, size_t end)
{
    uint64_t root = port_load(&g->state->dictionary.root);
    for (size_t i = begin; slab_root_first(root) && i < end; i++) {
        prefetch_slab(&g->slabs, root, r->from[i]);
        if (r->to) prefetch_slab(&g->slabs, root, r->to[i]);
    }
}

static void prefetch_vertices(const graph_ref *g, const graph_request *r, size_t begin, size_t end)
{
    if (g->names) {
        prefetch_ids(g, r, begin, end);
        return;
    }
    for (size_t i = begin; i < end; i++) {
        port_prefetch(graph_vertex(g, r->from[i]));
        if (r->to) port_prefetch(graph_vertex(g, r->to[i]));
    }
}

static void prefetch_buckets(const graph_ref *g, const graph_request *r, size_t begin, size_t end)
{
    for (size_t i = begin; r->to && i < end; i++) {
        bool one_half = g->directed || r->kind == GRAPH_FIND_EDGES, swapped = !g->directed && r->to[i] < r->from[i];
        if (!one_half || !swapped) prefetch_bucket(g, r->from[i], r->to[i]);
        if (!one_half || swapped) prefetch_bucket(g, r->to[i], r->from[i]);
    }
}

/* While some elements are processed, the buckets of the next ones, and the vertices of those after them, are being
 * fetched. */
static void run_elements(const graph_ref *g, const graph_request *r, size_t begin, size_t end, graph_result *result)
{
    enum { SOME = 16 };
#define CLAMPED(at) ((at) < end ? (at) : end)
    if (end - begin > 1) {
        prefetch_vertices(g, r, begin, CLAMPED(begin + 2 * SOME));
        prefetch_buckets(g, r, begin, CLAMPED(begin + SOME));
    }
    for (size_t at = begin; at < end; at += SOME) {
        prefetch_vertices(g, r, CLAMPED(at + 2 * SOME), CLAMPED(at + 3 * SOME));
        prefetch_buckets(g, r, CLAMPED(at + SOME), CLAMPED(at + 2 * SOME));
        for (size_t i = at; i < CLAMPED(at + SOME); i++) graph_one(g, r, i, result);
    }
#undef CLAMPED
}

/* ---- vertices ---- */

_Static_assert(sizeof(slab_slot) == sizeof(graph_target), "slots are handed out as targets");

static uint64_t list_targets(const graph_ref *g, uint32_t id, graph_target *targets, uint64_t room)
{
    const slab_table *vertex = graph_vertex(g, id);
    uint64_t root = vertex ? port_load(&vertex->root) : 0;
    slab_sink sink = {(slab_slot *)targets, 0, room};
    if (!slab_root_first(root)) return 0;
    for (uint32_t group = 0; group >> slab_root_log(root) == 0; group++)
        walk_group(&g->slabs, vertex, group, slab_root_log(root), &sink);
    return sink.count;
}

/* Visits buckets number, number + step ... of a run. */
static bool visit_buckets(const graph_ref *g, uint64_t root, uint32_t number, uint32_t step, graph_take *take,
                          void *context)
{
    for (uint32_t i = number; i >> slab_root_log(root) == 0; i += step)
        for (uint32_t id = slab_root_first(root) + i; id; id = (uint32_t)slab_at(&g->slabs, id)->word[SLAB_LINK]) {
            const slab *at = slab_at(&g->slabs, id);
            for (uint32_t mask = slab_mask(at->word[SLAB_HEADER]); mask; mask &= mask - 1) {
                slab_slot pair = slot_load(at, (unsigned)__builtin_ctz(mask));
                if (!take(context, (graph_target){pair.key, pair.value})) return false;
            }
        }
    return true;
}

static void visit_targets(const graph_ref *g, const slab_table *vertex, graph_take *take, void *context)
{
    uint64_t root = vertex->root, next = slab_target(vertex, root);
    uint32_t buckets = slab_root_first(root) ? (uint32_t)1 << slab_root_log(root) : 0;
    bool goes_on = true;
    for (uint32_t number = 0; goes_on && number < buckets; number++) {
        bool moved = slab_at(&g->slabs, slab_root_first(root) + number)->word[SLAB_HEADER] & SLAB_MOVED;
        goes_on = visit_buckets(g, moved ? next : root, number, buckets, take, context);
    }
}

static void erase_half(const graph_ref *g, slab_table *vertex, uint32_t target)
{
    slab_change c = {.kind = OP_ERASE, .pair = {target, 0}};
    update_blocking(&g->slabs, vertex, &c);
}

static bool open_vertex(const graph_ref *g, slab_table *vertex, unsigned log)
{
    return table_open(&g->slabs, vertex, log);
}

static void drop_vertex(const graph_ref *g, slab_table *vertex) { table_drop(&g->slabs, vertex); }
