/* level/request.h - an array call and the result of a single operation, as the public functions of the ordered map hand
 * them to backends, CPU loops and kernels. */
#ifndef PLEACH_REQUEST_H
#define PLEACH_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "../base/key128.h"
#include "../base/op.h"

/* One array call. Unused members are NULL or 0. */
typedef struct request {
    op_kind kind;            /* RANGE: up to `limit` pairs each, at i * limit; or, packed, as many as fit into
                              * offsets[i] .. offsets[i + 1] - 1, while all (or up to `limit`) are counted */
    bool may_redirect;       /* updates: if a batch turns out to be faster, run may do nothing */
    bool *redirected;        /* and set this */
    const uint64_t *at;      /* queries: the timestamp of a snapshot, in the map's memory; NULL: the present */
    void *after;             /* with at: an event to wait for before `at` is read, or NULL */
    uint32_t limit;          /* RANGE: pairs per query; COUNT: stop counting there, 0: no limit */
    size_t n;
    const void *keys;        /* RANGE, COUNT: the low ends */
    const void *values;      /* RANGE, COUNT: the high ends */
    void *out_keys;
    void *out_values;        /* updates: old values */
    uint8_t *flags;          /* outcomes, or found */
    uint32_t *counts;        /* RANGE: pairs found */
    uint64_t *long_counts;   /* COUNT; RANGE with offsets */
    const uint64_t *offsets; /* RANGE, packed output */
    void *notes;             /* RANGE, COUNT on a GPU: where kernels record long queries (long_notes), or NULL */
} request;

/* The result of a single operation: an outcome or found, the key of a query, the value found or the old one. */
typedef struct single_result {
    uint8_t flag;
    key128 key, value;
} single_result;

#endif
