/* graph/ids/dictionary.h - the dictionary of a sparse graph: maps an id to a number (graph_format.h).
 *
 * It is a map of 32-bit keys, whatever the kind of the graph's edges is; and a translation unit has one kind of slab
 * hash. So for CPUs the dictionary is a translation unit of its own (dictionary.c), and kernels have it in a namespace.
 *
 * INVARIANTS   of a sparse graph
 *   G6  An id has a number if and only if the dictionary maps it to one. No number has two ids. The number's name is
 *       that id, and was stored before the dictionary's entry.
 *   G7  Numbers below state->numbers that no id has are free: each is exactly once among the state->free_numbers.
 *
 * CONCURRENCY   All functions may run concurrently, except graph_remove_id, with which only other calls of it may. So a
 *               number becomes free only under exclusive access, and a thread that has found a vertex can rely on it.
 * LINEARIZATION POINTS   An id is added at the linearization point of the dictionary's insert. So it is added once. No
 *                        number is wasted, because it is allocated under the latch of the id's bucket.
 */
#ifndef PLEACH_GRAPH_DICTIONARY_H
#define PLEACH_GRAPH_DICTIONARY_H

#include "numbers.h"

#ifdef __CUDACC__
/* The including file may have a kind of its own, which is restored afterwards. */
#pragma push_macro("PLEACH_KEY_BITS")
#pragma push_macro("SLAB_VALUES")
#undef PLEACH_KEY_BITS
#undef SLAB_VALUES
#define PLEACH_KEY_BITS 32
#define SLAB_VALUES 1
#define GRAPH_IDS_FN PORT_FN
#define GRAPH_IDS_COLD PORT_COLD
namespace pleach_graph_ids {
#include "../../hash/slabhash.h"
#include "../../hash/slabhash_blocking.h"
#include "dictionary_kind.h"
}
#pragma pop_macro("PLEACH_KEY_BITS")
#pragma pop_macro("SLAB_VALUES")
#undef GRAPH_IDS_FN
#undef GRAPH_IDS_COLD

using pleach_graph_ids::graph_remove_id;
using pleach_graph_ids::graph_forget_unused;
using pleach_graph_ids::graph_internal_id;
using pleach_graph_ids::graph_vertex_named;
#else
#define GRAPH_IDS_FN
#define GRAPH_IDS_COLD

/* Returns the number of an id, or GRAPH_NO_VERTEX if it has none. */
uint32_t graph_internal_id(void *slabs, slab_seed seed, const slab_table *dictionary, uint32_t id);

/* Returns the vertex with an id, which is assigned a number if it has none. Returns NULL if there is no memory. */
slab_table *graph_vertex_named(const graph_ref *g, uint32_t id);

/* Removes an id whose vertex has nothing any more. Exclusive. Allocates nothing. */
void graph_remove_id(const graph_ref *g, uint32_t id);

/* Removes the id with this number if it was assigned, but memory was lacking for its vertex. Exclusive. To find all
 * such ids, call it for each number; the number may be free afterwards. */
void graph_forget_unused(const graph_ref *g, uint32_t number);
#endif

#endif
