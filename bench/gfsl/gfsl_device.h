/* gfsl_device.h - the kernels of pleach-bench gfsl: an array of operations of all kinds, each by one thread. */
#ifndef PLEACH_BENCH_GFSL_DEVICE_H
#define PLEACH_BENCH_GFSL_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "pleach/pleach.h"

#include "lockfree.h"

#if __has_include(<pleach/skiplist.h>) && __has_include(<pleach/skiplist_device.cuh>)
#include <pleach/skiplist.h>
typedef pleach_skiplist_view gfsl_skiplist_view;
#define gfsl_skiplist_open pleach_skiplist_view_open
#define gfsl_skiplist_close pleach_skiplist_view_close
#else /* skiplists have no calls from kernels yet */
typedef struct gfsl_skiplist_view {
    uint32_t key_bits, chunk;
} gfsl_skiplist_view;
static inline pleach_status gfsl_skiplist_open(pleach_map *map, gfsl_skiplist_view *view)
{
    (void)map, (void)view;
    return PLEACH_E_ARGUMENT;
}
static inline pleach_status gfsl_skiplist_close(pleach_map *map, gfsl_skiplist_view *view)
{
    (void)map, (void)view;
    return PLEACH_E_ARGUMENT;
}
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum gfsl_kind { GFSL_CONTAINS, GFSL_INSERT, GFSL_DELETE };

/* NOT_APPLIED: no memory for it. NO_ANSWER: what answers are filled with before. */
enum gfsl_answer { GFSL_NO, GFSL_YES, GFSL_NOT_APPLIED, GFSL_NO_ANSWER = 0xff };

/* Pointers are into the memory of the device that has the structure. A key's value is the key. */
struct gfsl_work {
    size_t n;
    const uint8_t *kinds;
    const void *keys;
    const uint64_t *places; /* lockfree: the nodes that inserts bring along */
    uint8_t *answers;
    uint32_t bits;
    uint32_t block;         /* threads */
    uint32_t stay;          /* operations of a thread between entering a skiplist and leaving it */
    uint32_t blocks_per_sm; /* 0: as many blocks as there are stays; else so many, which take turns */
};

pleach_status gfsl_run_map(pleach_map_view view, const struct gfsl_work *work, pleach_stream stream);
pleach_status gfsl_run_lockfree(lockfree_list list, const struct gfsl_work *work, pleach_stream stream);
pleach_status gfsl_run_chunk16(gfsl_skiplist_view view, const struct gfsl_work *work, pleach_stream stream);
pleach_status gfsl_run_chunk32(gfsl_skiplist_view view, const struct gfsl_work *work, pleach_stream stream);

#ifdef __cplusplus
}
#endif
#endif
