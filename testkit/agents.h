/* testkit/agents.h - threads that check as they go. cmocka's assertions jump, so they work in the main thread only:
 * an agent writes down its first failure instead and stops, and run_agents fails the test for it after the join. */
#ifndef PLEACH_TESTS_AGENTS_H
#define PLEACH_TESTS_AGENTS_H

#include <stdatomic.h>

#include "harness.h"
#include "random.h"

typedef struct agent {
    size_t index;       /* 0 .. count-1 */
    size_t count;       /* of agents in this run */
    void *shared;       /* the test's own */
    atomic_bool *stop;  /* set by the first failure and by stop_all; long loops look at it */
    rng r;
    bool failed;
    char why[256];
} agent;

typedef void agent_body(agent *a);

/* Runs body(0) .. body(count-1) at once, waits for all, and fails the test if one of them failed. */
void run_agents(size_t count, agent_body *body, void *shared);

/* Tells the others that the work is over. */
void stop_all(agent *a);
bool stopped(const agent *a);

/* Until the number is at least this, or the work is over. */
void wait_until(const agent *a, atomic_int *number, int value);

void agent_fail(agent *a, const char *file, int line, const char *condition);

/* Leaves the function on failure. Only for functions that answer nothing. */
#define EXPECT(a, condition)                                                                                     \
    do {                                                                                                         \
        if (!(condition)) {                                                                                      \
            agent_fail(a, __FILE__, __LINE__, #condition);                                                       \
            return;                                                                                              \
        }                                                                                                        \
    } while (0)

#define EXPECT_OK(a, call) EXPECT(a, (call) == PLEACH_OK)

#endif
