/* key_space.h - the keys of a round: `cells` keys in ascending order, numbered from 0. */
#ifndef PLEACH_TOOLS_KEY_SPACE_H
#define PLEACH_TOOLS_KEY_SPACE_H

#include <stddef.h>
#include <stdint.h>

enum key_layout { KEYS_SPREAD, KEYS_DENSE_LOW, KEYS_DENSE_HIGH, KEYS_CLUSTERED, KEY_LAYOUTS };

#define NO_CELL SIZE_MAX

struct key_space {
    enum key_layout layout;
    unsigned bits;
    size_t cells;
    uint64_t step; /* between neighbours, or between clusters */
};

struct key_space key_space_make(enum key_layout layout, unsigned bits, size_t cells);
uint64_t key_of(const struct key_space *keys, size_t cell);

/* Number of cells whose key is below `key`, and number of cells whose key is at most `key`. */
size_t cells_below(const struct key_space *keys, uint64_t key);
size_t cells_up_to(const struct key_space *keys, uint64_t key);

/* The cell of a key, or NO_CELL. */
size_t cell_of(const struct key_space *keys, uint64_t key);

/* A value names its key and its writer: the upper half is a hash of the key, the lower half holds the writer and a
 * serial number. value_writer returns NO_WRITER if the value does not belong to the key. */
enum { WRITERS = 64, NO_WRITER = WRITERS };
uint64_t value_make(unsigned bits, uint64_t key, unsigned writer, uint64_t serial);
unsigned value_writer(unsigned bits, uint64_t key, uint64_t value);

#endif
