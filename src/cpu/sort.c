#include "sort.h"

#include <stdint.h>
#include <string.h>

#include "../base/memory.h"

enum { DIGIT_BITS = 8, BUCKETS = 1 << DIGIT_BITS };

#define PLEACH_KEY_BITS 32
#include "sort_width.h"
#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 64
#include "sort_width.h"
#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 128
#include "sort_width.h"
#undef PLEACH_KEY_BITS

bool sort_is_ascending(unsigned key_bits, const void *keys, size_t n)
{
    if (key_bits == 32) return is_ascending32(keys, n);
    return key_bits == 64 ? is_ascending64(keys, n) : is_ascending128(keys, n);
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
    if (key_bits == 32) return sort_copies32(buffer, n, sorted_keys, sorted_values);
    return key_bits == 64 ? sort_copies64(buffer, n, sorted_keys, sorted_values)
                          : sort_copies128(buffer, n, sorted_keys, sorted_values);
}
