/* testkit/buffers.h - memory for tests, which have nothing better to do than to end when there is none. */
#ifndef PLEACH_TESTS_BUFFERS_H
#define PLEACH_TESTS_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

/* What tests fill results with, to see afterwards what was written. */
#define UNTOUCHED 0xa5
#define UNTOUCHED_WORD(top) (0xa5a5a5a5a5a5a5a5u & (top))

/* Zeroed; never NULL. */
void *must_alloc(size_t count, size_t size);

/* n elements, every byte UNTOUCHED; never NULL. */
uint64_t *untouched_words(size_t n, uint64_t top);
uint8_t *untouched_bytes(size_t n);

/* Word i of an array of `bits`-bit words, 32 or 64. */
void set_word(unsigned bits, void *array, size_t i, uint64_t word);
uint64_t get_word(unsigned bits, const void *array, size_t i);

#endif
