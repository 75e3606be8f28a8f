/* graph/graph_edges_sparse.cu - graph_edges.cu for graphs with sparse ids. */
#define EDGES_SPARSE 1
#include "graph_edges.cu"
