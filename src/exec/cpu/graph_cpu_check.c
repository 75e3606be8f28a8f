/* exec/cpu/graph_cpu_check.c - is a quiet graph sound, and what is it made of? */
#include <inttypes.h>
#include <stdio.h>

#include "../../base/memory.h"
#include "../../pool/pool_runs_check.h"
#include "graph_cpu.h"

/* What is counted on the way through all vertices. */
typedef struct census {
    const cpu_graph *graph;
    graph_place place;
    uint64_t *seen; /* a bit for each slab */
    uint64_t vertices, halves, max_degree, tables, single_tables, bucket_slabs;
    hash_counts sum;
    char *message;
    size_t size;
} census;

/* ---- one vertex ---- */

static bool count_vertex(census *c, uint64_t id)
{
    const slab_table *vertex = graph_vertex(&c->place, (uint32_t)id);
    hash_counts counts;
    char why[160];
    if (!c->graph->ops->check(&c->place.slabs, vertex, c->seen, &counts, why, sizeof why))
        return snprintf(c->message, c->size, "vertex %" PRIu64 ": %s", id, why), false;
    bool there = vertex->load & SLAB_OWNERS;
    if (!there && counts.keys)
        return snprintf(c->message, c->size, "G4: vertex %" PRIu64 " is not there and has %" PRIu64 " neighbours", id,
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

/* An edge, from one end: that the other end is there, and knows of it. */
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
        return snprintf(c->message, c->size, "G4: edge %" PRIu32 " %" PRIu32 " leads nowhere", e->id, target.id), false;
    graph_place halves = c->place;
    halves.directed = 1; /* this half, and no other */
    if (!c->graph->directed &&
        (!c->graph->ops->find(&halves, target.id, e->id, &value) || value != target.value))
        return snprintf(c->message, c->size, "G2: edge %" PRIu32 " %" PRIu32 " is not the same at both ends", e->id,
                        target.id), false;
    e->fine = true;
    return true;
}

/* ---- all of them ---- */

static bool count_all(census *c)
{
    uint64_t per_segment = (uint64_t)1 << GRAPH_SEGMENT_LOG, slabs = (uint64_t)1 << GRAPH_SEGMENT_SLABS_LOG;
    for (uint64_t segment = 0; segment < c->graph->state->segments; segment++) {
        uint64_t run = c->place.directory[segment];
        if (!run) continue;
        if (!pool_mark_run(&c->graph->state->pool, c->seen, run, slabs))
            return snprintf(c->message, c->size, "P1: segment %" PRIu64 " is in two places", segment), false;
        for (uint64_t i = 0; i < per_segment; i++)
            if (!count_vertex(c, segment * per_segment + i)) return false;
    }
    return true;
}

static bool check_edges(census *c)
{
    uint64_t id, end;
    for (uint64_t segment = 0; segment < c->graph->state->segments; segment++)
        for (bool made = graph_segment(&c->place, segment, &id, &end); made && id < end; id++) {
            edge_check e = {c, (uint32_t)id, true};
            c->graph->ops->visit(&c->place, graph_vertex(&c->place, (uint32_t)id), check_edge, &e);
            if (!e.fine) return false;
        }
    return true;
}

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
    bool sound = count_all(&c) && check_sums(&c) && check_edges(&c) &&
                 pool_check_runs(c.place.slabs.runs, c.seen, message, message_size);
    base_free(c.seen);
    return sound ? PLEACH_OK : PLEACH_E_CORRUPT;
}

pleach_status graph_cpu_stats(void *exec, pleach_graph_stats *stats)
{
    cpu_graph *graph = exec;
    census c;
    char message[200];
    if (!open_census(&c, graph, message, sizeof message)) return PLEACH_E_MEMORY;
    bool sound = count_all(&c);
    base_free(c.seen);
    if (!sound) return PLEACH_E_CORRUPT;
    uint64_t segments = 0;
    for (uint64_t i = 0; i < graph->state->segments; i++) segments += c.place.directory[i] != 0;
    uint64_t dictionary_slabs = segments << GRAPH_SEGMENT_SLABS_LOG;
    stats->vertices = c.vertices;
    stats->edges = graph->directed ? c.halves : c.halves / 2;
    stats->max_degree = c.max_degree;
    stats->tables = c.tables;
    stats->single_tables = c.single_tables;
    stats->overflow_slabs = c.sum.overflow_slabs;
    stats->longest_chain = c.sum.longest_chain;
    stats->slabs = c.bucket_slabs + c.sum.overflow_slabs;
    stats->slab_bytes = stats->slabs * SLAB_BYTES;
    stats->dictionary_bytes = dictionary_slabs * SLAB_BYTES;
    stats->free_bytes = (pool_ids(&graph->state->pool) - 1 - stats->slabs - dictionary_slabs) * SLAB_BYTES;
    stats->utilisation = stats->slabs ? (double)c.halves / (double)(stats->slabs * graph->ops->slots) : 0;
    return PLEACH_OK;
}
