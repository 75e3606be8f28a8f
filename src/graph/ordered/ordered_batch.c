/* graph/ordered/ordered_batch.c - a change of an ordered graph: one batch of its map, with the counters. */
#include "../../base/memory.h"
#include "ordered.h"

static const size_t MOST_OPERATIONS = (size_t)1 << 30;

pleach_status ordered_batch_open(ordered_batch *b, size_t room)
{
    *b = (ordered_batch){.room = room};
    if (room > MOST_OPERATIONS) return PLEACH_E_SIZE;
    b->kinds = base_alloc(room + 1, 1);
    b->flags = base_alloc(room + 1, 1);
    b->keys = base_alloc(room + 1, sizeof *b->keys);
    b->values = base_alloc(room + 1, sizeof *b->values);
    return b->kinds && b->flags && b->keys && b->values ? PLEACH_OK : PLEACH_E_MEMORY;
}

void ordered_batch_close(ordered_batch *b)
{
    base_free(b->kinds);
    base_free(b->flags);
    base_free(b->keys);
    base_free(b->values);
}

void ordered_batch_add(ordered_batch *b, pleach_operation kind, uint64_t key, uint64_t value)
{
    b->kinds[b->n] = (uint8_t)kind;
    b->keys[b->n] = key;
    b->values[b->n++] = value;
}

void ordered_batch_add_edge(const ordered_graph *graph, ordered_batch *b, pleach_operation kind, uint32_t from,
                            uint32_t to, uint32_t value)
{
    ordered_batch_add(b, kind, ordered_key(from, to), value);
    if (!graph->directed) ordered_batch_add(b, kind, ordered_key(to, from), value);
}

/* Both halves of an edge change in the same batch, so their number is exact when it is divided. */
static void count_changes(ordered_graph *graph, const ordered_batch *b)
{
    int64_t vertices = 0, halves = 0;
    for (size_t i = 0; i < b->n; i++) {
        int change = (b->flags[i] == PLEACH_INSERTED) - (b->flags[i] == PLEACH_ERASED);
        *(ordered_is_marker(b->keys[i]) ? &vertices : &halves) += change;
    }
    atomic_fetch_add(&graph->vertices, (uint64_t)vertices);
    atomic_fetch_add(&graph->edges, (uint64_t)(halves / (int64_t)ordered_halves(graph)));
}

pleach_status ordered_batch_apply(ordered_graph *graph, ordered_batch *b)
{
    pleach_batch batch = {.n = b->n, .kinds = b->kinds, .keys = b->keys, .values = b->values, .flags = b->flags};
    pthread_mutex_lock(&graph->changing);
    pleach_status status = pleach_map_apply(graph->map, &batch);
    if (status == PLEACH_OK) count_changes(graph, b);
    pthread_mutex_unlock(&graph->changing);
    return status;
}
