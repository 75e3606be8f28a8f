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

size_t count_bytes(size_t n, const uint8_t *bytes, uint8_t wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += bytes[i] == wanted;
    return count;
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

void *narrowed(unsigned bits, size_t n, const uint64_t *array)
{
    if (!array || bits == 64)
        return (void *)(uintptr_t)array;
    uint32_t *copy = must_alloc(n, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = (uint32_t)array[i];
    return copy;
}

void widened(unsigned bits, size_t n, void *narrow, uint64_t *array)
{
    if (bits == 64)
        return;
    for (size_t i = 0; array && i < n; i++)
        array[i] = ((const uint32_t *)narrow)[i];
    free(narrow);
}
