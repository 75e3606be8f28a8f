/* graph/ids/dictionary.h - the dictionary of a sparse graph, in which an id has a number.
 *
 * It is a map of 32-bit keys, whatever the kind of the graph's edges is; and a file has one kind of slab hash. On CPUs
 * the dictionary is compiled by itself (dictionary.c). Kernels have it in a namespace.
 *
 * INVARIANTS   of a sparse graph
 *   G6  An id has a number if the dictionary says so, and only then; no number has two ids. The number's name is that
 *       id, since before the dictionary said so.
 *   G7  Numbers below state->numbers that no id has are free: each is once among the state->free_numbers.
 *
 * WHO MAY RUN TOGETHER   everything but graph_remove_id, which only others of its kind run beside: a number that is free
 *                        stays so until somebody who was alone is done. So whoever has a vertex keeps it.
 * LINEARIZATION POINTS   an id comes with the dictionary's; so it does not come twice, and no number is taken in vain:
 *                        it is taken under the latch of the id's bucket.
 */
#ifndef PLEACH_GRAPH_DICTIONARY_H
#define PLEACH_GRAPH_DICTIONARY_H

#include "numbers.h"

#ifdef __CUDACC__
/* The file may have a kind of its own, which is the same afterwards. */
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

/* GRAPH_NO_VERTEX: the id has none. */
uint32_t graph_internal_id(void *slabs, slab_seed seed, const slab_table *dictionary, uint32_t id);

/* The vertex with an id, which gets a number if it has none. NULL: there is no memory for it. */
slab_table *graph_vertex_named(const graph_ref *g, uint32_t id);

/* By somebody who is alone: an id whose vertex has nothing any more. It needs no memory. */
void graph_remove_id(const graph_ref *g, uint32_t id);

/* By somebody who is alone: ids that got a number, and for whose vertices there was no memory then. Who goes through
 * all numbers asks of each; afterwards it is free. */
void graph_forget_unused(const graph_ref *g, uint32_t number);
#endif

#endif
