#include "oracle.h"

#include <stdlib.h>

#include "tools/common/mix.h"

bool oracle_create(struct oracle *oracle, unsigned bits, size_t blocks)
{
    *oracle = (struct oracle){.bits = bits, .cells = blocks * ORACLE_BLOCK};
    const uint64_t largest = bits == 32 ? UINT32_MAX : UINT64_MAX;
    oracle->step = largest / oracle->cells + 1; /* 2^bits / cells, both powers of two */
    oracle->values = calloc(oracle->cells, sizeof oracle->values[0]);
    oracle->present = calloc(oracle->cells, 1);
    return oracle->values != NULL && oracle->present != NULL;
}

void oracle_destroy(struct oracle *oracle)
{
    free(oracle->values);
    free(oracle->present);
}

/* The last cell of a block takes the largest key of its stretch, so that the last one of all is the largest key. */
uint64_t oracle_key(const struct oracle *oracle, size_t cell)
{
    const uint64_t first = (uint64_t)cell * oracle->step;
    return cell % ORACLE_BLOCK == ORACLE_BLOCK - 1 ? first + (oracle->step - 1) : first;
}

pleach_outcome oracle_put(struct oracle *oracle, size_t cell, uint64_t value, uint64_t *old_value)
{
    const bool was_present = oracle_find(oracle, cell, old_value);
    oracle->present[cell] = 1;
    oracle->values[cell] = value;
    return was_present ? PLEACH_REPLACED : PLEACH_INSERTED;
}

pleach_outcome oracle_add(struct oracle *oracle, size_t cell, uint64_t value, uint64_t *old_value)
{
    if (oracle_find(oracle, cell, old_value)) return PLEACH_EXISTS;
    oracle->present[cell] = 1;
    oracle->values[cell] = value;
    return PLEACH_INSERTED;
}

pleach_outcome oracle_erase(struct oracle *oracle, size_t cell, uint64_t *old_value)
{
    if (!oracle_find(oracle, cell, old_value)) return PLEACH_ABSENT;
    oracle->present[cell] = 0;
    return PLEACH_ERASED;
}

bool oracle_find(const struct oracle *oracle, size_t cell, uint64_t *value)
{
    if (!oracle->present[cell]) return false;
    *value = oracle->values[cell];
    return true;
}

size_t oracle_succ(const struct oracle *oracle, size_t cell)
{
    do cell++;
    while (!oracle->present[cell]);
    return cell;
}

size_t oracle_pred(const struct oracle *oracle, size_t cell)
{
    do cell--;
    while (!oracle->present[cell]);
    return cell;
}

size_t oracle_range(const struct oracle *oracle, size_t first, size_t last, size_t limit, uint64_t *digest)
{
    size_t found = 0;
    for (size_t cell = first; cell <= last && found < limit; cell++) {
        if (!oracle->present[cell]) continue;
        *digest = oracle_digest(*digest, oracle_key(oracle, cell), oracle->values[cell]);
        found++;
    }
    return found;
}

size_t oracle_size(const struct oracle *oracle)
{
    size_t size = 0;
    for (size_t cell = 0; cell < oracle->cells; cell++) size += oracle->present[cell];
    return size;
}

uint64_t oracle_digest(uint64_t digest, uint64_t key, uint64_t value) { return mix64(mix64(digest ^ key) + value); }
