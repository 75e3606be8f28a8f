/* hash/hash_backend.h - what a backend of hash tables provides to the API layer. Arguments have been checked, and the
 * gate is held as noted. */
#ifndef PLEACH_HASH_EXEC_H
#define PLEACH_HASH_EXEC_H

#include "../../include/pleach/hash.h"
#include "../base/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One array call. Unused members are NULL or 0. */
typedef struct hash_request {
    op_kind kind;
    size_t n;
    const void *keys;
    const void *values; /* NULL in sets */
    void *out_values;   /* updates: old values; finds: values */
    uint8_t *flags;     /* outcomes, or whether found */
} hash_request;

typedef struct hash_exec_ops {
    pleach_status (*create)(void **exec, const pleach_hash_config *config);
    void (*destroy)(void *exec);
    void (*after_fork)(void *exec); /* CPU tables only: called in the child */

    /* Gate: shared. */
    pleach_status (*run)(void *exec, const hash_request *request, pleach_stream stream);
    pleach_status (*size)(void *exec, uint64_t *size);
    pleach_status (*view)(void *exec, pleach_hash_view *view); /* NULL if not supported */
    void (*view_closed)(void *exec);                           /* once per view */

    /* Gate: exclusive. `quiesce` first waits for the work of calls that is still queued on streams. */
    pleach_status (*quiesce)(void *exec);
    pleach_status (*resize)(void *exec, uint64_t keys); /* enough buckets for `keys` and for the present keys */
    pleach_status (*export_pairs)(void *exec, size_t capacity, void *out_keys, void *out_values, size_t *n);
    pleach_status (*stats)(void *exec, pleach_hash_stats *stats);
    pleach_status (*clear)(void *exec);
    pleach_status (*validate)(void *exec, char *message, size_t message_size);
} hash_exec_ops;

extern const hash_exec_ops hash_exec_cpu;
extern const hash_exec_ops hash_exec_cuda; /* in builds with CUDA */

#ifdef __cplusplus
}
#endif
#endif
