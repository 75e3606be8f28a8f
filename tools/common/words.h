/* words.h - arrays of keys or values in a map's own width, as the array calls take them. */
#ifndef PLEACH_TOOLS_WORDS_H
#define PLEACH_TOOLS_WORDS_H

#include <stddef.h>
#include <stdint.h>

static inline size_t word_bytes(unsigned bits) { return bits / 8; }

static inline uint64_t word_max(unsigned bits) { return bits == 32 ? UINT32_MAX : UINT64_MAX; }

static inline uint64_t word_get(const void *words, unsigned bits, size_t i)
{
    return bits == 32 ? ((const uint32_t *)words)[i] : ((const uint64_t *)words)[i];
}

static inline void word_set(void *words, unsigned bits, size_t i, uint64_t value)
{
    if (bits == 32)
        ((uint32_t *)words)[i] = (uint32_t)value;
    else
        ((uint64_t *)words)[i] = value;
}

static inline void *word_at(void *words, unsigned bits, size_t i) { return (char *)words + i * word_bytes(bits); }

#endif
