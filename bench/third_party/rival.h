/* rival.h - a store of 64-bit keys and values as pleach-bench ycsb works on it: pleach's own structures, peers from
 * elsewhere, and baselines of the benchmark. All are called through the same table, by the same loops, and checked
 * alike. */
#ifndef PLEACH_BENCH_RIVAL_H
#define PLEACH_BENCH_RIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rival_kind {
    RIVAL_OWN,     /* a structure of pleach's */
    RIVAL_PEER,    /* of another project, from its package */
    RIVAL_BASELINE /* the obvious thing, written for comparison */
};

/* What a store is made for. */
struct rival_needs {
    unsigned threads;     /* that call; a call says from which of them, 0 .. threads-1 */
    uint64_t keys;        /* that it will hold in the end */
    const void *settings; /* for RIVAL_OWN */
};

/* Where `concurrent` is false, any number may be inside get and scan, or one in any other; the caller sees to that. */
struct rival {
    const char *name;
    enum rival_kind kind;
    bool concurrent; /* all of get, put, insert and scan may be called at the same time */

    void *(*create)(const struct rival_needs *needs); /* NULL when memory or the like is lacking */
    void (*destroy)(void *store);
    /* n pairs in no order, into an empty store, as fast as it can; NULL: by insert. */
    bool (*load)(void *store, size_t n, const uint64_t *keys, const uint64_t *values);
    bool (*get)(void *store, unsigned thread, uint64_t key, uint64_t *value); /* found? */
    bool (*put)(void *store, unsigned thread, uint64_t key, uint64_t value);  /* inserts or assigns; done? */
    /* Of a key that is not there: done? NULL: only many together, when nobody else is inside, by insert_many. */
    bool (*insert)(void *store, unsigned thread, uint64_t key, uint64_t value);
    bool (*insert_many)(void *store, size_t n, const uint64_t *keys, const uint64_t *values);
    /* The first n pairs from a key on, in order; how many there are. NULL: it has no order. */
    size_t (*scan)(void *store, unsigned thread, uint64_t from, size_t n, uint64_t *keys, uint64_t *values);
    uint64_t (*count)(void *store);
    uint64_t (*bytes)(void *store); /* in use for its pairs; NULL: what malloc has given out since create */
};

#ifdef __cplusplus
}
#endif
#endif
