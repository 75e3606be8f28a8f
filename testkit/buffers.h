/* testkit/buffers.h - memory for tests, which have nothing better to do than to end when there is none; and what is
 * freed or closed where its scope ends, so that each thing is named once, with its end:
 *
 *     AT_END(wide_close) wide w = wide_open(where);
 *     FREED uint64_t *keys = pattern_keys(RANDOM, n, w.top, &r);
 */
#ifndef PLEACH_TESTS_BUFFERS_H
#define PLEACH_TESTS_BUFFERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The function gets the variable's address. What was declared last is closed first. A failed assertion jumps out of the
 * case past all of these, as it does past a call at the case's end. */
#define AT_END(close) __attribute__((cleanup(close)))
#define FREED AT_END(free_memory)

static inline void free_memory(void *variable)
{
    void *memory;
    memcpy(&memory, variable, sizeof memory); /* a pointer of any type */
    free(memory);
}

/* What tests fill results with, to see afterwards what was written. */
#define UNTOUCHED 0xa5
#define UNTOUCHED_WORD(top) (0xa5a5a5a5a5a5a5a5u & (top))

/* Zeroed; never NULL. */
void *must_alloc(size_t count, size_t size);

/* n elements, every byte UNTOUCHED; never NULL. */
uint64_t *untouched_words(size_t n, uint64_t top);
uint8_t *untouched_bytes(size_t n);

/* How many of the bytes are this one. */
size_t count_bytes(size_t n, const uint8_t *bytes, uint8_t wanted);

/* Word i of an array of `bits`-bit words, 32 or 64. */
void set_word(unsigned bits, void *array, size_t i, uint64_t word);
uint64_t get_word(unsigned bits, const void *array, size_t i);

/* An array for a call of a structure with `bits`-bit keys: the array itself (64), or a narrow copy (32). */
void *narrowed(unsigned bits, size_t n, const uint64_t *array);

/* After the call: takes results back from a narrow copy, if `array` is not NULL, and frees the copy. */
void widened(unsigned bits, size_t n, void *narrow, uint64_t *array);

#endif
