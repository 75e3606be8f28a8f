#include "buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *must_alloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "the test itself is out of memory\n");
        exit(2);
    }
    return memory;
}

uint64_t *untouched_words(size_t n, uint64_t top)
{
    uint64_t *words = must_alloc(n, sizeof *words);
    for (size_t i = 0; i < n; i++)
        words[i] = UNTOUCHED_WORD(top);
    return words;
}

uint8_t *untouched_bytes(size_t n)
{
    uint8_t *bytes = must_alloc(n, sizeof *bytes);
    memset(bytes, UNTOUCHED, n);
    return bytes;
}

void set_word(unsigned bits, void *array, size_t i, uint64_t word)
{
    if (bits == 32)
        ((uint32_t *)array)[i] = (uint32_t)word;
    else
        ((uint64_t *)array)[i] = word;
}

uint64_t get_word(unsigned bits, const void *array, size_t i)
{
    return bits == 32 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}
