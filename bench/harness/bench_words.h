/* bench_words.h - words.h, and words of 128 bits: there a word is the high half, so that the order is that of words,
 * and the low half follows from it. So both halves matter, and two that do not belong together read as another word. */
#ifndef PLEACH_BENCH_WORDS_H
#define PLEACH_BENCH_WORDS_H

#include <pleach/map.h>

#include "tools/common/words.h"

static inline uint64_t bench_low_half(uint64_t high) { return high * 0x9e3779b97f4a7c15u; }

static inline uint64_t bench_word(const void *words, unsigned bits, size_t i)
{
    if (bits != 128) return word_get(words, bits, i);
    const pleach_key128 key = ((const pleach_key128 *)words)[i];
    return key.low == bench_low_half(key.high) ? key.high : ~key.high;
}

static inline void bench_set_word(void *words, unsigned bits, size_t i, uint64_t value)
{
    if (bits == 128)
        ((pleach_key128 *)words)[i] = (pleach_key128){.high = value, .low = bench_low_half(value)};
    else
        word_set(words, bits, i, value);
}

#endif
