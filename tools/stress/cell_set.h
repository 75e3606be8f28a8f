/* cell_set.h - a set of cells, 0 .. cells-1, that knows the next one and how many there are between two.
 *
 * A Fenwick tree: each operation takes as many steps as `cells` has bits. */
#ifndef PLEACH_TOOLS_CELL_SET_H
#define PLEACH_TOOLS_CELL_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cell_set {
    size_t cells, size;
    unsigned char *present;
    uint32_t *sums; /* sums[i]: present cells of i - (i & -i) .. i - 1 */
};

/* False if memory is lacking; destroy in any case. */
bool cell_set_create(struct cell_set *set, size_t cells);
void cell_set_destroy(struct cell_set *set);

bool cell_set_has(const struct cell_set *set, size_t cell);
void cell_set_insert(struct cell_set *set, size_t cell);
void cell_set_erase(struct cell_set *set, size_t cell);

/* The first present cell at or after this one, which may be `cells`; `cells` if there is none. */
size_t cell_set_from(const struct cell_set *set, size_t cell);

/* The last present cell before this one; SIZE_MAX if there is none. */
size_t cell_set_before(const struct cell_set *set, size_t cell);

/* Number of present cells below this one, and from `begin` to before `end`. */
size_t cell_set_below(const struct cell_set *set, size_t cell);
size_t cell_set_between(const struct cell_set *set, size_t begin, size_t end);

#endif
