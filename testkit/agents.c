#include "agents.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "buffers.h"

typedef struct agent_thread {
    agent a;
    agent_body *body;
    pthread_t thread;
} agent_thread;

static void *run_agent(void *argument)
{
    agent_thread *t = argument;
    t->body(&t->a);
    return NULL;
}

void stop_all(agent *a)
{
    atomic_store_explicit(a->stop, true, memory_order_relaxed);
}

bool stopped(const agent *a)
{
    return atomic_load_explicit(a->stop, memory_order_relaxed);
}

void wait_until(const agent *a, atomic_int *number, int value)
{
    while (atomic_load(number) < value && !stopped(a))
        sched_yield();
}

void agent_fail(agent *a, const char *file, int line, const char *condition)
{
    if (!a->failed)
        snprintf(a->why, sizeof a->why, "agent %zu, %s:%d: %s", a->index, file, line, condition);
    a->failed = true;
    stop_all(a);
}

void run_agents(size_t count, agent_body *body, void *shared)
{
    FREED agent_thread *threads = must_alloc(count, sizeof *threads);
    atomic_bool stop = false;
    size_t failed = 0;
    for (size_t i = 0; i < count; i++) {
        threads[i].a = (agent){.index = i, .count = count, .shared = shared, .stop = &stop,
                               .r = rng_for(test_seed(), 1000 + i)};
        threads[i].body = body;
        assert_int_equal(pthread_create(&threads[i].thread, NULL, run_agent, &threads[i]), 0);
    }
    for (size_t i = 0; i < count; i++) {
        pthread_join(threads[i].thread, NULL);
        if (threads[i].a.failed) {
            print_error("%s\n", threads[i].a.why);
            failed++;
        }
    }
    assert_int_equal(failed, 0);
}
