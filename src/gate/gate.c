#include "gate.h"

#include <sched.h>

bool gate_init(gate *g)
{
    atomic_init(&g->closed, false);
    g->views = 0;
    for (unsigned i = 0; i < GATE_SLOTS; i++) atomic_init(&g->slot[i].inside, 0);
    return pthread_mutex_init(&g->exclusive, NULL) == 0;
}

void gate_destroy(gate *g) { pthread_mutex_destroy(&g->exclusive); }

void gate_enter(gate *g)
{
    atomic_uint *inside = &g->slot[gate_thread_number() % GATE_SLOTS].inside;
    for (;;) {
        atomic_fetch_add(inside, 1);
        if (!atomic_load(&g->closed)) return;
        atomic_fetch_sub(inside, 1);
        /* Sleep until the exclusive caller is out: its mutex is free then. */
        pthread_mutex_lock(&g->exclusive);
        pthread_mutex_unlock(&g->exclusive);
    }
}

void gate_leave(gate *g)
{
    /* Release: what this call wrote is there for the exclusive caller that sees the slot empty. */
    atomic_fetch_sub_explicit(&g->slot[gate_thread_number() % GATE_SLOTS].inside, 1, memory_order_release);
}

bool gate_enter_exclusive(gate *g)
{
    pthread_mutex_lock(&g->exclusive);
    if (g->views > 0) {
        pthread_mutex_unlock(&g->exclusive);
        return false;
    }
    atomic_store(&g->closed, true);
    for (unsigned i = 0; i < GATE_SLOTS; i++)
        while (atomic_load(&g->slot[i].inside) != 0) sched_yield(); /* ends: newcomers step back */
    return true;
}

void gate_leave_exclusive(gate *g)
{
    atomic_store(&g->closed, false);
    pthread_mutex_unlock(&g->exclusive);
}

void gate_view_open(gate *g)
{
    pthread_mutex_lock(&g->exclusive);
    g->views++;
    pthread_mutex_unlock(&g->exclusive);
}

bool gate_view_close(gate *g)
{
    pthread_mutex_lock(&g->exclusive);
    bool open = g->views > 0;
    if (open) g->views--;
    pthread_mutex_unlock(&g->exclusive);
    return open;
}
