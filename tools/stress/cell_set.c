#include "cell_set.h"

#include <stdlib.h>

enum { SMALL_SHIFT = 12, LARGE_SHIFT = 18 };

static size_t pieces(size_t n, unsigned shift) { return ((n - 1) >> shift) + 1; }

/* The top word has a bit to the right of all: cell_set_before may begin at the end, `cells`. */
bool cell_set_create(struct cell_set *set, size_t cells)
{
    *set = (struct cell_set){.cells = cells};
    size_t words = cells, end = cells;
    do {
        words = pieces(words, 6);
        end >>= 6;
        set->bits[set->levels] = calloc(words, sizeof(uint64_t));
        if (set->bits[set->levels++] == NULL) return false;
    } while (end > 0 && set->levels < CELL_SET_LEVELS);
    set->small = calloc(pieces(cells, SMALL_SHIFT), sizeof set->small[0]);
    set->large = calloc(pieces(cells, LARGE_SHIFT), sizeof set->large[0]);
    return end == 0 && set->small != NULL && set->large != NULL;
}

void cell_set_destroy(struct cell_set *set)
{
    for (unsigned level = 0; level < set->levels; level++) free(set->bits[level]);
    free(set->small);
    free(set->large);
    *set = (struct cell_set){0};
}

bool cell_set_has(const struct cell_set *set, size_t cell) { return set->bits[0][cell >> 6] >> (cell & 63) & 1; }

static void add(struct cell_set *set, size_t cell, int change)
{
    set->size += (size_t)change;
    set->small[cell >> SMALL_SHIFT] += (uint32_t)change;
    set->large[cell >> LARGE_SHIFT] += (uint32_t)change;
}

void cell_set_insert(struct cell_set *set, size_t cell)
{
    if (cell_set_has(set, cell)) return;
    add(set, cell, 1);
    for (unsigned level = 0; level < set->levels; level++, cell >>= 6)
        set->bits[level][cell >> 6] |= (uint64_t)1 << (cell & 63);
}

void cell_set_erase(struct cell_set *set, size_t cell)
{
    if (!cell_set_has(set, cell)) return;
    add(set, cell, -1);
    for (unsigned level = 0; level < set->levels; level++, cell >>= 6)
        if ((set->bits[level][cell >> 6] &= ~((uint64_t)1 << (cell & 63))) != 0) break;
}

/* Up while words have nothing on that side, then down along it. */
size_t cell_set_from(const struct cell_set *set, size_t cell)
{
    size_t words = set->cells;
    for (unsigned level = 0; level < set->levels; level++) {
        const size_t word = cell >> 6;
        words = pieces(words, 6);
        if (word >= words) return set->cells;
        const uint64_t rest = set->bits[level][word] >> (cell & 63) << (cell & 63);
        if (rest != 0) {
            cell = word << 6 | (size_t)__builtin_ctzll(rest);
            while (level-- > 0) cell = cell << 6 | (size_t)__builtin_ctzll(set->bits[level][cell]);
            return cell;
        }
        cell = word + 1;
    }
    return set->cells;
}

static size_t highest(uint64_t word) { return 63 - (size_t)__builtin_clzll(word); }

size_t cell_set_before(const struct cell_set *set, size_t cell)
{
    for (unsigned level = 0; level < set->levels; level++) {
        const size_t word = cell >> 6;
        const uint64_t rest = (cell & 63) == 0 ? 0 : set->bits[level][word] << (64 - (cell & 63)) >> (64 - (cell & 63));
        if (rest != 0) {
            cell = word << 6 | highest(rest);
            while (level-- > 0) cell = cell << 6 | highest(set->bits[level][cell]);
            return cell;
        }
        cell = word;
    }
    return SIZE_MAX;
}

/* Bits of the words from one on to before `cell`. */
static size_t bits_from(const struct cell_set *set, size_t word, size_t cell)
{
    size_t sum = 0;
    for (; word < cell >> 6; word++) sum += (size_t)__builtin_popcountll(set->bits[0][word]);
    if ((cell & 63) != 0) sum += (size_t)__builtin_popcountll(set->bits[0][word] << (64 - (cell & 63)));
    return sum;
}

size_t cell_set_below(const struct cell_set *set, size_t cell)
{
    size_t sum = 0, large = cell >> LARGE_SHIFT, small = cell >> SMALL_SHIFT;
    for (size_t i = 0; i < large; i++) sum += set->large[i];
    for (size_t i = large << (LARGE_SHIFT - SMALL_SHIFT); i < small; i++) sum += set->small[i];
    return sum + bits_from(set, small << (SMALL_SHIFT - 6), cell);
}

size_t cell_set_between(const struct cell_set *set, size_t begin, size_t end)
{
    if (begin >= end) return 0;
    if (end - begin > (size_t)1 << SMALL_SHIFT) return cell_set_below(set, end) - cell_set_below(set, begin);
    const size_t word = begin >> 6;
    return bits_from(set, word, end) - bits_from(set, word, begin);
}
