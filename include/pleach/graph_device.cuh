/* pleach/graph_device.cuh - the dynamic graph, called from user kernels.
 *
 * Open a view on the host (pleach_graph_view_open), pass it to the kernel by value (preferably as a __grid_constant__),
 * and call these functions from any number of threads, concurrently with array calls on the same graph. The graph may
 * be directed or undirected, with or without values. Without values, a `value` argument is ignored as an input and not
 * written as an output.
 *
 *   pleach_edge_outcome pleach_graph_insert_edge(view, from, to, value)   also inserts its endpoints
 *   pleach_edge_outcome pleach_graph_erase_edge(view, from, to)
 *   bool pleach_graph_find_edge(view, from, to, *value)                   value may be NULL
 *   uint32_t pleach_graph_degree(view, vertex)
 *   bool pleach_graph_vertex_is_there(view, vertex)
 *
 * Their guarantees are those of the array calls in pleach/graph.h.
 *
 * MEMORY   A kernel cannot allocate memory. Tables of vertices grow by themselves here too, as long as the pool has
 * free memory. Without free memory an edge is PLEACH_EDGE_NOT_APPLIED, although its endpoints may have been inserted. A
 * kernel also cannot insert the first vertex of a segment, which is 4,096 ids that differ in their lowest 12 bits only
 * (PLEACH_EDGE_NOT_APPLIED), and with sparse ids no vertex whose id was not inserted by an array call. Remedy: insert
 * the expected vertices by pleach_graph_insert_vertices beforehand, and edges that were not applied by
 * pleach_graph_insert_edges, which can allocate, even while the view is open.
 *
 * NEIGHBOURS, in no particular order, for one thread:
 *
 *   pleach_graph_iterator it = pleach_graph_neighbours_begin(view, vertex);
 *   while (pleach_graph_neighbours_next(&it, &neighbour, &value))         value may be NULL
 *       ...
 *
 * or for a warp, which is faster for vertices with many neighbours: all 32 lanes call both functions together, with the
 * same view and vertex. Each round yields one neighbour per lane, or PLEACH_NO_VERTEX for a lane that gets none. `next`
 * returns the same in all lanes, so the loop's body may use warp functions; all lanes must leave it together. A warp is
 * 32 threads with consecutive threadIdx.x that begin at a multiple of 32.
 *
 *   pleach_graph_warp_iterator it = pleach_graph_warp_neighbours_begin(view, vertex);
 *   while (pleach_graph_warp_neighbours_next(&it, &neighbour, &value))
 *       if (neighbour != PLEACH_NO_VERTEX) ...
 *
 * CONCURRENT UPDATES of the same vertex: each bucket (some tens of neighbours) is validated, that is, checked to have
 * existed at one instant as it was read. Validation can fail after part of a bucket was returned. From then on
 *   bool pleach_graph_neighbours_changed(&it), bool pleach_graph_warp_neighbours_changed(&it)
 * return true; call them after the loop. False: each neighbour that was neither inserted nor erased during the loop was
 * listed once, and none was listed that was not a neighbour. True: neighbours may be missing or listed twice, and the
 * iterator for one thread may have listed vertices that are no neighbours; undo the effects of the loop and start
 * again. It is never true if the neighbours of the vertex are not changed during the loop; the call can then be
 * omitted.
 */
#ifndef PLEACH_GRAPH_DEVICE_CUH
#define PLEACH_GRAPH_DEVICE_CUH

#include "graph.h"

#include "detail/graph/graph_device.h"

#endif
