/* pleach/graph.h - a dynamic graph: edges and vertices come and go, while others ask.
 *
 * A graph is directed or undirected, with a 32-bit value for each edge or without. Vertices are named by 32-bit ids, of
 * which 2^32-1 alone is not usable. Between two vertices there is at most one edge (each way, if directed).
 *
 *   - An edge that is put brings its ends: they are vertices from then on, until they are erased as such.
 *   - Self loops are not kept: putting one does nothing, and its outcome is PLEACH_EDGE_LOOP.
 *   - Edges of one array call take effect one after the other in an unspecified order, as if from many threads. Of
 *     equal ones in a call one is new and the others find it there.
 *   - Undirected: (u, v) and (v, u) name the same edge. It takes effect at one instant, for all who ask for the edge;
 *     who lists the neighbours of the larger of u and v may see it a little earlier or later.
 *
 * A vertex's neighbours are in a hash table that grows with their number, from one line of 128 bytes on; or, of an
 * ordered graph, in order, with those of all other vertices, in one tree: pleach_adjacency, docs/graph.md.
 *
 * Vertices are found by their ids directly, in pieces of memory for 4,096 neighbouring ids each: 128 KiB for each piece
 * that has one. Where ids are few and far apart, say so (sparse_ids): they are then found through a hash table, which
 * takes one more step for each end of an edge, and memory goes with the number of vertices: some 60 bytes for each.
 *
 * WHAT IS LINEARIZABLE
 *   insert_edges, erase_edges, find_edges, insert_vertices   yes, each element by itself
 *   degrees                  exact when no update is running; else updates that are running may count or not
 *   neighbours               each bucket of a vertex's table (some tens of neighbours) is read at one instant; who is
 *                            neither put nor erased meanwhile is listed once
 *   erase_vertices, build,   run alone: they wait until all other calls are done, and hold newcomers back
 *   new_vertices, clear, exports, validate, get_stats
 *
 * Of an ordered graph (PLEACH_ADJACENCY_ORDERED), for which the table above is too modest:
 *   - insert_edges, erase_edges, insert_vertices and erase_vertices are linearizable, each call as a whole. Its
 *     elements take effect in the order of the array: of equal edges the first is new and the value of the last one
 *     stays, at both ends.
 *   - It is applied as a whole or not at all. If there is not enough memory, or after any error but VERTEX, all
 *     outcomes are NOT_APPLIED, and the graph is as it was.
 *   - find_edges, find_vertices and degrees are linearizable, each element by itself; neighbours as a whole.
 *   - One call changes the graph at a time. Such a call is one batch (pleach/batch.h) of at most 2^30 operations, one a
 *     half of an edge and one a new vertex: beyond that SIZE.
 *   - Snapshots of the whole graph can be taken: pleach/graph_snapshot.h.
 *   - Arguments are host memory, also where the graph is on a GPU: POINTER for device memory, STREAM for a stream.
 *
 * Calls come in arrays, and, where hash tables are in GPU memory, from your own kernels (pleach/graph_device.cuh).
 *
 * CHOSEN KEYS   each graph draws the seed of its hash function at random when it is created, so neighbours, and sparse
 * ids, that were chosen without knowing the seed share buckets no more often than random ones do. Set `seed`, or
 * fixed_seed, only where runs must be the same each time (the order of neighbours depends on the seed) and edges come
 * from a trusted source: with the seed known, neighbours of one vertex can be chosen that all share one bucket, and
 * then each operation on an edge of this vertex reads all of them. The hash function is not a cryptographic one: a
 * caller that can time single operations may learn which neighbours share a bucket. Where that matters, use an ordered
 * graph, which has no hash tables.
 *
 * Arguments, pointers, streams and "may be NULL" are as in pleach/map.h; so is what happens when memory runs out: the
 * elements that were not applied say so, and the call answers PLEACH_E_FULL.
 */
#ifndef PLEACH_GRAPH_H
#define PLEACH_GRAPH_H

#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_graph pleach_graph;

#define PLEACH_NO_VERTEX UINT32_MAX /* the one id that no vertex has */

/* What happened to one edge, or vertex, of an update. */
typedef enum pleach_edge_outcome {
    PLEACH_EDGE_NOT_APPLIED = 0, /* memory has run out, or an id is PLEACH_NO_VERTEX */
    PLEACH_EDGE_NEW = 1,         /* it was absent and is now there */
    PLEACH_EDGE_REPLACED = 2,    /* it was there; its value, if it has one, is the new one */
    PLEACH_EDGE_ERASED = 4,      /* it was there, and is not any more */
    PLEACH_EDGE_ABSENT = 5,      /* it was not there to be erased */
    PLEACH_EDGE_LOOP = 6         /* both ends are one vertex: nothing was done */
} pleach_edge_outcome;

/* How neighbours are kept. */
typedef enum pleach_adjacency {
    PLEACH_ADJACENCY_HASH = 0,   /* a hash table for each vertex: the fastest for single edges */
    PLEACH_ADJACENCY_ORDERED = 1 /* one ordered map: batches as a whole, snapshots, neighbours in order as they are */
} pleach_adjacency;

/* Options. Zero everything, then set what you need: all zeros is an undirected graph without values, on the CPU. */
typedef struct pleach_graph_config {
    pleach_device device;
    unsigned directed;  /* 1: edges have a direction */
    unsigned values;    /* 1: edges have values */
    unsigned threads;   /* CPU: worker threads of array calls; 0 means one per online CPU; at most 1024 */
    int gpu;            /* CUDA: device ordinal */
    uint32_t seed;      /* of the hash function; 0 means a random one, unless fixed_seed is 1 */
    double load;        /* keys to slots at which a vertex's table grows; 0 means the default, 0.7 */
    uint64_t max_bytes; /* limit on memory; 0 means no limit but the machine's */
    pleach_adjacency adjacency; /* seed and load are for hash tables only */
    unsigned snapshots; /* 1: snapshots can be taken; of an ordered graph only */
    unsigned sparse_ids; /* 1: vertices are found through a hash table; for ids that are few and far apart. Memory of an
                          * ordered graph goes with what there is in any case: there it changes nothing */
    unsigned fixed_seed; /* 1: `seed` is used as it is, also if it is 0 */
} pleach_graph_config;

/* Of an ordered graph: vertices, edges, max_degree, slab_bytes (of nodes, and of what is kept for snapshots),
 * free_bytes and utilisation; the others are 0. */
typedef struct pleach_graph_stats {
    uint64_t vertices, edges;
    uint64_t max_degree;
    uint64_t tables;         /* vertices that have, or had, neighbours */
    uint64_t single_tables;  /* of these, the ones whose neighbours are in one line */
    uint64_t slabs;          /* of all tables */
    uint64_t overflow_slabs; /* of these, the ones that are not the first of their bucket */
    uint64_t longest_chain;  /* slabs of the longest bucket */
    uint64_t slab_bytes, dictionary_bytes; /* of neighbours; and of vertices, with all that they are found by */
    uint64_t free_bytes;     /* taken from the machine, and free */
    double utilisation;      /* neighbours to slots */
} pleach_graph_stats;

/* Errors: ARGUMENT, MEMORY; with device = PLEACH_CUDA also NO_CUDA, NO_GPU, CUDA. In GPU memory calls that insert wait
 * for their kernels, also on a stream: how much memory they need is known only when they have run. */
PLEACH_API pleach_status pleach_graph_create(pleach_graph **graph, const pleach_graph_config *config);
PLEACH_API void pleach_graph_destroy(pleach_graph *graph);

/* ---- edges -----------------------------------------------------------------------------------------------------
 * Arrays of n ends; values and outcomes may be NULL (values must be, without values). Errors: ARGUMENT, SIZE, POINTER,
 * STREAM, FULL, MEMORY, CUDA; VERTEX if an id is PLEACH_NO_VERTEX: all other elements are applied. */
PLEACH_API pleach_status pleach_graph_insert_edges(pleach_graph *graph, size_t n, const uint32_t *from,
                                                   const uint32_t *to, const uint32_t *values, uint8_t *outcomes,
                                                   pleach_stream stream);
PLEACH_API pleach_status pleach_graph_erase_edges(pleach_graph *graph, size_t n, const uint32_t *from,
                                                  const uint32_t *to, uint8_t *outcomes, pleach_stream stream);
/* found[i] is 1 or 0; values[i] is written if it is 1. */
PLEACH_API pleach_status pleach_graph_find_edges(pleach_graph *graph, size_t n, const uint32_t *from,
                                                 const uint32_t *to, uint32_t *values, uint8_t *found,
                                                 pleach_stream stream);

/* ---- vertices -------------------------------------------------------------------------------------------------- */

/* Vertices without edges. Outcomes NEW, REPLACED (it was there) or NOT_APPLIED; may be NULL. */
PLEACH_API pleach_status pleach_graph_insert_vertices(pleach_graph *graph, size_t n, const uint32_t *vertices,
                                                      uint8_t *outcomes, pleach_stream stream);
/* The n smallest ids that were not in use, and are now: so ids of erased vertices come back. After FULL the first ones
 * may have been handed out: those that are not PLEACH_NO_VERTEX. SIZE for more than 2^31 ids (2^30 of an ordered
 * graph), and nothing is written or inserted. Alone. */
PLEACH_API pleach_status pleach_graph_new_vertices(pleach_graph *graph, size_t n, uint32_t *vertices);
/* With all their edges, also those that lead to them. Outcomes ERASED or ABSENT; may be NULL. Alone. Of an ordered
 * graph it needs memory: MEMORY or FULL, and nothing is erased. */
PLEACH_API pleach_status pleach_graph_erase_vertices(pleach_graph *graph, size_t n, const uint32_t *vertices,
                                                     uint8_t *outcomes);
PLEACH_API pleach_status pleach_graph_find_vertices(pleach_graph *graph, size_t n, const uint32_t *vertices,
                                                    uint8_t *found, pleach_stream stream);
/* Neighbours of each vertex (of a directed graph: those that its edges lead to); 0 if it is not there. */
PLEACH_API pleach_status pleach_graph_degrees(pleach_graph *graph, size_t n, const uint32_t *vertices,
                                              uint32_t *degrees, pleach_stream stream);
/* All neighbours, packed: those of vertices[i] are at offsets[i] .. offsets[i+1]-1 of neighbours and values (each may
 * be NULL), ascending. offsets has n+1 elements and may be NULL only if n is 0. *total (may be NULL) is their number.
 * SPACE if it is above capacity: then offsets and *total are right, and nothing else is written. Synchronous. */
PLEACH_API pleach_status pleach_graph_neighbours(pleach_graph *graph, size_t n, const uint32_t *vertices,
                                                 size_t capacity, uint32_t *neighbours, uint32_t *values,
                                                 uint64_t *offsets, size_t *total);

/* ---- the whole graph ------------------------------------------------------------------------------------------- */

PLEACH_API pleach_status pleach_graph_size(pleach_graph *graph, uint64_t *vertices, uint64_t *edges);

/* Edges into an empty graph, as insert_edges does, but degrees are counted first and each table is made large enough
 * at once. NOT_EMPTY; after FULL or MEMORY the graph is empty. BUSY while a snapshot is live. */
PLEACH_API pleach_status pleach_graph_build(pleach_graph *graph, size_t n, const uint32_t *from, const uint32_t *to,
                                            const uint32_t *values);

/* Compressed rows. Row i is vertex i, up to the largest id that is there: *rows of them, *entries in all (an undirected
 * edge is in two rows). offsets has room for row_capacity + 1, targets and values (may be NULL) for entry_capacity;
 * targets ascend in a row. With offsets NULL only *rows and *entries are written. SPACE if there is not enough room. */
PLEACH_API pleach_status pleach_graph_export_rows(pleach_graph *graph, size_t row_capacity, uint64_t *offsets,
                                                  size_t entry_capacity, uint32_t *targets, uint32_t *values,
                                                  uint64_t *rows, uint64_t *entries);
/* All edges, ascending by `from` and then by `to`; of an undirected graph each once, with from < to. With from and to
 * NULL only *edges is written. SPACE. */
PLEACH_API pleach_status pleach_graph_export_edges(pleach_graph *graph, size_t capacity, uint32_t *from, uint32_t *to,
                                                   uint32_t *values, uint64_t *edges);

/* The ids of all vertices that are there, ascending. With vertices NULL only *n is written. SPACE. */
PLEACH_API pleach_status pleach_graph_export_vertices(pleach_graph *graph, size_t capacity, uint32_t *vertices,
                                                      uint64_t *n);

/* The whole graph to a file, and back; every byte is checksummed. A file is replaced when the new one is complete, and
 * what is at the path, its owner, its mode, and leftovers are treated as in pleach/file.h; a graph is replaced when all
 * of the file has been verified. Alone. Errors: ARGUMENT, FILE (errno tells more), FORMAT (damaged, or no graph),
 * NEWER, WIDTH (the graph is directed and the file's is not, or has values and the file has none, or the other way
 * round), MEMORY, FULL, NO_FILES, BUSY (loading while a snapshot is live); after an error graph and file are as they
 * were. */
PLEACH_API pleach_status pleach_graph_save(pleach_graph *graph, const char *path);
PLEACH_API pleach_status pleach_graph_load_file(pleach_graph *graph, const char *path);

/* Removes everything and gives the memory back. BUSY while a snapshot is live. */
PLEACH_API pleach_status pleach_graph_clear(pleach_graph *graph);
PLEACH_API pleach_status pleach_graph_get_stats(pleach_graph *graph, pleach_graph_stats *stats);
/* As pleach_hash_validate; the invariants are in docs/graph.md. */
PLEACH_API pleach_status pleach_graph_validate(pleach_graph *graph, char *message, size_t message_size);

/* ---- device views ----------------------------------------------------------------------------------------------
 * What a kernel needs to work on a graph; pass it by value. Open one, launch kernels that use pleach/graph_device.cuh,
 * wait for them, close it. Any number may be open; while one is, calls that run alone answer BUSY. Kernels cannot get
 * memory: look at outcomes. */
typedef struct pleach_graph_view {
    void *state;     /* the graph's counters, device memory */
    void *slabs;     /* the slabs' base address */
    void *directory; /* of the vertices */
    void *names;     /* of a graph with sparse ids; else NULL */
    uint64_t seed[3]; /* of the hash function, as the algorithm uses it */
    uint32_t load;    /* of 1,024 slots */
    uint32_t directed, values;
} pleach_graph_view;

/* ARGUMENT for a graph on the CPU, and for an ordered one. */
PLEACH_API pleach_status pleach_graph_view_open(pleach_graph *graph, pleach_graph_view *view);
PLEACH_API pleach_status pleach_graph_view_close(pleach_graph *graph, pleach_graph_view *view);

#ifdef __cplusplus
}
#endif
#endif
