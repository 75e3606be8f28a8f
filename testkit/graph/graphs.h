/* testkit/graphs.h - what the tests of graphs share: the kinds of graph that cases run over, and a model of a graph
 * that is slow and obvious: a matrix.
 *
 * These programs take `--device cuda` first, for graphs in GPU memory, and then `--filter PATTERN`. Names of runs are
 * such as "undirected/values/t3 self_loops_are_not_kept".
 */
#ifndef PLEACH_TESTS_GRAPHS_H
#define PLEACH_TESTS_GRAPHS_H

#include "../harness.h"
#include "../random.h"

typedef struct graph_kind {
    const char *name;
    bool directed, values;
    unsigned threads; /* the graph's worker threads */
    pleach_device device;
    bool sparse; /* vertices are found through a hash table */
} graph_kind;

typedef enum graph_kinds { EVERY_KIND, UNDIRECTED_KINDS, SPARSE_KINDS, ONE_KIND } graph_kinds;

typedef struct graph_case {
    const char *name;
    void (*run)(const graph_kind *kind); /* NULL: the other one */
    void (*run_with)(const graph_kind *kind, const void *what);
    const void *what;
    graph_kinds over;
} graph_case;

#define GRAPH_CASE(function) {.name = #function, .run = (function), .over = EVERY_KIND}
#define UNDIRECTED_CASE(function) {.name = #function, .run = (function), .over = UNDIRECTED_KINDS}
#define SPARSE_CASE(function) {.name = #function, .run = (function), .over = SPARSE_KINDS}
#define ONE_CASE(function) {.name = #function, .run = (function), .over = ONE_KIND}
/* One of several cases that only differ in what the function is given. */
#define GRAPH_CASE_WITH(title, function, argument)                                                               \
    {.name = #title, .run_with = (function), .what = (argument), .over = EVERY_KIND}

/* Runs the cases over their kinds, and says how many operations they checked; answers main's exit status. */
int run_graph_cases(const char *program, int argc, char **argv, const graph_case *cases, size_t count);

/* Adds to these operations; callable from any thread. */
void graph_checked(size_t operations);

/* n, sized by PLEACH_TEST_SCALE; of calls that are made one by one, fewer on a GPU. */
size_t scaled_calls(const graph_kind *kind, size_t n);

pleach_graph_config graph_config_of(const graph_kind *kind);
pleach_graph *graph_open(const graph_kind *kind);
void graph_close(pleach_graph *graph); /* validates first */
static inline void end_graph(pleach_graph **graph) { graph_close(*graph); } /* for AT_END */
void assert_sound(pleach_graph *graph);

/* NULL for graphs without values. */
static inline const uint32_t *values_or_null(const graph_kind *kind, const uint32_t *values)
{
    return kind->values ? values : NULL;
}

/* Single calls. The value is left out where the graph has none. */
pleach_edge_outcome put_edge(pleach_graph *graph, const graph_kind *kind, uint32_t from, uint32_t to, uint32_t value);
pleach_edge_outcome erase_edge(pleach_graph *graph, uint32_t from, uint32_t to);
bool has_edge(pleach_graph *graph, uint32_t from, uint32_t to);
uint32_t value_of_edge(pleach_graph *graph, uint32_t from, uint32_t to); /* of an edge that is there */
bool has_vertex(pleach_graph *graph, uint32_t id);
uint32_t degree_of_vertex(pleach_graph *graph, uint32_t id);
void assert_graph_size(pleach_graph *graph, uint64_t vertices, uint64_t edges);

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* Vertices are known by their places among ids that ascend. */
typedef struct graph_matrix {
    const graph_kind *kind;
    uint32_t n;
    const uint32_t *ids;
    bool *there;      /* by place */
    bool *edge;       /* from * n + to, both ways if undirected */
    uint32_t *value;
    uint16_t *news;   /* scratch of the checks of a call: zeros */
    uint64_t edges, vertices;
} graph_matrix;

graph_matrix matrix_open(const graph_kind *kind, uint32_t n, const uint32_t *ids);
void matrix_close(graph_matrix *m);

pleach_edge_outcome matrix_put(graph_matrix *m, uint32_t from, uint32_t to, uint32_t value);
pleach_edge_outcome matrix_erase(graph_matrix *m, uint32_t from, uint32_t to);
bool matrix_put_vertex(graph_matrix *m, uint32_t place); /* true: it is new */
bool matrix_erase_vertex(graph_matrix *m, uint32_t place);
uint32_t matrix_degree(const graph_matrix *m, uint32_t place);
uint64_t matrix_triangles(const graph_matrix *m, uint64_t *by_place); /* undirected; by_place may be NULL */
void matrix_clear(graph_matrix *m);

/* Ends of n edges as places, then as ids; values are first_value, first_value + 1 ... */
typedef struct edge_batch {
    size_t n;
    uint32_t *from_place, *to_place, *from, *to, *values;
    uint8_t *outcomes;
} edge_batch;

edge_batch edge_batch_open(size_t room);
void edge_batch_close(edge_batch *b);

/* Random ends, also equal ones, and equal edges. */
void edge_batch_fill(edge_batch *b, size_t n, const graph_matrix *m, uint32_t first_value, rng *r);

/* The outcomes of one insert_edges or erase_edges are those of some order; the model is as the graph afterwards. Of
 * equal edges in a call the graph says which value stays, and it must be one of theirs. */
void matrix_follow_insert(graph_matrix *m, pleach_graph *graph, const edge_batch *b);
void matrix_follow_erase(graph_matrix *m, const edge_batch *b);

/* Everything that can be asked is asked, and the graph validates. `rows`: export_rows too, which takes room by the
 * largest id. */
void assert_same_graph(pleach_graph *graph, const graph_matrix *m, bool rows);

#endif
