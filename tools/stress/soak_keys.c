#include "soak.h"
#include "tools/common/words.h"

enum { CLUSTER = 32, WRITER_BITS = 6 };

struct soak_keys soak_keys_make(enum soak_layout layout, unsigned bits, size_t cells)
{
    const size_t steps = layout == SOAK_CLUSTERED ? (cells + CLUSTER - 1) / CLUSTER : cells;
    return (struct soak_keys){.layout = layout, .bits = bits, .cells = cells, .step = word_max(bits) / steps};
}

uint64_t soak_key(const struct soak_keys *keys, size_t cell)
{
    const uint64_t largest = word_max(keys->bits);
    switch (keys->layout) {
    case SOAK_DENSE_LOW: return cell;
    case SOAK_DENSE_HIGH: return largest - (keys->cells - 1) + cell;
    case SOAK_CLUSTERED: return cell / CLUSTER * keys->step + cell % CLUSTER;
    case SOAK_SPREAD:
    case SOAK_LAYOUTS: break;
    }
    return cell == keys->cells - 1 ? largest : cell * keys->step;
}

static size_t nearest_cell(const struct soak_keys *keys, uint64_t key)
{
    const uint64_t largest = word_max(keys->bits);
    switch (keys->layout) {
    case SOAK_DENSE_LOW: return (size_t)key;
    case SOAK_DENSE_HIGH: return (size_t)(key - (largest - (keys->cells - 1)));
    case SOAK_CLUSTERED: return (size_t)(key / keys->step * CLUSTER + key % keys->step);
    case SOAK_SPREAD:
    case SOAK_LAYOUTS: break;
    }
    return key == largest ? keys->cells - 1 : (size_t)(key / keys->step);
}

size_t soak_cell(const struct soak_keys *keys, uint64_t key)
{
    const size_t cell = nearest_cell(keys, key);
    return cell < keys->cells && soak_key(keys, cell) == key ? cell : SOAK_NO_CELL;
}

uint64_t soak_value(unsigned bits, uint64_t key, unsigned writer, uint64_t serial)
{
    const unsigned half = bits / 2, serial_bits = half - WRITER_BITS;
    const uint64_t low = ((uint64_t)writer << serial_bits) | (serial & (((uint64_t)1 << serial_bits) - 1));
    return (mix_key(bits, key) >> half << half) | low;
}

unsigned soak_writer(unsigned bits, uint64_t key, uint64_t value)
{
    const unsigned half = bits / 2, serial_bits = half - WRITER_BITS;
    if (mix_key(bits, key) >> half != value >> half) return SOAK_NOBODY;
    return (unsigned)(value >> serial_bits) & (SOAK_MOST_HANDS - 1);
}
