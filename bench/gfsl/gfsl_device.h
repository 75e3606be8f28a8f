/* gfsl_device.h - the kernels of pleach-bench gfsl: an array of operations of all kinds, each by one thread. */
#ifndef PLEACH_BENCH_GFSL_DEVICE_H
#define PLEACH_BENCH_GFSL_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "lockfree.h"
#include "pleach/pleach.h"
#include "pleach/skiplist.h"

#ifdef __cplusplus
extern "C" {
#endif

enum gfsl_kind { GFSL_CONTAINS, GFSL_INSERT, GFSL_DELETE };

/* NOT_APPLIED: no memory for it. NO_ANSWER: what answers are filled with before. */
enum gfsl_answer { GFSL_NO, GFSL_YES, GFSL_NOT_APPLIED, GFSL_NO_ANSWER = 0xff };

PORT_FN uint8_t gfsl_answer_of(pleach_outcome outcome)
{
    if (outcome == PLEACH_NOT_APPLIED) return GFSL_NOT_APPLIED;
    return outcome == PLEACH_INSERTED || outcome == PLEACH_ERASED ? GFSL_YES : GFSL_NO;
}

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
pleach_status gfsl_run_chunk16(pleach_skiplist_view view, const struct gfsl_work *work, pleach_stream stream);
pleach_status gfsl_run_chunk32(pleach_skiplist_view view, const struct gfsl_work *work, pleach_stream stream);

#ifdef __cplusplus
}
#endif
#endif
