#include "cell_set.h"

#include <stdlib.h>

bool cell_set_create(struct cell_set *set, size_t cells)
{
    *set = (struct cell_set){cells, 0, calloc(cells, 1), calloc(cells + 1, sizeof(uint32_t))};
    return set->present != NULL && set->sums != NULL;
}

void cell_set_destroy(struct cell_set *set)
{
    free(set->present);
    free(set->sums);
    *set = (struct cell_set){0};
}

bool cell_set_has(const struct cell_set *set, size_t cell) { return set->present[cell]; }

static void change(struct cell_set *set, size_t cell, bool present)
{
    if (set->present[cell] == present) return;
    set->present[cell] = present;
    set->size += present ? 1 : SIZE_MAX;
    for (size_t i = cell + 1; i <= set->cells; i += i & -i) set->sums[i] += present ? 1 : UINT32_MAX;
}

void cell_set_insert(struct cell_set *set, size_t cell) { change(set, cell, true); }
void cell_set_erase(struct cell_set *set, size_t cell) { change(set, cell, false); }

size_t cell_set_below(const struct cell_set *set, size_t cell)
{
    size_t sum = 0;
    for (size_t i = cell; i > 0; i -= i & -i) sum += set->sums[i];
    return sum;
}

/* The present cell that has `rank` present cells below it; there is one. */
static size_t cell_at_rank(const struct cell_set *set, size_t rank)
{
    size_t at = 0, step = 1;
    while (step <= set->cells / 2) step *= 2;
    for (; step > 0; step /= 2)
        if (at + step <= set->cells && set->sums[at + step] <= rank) {
            at += step;
            rank -= set->sums[at];
        }
    return at;
}

size_t cell_set_from(const struct cell_set *set, size_t cell)
{
    if (cell < set->cells && set->present[cell]) return cell;
    const size_t rank = cell_set_below(set, cell);
    return rank < set->size ? cell_at_rank(set, rank) : set->cells;
}

size_t cell_set_before(const struct cell_set *set, size_t cell)
{
    if (cell > 0 && set->present[cell - 1]) return cell - 1;
    const size_t rank = cell_set_below(set, cell);
    return rank > 0 ? cell_at_rank(set, rank - 1) : SIZE_MAX;
}

size_t cell_set_between(const struct cell_set *set, size_t begin, size_t end)
{
    return begin < end ? cell_set_below(set, end) - cell_set_below(set, begin) : 0;
}
