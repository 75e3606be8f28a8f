/* oracle.h - a map so simple that it is plainly right: a table with one cell for every key that may be used.
 *
 * The cells stand in the order of their keys, which are spread over the whole key range, the smallest and the largest
 * key included. Cells come in blocks of ORACLE_BLOCK neighbours. Different threads may work on different blocks at
 * the same time, as long as each asks for nothing outside its own blocks.
 */
#ifndef PLEACH_TOOLS_ORACLE_H
#define PLEACH_TOOLS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pleach/pleach.h"

enum { ORACLE_BLOCK = 64 };

struct oracle {
    unsigned bits;
    size_t cells;
    uint64_t step; /* between the keys of neighbours */
    uint64_t *values;
    unsigned char *present;
};

/* blocks is a power of two, at most 2^20. False when memory is lacking. */
bool oracle_create(struct oracle *oracle, unsigned bits, size_t blocks);
void oracle_destroy(struct oracle *oracle);

uint64_t oracle_key(const struct oracle *oracle, size_t cell);

/* As the map's calls of the same names. */
pleach_outcome oracle_put(struct oracle *oracle, size_t cell, uint64_t value, uint64_t *old_value);
pleach_outcome oracle_add(struct oracle *oracle, size_t cell, uint64_t value, uint64_t *old_value);
pleach_outcome oracle_erase(struct oracle *oracle, size_t cell, uint64_t *old_value);
bool oracle_find(const struct oracle *oracle, size_t cell, uint64_t *value);

/* The next present cell above or below; there must be one. */
size_t oracle_succ(const struct oracle *oracle, size_t cell);
size_t oracle_pred(const struct oracle *oracle, size_t cell);

/* How many cells from `first` to `last` are present, at most limit; their pairs are folded into *digest. */
size_t oracle_range(const struct oracle *oracle, size_t first, size_t last, size_t limit, uint64_t *digest);

size_t oracle_size(const struct oracle *oracle);

/* Folds one more pair of a range into a digest, which starts at 0. */
uint64_t oracle_digest(uint64_t digest, uint64_t key, uint64_t value);

#endif
