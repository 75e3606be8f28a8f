/* testkit/interrupts.h - threads that are stopped anywhere: each has a timer of its own, which goes off after a random
 * time and makes the thread sleep, spin or yield wherever it is. */
#ifndef PLEACH_TESTS_INTERRUPTS_H
#define PLEACH_TESTS_INTERRUPTS_H

#include <stdint.h>

typedef struct interrupts { void *timer; } interrupts;

/* The calling thread's, once in about so many microseconds, until interrupts_end in the same thread; 0: only when
 * interrupts_once asks for it. Without timers nothing happens. */
interrupts interrupts_begin(uint64_t seed, unsigned microseconds);

/* Once, within so many nanoseconds from now. */
void interrupts_once(const interrupts *i, uint64_t nanoseconds);
void interrupts_end(interrupts *i);

/* How often a thread was stopped, of all threads since the program began. */
uint64_t interrupts_count(void);

#endif
