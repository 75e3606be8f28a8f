/* pool/pool_runs_check.h - checks that each node of a quiescent pool of runs is in one place (P1). Host only. */
#ifndef PLEACH_POOL_RUNS_CHECK_H
#define PLEACH_POOL_RUNS_CHECK_H

#include <inttypes.h>
#include <stdio.h>

#include "pool_runs.h"

/* Returns the end of the ids that have been handed out; 0 never is. */
PORT_FN uint64_t pool_ids(const pool_state *pool)
{
    return pool->next < pool->capacity ? pool->next : pool->capacity;
}

/* Records these ids in `seen`, one bit per id. Returns false if one of them was recorded before or does not exist. */
PORT_FN bool pool_mark_run(const pool_state *pool, uint64_t *seen, uint64_t id, uint64_t count)
{
    for (uint64_t i = id; i < id + count; i++) {
        if (i == 0 || i >= pool_ids(pool) || seen[i / 64] >> i % 64 & 1) return false;
        seen[i / 64] |= (uint64_t)1 << i % 64;
    }
    return true;
}

PORT_FN bool pool_check_list(pool_runs_place p, uint64_t head, unsigned log, uint64_t *seen, char *message, size_t size)
{
    for (uint64_t id = head & UINT32_MAX; id; id = *pool_run_link(p, (uint32_t)id))
        if (!pool_mark_run(p.pool, seen, id, (uint64_t)1 << log))
            return snprintf(message, size, "P1: free slab %" PRIu64 " is in two places", id), false;
    return true;
}

/* Call after recording what is in use: each other id must be in one free list. Reports the first that is not. */
PORT_FN bool pool_check_runs(pool_runs_place p, uint64_t *seen, char *message, size_t size)
{
    for (unsigned i = 0; i < POOL_SINGLE_STRIPES; i++)
        if (!pool_check_list(p, p.runs->single[i].head, 0, seen, message, size)) return false;
    for (unsigned log = 1; log < POOL_RUN_LOGS; log++)
        if (!pool_check_list(p, p.runs->longer[log].head, log, seen, message, size)) return false;
    uint64_t row = p.runs->row, end = row >> 32, next = row & UINT32_MAX;
    if (next < end && !pool_mark_run(p.pool, seen, next, end - next))
        return snprintf(message, size, "P1: slab %" PRIu64 " of the row is in two places", next), false;
    for (uint64_t id = 1; id < pool_ids(p.pool); id++)
        if (!(seen[id / 64] >> id % 64 & 1))
            return snprintf(message, size, "P1: slab %" PRIu64 " is nowhere", id), false;
    return true;
}

#endif
