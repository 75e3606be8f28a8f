/* batch/batch_function.h - what operations do to one key, as functions that can be composed.
 *
 * A key is present with some value, or absent. Each operation on it is a function of that state:
 *
 *     find, contains      same       the state does not change
 *     put v               set v      present with v
 *     add v               fill v     present with v if the key was absent, otherwise unchanged
 *     erase               gone       absent
 *
 * The composition of two of them is again one of the four, and composition is associative. So the operations of one key
 * are combined by a scan, in any grouping, by any number of workers: a million operations on one key cost as much as
 * operations on a million keys. A function is one word: its kind, and the position in the batch of the operation whose
 * value it sets.
 */
#ifndef PLEACH_BATCH_FUNCTION_H
#define PLEACH_BATCH_FUNCTION_H

#include "batch_sizes.h"

typedef enum batch_effect { BATCH_SAME, BATCH_FILL, BATCH_SET, BATCH_GONE } batch_effect;
enum { BATCH_PLACE_BITS = 30 };
#define BATCH_MOST_OPERATIONS ((uint32_t)1 << BATCH_PLACE_BITS)

PORT_FN uint32_t batch_function(uint32_t kind, uint32_t place) { return kind << BATCH_PLACE_BITS | place; }
PORT_FN uint32_t batch_function_kind(uint32_t f) { return f >> BATCH_PLACE_BITS; }
PORT_FN uint32_t batch_function_place(uint32_t f) { return f & (BATCH_MOST_OPERATIONS - 1); }

/* Returns the function of an operation at a position. The kinds of updates are those of batch_sizes.h. */
PORT_FN uint32_t batch_function_of(uint32_t operation, uint32_t place)
{
    uint32_t kind = BATCH_SAME;
    if (operation == OP_PUT) kind = BATCH_SET;
    if (operation == OP_ADD) kind = BATCH_FILL;
    if (operation == OP_ERASE) kind = BATCH_GONE;
    return batch_function(kind, place);
}

/* Returns the composition: `first` is applied before the other. */
PORT_FN uint32_t batch_compose(uint32_t first, uint32_t second)
{
    uint32_t before = batch_function_kind(first), after = batch_function_kind(second);
    if (after == BATCH_SAME) return first;
    if (after != BATCH_FILL || before == BATCH_SAME) return second;
    return before == BATCH_GONE ? batch_function(BATCH_SET, batch_function_place(second)) : first;
}

/* The element of the scan over the operations in key order: the composition of all functions from the first operation
 * on the same key up to this one, and the number of distinct keys up to this one. */
typedef struct batch_link { uint32_t function, keys; } batch_link;

PORT_FN batch_link batch_link_join(batch_link a, batch_link b)
{
    batch_link both;
    both.function = b.keys ? b.function : batch_compose(a.function, b.function);
    both.keys = a.keys + b.keys;
    return both;
}

#endif
