/* graph_bench.h - the parts of pleach-bench graph.
 *
 *   graph_bench.c            options, and the loop over experiments
 *   graph_bench_inputs.c     the graphs, and arrays of edges where the device can read them
 *   graph_bench_report.c     table and JSON
 *   graph_bench_limit.c      what memory allows each figure of pleach's to be
 *   graph_bench_measure.c    runs, timing, complaints: what every experiment does
 *   graph_bench_edges.c      insert, erase, incremental
 *   graph_bench_vertices.c   erase-vertices
 *   graph_bench_build.c      build
 *   graph_bench_triangles.c  triangles; graph_bench_graphblas.c has GraphBLAS's side of it
 *   graph_bench_dynamic.c    dynamic
 *   graph_bench_load.c       load
 *   graph_bench_queries.c    queries
 *   graph_bench_paper.c      paper: the dissertation's tables one after the other, by parts of the files above and by
 *   graph_bench_rounds.c     rounds of a batch and a count; graph_bench_seed.c has the dissertation's graphs
 *
 * The experiments are those of the dissertation that the graph comes from (Awad, Fully Concurrent GPU Data Structures,
 * chapter 5); its figures, on a TITAN V, stand beside those measured. Arguments are made before the clock starts, every
 * run begins with a graph in the same state, and results are checked after the clock has stopped.
 */
#ifndef PLEACH_BENCH_GRAPH_BENCH_H
#define PLEACH_BENCH_GRAPH_BENCH_H

#include <pleach/triangles.h>

#include "tools/common/tool_device.h"
#include "bench/limits/limit.h"
#include "tools/common/crew.h"
#include "tools/edges/edge_list.h"

enum { GRAPH_MOST_RUNS = 51, GRAPH_CLASSES = 4, GRAPH_LEAST_SCALE = 4, GRAPH_MOST_SCALE = 26 };

/* ---- graph_bench_inputs.c ---- */

enum graph_class { CLASS_ROAD, CLASS_DELAUNAY, CLASS_RGG, CLASS_SOCIAL };

/* Edges where the device can read them, with room for an outcome each. On the CPU both are the same arrays. */
struct edge_array {
    size_t count;
    uint32_t *from, *to;
    uint8_t *flags;
    uint32_t *device_from, *device_to;
    uint8_t *device_flags;
};

/* A simple undirected graph. */
struct graph_input {
    const char *name;
    uint64_t vertices;
    struct edge_array once; /* each edge once, in an order as a file or a generator has it */
    struct edge_array both; /* each in both directions: for baselines, and for directed graphs */
};

struct graph_bench;

bool edge_array_make(struct graph_bench *bench, struct edge_array *array, size_t count);
/* To the device; and the flags back from there. */
bool edge_array_send(struct graph_bench *bench, struct edge_array *array);
bool edge_array_fetch(struct graph_bench *bench, struct edge_array *array);
void edge_array_free(struct graph_bench *bench, struct edge_array *array);
/* The same edges in both directions. */
bool edge_array_double(struct graph_bench *bench, struct edge_array *both, const struct edge_array *once);

/* One of the four classes, with 2^scale vertices. */
bool graph_input_make(struct graph_bench *bench, struct graph_input *input, enum graph_class which);
/* R-MAT with so many edges for each vertex before duplicates are merged. */
bool graph_input_rmat(struct graph_bench *bench, struct graph_input *input, uint64_t edge_factor);
void graph_input_free(struct graph_bench *bench, struct graph_input *input);

/* Random pairs of different vertices; other ones for another seed. */
void make_random_edges(struct edge_array *array, uint64_t vertices, uint64_t seed);
/* Edges out of `source`, at random: some of them may come more than once. */
void make_present_edges(struct edge_array *array, const struct edge_array *source, uint64_t seed);

/* How many different edges the arrays hold in all; undirected: (u, v) and (v, u) are one. False: no memory. */
bool count_different(const struct edge_array *one, const struct edge_array *two, bool directed, uint64_t *different);

/* ---- graph_bench_limit.c ---- */

/* What the limits of memory make of a need: millions of what a row counts in a second; of a row that is a time,
 * millions of all that was done. NULL and 0: there is none, or none is known. */
struct graph_limit {
    const char *name;
    double rate;
};

/* Of this device, once; nothing at small scales, where graphs fit into the caches next to the cores. */
void graph_measure_limits(struct graph_bench *bench);
struct graph_limit graph_limit(const struct graph_bench *bench, struct bench_need need);
/* Of the mean of rates, one of each class. */
struct graph_limit graph_limit_mean(const struct graph_limit *classes);

/* Entries of lists that must be read, at least, in the graph of all these arrays' edges. */
struct graph_lists {
    double all;  /* to count its triangles */
    double last; /* to count those that edges of the last array are part of */
};
bool graph_count_lists(struct graph_bench *bench, uint64_t vertices, const struct edge_array *const *arrays,
                       size_t count, struct graph_lists *lists);

/* Building a whole graph, undirected or with each edge in both directions. */
struct bench_need graph_need_build(const struct graph_bench *bench, const struct graph_input *input, bool directed);

/* ---- graph_bench_report.c ---- */

/* The median of all runs, and their spread: (highest - lowest) / median. */
struct figure {
    size_t runs;
    double of_run[GRAPH_MOST_RUNS];
};
double figure_median(const struct figure *figure);
void figure_add(struct figure *figure, double value);
void figure_mean(const struct figure classes[GRAPH_CLASSES], struct figure *mean); /* run by run */

struct graph_row {
    const char *experiment;
    const char *graph; /* a class, or "mean" */
    uint64_t batch;    /* 0: none */
    const char *what;  /* whose figure, and of what */
    const char *unit;
    const struct figure *figure;
    double seed;              /* what the dissertation has; 0: nothing */
    struct graph_limit limit;  /* of pleach's own rows */
    const struct figure *peer; /* of the baseline of the same run; may be NULL */
    const char *note;          /* may be NULL */
    bool detail;               /* in the table only if all is to be shown */
};

struct graph_report;

/* The table goes to standard output, or to standard error if `quiet_output`. NULL: no memory. */
struct graph_report *graph_report_create(const struct graph_bench *bench, bool quiet_output, bool all);
void graph_report_destroy(struct graph_report *report);
void graph_report_add(struct graph_report *report, const struct graph_row *row);
/* A line of the table; not in the JSON. */
void graph_report_heading(struct graph_report *report, const char *text);
/* False after an error message. */
bool graph_report_json(const struct graph_report *report, const char *path);

/* ---- graph_bench_measure.c ---- */

struct graph_bench {
    const struct tool_device *device;
    struct crew *crew; /* of the baselines, and of the checks; as many threads as pleach's graphs have */
    unsigned threads, scale;
    pleach_adjacency adjacency;
    bool sparse; /* pleach's graphs are made so */
    size_t runs, run;
    struct bench_limits limits; /* all 0: not measured */
    struct graph_report *report;
    bool wrong;   /* an answer was */
    bool stopped; /* something could not be carried out */
    struct graph_input inputs[GRAPH_CLASSES];
};

/* Each returns false after an error message. */
bool graph_stop(struct graph_bench *bench, const char *what, pleach_status status);
bool graph_wrong(struct graph_bench *bench, const char *what);
bool graph_no_memory(struct graph_bench *bench);

static inline bool graph_goes_on(const struct graph_bench *bench) { return !bench->wrong && !bench->stopped; }
static inline bool graph_on_cpu(const struct graph_bench *bench) { return bench->device->kind == PLEACH_CPU; }

/* A graph without values; load 0 is the library's default. */
bool graph_bench_open(struct graph_bench *bench, bool directed, double load, pleach_graph **graph);
/* The call's seconds. */
bool graph_time(struct graph_bench *bench, const char *what, tool_call *call, void *context, double *seconds);
/* Exactly so many edges; and in the first of the runs, which all do the same, every invariant holds: to look at those of
 * a graph on a GPU takes many times as long as what is measured. */
bool graph_check(struct graph_bench *bench, pleach_graph *graph, uint64_t edges);

/* An array call of a graph, as graph_time takes it. */
struct edge_call {
    pleach_graph *graph;
    const struct edge_array *edges;
    size_t begin, count; /* of them */
    uint64_t result;     /* of calls that have one */
};
pleach_status call_build(void *context, pleach_stream stream);
pleach_status call_insert(void *context, pleach_stream stream);
pleach_status call_erase(void *context, pleach_stream stream);
pleach_status call_find(void *context, pleach_stream stream);
pleach_status call_triangles(void *context, pleach_stream stream);
pleach_status call_insert_counting(void *context, pleach_stream stream); /* the result: by how many more */

/* The flags of an array that are this one. */
size_t count_flags(const struct edge_array *array, uint8_t flag);

static inline double millions_per_second(size_t count, double seconds) { return (double)count / seconds / 1e6; }

/* The largest batch at a scale: eight edges for each vertex. */
static inline unsigned largest_batch(const struct graph_bench *bench, unsigned most)
{
    return bench->scale + 3 < most ? bench->scale + 3 : most;
}

/* ---- the experiments ---- */

typedef void graph_experiment(struct graph_bench *bench);
graph_experiment graph_bench_insert, graph_bench_erase, graph_bench_incremental, graph_bench_erase_vertices,
    graph_bench_build, graph_bench_triangles, graph_bench_dynamic, graph_bench_load, graph_bench_queries;

/* ---- the dissertation's tables, graphs and batches as many times smaller as the scale is below its own ---- */

enum { PAPER_SCALE = 20 };

/* So many powers of two: a batch of 2^p there is one of 2^(p - n) here. */
static inline unsigned paper_shrink(const struct graph_bench *bench, unsigned scale_there)
{
    return bench->scale < scale_there ? scale_there - bench->scale : 0;
}

graph_experiment graph_bench_paper;

/* Of graph_bench_edges.c: tables 5.2, 5.3, 5.6. Of _vertices.c: 5.4. Of _build.c: 5.5. Of _triangles.c: 5.7, 5.8. Of
 * _rounds.c: 5.9. Of _load.c: figures 5.2, 5.3. */
graph_experiment paper_insert, paper_erase, paper_erase_vertices, paper_build, paper_incremental, paper_triangles,
    paper_rounds, paper_load;

/* graph_bench_seed.c: the graphs of table 5.1, each of one of the classes, and what was measured on them: tables 5.5,
 * 5.7 and 5.8, milliseconds; 0: it ran out of memory. */
struct seed_graph {
    const char *name;
    enum graph_class class;
    double entries; /* millions */
    double build, build_hornet;
    double count, count_hornet, count_faimgraph;
    double sort_csr, sort_faimgraph;
};
enum { SEED_GRAPHS = 12 };
extern const struct seed_graph seed_graphs[SEED_GRAPHS];

/* What was measured of each class, and what limits it. */
struct paper_times {
    struct figure milliseconds[GRAPH_CLASSES];
    struct graph_limit limit[GRAPH_CLASSES];
};

/* A row for each of them, with the rate of its class, by `times` for so many entries an edge, beside its own.
 * Which column that is, `seed` says, and what else there is to tell, `note`. */
void paper_add_graphs(const struct graph_bench *bench, const char *table, const char *what, size_t entries_an_edge,
                      const struct paper_times *times, double (*seed)(const struct seed_graph *graph),
                      void (*note)(const struct seed_graph *graph, char *text, size_t size));

/* ---- graph_bench_graphblas.c, where GraphBLAS was found: PLEACH_HAVE_GRAPHBLAS ---- */

struct graphblas_count {
    uint64_t triangles;
    double build, product; /* seconds: ranking and the matrix; the product and its sum */
};

/* To be called once before, and once after all counting. */
bool graphblas_start(unsigned threads);
void graphblas_finish(void);
/* Triangles as the masked product C<L> = L * L. False: it has failed. */
bool graphblas_triangles(const struct edge_array *once, uint64_t vertices, struct graphblas_count *count);

#endif
