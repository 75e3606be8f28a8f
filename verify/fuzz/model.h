/* model.h - the ordered map as it should be: a sorted array. Slow and obvious. */
#ifndef PLEACH_FUZZ_MODEL_H
#define PLEACH_FUZZ_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct model_pair {
    uint64_t key, value;
} model_pair;

typedef struct model {
    size_t n, capacity;
    model_pair *pairs; /* ascending, each key once */
} model;

/* The index of the first pair whose key is at least this one. */
size_t model_rank(const model *m, uint64_t key);

/* The key's pair, or NULL. */
model_pair *model_find(const model *m, uint64_t key);

/* Insert or assign. */
void model_set(model *m, uint64_t key, uint64_t value);

/* Erases the key if it is there. */
void model_remove(model *m, uint64_t key);

void model_clear(model *m);
void model_free(model *m);

/* The nearest pair above, or below, strictly; NULL if there is none. */
const model_pair *model_above(const model *m, uint64_t key);
const model_pair *model_below(const model *m, uint64_t key);

/* How many keys the closed interval has, at most `limit` (0: any number); *first is the index of the first one. */
size_t model_range(const model *m, uint64_t lo, uint64_t hi, uint64_t limit, size_t *first);

#endif
