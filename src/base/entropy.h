/* base/entropy.h - numbers that cannot be guessed from outside the process: seeds of hash functions. */
#ifndef PLEACH_BASE_ENTROPY_H
#define PLEACH_BASE_ENTROPY_H

#include <stdint.h>

/* SplitMix64: advances *state and returns the next number of its sequence. */
static inline uint64_t entropy_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Returns a number from the kernel. If the kernel has none (a sandbox forbids the call, or the machine is still
 * booting), returns entropy_of_process. Never blocks. */
uint64_t base_entropy(void);

/* From clocks, addresses and process id: differs in each call; harder to guess than a constant, not for secrets. */
uint64_t entropy_of_process(void);

#endif
