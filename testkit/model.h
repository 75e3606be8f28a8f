/* testkit/model.h - the oracle for keys of 16 bytes: one row for each key that may ever be put, in order; and maps of such
 * keys. */
#ifndef PLEACH_TESTS_MODEL_H
#define PLEACH_TESTS_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include <pleach/batch.h>

#include "harness.h"
#include "random.h"

__extension__ typedef unsigned __int128 number;

#define NUMBER(high, low) ((number)(high) << 64 | (uint64_t)(low))
#define NUMBER_MAX (~(number)0)

/* Which keys there are. */
typedef enum universe {
    ONLY_LOW_DIFFERS,  /* one high half, random low halves */
    ONLY_HIGH_DIFFERS, /* the other way round */
    ROUND_THE_EDGES,   /* beside 0, 2^63, 2^64 and the like, and the largest */
    SMALL_HALVES,      /* small numbers in both: a table's key and a row's number */
    ANYWHERE,
    UNIVERSES
} universe;

typedef struct model {
    size_t rows, size;
    number *keys; /* ascending, each once */
    number *values;
    uint8_t *present;
} model;

/* At most n rows. Ends the program if there is no memory. */
model *model_create(universe which, size_t n, rng *r);
void model_destroy(model *m);
static inline void end_model(model **m) { model_destroy(*m); } /* for AT_END */

number random_number(rng *r);

/* The key must be in the universe; *old is written as the map's old_values are. `kind` is put, add or erase. */
pleach_outcome model_update(model *m, pleach_operation kind, number key, number value, number *old);
bool model_find(const model *m, number key, number *value);
bool model_succ(const model *m, number key, number *out_key, number *out_value);
bool model_pred(const model *m, number key, number *out_key, number *out_value);
size_t model_range(const model *m, number lo, number hi, size_t limit, number *out_keys, number *out_values);

/* An empty map of the setting; max_bytes as in pleach_map_config. */
pleach_map *model_map_open(const setting *where, uint64_t max_bytes);

void model_map_close(pleach_map *map); /* validates first */
static inline void end_model_map(pleach_map **map) { model_map_close(*map); }

#endif
