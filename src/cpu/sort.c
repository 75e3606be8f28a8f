#include "sort.h"

#include <stdint.h>
#include <string.h>

#include "../base/memory.h"

static const key_sorter *sorter_of(unsigned key_bits)
{
    return key_bits == 32 ? &key_sorter_32 : key_bits == 64 ? &key_sorter_64 : &key_sorter_128;
}

bool sort_is_ascending(unsigned key_bits, const void *keys, size_t n)
{
    return sorter_of(key_bits)->is_ascending(keys, n);
}

size_t sort_distinct(unsigned key_bits, const void *keys, const void *values, size_t n, void **sorted_keys,
                     void **sorted_values)
{
    size_t key_bytes = key_bits / 8;
    void *buffer[4];
    bool complete = true;
    for (unsigned i = 0; i < 4; i++) {
        buffer[i] = base_alloc(n, key_bytes);
        complete &= buffer[i] != NULL;
    }
    if (!complete) {
        for (unsigned i = 0; i < 4; i++) base_free(buffer[i]);
        return SIZE_MAX;
    }
    memcpy(buffer[0], keys, n * key_bytes);
    memcpy(buffer[2], values, n * key_bytes);
    return sorter_of(key_bits)->sort_copies(buffer, n, sorted_keys, sorted_values);
}
