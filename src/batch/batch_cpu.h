/* batch/batch_cpu.h - a batch on CPU threads, compiled once per key width and instruction set (batch_cpu.c). */
#ifndef PLEACH_BATCH_RUN_H
#define PLEACH_BATCH_RUN_H

#include <stdatomic.h>

#include "../../include/pleach/batch.h"
#include "batch_sizes.h"
#include "../blink/blink_cpu.h"
#include "../sync/workers.h"

/* What one worker publishes to the others. Initially zero. */
typedef struct batch_part {
    _Alignas(64) uint64_t words[4];
    uint64_t passed;     /* growth in pairs, modulo 2^64, of leaves that batch_fused.h has changed */
    uint64_t steps;      /* batch_live_team.h */
    uint32_t mail_begin; /* batch_exchange.h */
} batch_part;

/* How often a worker has told higher-numbered workers that its words are ready. Initially zero. */
typedef struct batch_tidings { _Alignas(64) atomic_uint told; } batch_tidings;

enum { BATCH_DIGIT_BITS = 8, BATCH_DIGITS = 1 << BATCH_DIGIT_BITS };    /* batch_sort.h */
enum { BATCH_RANGE_BITS = 11, BATCH_RANGES = 1 << BATCH_RANGE_BITS }; /* batch_ranges.h */

/* Words of a row of batch_exchange.h: one per box, rounded up to whole cache lines. */
static inline size_t batch_result_row(size_t boxes) { return (boxes + 15) / 16 * 16; }

typedef struct batch_job {
    map_ref map;
    batch_request request;
    uint64_t used_ids;  /* node ids in use */
    bool keeps;         /* a snapshot is live */
    size_t capacity;    /* of the arrays for pairs */
    uint64_t *offsets;  /* output; NULL: ranges only count */
    char *scratch;      /* batch_scratch_bytes of memory */
    batch_part *parts;  /* one per worker */
    batch_tidings *tidings; /* one per worker */
    uint32_t *digits;   /* BATCH_RANGES per worker */
    uint32_t *mail;     /* batch_exchange.h: one row per worker */
    uint32_t boxes;     /* per worker */
    batch_sizes sizes;
    uint64_t total;     /* pairs of all ranges */
    pleach_batch_times *times; /* or NULL */
    pleach_status status;
} batch_job;

typedef struct batch_run_ops {
    size_t (*scratch_bytes)(uint32_t n, uint64_t used_ids);
    team_fn *work; /* of a batch_job */
} batch_run_ops;

extern const batch_run_ops batch_run_32_plain, batch_run_64_plain, batch_run_128_plain;
extern const batch_run_ops batch_run_32_avx2, batch_run_64_avx2;
extern const batch_run_ops batch_run_32_avx512, batch_run_64_avx512;

#endif
