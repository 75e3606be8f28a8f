/* graph/ids/numbers.h - numbers of a sparse graph's vertices, and the names that map them back to ids
 * (graph_format.h). */
#ifndef PLEACH_GRAPH_NUMBERS_H
#define PLEACH_GRAPH_NUMBERS_H

#include "../base/graph_format.h"

PORT_FN void graph_store_name(const graph_ref *g, uint32_t number, uint32_t id)
{
    uint64_t *name = graph_external_id(g, number);
    port_store(name, port_load(name) >> 32 << 32 | id);
}

/* Allocates a number for this id, and stores its name. Returns false if there is no memory. PROGRESS: if a swap fails,
 * another thread's swap has succeeded, and that thread has a number. */
PORT_FN bool graph_alloc_internal_id(const graph_ref *g, uint32_t id, uint32_t *number)
{
    for (;;) {
        uint64_t numbers = port_load(&g->state->numbers), spare = port_load(&g->state->free_numbers);
        *number = (uint32_t)numbers;
        if (spare) {
            *number = (uint32_t)(port_load(graph_external_id(g, (uint32_t)spare - 1)) >> 32);
            if (!port_compare_swap(&g->state->free_numbers, spare, spare - 1)) continue;
        } else {
            uint64_t segment = numbers >> GRAPH_SEGMENT_LOG;
            if (numbers == GRAPH_NO_VERTEX) return false;
            if ((!port_load(&g->names[segment]) || !port_load(&g->directory[segment])) &&
                !graph_make_segment(g, *number))
                return false;
            if (!port_compare_swap(&g->state->numbers, numbers, numbers + 1)) continue;
        }
        graph_store_name(g, *number, id);
        return true;
    }
}

/* Frees a number that no id has any more. */
PORT_FN void graph_give_number(const graph_ref *g, uint32_t number)
{
    uint64_t spare = port_fetch_add(&g->state->free_numbers, 1);
    uint64_t *slot = graph_external_id(g, (uint32_t)spare);
    port_store(slot, (uint64_t)number << 32 | (uint32_t)port_load(slot));
}

#endif
