#include "gate.h"

#include <sched.h>

bool gate_init(gate *g)
{
    atomic_init(&g->closed, GATE_OPEN);
    g->views = 0;
    for (unsigned i = 0; i < GATE_SLOTS; i++) {
        atomic_init(&g->slot[i].inside, 0);
        atomic_init(&g->slot[i].beside, 0);
    }
    return pthread_mutex_init(&g->exclusive, NULL) == 0;
}

void gate_destroy(gate *g) { pthread_mutex_destroy(&g->exclusive); }

/* Passes if the gate is not closed further than so. */
static void enter(gate *g, atomic_uint *counter, unsigned most_closed)
{
    for (;;) {
        atomic_fetch_add(counter, 1);
        if (atomic_load(&g->closed) <= most_closed) return;
        atomic_fetch_sub(counter, 1);
        /* Sleep until the exclusive caller is out: its mutex is free then. */
        pthread_mutex_lock(&g->exclusive);
        pthread_mutex_unlock(&g->exclusive);
    }
}

void gate_enter(gate *g) { enter(g, &g->slot[gate_thread_number() % GATE_SLOTS].inside, GATE_OPEN); }

void gate_leave(gate *g)
{
    /* Release: what this call wrote is there for the exclusive caller that sees the slot empty. */
    atomic_fetch_sub_explicit(&g->slot[gate_thread_number() % GATE_SLOTS].inside, 1, memory_order_release);
}

void gate_enter_beside(gate *g) { enter(g, &g->slot[gate_thread_number() % GATE_SLOTS].beside, GATE_BATCH); }

void gate_leave_beside(gate *g)
{
    atomic_fetch_sub_explicit(&g->slot[gate_thread_number() % GATE_SLOTS].beside, 1, memory_order_release);
}

static bool close_to(gate *g, gate_closed closed)
{
    pthread_mutex_lock(&g->exclusive);
    if (g->views > 0) {
        pthread_mutex_unlock(&g->exclusive);
        return false;
    }
    atomic_store(&g->closed, closed);
    for (unsigned i = 0; i < GATE_SLOTS; i++) { /* ends: newcomers step back */
        while (atomic_load(&g->slot[i].inside) != 0) sched_yield();
        while (closed == GATE_ALONE && atomic_load(&g->slot[i].beside) != 0) sched_yield();
    }
    return true;
}

bool gate_enter_exclusive(gate *g) { return close_to(g, GATE_ALONE); }
bool gate_enter_batch(gate *g) { return close_to(g, GATE_BATCH); }

void gate_leave_exclusive(gate *g)
{
    atomic_store(&g->closed, GATE_OPEN);
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
