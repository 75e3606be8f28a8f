/* oracle.h - a map so simple that it is plainly right: a table with one entry per cell of a key space.
 *
 * Clients update their own cells concurrently: each cell has bytes of its own. */
#ifndef PLEACH_TOOLS_ORACLE_H
#define PLEACH_TOOLS_ORACLE_H

#include <stdbool.h>
#include <stdlib.h>

#include "pleach/pleach.h"

struct oracle {
    size_t cells;
    uint64_t *values;
    unsigned char *present;
};

/* False if memory is lacking; destroy in any case. */
static inline bool oracle_create(struct oracle *oracle, size_t cells)
{
    *oracle = (struct oracle){cells, calloc(cells, sizeof(uint64_t)), calloc(cells, 1)};
    return oracle->values != NULL && oracle->present != NULL;
}

static inline void oracle_destroy(struct oracle *oracle)
{
    free(oracle->values);
    free(oracle->present);
    *oracle = (struct oracle){0};
}

static inline bool oracle_find(const struct oracle *oracle, size_t cell, uint64_t *value)
{
    if (oracle->present[cell]) *value = oracle->values[cell];
    return oracle->present[cell];
}

/* Applies a put, add or erase, and returns its outcome. *old is set if the outcome reports an old value. */
static inline pleach_outcome oracle_update(struct oracle *oracle, unsigned op, size_t cell, uint64_t value,
                                           uint64_t *old)
{
    const bool was_present = oracle_find(oracle, cell, old);
    if (op == PLEACH_OP_ADD && was_present) return PLEACH_EXISTS;
    if (op == PLEACH_OP_ERASE && !was_present) return PLEACH_ABSENT;
    oracle->present[cell] = op != PLEACH_OP_ERASE;
    oracle->values[cell] = value;
    return op == PLEACH_OP_ERASE ? PLEACH_ERASED : was_present ? PLEACH_REPLACED : PLEACH_INSERTED;
}

static inline bool outcome_has_old(unsigned outcome)
{
    return outcome == PLEACH_REPLACED || outcome == PLEACH_EXISTS || outcome == PLEACH_ERASED;
}

static inline size_t oracle_size(const struct oracle *oracle)
{
    size_t size = 0;
    for (size_t cell = 0; cell < oracle->cells; cell++) size += oracle->present[cell];
    return size;
}

#endif
