/* verify/sim/fiber.h - a stack of its own for each virtual agent, and jumping between them. One OS thread runs them
 * all, so a jump is a function call that returns somewhere else. */
#ifndef PLEACH_SIM_FIBER_H
#define PLEACH_SIM_FIBER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fiber {
    void *context;    /* where it stopped */
    char *stack;      /* NULL: the thread's own stack */
    size_t stack_bytes;
    void (*entry)(void);
    void *fake_stack; /* AddressSanitizer's, and where the thread's own stack is */
    const void *own_stack;
    size_t own_stack_bytes;
    void *tsan; /* ThreadSanitizer's */
} fiber;

/* A stack with an inaccessible page below it. */
bool fiber_create(fiber *f, size_t stack_bytes);
void fiber_destroy(fiber *f);

/* Makes f begin with `entry`, which must never return, whatever f was doing. */
void fiber_aim(fiber *f, void (*entry)(void));

/* Leaves `from` where it is and goes on with `to`. */
void fiber_jump(fiber *from, fiber *to);
/* The same, and `from` will not be gone on with before it is aimed again. */
void fiber_leave(fiber *from, fiber *to) __attribute__((noreturn));

#endif
