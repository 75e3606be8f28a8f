/* pleach/graph_device.cuh - the dynamic graph from inside your own kernels.
 *
 * Open a view on the host (pleach_graph_view_open), pass it to the kernel by value (best as a __grid_constant__), and
 * call these functions from any number of threads, beside array calls on the same graph. Graphs may be directed or not,
 * and have values or not: without them `value` is ignored where it is given, and not written where it is asked for.
 *
 *   pleach_edge_outcome pleach_graph_insert_edge(view, from, to, value)   its ends are vertices from then on
 *   pleach_edge_outcome pleach_graph_erase_edge(view, from, to)
 *   bool pleach_graph_find_edge(view, from, to, *value)                   value may be NULL
 *   uint32_t pleach_graph_degree(view, vertex)
 *   bool pleach_graph_vertex_is_there(view, vertex)
 *
 * Their guarantees are those of the calls for arrays in pleach/graph.h.
 *
 * MEMORY   A kernel cannot get any. Vertices' tables grow by themselves also here, for as long as the pool has free
 * memory; an edge for which there is none is PLEACH_EDGE_NOT_APPLIED, though its ends may be there by then. Nor can a
 * kernel put the first vertex of those 4,096 whose ids are the same but for the lowest 12 bits: PLEACH_EDGE_NOT_APPLIED
 * too. With sparse ids it cannot put any vertex whose id has not been put by an array call. Put vertices that will come
 * by pleach_graph_insert_vertices before, and edges that were not applied by pleach_graph_insert_edges, which gets
 * memory, also while the view is open.
 *
 * NEIGHBOURS, in no order, for one thread:
 *
 *   pleach_graph_iterator it = pleach_graph_neighbours_begin(view, vertex);
 *   while (pleach_graph_neighbours_next(&it, &neighbour, &value))         value may be NULL
 *       ...
 *
 * or for a warp, which is faster where vertices have many: all 32 lanes call both functions together, with the same
 * view and vertex, and each round brings every lane a neighbour of its own, or PLEACH_NO_VERTEX if it gets none. The
 * answer of `next` is the same in all lanes, so the loop's body may use warp functions, and must be left by all lanes
 * together. Threads of a warp are 32 with consecutive threadIdx.x, from a multiple of 32 on.
 *
 *   pleach_graph_warp_iterator it = pleach_graph_warp_neighbours_begin(view, vertex);
 *   while (pleach_graph_warp_neighbours_next(&it, &neighbour, &value))
 *       if (neighbour != PLEACH_NO_VERTEX) ...
 *
 * BESIDE UPDATES   of the same vertex, each bucket (some tens of neighbours) is validated: whether it was, as it was
 * read, all there at one instant. If that fails, which can be known only after some of it was handed out,
 *   bool pleach_graph_neighbours_changed(&it), bool pleach_graph_warp_neighbours_changed(&it)
 * says so from then on; ask when the loop is over. False: who was neither put nor erased meanwhile was listed once, and
 * nobody was listed who was not there. True: some may be missing or listed twice, and by the iterator for one thread
 * some that are no neighbours; begin again, with whatever the loop has done taken back. It is never true if nobody
 * changes the neighbours of the vertex meanwhile; so who knows that need not ask.
 */
#ifndef PLEACH_GRAPH_DEVICE_CUH
#define PLEACH_GRAPH_DEVICE_CUH

#include "graph.h"

#include "detail/graph/graph_device.h"

#endif
