/* cell_set.h - a set of cells, 0 .. cells-1, that knows who is next and how many there are between two.
 *
 * Bits, and above them bits that say which words are not zero, up to one word; and sums of stretches, and of stretches
 * of stretches. All of it is small enough to stay in a cache, so one thread goes through a long batch quickly.
 */
#ifndef PLEACH_TOOLS_CELL_SET_H
#define PLEACH_TOOLS_CELL_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CELL_SET_LEVELS = 5 }; /* 64^5 cells */

struct cell_set {
    size_t cells, size;
    unsigned levels;
    uint64_t *bits[CELL_SET_LEVELS];
    uint32_t *small, *large; /* present cells of each 2^12, and of each 2^18 */
};

/* False when memory is lacking. */
bool cell_set_create(struct cell_set *set, size_t cells);
void cell_set_destroy(struct cell_set *set);

bool cell_set_has(const struct cell_set *set, size_t cell);
void cell_set_insert(struct cell_set *set, size_t cell);
void cell_set_erase(struct cell_set *set, size_t cell);

/* The first present cell from this one on, which may be `cells`; `cells` if there is none. */
size_t cell_set_from(const struct cell_set *set, size_t cell);

/* The last present cell before this one; SIZE_MAX if there is none. */
size_t cell_set_before(const struct cell_set *set, size_t cell);

/* Present cells below this one, and from one on to before another. */
size_t cell_set_below(const struct cell_set *set, size_t cell);
size_t cell_set_between(const struct cell_set *set, size_t begin, size_t end);

#endif
