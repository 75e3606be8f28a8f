/* bench_mixed_map.h - a map that is updated and asked at the same time, with versions or without, on either device.
 *
 *   bench_mixed_map.c      its life, and running operations on it
 *   bench_mixed_threads.c  these by threads of the CPU; kernels are in bench_mixed_kernel.h
 *   bench_mixed.c          updates of a kind beside queries of a kind
 *   bench_mixed_memory.c   the memory that these need
 *   bench_mixed_all.c      all kinds of operations in one list
 */
#ifndef PLEACH_BENCH_MIXED_MAP_H
#define PLEACH_BENCH_MIXED_MAP_H

#include "bench/harness/bench.h"
#include "bench_mixed.h"

/* ---- bench_mixed_map.c ---- */

struct mixed_map {
    struct bench *bench;
    bool versioned;
    pleach_map_view plain_view; /* of a GPU; or */
    pleach_versioned_view view;
};

/* Gives the map the keys, and memory for so many updates that each makes a copy. False after an error message. */
bool mixed_fill(struct mixed_map *map, const char *name, size_t updates);

/* Before and after operations; a GPU needs a view. */
pleach_status mixed_open(struct mixed_map *map);
void mixed_close(struct mixed_map *map);

/* Work, or a list if there is no work. */
pleach_status mixed_run(const struct mixed_map *map, const struct mixed_work *work, const struct mixed_list *list,
                        pleach_stream stream);

/* The parts of a repeat; each function gets the context. */
struct mixed_verbs {
    bool (*spoil)(void *context); /* overwrites the results */
    tool_call *call;
    bool (*check)(void *context, const char *name);
    void *context;
};

/* Measures a row: `ops` operations on the map, of which at most `updates` are updates. */
void mixed_measure(struct mixed_map *map, const char *name, size_t updates, size_t ops,
                   const struct mixed_verbs *verbs);

/* Calls `measure` for a map without versions, and for one with them. */
void mixed_on_both(struct bench *bench, void (*measure)(struct mixed_map *map, const void *context),
                   const void *context);

/* The same for a map with versions alone. */
void mixed_on_versioned(struct bench *bench, void (*measure)(struct mixed_map *map, const void *context),
                        const void *context);

/* ---- bench_mixed_threads.c ---- */

pleach_status mixed_run_threads(const struct mixed_map *map, const struct mixed_work *work,
                                const struct mixed_list *list);

/* ---- bench_mixed.c ---- */

struct mixed {
    struct mixed_map *map;
    struct batch updates, queries;
    struct mixed_work work;
};

/* How many operations of which kinds. */
struct mixed_plan {
    const char *name;
    size_t ops;
    double share;    /* of updates, in percent */
    uint32_t length; /* of ranges */
    bool erases;     /* beside finds; else puts beside ranges */
};

/* Arrays with the operations. Returns false after an error message. */
bool mixed_create(struct mixed *m, struct mixed_map *map, const struct mixed_plan *plan);
void mixed_destroy(struct mixed *m);

/* The first so many answers. */
bool mixed_check(struct mixed *m, const char *name, size_t updates, size_t queries);

/* Range i of a batch, which begins at the key of a rank: every loaded key is there, in order, but for those that `gone`
 * marks by rank (NULL: none); between them others may be, and all have their values. */
bool mixed_right_range(const struct batch *batch, size_t i, size_t rank, const uint8_t *gone);

/* The first rank from this one on whose key stays. */
size_t mixed_kept_from(const struct bench_keys *keys, const uint8_t *gone, size_t rank);

#endif
