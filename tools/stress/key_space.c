#include "key_space.h"

#include "tools/common/mix.h"
#include "tools/common/words.h"

enum { CLUSTER = 32, WRITER_BITS = 6 };

struct key_space key_space_make(enum key_layout layout, unsigned bits, size_t cells)
{
    const size_t steps = layout == KEYS_CLUSTERED ? (cells + CLUSTER - 1) / CLUSTER : cells;
    return (struct key_space){.layout = layout, .bits = bits, .cells = cells, .step = word_max(bits) / steps};
}

uint64_t key_of(const struct key_space *keys, size_t cell)
{
    const uint64_t largest = word_max(keys->bits);
    switch (keys->layout) {
    case KEYS_DENSE_LOW: return cell;
    case KEYS_DENSE_HIGH: return largest - (keys->cells - 1) + cell;
    case KEYS_CLUSTERED: return cell / CLUSTER * keys->step + cell % CLUSTER;
    case KEYS_SPREAD:
    case KEY_LAYOUTS: break;
    }
    return cell == keys->cells - 1 ? largest : cell * keys->step;
}

static uint64_t rank_of(const struct key_space *keys, uint64_t key)
{
    const uint64_t lowest = word_max(keys->bits) - (keys->cells - 1), in_cluster = key % keys->step;
    switch (keys->layout) {
    case KEYS_DENSE_LOW: return key;
    case KEYS_DENSE_HIGH: return key > lowest ? key - lowest : 0;
    case KEYS_CLUSTERED: return key / keys->step * CLUSTER + (in_cluster < CLUSTER ? in_cluster : CLUSTER);
    case KEYS_SPREAD:
    case KEY_LAYOUTS: break;
    }
    const uint64_t rank = key / keys->step + (in_cluster != 0);
    return rank < keys->cells ? rank : keys->cells - 1; /* the last cell has the largest key */
}

size_t cells_below(const struct key_space *keys, uint64_t key)
{
    const uint64_t rank = rank_of(keys, key);
    return rank < keys->cells ? (size_t)rank : keys->cells;
}

size_t cells_up_to(const struct key_space *keys, uint64_t key)
{
    return key == word_max(keys->bits) ? keys->cells : cells_below(keys, key + 1);
}

size_t cell_of(const struct key_space *keys, uint64_t key)
{
    const size_t cell = cells_below(keys, key);
    return cell < keys->cells && key_of(keys, cell) == key ? cell : NO_CELL;
}

uint64_t value_make(unsigned bits, uint64_t key, unsigned writer, uint64_t serial)
{
    const unsigned half = bits / 2, serial_bits = half - WRITER_BITS;
    const uint64_t low = ((uint64_t)writer << serial_bits) | (serial & (((uint64_t)1 << serial_bits) - 1));
    return (mix_key(bits, key) >> half << half) | low;
}

unsigned value_writer(unsigned bits, uint64_t key, uint64_t value)
{
    const unsigned half = bits / 2, serial_bits = half - WRITER_BITS;
    if (mix_key(bits, key) >> half != value >> half) return NO_WRITER;
    return (unsigned)(value >> serial_bits) & (WRITERS - 1);
}
