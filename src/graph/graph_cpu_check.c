/* graph/graph_cpu_check.c - validates a quiescent graph, and collects statistics. */
#include <inttypes.h>
#include <stdio.h>

#include "../base/memory.h"
#include "../pool/pool_runs_check.h"
#include "graph_cpu.h"

/* Counts taken in a walk over all vertices. */
typedef struct census {
    const cpu_graph *graph;
    graph_ref place;
    uint64_t *seen; /* one bit per slab */
    uint64_t vertices, halves, max_degree, tables, single_tables, bucket_slabs;
    uint64_t ids, dictionary_slabs; /* ids: in a sparse graph */
    hash_counts sum;
    bool lacks_memory;
    char *message;
    size_t size;
} census;

/* ---- one vertex ---- */

static bool count_vertex(census *c, uint32_t number)
{
    const slab_table *vertex = graph_table(&c->place, number);
    uint64_t id = graph_id(&c->place, number);
    hash_counts counts;
    char why[160];
    if (!c->graph->ops->check(&c->place.slabs, vertex, c->seen, &counts, why, sizeof why))
        return snprintf(c->message, c->size, "vertex %" PRIu64 ": %s", id, why), false;
    bool there = vertex->load & SLAB_OWNERS;
    if (!there && counts.keys)
        return snprintf(c->message, c->size, "G4: vertex %" PRIu64 " does not exist but has %" PRIu64 " neighbours", id,
                        counts.keys), false;
    uint64_t next = slab_target(vertex, vertex->root);
    c->vertices += there;
    c->halves += counts.keys;
    if (counts.keys > c->max_degree) c->max_degree = counts.keys;
    c->tables += counts.buckets > 0;
    c->single_tables += counts.buckets == 1 && counts.overflow_slabs == 0;
    c->bucket_slabs += counts.buckets + (next ? (uint64_t)1 << slab_root_log(next) : 0);
    c->sum.overflow_slabs += counts.overflow_slabs;
    if (counts.longest_chain > c->sum.longest_chain) c->sum.longest_chain = counts.longest_chain;
    return true;
}

/* An edge seen from one endpoint: checks that the other endpoint exists and has the other half. */
typedef struct edge_check {
    census *census;
    uint32_t id;
    bool fine;
} edge_check;

static bool check_edge(void *context, graph_target target)
{
    edge_check *e = context;
    census *c = e->census;
    uint32_t value = 0;
    e->fine = false;
    if (target.id == e->id) return snprintf(c->message, c->size, "G1: vertex %" PRIu32 " has a loop", e->id), false;
    if (!graph_vertex_is_there(graph_vertex(&c->place, target.id)))
        return snprintf(c->message, c->size, "G4: edge %" PRIu32 " %" PRIu32 ": target vertex does not exist", e->id,
                        target.id), false;
    graph_ref halves = c->place;
    halves.directed = 1; /* look at this half only */
    if (!c->graph->directed &&
        (!c->graph->ops->find(&halves, target.id, e->id, &value) || value != target.value))
        return snprintf(c->message, c->size, "G2: edge %" PRIu32 " %" PRIu32 " is not the same at both ends", e->id,
                        target.id), false;
    e->fine = true;
    return true;
}

/* ---- all vertices ---- */

static bool count_all(census *c)
{
    uint64_t per_segment = (uint64_t)1 << GRAPH_SEGMENT_LOG, slabs = (uint64_t)1 << GRAPH_SEGMENT_SLABS_LOG;
    for (uint64_t segment = 0; segment < c->graph->state->segments; segment++) {
        uint64_t run = c->place.directory[segment];
        if (!run) continue;
        c->dictionary_slabs += slabs;
        if (!pool_mark_run(&c->graph->state->pool, c->seen, run, slabs))
            return snprintf(c->message, c->size, "P1: segment %" PRIu64 " is in two places", segment), false;
        for (uint64_t i = 0; i < per_segment; i++)
            if (!count_vertex(c, (uint32_t)(segment * per_segment + i))) return false;
    }
    return true;
}

static bool check_edges(census *c)
{
    uint64_t number, end;
    for (uint64_t segment = 0; segment < c->graph->state->segments; segment++)
        for (bool made = graph_segment(&c->place, segment, &number, &end); made && number < end; number++) {
            edge_check e = {c, graph_id(&c->place, (uint32_t)number), true};
            c->graph->ops->visit(&c->place, graph_table(&c->place, (uint32_t)number), check_edge, &e);
            if (!e.fine) return false;
        }
    return true;
}

/* ---- ids of a sparse graph ---- */

/* Counts the segments of names. There may be one more than of vertices, if memory was lacking. */
static bool count_names(census *c)
{
    const graph_state *state = c->graph->state;
    for (uint64_t segment = 0; segment <= state->segments && segment < GRAPH_SEGMENTS; segment++) {
        uint64_t run = c->place.names[segment];
        if (!run) continue;
        c->dictionary_slabs += (uint64_t)1 << GRAPH_NAMES_LOG;
        if (!pool_mark_run(&state->pool, c->seen, run, (uint64_t)1 << GRAPH_NAMES_LOG))
            return snprintf(c->message, c->size, "P1: names of segment %" PRIu64 " are in two places", segment), false;
    }
    return true;
}

static bool count_dictionary(census *c)
{
    const slab_table *dictionary = &c->graph->state->dictionary;
    hash_counts counts;
    char why[160];
    if (!c->graph->sparse) return true;
    if (!graph_run_map32.check(&c->place.slabs, dictionary, c->seen, &counts, why, sizeof why))
        return snprintf(c->message, c->size, "dictionary: %s", why), false;
    uint64_t next = slab_target(dictionary, dictionary->root);
    c->ids = counts.keys;
    c->dictionary_slabs += counts.buckets + (next ? (uint64_t)1 << slab_root_log(next) : 0) + counts.overflow_slabs;
    return count_names(c);
}

/* Numbers that are accounted for, one bit each. */
typedef struct numbers_check {
    census *census;
    uint64_t *seen;
    bool fine;
} numbers_check;

static bool note_number(numbers_check *n, uint64_t number)
{
    if (number >= n->census->graph->state->numbers || n->seen[number / 64] >> number % 64 & 1) return false;
    n->seen[number / 64] |= (uint64_t)1 << number % 64;
    return true;
}

static bool check_id(void *context, graph_target target)
{
    numbers_check *n = context;
    census *c = n->census;
    n->fine = false;
    if (!note_number(n, target.value))
        return snprintf(c->message, c->size, "G6: vertex %" PRIu32 " has the number %" PRIu32 ", which is out of "
                        "range or already taken", target.id, target.value), false;
    if (graph_id(&c->place, target.value) != target.id)
        return snprintf(c->message, c->size, "G6: vertex %" PRIu32 " has the number %" PRIu32 ", whose name is %"
                        PRIu32, target.id, target.value, graph_id(&c->place, target.value)), false;
    n->fine = true;
    return true;
}

static bool check_numbers(numbers_check *n)
{
    census *c = n->census;
    const graph_state *state = c->graph->state;
    if (state->numbers != c->ids + state->free_numbers)
        return snprintf(c->message, c->size, "G7: %" PRIu64 " numbers, and %" PRIu64 " ids and %" PRIu64 " that are "
                        "free", state->numbers, c->ids, state->free_numbers), false;
    graph_run_map32.visit(&c->place, &state->dictionary, check_id, n);
    for (uint64_t i = 0; n->fine && i < state->free_numbers; i++) {
        uint64_t number = *graph_external_id(&c->place, (uint32_t)i) >> 32;
        if (!note_number(n, number))
            return snprintf(c->message, c->size, "G7: free number %" PRIu64 " is out of range or already taken",
                            number), false;
    }
    return n->fine;
}

static bool check_ids(census *c)
{
    if (!c->graph->sparse) return true;
    numbers_check n = {c, base_alloc(c->graph->state->numbers / 64 + 1, sizeof *n.seen), true};
    if (!n.seen) return c->lacks_memory = true, false;
    bool sound = check_numbers(&n);
    base_free(n.seen);
    return sound;
}

/* ---- the whole graph ---- */

static bool check_sums(census *c)
{
    uint64_t vertices, edges;
    graph_exec_cpu.size((void *)c->graph, &vertices, &edges);
    if (vertices != c->vertices || edges * (c->graph->directed ? 1 : 2) != c->halves)
        return snprintf(c->message, c->size, "G5: %" PRIu64 " vertices and %" PRIu64 " ends of edges, the sums say %"
                        PRIu64 " and %" PRIu64 " edges", c->vertices, c->halves, vertices, edges), false;
    return true;
}

static bool open_census(census *c, cpu_graph *graph, char *message, size_t size)
{
    *c = (census){.graph = graph, .place = graph_place_of(graph), .message = message, .size = size};
    c->seen = base_alloc(pool_ids(&graph->state->pool) / 64 + 1, sizeof *c->seen);
    return c->seen != NULL;
}

pleach_status graph_cpu_validate(void *exec, char *message, size_t message_size)
{
    census c;
    if (!open_census(&c, exec, message, message_size)) return PLEACH_E_MEMORY;
    bool sound = count_all(&c) && count_dictionary(&c) && check_sums(&c) && check_ids(&c) && check_edges(&c) &&
                 pool_check_runs(c.place.slabs.runs, c.seen, message, message_size);
    base_free(c.seen);
    return sound ? PLEACH_OK : c.lacks_memory ? PLEACH_E_MEMORY : PLEACH_E_CORRUPT;
}

pleach_status graph_cpu_stats(void *exec, pleach_graph_stats *stats)
{
    cpu_graph *graph = exec;
    census c;
    char message[200];
    if (!open_census(&c, graph, message, sizeof message)) return PLEACH_E_MEMORY;
    bool sound = count_all(&c) && count_dictionary(&c);
    base_free(c.seen);
    if (!sound) return PLEACH_E_CORRUPT;
    stats->vertices = c.vertices;
    stats->edges = graph->directed ? c.halves : c.halves / 2;
    stats->max_degree = c.max_degree;
    stats->tables = c.tables;
    stats->single_tables = c.single_tables;
    stats->overflow_slabs = c.sum.overflow_slabs;
    stats->longest_chain = c.sum.longest_chain;
    stats->slabs = c.bucket_slabs + c.sum.overflow_slabs;
    stats->slab_bytes = stats->slabs * SLAB_BYTES;
    stats->dictionary_bytes = c.dictionary_slabs * SLAB_BYTES;
    stats->free_bytes = (pool_ids(&graph->state->pool) - 1 - stats->slabs - c.dictionary_slabs) * SLAB_BYTES;
    stats->utilisation = stats->slabs ? (double)c.halves / (double)(stats->slabs * graph->ops->slots) : 0;
    return PLEACH_OK;
}
