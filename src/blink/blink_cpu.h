/* blink/blink_cpu.h - the CPU's loops over the operations of a B-link tree, compiled once per key width and
 * instruction set (blink_cpu.c), and chosen at run time. */
#ifndef PLEACH_BLINK_RUN_H
#define PLEACH_BLINK_RUN_H

#include "blink_plan.h"
#include "../version/version.h"
#include "../map/map_backend.h"

enum {
    LONG_LEAVES = 64, /* after so many leaves a query may be handed back, */
    LONG_MOST = 128   /* as long as a call has not handed back this many */
};

/* A query that has been handed back: `count` pairs of its interval, all those below `next`, have been reported. */
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
    uint64_t most;  /* leaves that are needed, from low on; what is beyond becomes one more part, the last */
    uint32_t parts; /* at most; at least 1 */
    bool rest;      /* answered: the last part is what is beyond `most` */
} long_cut;

/* Where a map is. */
typedef struct map_memory {
    blink_tree *tree;
    void *nodes;
    versions versions; /* of a map that has them; of a skiplist its epoch */
    uint64_t raise;    /* of a skiplist */
} map_memory;

typedef struct blink_run_ops {
    /* Elements begin .. end-1 of a request. */
    void (*run)(map_memory place, unsigned stripe, const request *request, size_t begin, size_t end,
                run_result *result);
    /* One operation on the newest contents, by the calling thread. Returns how the number of keys has changed. */
    int (*run_one)(map_memory memory, unsigned stripe, op_kind kind, key128 key, key128 value, single_result *result);
    /* Nodes begin .. end-1 of one level of a tree to build. */
    void (*build)(const build_plan *plan, void *nodes, const void *keys, const void *values, uint32_t level,
                  size_t begin, size_t end);
    /* Writes the ends of parts that together are the interval, in ascending order, with room for one more than asked
     * for; answers how many. */
    uint32_t (*cut)(map_memory place, unsigned stripe, long_cut *cut, void *lows, void *highs);
    /* All pairs in order, of a quiescent tree. */
    void (*export_pairs)(map_memory place, void *out_keys, void *out_values);
    /* Returns old images that no live snapshot can ask for, or chunks that nobody can look at, to the pool. In the
     * tables of maps with versions and of skiplists. */
    void (*return_images)(map_memory place, unsigned stripe);
} blink_run_ops;

extern const blink_run_ops blink_run_32_plain, blink_run_64_plain, blink_run_128_plain;
extern const blink_run_ops blink_run_32_avx2, blink_run_64_avx2;
extern const blink_run_ops blink_run_32_avx512, blink_run_64_avx512;
extern const blink_run_ops versioned_run_32_plain, versioned_run_64_plain, versioned_run_128_plain;
extern const blink_run_ops versioned_run_32_avx2, versioned_run_64_avx2;
extern const blink_run_ops versioned_run_32_avx512, versioned_run_64_avx512;

extern const blink_run_ops skiplist16_run_32_plain, skiplist16_run_64_plain;
extern const blink_run_ops skiplist16_run_32_avx2, skiplist16_run_64_avx2;
extern const blink_run_ops skiplist32_run_32_plain, skiplist32_run_64_plain;
extern const blink_run_ops skiplist32_run_32_avx2, skiplist32_run_64_avx2;

/* The best one for this machine. */
const blink_run_ops *blink_run_choose(unsigned key_bits, bool versioned);
const blink_run_ops *skiplist_run_choose(unsigned key_bits, unsigned slots);
const char *blink_run_simd(void);

#endif
