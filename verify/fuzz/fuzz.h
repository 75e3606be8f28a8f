/* fuzz.h - what every fuzz target has: its entry, bytes to decode, and a check that ends the process.
 *
 * A target decodes any bytes at all into something to do, so that no input is wasted, and aborts where the answer is
 * not the one it knows to be right. libFuzzer (clang) or standalone.c (any compiler) calls it.
 */
#ifndef PLEACH_FUZZ_H
#define PLEACH_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* libFuzzer's names. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process with the place and the reason, which the fuzzer keeps together with the input. */
#define CHECK(condition, ...)                                                                                    \
    do {                                                                                                         \
        if (!(condition)) {                                                                                      \
            fprintf(stderr, "%s:%d: %s does not hold: ", __FILE__, __LINE__, #condition);                        \
            fprintf(stderr, __VA_ARGS__);                                                                        \
            fputc('\n', stderr);                                                                                 \
            abort();                                                                                             \
        }                                                                                                        \
    } while (0)

/* The rest of the input; when it is used up it goes on as zeros. */
typedef struct bytes {
    const uint8_t *at, *end;
} bytes;

static inline unsigned take_byte(bytes *in) { return in->at < in->end ? *in->at++ : 0; }

static inline uint64_t take_number(bytes *in, unsigned count)
{
    uint64_t number = 0;
    while (count-- > 0) number = number << 8 | take_byte(in);
    return number;
}

/* Never NULL. */
static inline void *fuzz_alloc(size_t size)
{
    void *memory = malloc(size);
    CHECK(memory != NULL, "no memory for %zu bytes", size);
    return memory;
}

/* What the code under test writes to standard error, between the two calls; release answers the text, to be freed. */
void fuzz_catch_messages(void);
char *fuzz_release_messages(void);

/* Page after page of fresh memory per input is most of the time of a short one: small pages cost least. */
void fuzz_small_pages(void);

#endif
