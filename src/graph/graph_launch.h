/* graph/graph_launch.h - how kernels reach a graph, and are launched. Included by .cu files; with EDGES_SPARSE defined
 * for sparse graphs. */
#ifndef PLEACH_EDGES_LAUNCH_H
#define PLEACH_EDGES_LAUNCH_H

#include "graph_edges.h"
#include "graph_vertex.h"

enum { BLOCK_THREADS = 128 };

PORT_FN graph_ref place_of(const graph_on_gpu &graph)
{
    graph_ref g;
    g.slabs.runs.pool = &graph.state->pool;
    g.slabs.runs.runs = &graph.state->runs;
    g.slabs.runs.nodes = graph.slabs;
    g.slabs.runs.node_bytes = SLAB_BYTES;
    g.slabs.runs.stripe = blockIdx.x;
    g.slabs.seed = graph.seed;
    g.slabs.load_of_keys = graph.load;
    g.slabs.hopeful = graph.hopeful;
    g.state = graph.state;
    g.directory = graph.directory;
#ifdef EDGES_SPARSE
    g.names = graph.names;
#else
    g.names = NULL;
#endif
    g.directed = graph.directed;
    g.no_segments = 1;
    return g;
}

static unsigned blocks_for(uint64_t threads) { return (unsigned)((threads + BLOCK_THREADS - 1) / BLOCK_THREADS); }

/* Launches a kernel, and returns from the enclosing function. An error that an earlier CUDA call of the user has left
 * on this thread is cleared first; otherwise it would be reported as the launch's. */
#define LAUNCH(kernel, threads, ...)                                                                             \
    do {                                                                                                         \
        if ((threads) == 0) return cudaSuccess;                                                                  \
        cudaGetLastError();                                                                                      \
        kernel<<<blocks_for(threads), BLOCK_THREADS, 0, stream>>>(__VA_ARGS__);                                  \
        return cudaGetLastError();                                                                               \
    } while (0)

#endif
