/* pleach/graph.h - a dynamic graph: edges and vertices are inserted and erased concurrently with queries.
 *
 * A graph is directed or undirected, and its edges have 32-bit values or none. Vertices are named by 32-bit ids; only
 * 2^32-1 is reserved. Between two vertices there is at most one edge (in each direction, if directed).
 *
 *   - Inserting an edge also inserts its endpoints. They remain vertices until pleach_graph_erase_vertices erases them.
 *   - Self loops are not stored: inserting one changes nothing, and its outcome is PLEACH_EDGE_LOOP.
 *   - The edges of one array call take effect one after another in an unspecified order, as if from many threads. Of
 *     equal edges in a call one is new and the others find it present.
 *   - Undirected: (u, v) and (v, u) name the same edge. For all queries of the edge it changes at one instant; a list
 *     of the neighbours of the larger of u and v may show the change slightly earlier or later.
 *
 * The neighbours of a vertex are in a hash table of their own, which starts with one line of 128 bytes and grows with
 * their number. In an ordered graph all neighbours of all vertices are in one tree, in order (pleach_adjacency,
 * docs/graph.md).
 *
 * Vertices are addressed directly by their ids, in segments of 4,096 consecutive ids: 128 KiB per segment in use. If
 * ids are few and far apart, set sparse_ids: vertices are then found through a hash table, which costs one more step
 * for each end of an edge, and memory is proportional to the number of vertices, about 60 bytes each.
 *
 * WHAT IS LINEARIZABLE
 *   insert_edges, erase_edges, find_edges, insert_vertices   yes, each element by itself
 *   degrees                  exact while no update is running; otherwise running updates may be counted or not
 *   neighbours               each bucket of a vertex's table (some tens of neighbours) is read at one instant; a
 *                            neighbour that is neither inserted nor erased during the call is listed once
 *   erase_vertices, build,   exclusive: they wait until all other calls are done, and block new calls
 *   new_vertices, clear, exports, validate, get_stats
 *
 * Ordered graphs (PLEACH_ADJACENCY_ORDERED) give stronger guarantees than the table above:
 *   - insert_edges, erase_edges, insert_vertices and erase_vertices are linearizable, each call as a whole. Its
 *     elements take effect in array order: of equal edges the first is new, and the value of the last one is kept, at
 *     both ends.
 *   - Such a call is applied as a whole or not at all. If memory does not suffice, or after any error but VERTEX, all
 *     outcomes are NOT_APPLIED, and the graph is unchanged.
 *   - find_edges, find_vertices and degrees are linearizable, each element by itself; neighbours as a whole.
 *   - One call changes the graph at a time. It is one batch (pleach/batch.h) of at most 2^30 operations, one per half
 *     of an edge and one per new vertex; above that SIZE.
 *   - Snapshots of the whole graph can be taken: pleach/graph_snapshot.h.
 *   - Arguments are host memory, even if the graph is on a GPU: POINTER for device memory, STREAM for a stream.
 *
 * Graphs have array calls and, if their hash tables are in GPU memory, calls from user kernels
 * (pleach/graph_device.cuh). Arguments, pointers, streams and "may be NULL" are as in pleach/map.h. So is the behaviour
 * when memory runs out: the outcomes show which elements were not applied, and the call returns PLEACH_E_FULL.
 *
 * CAVEATS
 *
 * - Keys chosen by an adversary can collide. Each graph draws the seed of its hash function at random when it is
 *   created, so neighbours and sparse ids that were chosen without knowing the seed share buckets no more often than
 *   random ones. With the seed known, neighbours of one vertex can be chosen that all share one bucket; each operation
 *   on an edge of this vertex then reads all of them. Remedy: set `seed` or fixed_seed only if runs must be
 *   reproducible (the order of neighbours depends on the seed) and the edges come from a trusted source.
 * - The hash function is not cryptographic: a caller that can time single operations may learn which neighbours share a
 *   bucket. Remedy: an ordered graph, which has no hash tables.
 */
#ifndef PLEACH_GRAPH_H
#define PLEACH_GRAPH_H

#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_graph pleach_graph;

#define PLEACH_NO_VERTEX UINT32_MAX /* the only id that no vertex can have */

/* What happened to one edge or vertex of an update. */
typedef enum pleach_edge_outcome {
    PLEACH_EDGE_NOT_APPLIED = 0, /* memory has run out, or an id is PLEACH_NO_VERTEX */
    PLEACH_EDGE_NEW = 1,         /* it was absent and is now present */
    PLEACH_EDGE_REPLACED = 2,    /* it was present; its value, if edges have values, is the new one */
    PLEACH_EDGE_ERASED = 4,      /* it was present and has been erased */
    PLEACH_EDGE_ABSENT = 5,      /* erase: it was absent */
    PLEACH_EDGE_LOOP = 6         /* both ends are the same vertex: nothing was done */
} pleach_edge_outcome;

/* How neighbours are stored. */
typedef enum pleach_adjacency {
    PLEACH_ADJACENCY_HASH = 0,   /* a hash table for each vertex: fastest for single edges */
    PLEACH_ADJACENCY_ORDERED = 1 /* one ordered map: atomic calls, snapshots, neighbours stored in order */
} pleach_adjacency;

/* Options. Zero everything, then set what you need: all zeros is an undirected graph without values, on the CPU. */
typedef struct pleach_graph_config {
    pleach_device device;
    unsigned directed;  /* 1: edges have a direction */
    unsigned values;    /* 1: edges have values */
    unsigned threads;   /* CPU: worker threads for array calls, at most 1024; 0 means one per online CPU */
    int gpu;            /* CUDA: device ordinal */
    uint32_t seed;      /* of the hash function; 0 means a random one, unless fixed_seed is 1 */
    double load;        /* load factor (keys / slots) at which a vertex's table grows; 0 means the default, 0.7 */
    uint64_t max_bytes; /* limit on memory; 0 means no limit but the machine's (docs/limits.md, "Many structures") */
    pleach_adjacency adjacency; /* seed and load apply to hash tables only */
    unsigned snapshots; /* 1: snapshots can be taken; ordered graphs only */
    unsigned sparse_ids; /* 1: vertices are found through a hash table; for ids that are few and far apart. No effect on
                          * ordered graphs, whose memory is proportional to their contents in any case */
    unsigned fixed_seed; /* 1: `seed` is used as it is, even if it is 0 */
} pleach_graph_config;

/* Ordered graphs set only vertices, edges, max_degree, slab_bytes (of nodes and of old versions kept for snapshots),
 * free_bytes and utilisation; the others are 0. */
typedef struct pleach_graph_stats {
    uint64_t vertices, edges;
    uint64_t max_degree;
    uint64_t tables;         /* vertices that have or had neighbours */
    uint64_t single_tables;  /* tables whose neighbours are in one line */
    uint64_t slabs;          /* of all tables */
    uint64_t overflow_slabs; /* slabs that are not the first of their bucket */
    uint64_t longest_chain;  /* slabs of the longest bucket */
    uint64_t slab_bytes, dictionary_bytes; /* of neighbours; of vertices and the structures that find them */
    uint64_t free_bytes;     /* allocated from the system, and free */
    double utilisation;      /* neighbours / slots */
} pleach_graph_stats;

/* Creates an empty graph. Calls that insert into a graph in GPU memory wait for their kernels even on a stream, because
 * the memory that they need is known only when the kernels have run.
 * errors         ARGUMENT, MEMORY; with device = PLEACH_CUDA also NO_CUDA, NO_GPU, CUDA. */
PLEACH_API pleach_status pleach_graph_create(pleach_graph **graph, const pleach_graph_config *config);

/* Frees the graph and its memory; NULL is a no-op.
 * concurrency    No other call may be in progress or start later. */
PLEACH_API void pleach_graph_destroy(pleach_graph *graph);

/* ---- edges -----------------------------------------------------------------------------------------------------
 * memory         reads from[n], to[n] and values[n]; writes outcomes[n] (pleach_edge_outcome as bytes). values and
 *                outcomes may be NULL; values must be NULL if edges have no values.
 * ordering       synchronous, or on the stream.
 * concurrency    with every call; exclusive calls wait.
 * linearization  per element, as in the hash table of the edge's home: its smaller end, or `from` if directed
 *                (docs/hash.md). Ordered graphs: see above.
 * progress       deadlock-free: a thread that fails to get the second latch of an edge releases the first.
 * errors         ARGUMENT, SIZE, POINTER, STREAM, FULL, MEMORY, CUDA; VERTEX if an id is PLEACH_NO_VERTEX: all other
 *                elements are applied.
 */
PLEACH_API pleach_status pleach_graph_insert_edges(pleach_graph *graph, size_t n, const uint32_t *from,
                                                   const uint32_t *to, const uint32_t *values, uint8_t *outcomes,
                                                   pleach_stream stream);
PLEACH_API pleach_status pleach_graph_erase_edges(pleach_graph *graph, size_t n, const uint32_t *from,
                                                  const uint32_t *to, uint8_t *outcomes, pleach_stream stream);
/* found[i] is 1 or 0; values[i] is written if found[i] is 1. */
PLEACH_API pleach_status pleach_graph_find_edges(pleach_graph *graph, size_t n, const uint32_t *from,
                                                 const uint32_t *to, uint32_t *values, uint8_t *found,
                                                 pleach_stream stream);

/* ---- vertices -------------------------------------------------------------------------------------------------- */

/* Inserts vertices without edges. Outcomes (may be NULL): NEW, REPLACED (it was present) or NOT_APPLIED. */
PLEACH_API pleach_status pleach_graph_insert_vertices(pleach_graph *graph, size_t n, const uint32_t *vertices,
                                                      uint8_t *outcomes, pleach_stream stream);
/* Inserts vertices under the n smallest ids that are not in use, so ids of erased vertices are reused.
 * concurrency    exclusive.
 * errors         FULL: some ids may have been assigned, those that are not PLEACH_NO_VERTEX. SIZE for more than 2^31
 *                ids (2^30 in an ordered graph): nothing is written or inserted. */
PLEACH_API pleach_status pleach_graph_new_vertices(pleach_graph *graph, size_t n, uint32_t *vertices);
/* Erases vertices with all their edges, including edges that lead to them. Outcomes (may be NULL): ERASED or ABSENT.
 * concurrency    exclusive.
 * errors         ordered graphs need memory for this: after MEMORY or FULL nothing is erased. */
PLEACH_API pleach_status pleach_graph_erase_vertices(pleach_graph *graph, size_t n, const uint32_t *vertices,
                                                     uint8_t *outcomes);
PLEACH_API pleach_status pleach_graph_find_vertices(pleach_graph *graph, size_t n, const uint32_t *vertices,
                                                    uint8_t *found, pleach_stream stream);
/* The number of neighbours of each vertex (in a directed graph: those that its edges lead to); 0 if it is absent. */
PLEACH_API pleach_status pleach_graph_degrees(pleach_graph *graph, size_t n, const uint32_t *vertices,
                                              uint32_t *degrees, pleach_stream stream);
/* All neighbours of all vertices, packed, those of one vertex ascending.
 * memory         those of vertices[i] are at offsets[i] .. offsets[i+1]-1 of neighbours and values (each may be NULL).
 *                offsets has n+1 elements and may be NULL only if n is 0. *total (may be NULL) is their number.
 * ordering       synchronous.
 * errors         SPACE (*total > capacity): offsets and *total are correct, and nothing else is written. */
PLEACH_API pleach_status pleach_graph_neighbours(pleach_graph *graph, size_t n, const uint32_t *vertices,
                                                 size_t capacity, uint32_t *neighbours, uint32_t *values,
                                                 uint64_t *offsets, size_t *total);

/* ---- the whole graph -------------------------------------------------------------------------------------------
 * ordering       synchronous.
 * concurrency    exclusive, except size.
 */

PLEACH_API pleach_status pleach_graph_size(pleach_graph *graph, uint64_t *vertices, uint64_t *edges);

/* Inserts edges into an empty graph, as insert_edges does, but counts degrees first and creates each table in its final
 * size.
 * errors         NOT_EMPTY; FULL or MEMORY, after which the graph is empty; BUSY while a snapshot is live. */
PLEACH_API pleach_status pleach_graph_build(pleach_graph *graph, size_t n, const uint32_t *from, const uint32_t *to,
                                            const uint32_t *values);

/* Compressed sparse rows. Row i is vertex i; there are *rows rows, up to the largest id present, with *entries entries
 * in total (an undirected edge is in two rows). offsets has room for row_capacity + 1 elements, targets and values (may
 * be NULL) for entry_capacity; targets ascend within a row. If offsets is NULL, only *rows and *entries are written.
 * errors         SPACE if a capacity is too small. */
PLEACH_API pleach_status pleach_graph_export_rows(pleach_graph *graph, size_t row_capacity, uint64_t *offsets,
                                                  size_t entry_capacity, uint32_t *targets, uint32_t *values,
                                                  uint64_t *rows, uint64_t *entries);
/* All edges, ascending by `from` and then by `to`; in an undirected graph each once, with from < to. If from and to are
 * NULL, only *edges is written.
 * errors         SPACE. */
PLEACH_API pleach_status pleach_graph_export_edges(pleach_graph *graph, size_t capacity, uint32_t *from, uint32_t *to,
                                                   uint32_t *values, uint64_t *edges);

/* The ids of all vertices, ascending. If vertices is NULL, only *n is written.
 * errors         SPACE. */
PLEACH_API pleach_status pleach_graph_export_vertices(pleach_graph *graph, size_t capacity, uint32_t *vertices,
                                                      uint64_t *n);

/* Saves the whole graph to a file, or replaces it by a file's contents. Every byte is checksummed. An existing file is
 * replaced once the new one is complete; an existing file's kind, owner and mode, and leftovers, are handled as in
 * pleach/file.h. A graph is replaced once the whole file has been verified.
 * errors         ARGUMENT, FILE (errno has the reason), FORMAT (damaged, or not a graph), NEWER, WIDTH (graph and file
 *                differ in being directed or in having values), MEMORY, FULL, NO_FILES, BUSY (loading while a snapshot
 *                is live). After an error graph and file are unchanged. */
PLEACH_API pleach_status pleach_graph_save(pleach_graph *graph, const char *path);
PLEACH_API pleach_status pleach_graph_load_file(pleach_graph *graph, const char *path);

/* Removes everything and returns the memory to the system.
 * errors         BUSY while a snapshot is live. */
PLEACH_API pleach_status pleach_graph_clear(pleach_graph *graph);
PLEACH_API pleach_status pleach_graph_get_stats(pleach_graph *graph, pleach_graph_stats *stats);
/* As pleach_hash_validate; the invariants are in docs/graph.md. */
PLEACH_API pleach_status pleach_graph_validate(pleach_graph *graph, char *message, size_t message_size);

/* ---- device views ----------------------------------------------------------------------------------------------
 * What a kernel needs to work on a graph; pass it by value. Open a view, launch kernels that use
 * pleach/graph_device.cuh, wait for them, close the view. Any number of views may be open; while one is, exclusive
 * calls return BUSY. Kernels cannot allocate memory: check outcomes. */
typedef struct pleach_graph_view {
    void *state;     /* the graph's counters, device memory */
    void *slabs;     /* the slabs' base address */
    void *directory; /* of the vertices */
    void *names;     /* graphs with sparse ids: ids by internal id; otherwise NULL */
    uint64_t seed[3]; /* of the hash function, as the algorithm uses it */
    uint32_t load;    /* neighbours per 1,024 slots at which a table grows */
    uint32_t directed, values;
} pleach_graph_view;

/* errors         ARGUMENT for a graph on the CPU, and for an ordered graph. */
PLEACH_API pleach_status pleach_graph_view_open(pleach_graph *graph, pleach_graph_view *view);
PLEACH_API pleach_status pleach_graph_view_close(pleach_graph *graph, pleach_graph_view *view);

#ifdef __cplusplus
}
#endif
#endif
