/* map/map_backend.h - what an executor of the ordered map offers to the api layer: the CPU's and the GPU's are two tables
 * of these functions. Arguments have been checked and the gate is held as noted. */
#ifndef PLEACH_MAP_EXEC_H
#define PLEACH_MAP_EXEC_H

#include <stddef.h>
#include <stdint.h>

#include "../../include/pleach/batch.h"
#include "../base/key128.h"
#include "../base/op.h"
#include "../version/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One array call. Unused members are NULL or 0. */
typedef struct request {
    op_kind kind;
    bool may_redirect;       /* updates: if a batch turns out to be faster, */
    bool *redirected;        /* run may set this, having done nothing */
    const uint64_t *at;      /* queries: the timestamp of a snapshot, in the map's memory; NULL: the newest */
    void *after;             /* with at: an event to wait for first, or NULL */
    uint32_t limit;          /* RANGE: pairs per query; COUNT: count no further, 0: no limit */
    size_t n;
    const void *keys;        /* RANGE, COUNT: the low ends */
    const void *values;      /* RANGE, COUNT: the high ends */
    void *out_keys;
    void *out_values;        /* updates: old values */
    uint8_t *flags;          /* outcomes, or found */
    uint32_t *counts;        /* RANGE: pairs found */
    uint64_t *long_counts;   /* COUNT; RANGE with offsets */
    const uint64_t *offsets; /* RANGE, packed output */
    void *notes;             /* RANGE, COUNT on a GPU: where long queries are noted (long_notes), or NULL */
} request;

/* The result of a single operation: an outcome, or found; a query's key; a value found, or the old one. */
typedef struct single_result {
    uint8_t flag;
    key128 key, value;
} single_result;

/* What an executor knows of one live snapshot. */
typedef struct snapshot_place {
    uint64_t timestamp; /* of a CPU map's */
    const uint64_t *at; /* what request.at is for its queries */
    void *taken;        /* a GPU map's that was taken on a stream: the event after which `at` can be read */
} snapshot_place;

/* A map as kernels of users get at it. */
typedef struct map_view {
    void *tree, *nodes;
    versions versions; /* of a map that has them; of a skiplist its epoch */
    uint64_t raise;    /* of a skiplist */
} map_view;

typedef struct exec_ops {
    pleach_status (*create)(void **exec, const pleach_map_config *config);
    void (*destroy)(void *exec);
    void (*after_fork)(void *exec); /* of CPU maps: in the child */

    /* Gate: shared. */
    pleach_status (*run)(void *exec, const request *request, pleach_stream stream);
    /* One operation on the newest contents that is no range. */
    pleach_status (*run_one)(void *exec, op_kind kind, key128 key, key128 value, single_result *result);
    /* Are updates faster as a batch? The rule may set r->may_redirect. */
    bool (*should_batch)(void *exec, request *request);
    pleach_status (*range_packed)(void *exec, const request *request, size_t capacity, uint64_t *offsets,
                                  size_t *total);
    pleach_status (*reserve)(void *exec, uint64_t keys);
    pleach_status (*size)(void *exec, uint64_t *size);
    pleach_status (*take)(void *exec, snapshot_place *place, pleach_stream stream);
    pleach_status (*release)(void *exec, snapshot_place *place); /* OK but for a device that cannot be reached */
    pleach_status (*view)(void *exec, map_view *view); /* NULL: has no views */
    void (*view_closed)(void *exec);                          /* once for each view */

    /* Gate: exclusive. `quiesce` first waits for work that calls have left on streams. */
    pleach_status (*quiesce)(void *exec);
    pleach_status (*apply)(void *exec, pleach_batch *batch); /* n > 0 */
    pleach_status (*update)(void *exec, const request *request); /* the same as run, or an error and nothing is done */
    pleach_status (*load)(void *exec, size_t n, const void *keys, const void *values, double fill);
    /* As clear and load in one, of keys that ascend strictly; on failure the contents are as they were. */
    pleach_status (*replace)(void *exec, size_t n, const void *keys, const void *values, double fill);
    pleach_status (*export_pairs)(void *exec, size_t capacity, void *out_keys, void *out_values, size_t *n);
    pleach_status (*stats)(void *exec, pleach_map_stats *stats);
    pleach_status (*compact)(void *exec, double fill);
    pleach_status (*clear)(void *exec);
    pleach_status (*validate)(void *exec, char *message, size_t message_size);
} exec_ops;

extern const exec_ops exec_cpu;
extern const exec_ops exec_cuda; /* in builds with CUDA */

#ifdef __cplusplus
}
#endif
#endif
