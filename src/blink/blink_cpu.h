/* blink/blink_cpu.h - the CPU's loops over the operations of a B-link tree, and of other structures that use
 * blink_loop_cpu.h: a table per key width and instruction set, of which map/map_choose_isa.h selects one. */
#ifndef PLEACH_BLINK_RUN_H
#define PLEACH_BLINK_RUN_H

#include "blink_plan.h"
#include "../level/map_ref.h"
#include "../level/request.h"

enum {
    LONG_LEAVES = 64, /* after this many leaves a query may be handed back, */
    LONG_MOST = 128   /* unless the call has already handed back this many */
};

/* A query that was handed back. `count` pairs of its interval have been reported: all those below `next`. */
typedef struct long_query {
    size_t element;
    uint64_t count, leaves;  /* up to `next` */
    unsigned char next[16];  /* a key of the map's width */
} long_query;

/* The queries of one call that its threads have handed back, to be divided (map_cpu_long.c). */
typedef struct long_list {
    uint64_t used; /* may exceed LONG_MOST */
    long_query query[LONG_MOST];
} long_list;

typedef struct run_result {
    int64_t size_change;
    uint64_t not_applied;
    long_list *longs; /* NULL: every query runs to its end */
} run_result;

/* An interval to divide into parts of similar work. */
typedef struct long_cut {
    const void *low, *high;
    uint64_t most;  /* leaves that are needed, from low on; the remainder becomes one more part, the last */
    uint32_t parts; /* maximum number of parts; at least 1 */
    bool rest;      /* result: the last part is the remainder */
} long_cut;

typedef struct blink_run_ops {
    /* Runs elements begin .. end-1 of a request. */
    void (*run)(map_ref ref, unsigned stripe, const request *request, size_t begin, size_t end,
                run_result *result);
    /* One operation on the newest contents, by the calling thread. Returns how the number of keys has changed. */
    int (*run_one)(map_ref ref, unsigned stripe, op_kind kind, key128 key, key128 value, single_result *result);
    /* Writes nodes begin .. end-1 of one level of a tree that is being built. */
    void (*build)(const build_plan *plan, void *nodes, const void *keys, const void *values, uint32_t level,
                  size_t begin, size_t end);
    /* Divides the interval into parts, stores their ends in ascending order and returns their number. The arrays must
     * have room for one more than cut->parts. */
    uint32_t (*cut)(map_ref ref, unsigned stripe, long_cut *cut, void *lows, void *highs);
    /* Exports all pairs of a quiescent tree in ascending order. */
    void (*export_pairs)(map_ref ref, void *out_keys, void *out_values);
    /* Returns to the pool the old versions that no live snapshot can read, or the chunks that no participant can reach.
     * NULL unless the map has versions or is a skiplist. */
    void (*return_images)(map_ref ref, unsigned stripe);
} blink_run_ops;

extern const blink_run_ops blink_run_32_plain, blink_run_64_plain, blink_run_128_plain;
extern const blink_run_ops blink_run_32_avx2, blink_run_64_avx2;
extern const blink_run_ops blink_run_32_avx512, blink_run_64_avx512;

#endif
