/* limit.h - what this machine's memory can do at most, what an operation cannot do without, and so how fast it
 * could be: the limit that each result is given a share of.
 *
 * A need is the least that a structure of this kind moves for one operation while its inner nodes are in the caches:
 * the leaf that holds the key, or the slots of its bucket. Times of all that is moved add up, since it all goes through
 * the same memory; the limit carries the name of what takes longest.
 *
 * On a GPU a search by one thread also asks L2 for a sector at each step that L1 cannot serve, and L2 can be the slower
 * of the two: it works beside memory, so then the limit is its time alone.
 */
#ifndef PLEACH_BENCH_LIMIT_H
#define PLEACH_BENCH_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bench_resource {
    BENCH_LINES,           /* read at random: 64 bytes on a CPU, 128 on a GPU */
    BENCH_CHANGED_LINES,   /* the same, and written to */
    BENCH_SECTORS,         /* read at random: 32 bytes; on a CPU a line */
    BENCH_CHANGED_SECTORS, /* the same, and written to */
    BENCH_DEPENDENT,       /* lines read one after the other by each thread; not measured on a GPU */
    BENCH_BYTES,           /* read and written one after the other */
    BENCH_SORTED,          /* pairs of 32 bits sorted */
    BENCH_L2,              /* sectors of a GPU's second cache, each asked for by a lane of its own */
    BENCH_RESOURCES
};

/* Millions a second; 0 where it is not known. */
struct bench_limits {
    double rate[BENCH_RESOURCES];
};

/* Of one operation, on average. */
struct bench_need {
    double amount[BENCH_RESOURCES];
};

const char *bench_resource_name(enum bench_resource resource);

/* Millions of such operations a second that the limits allow, and the name of what holds them back most; 0 and NULL
 * where nothing is needed or known. */
double bench_limit_rate(const struct bench_limits *limits, const struct bench_need *need, const char **name);

/* ---- needs ---- */

/* Where it lies, how wide keys and values are, and whether a CPU's thread waits for one operation before it begins the
 * next: then it waits for a line of each leaf, and the others come meanwhile. `keys` in a tree, or a skiplist, that a
 * thread goes down for one key alone; 0 where operations share the way. */
struct bench_place {
    bool gpu;
    unsigned bits;
    bool alone;
    double keys;
};

struct bench_need bench_need_find(struct bench_place place);
struct bench_need bench_need_change(struct bench_place place);
struct bench_need bench_need_range(struct bench_place place, double pairs);
struct bench_need bench_need_hash_find(struct bench_place place);
struct bench_need bench_need_hash_change(struct bench_place place);

/* *sum += share * need. */
void bench_need_add(struct bench_need *sum, double share, struct bench_need need);

/* Whether a benchmark of pleach-bench makes calls for one key, by its name. */
bool bench_is_alone(const char *name);

/* By the name of a benchmark of pleach-bench; nothing where it is not known. */
struct bench_need bench_need_by_name(struct bench_place place, const char *name, bool sorted);

/* ---- needs of dynamic graphs: limit.c, "graphs" ----
 *
 * A vertex's neighbours are a list of ids of 32 bits, in any order. What is needed is that of a graph whose lists begin
 * in the sector that tells where they are. */

/* An edge inserted or erased, by the entries that change: two of an undirected one, fewer where some edges change
 * nothing. */
struct bench_need bench_need_graph_change(double entries);
/* An edge looked for, or a vertex asked for its degree. */
struct bench_need bench_need_graph_find(void);
/* A graph of so many edges built at once; ids have so many bits. */
struct bench_need bench_need_graph_build(double edges, double entries, unsigned id_bits);
/* A vertex erased that has so many entries, and is in so many lists of vertices that stay. */
struct bench_need bench_need_graph_erase_vertex(double entries, double mirrored);
/* A neighbour listed; so many vertices for each. */
struct bench_need bench_need_graph_neighbour(double vertices);
/* So many entries of lists read. */
struct bench_need bench_need_graph_lists(double entries);

/* ---- limits.c, limits_cuda.cu ---- */

struct crew;

/* Measured once for each number of threads of a process; `quick`: in less memory. */
struct bench_limits bench_limits_cpu(struct crew *crew, bool quick);

/* All 0 without a GPU, or when its memory is used up. */
#ifdef PLEACH_TOOLS_CUDA
struct bench_limits bench_limits_cuda(bool quick);
#else
static inline struct bench_limits bench_limits_cuda(bool quick)
{
    (void)quick;
    return (struct bench_limits){{0}};
}
#endif

#ifdef __cplusplus
}
#endif
#endif
