/* map/map_backend.h - the interface between the public functions of the ordered map and its backends. The CPU backend
 * and the GPU backend are two tables of these functions. Callers have checked the arguments and hold the gate as
 * noted. */
#ifndef PLEACH_MAP_EXEC_H
#define PLEACH_MAP_EXEC_H

#include <stddef.h>
#include <stdint.h>

#include "../../include/pleach/batch.h"
#include "../level/map_ref.h"
#include "../level/request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a backend stores for one live snapshot. */
typedef struct snapshot_place {
    uint64_t timestamp; /* CPU maps only */
    const uint64_t *at; /* the value of request.at for its queries */
    void *taken;        /* GPU maps, if it was taken on a stream: the event after which `at` can be read */
} snapshot_place;

typedef struct exec_ops {
    pleach_status (*create)(void **exec, const pleach_map_config *config);
    void (*destroy)(void *exec);
    void (*after_fork)(void *exec); /* CPU maps: called in the child */

    /* Gate: shared. */
    pleach_status (*run)(void *exec, const request *request, pleach_stream stream);
    /* Runs one operation on the present contents by itself; not RANGE or COUNT. */
    pleach_status (*run_one)(void *exec, op_kind kind, key128 key, key128 value, single_result *result);
    /* Returns whether the updates are expected to be faster as a batch. May set r->may_redirect instead. */
    bool (*should_batch)(void *exec, request *request);
    pleach_status (*range_packed)(void *exec, const request *request, size_t capacity, uint64_t *offsets,
                                  size_t *total);
    pleach_status (*reserve)(void *exec, uint64_t keys);
    pleach_status (*size)(void *exec, uint64_t *size);
    pleach_status (*take)(void *exec, snapshot_place *place, pleach_stream stream);
    pleach_status (*release)(void *exec, snapshot_place *place); /* OK unless the device cannot be reached */
    pleach_status (*view)(void *exec, map_ref *ref); /* NULL: the map has no views */
    void (*view_closed)(void *exec);                          /* called once for each view */

    /* Gate: exclusive. `quiesce` first waits for work that calls have queued on streams. */
    pleach_status (*quiesce)(void *exec);
    pleach_status (*apply)(void *exec, pleach_batch *batch); /* n > 0 */
    pleach_status (*update)(void *exec, const request *request); /* as run; on an error nothing was done */
    pleach_status (*load)(void *exec, size_t n, const void *keys, const void *values, double fill);
    /* Replaces the contents, like clear followed by load of strictly ascending keys. On failure the contents are
     * unchanged. */
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
