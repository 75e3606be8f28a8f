/* graph/graph_edges_sparse.cu - graph_edges.cu for graphs with sparse ids: launchers are called edges_sparse_..., and by
 * those of graph_edges.cu. Those that have nothing to do with ids are here as well, and nobody calls them. */
#define EDGES_SPARSE 1
#define edges_cuda_mark_segments edges_sparse_mark_segments
#define edges_cuda_make_segments edges_sparse_make_segments
#define edges_cuda_run edges_sparse_run
#define edges_cuda_list edges_sparse_list
#define edges_cuda_pack edges_sparse_pack
#define edges_cuda_ids_of edges_sparse_ids_of
#define edges_cuda_count_ends edges_sparse_count_ends
#define edges_cuda_sizes edges_sparse_sizes
#define edges_cuda_open edges_sparse_open
#define edges_cuda_new_vertices edges_sparse_new_vertices
#define edges_cuda_mark_dying edges_sparse_mark_dying
#define edges_cuda_erase_mirrors edges_sparse_erase_mirrors
#define edges_cuda_sweep edges_sparse_sweep
#define edges_cuda_drop edges_sparse_drop
#define edges_cuda_rows edges_sparse_rows
#define edges_cuda_degrees edges_sparse_degrees
#define edges_cuda_fill edges_sparse_fill
#define edges_cuda_number edges_sparse_number
#define edges_cuda_wedges edges_sparse_wedges
#define edges_cuda_where edges_sparse_where
#define edges_cuda_sample_wedges edges_sparse_sample_wedges
#define edges_cuda_add_difference edges_sparse_add_difference

#include "graph_edges.cu"
