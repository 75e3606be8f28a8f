#include "gate.h"

#include <sched.h>

#include "../base/cancel.h"
#include "handover.h"

bool gate_init(gate *g)
{
    atomic_init(&g->closed, GATE_OPEN);
    atomic_init(&g->views, 0);
    g->waiting = g->waking = 0;
    g->left = g->numbers = g->next = 0;
    for (unsigned i = 0; i < GATE_SLOTS; i++) {
        atomic_init(&g->slot[i].inside, 0);
        atomic_init(&g->slot[i].beside, 0);
    }
    pthread_cond_init(&g->opened, NULL); /* like those below, this cannot fail without attributes */
    for (unsigned i = 0; i < GATE_TURNS; i++) pthread_cond_init(&g->turn[i], NULL);
    return pthread_mutex_init(&g->lock, NULL) == 0;
}

void gate_destroy(gate *g)
{
    pthread_mutex_destroy(&g->lock);
    pthread_cond_destroy(&g->opened);
    for (unsigned i = 0; i < GATE_TURNS; i++) pthread_cond_destroy(&g->turn[i]);
}

/* Under the lock. The exclusive caller whose turn it is, if it is there, has a reason to look. */
static void call_next(gate *g) { pthread_cond_broadcast(&g->turn[g->next % GATE_TURNS]); }

/* Under the lock, which it gives up meanwhile. */
static void wait_until_opened(gate *g)
{
    const uint64_t left = g->left;
    g->waiting++;
    while (g->left == left) cancel_free_wait(&g->opened, &g->lock); /* ends: who is inside leaves */
    if (--g->waking == 0) call_next(g);
}

/* Counts the caller in once the gate is not closed further than so. */
static void enter_by_lock(gate *g, atomic_uint *counter, gate_closed most)
{
    pthread_mutex_lock(&g->lock);
    if (atomic_load(&g->closed) > most) wait_until_opened(g);
    atomic_fetch_add(counter, 1); /* who closes the gate takes the lock after this, and sees it */
    pthread_mutex_unlock(&g->lock);
}

static void enter(gate *g, atomic_uint *counter, gate_closed most)
{
    atomic_fetch_add(counter, 1);
    if (atomic_load(&g->closed) <= most) return;
    atomic_fetch_sub(counter, 1); /* else the one who closed the gate waits for this call, and this call for it */
    enter_by_lock(g, counter, most);
}

void gate_enter(gate *g)
{
    handover_give(&g->handed);
    enter(g, &g->slot[gate_thread_number() % GATE_SLOTS].inside, GATE_OPEN);
}

void gate_leave(gate *g)
{
    handover_take(&g->handed);
    /* Release: what this call wrote is there for the exclusive caller that sees the slot empty. */
    atomic_fetch_sub_explicit(&g->slot[gate_thread_number() % GATE_SLOTS].inside, 1, memory_order_release);
}

void gate_enter_beside(gate *g)
{
    handover_give(&g->handed);
    enter(g, &g->slot[gate_thread_number() % GATE_SLOTS].beside, GATE_BATCH);
}

void gate_leave_beside(gate *g)
{
    handover_take(&g->handed);
    atomic_fetch_sub_explicit(&g->slot[gate_thread_number() % GATE_SLOTS].beside, 1, memory_order_release);
}

/* Waits for the caller's turn, and closes the gate. */
static bool take_turn(gate *g, gate_closed closed)
{
    pthread_mutex_lock(&g->lock);
    const uint64_t number = g->numbers++;
    while (g->next != number || atomic_load(&g->closed) != GATE_OPEN || g->waking > 0) /* ends: they come and go */
        cancel_free_wait(&g->turn[number % GATE_TURNS], &g->lock);
    g->next++;
    const bool refused = atomic_load(&g->views) > 0;
    if (refused)
        call_next(g); /* nobody leaves who would do it */
    else
        atomic_store(&g->closed, closed);
    pthread_mutex_unlock(&g->lock);
    return !refused;
}

static bool close_to(gate *g, gate_closed closed)
{
    handover_give(&g->handed);
    if (!take_turn(g, closed)) return false;
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
    handover_take(&g->handed);
    pthread_mutex_lock(&g->lock);
    atomic_store(&g->closed, GATE_OPEN);
    g->left++;
    g->waking = g->waiting; /* it was 0: nobody closes the gate before */
    g->waiting = 0;
    if (g->waking > 0)
        pthread_cond_broadcast(&g->opened);
    else
        call_next(g);
    pthread_mutex_unlock(&g->lock);
}

void gate_view_open(gate *g) { enter_by_lock(g, &g->views, GATE_OPEN); }

bool gate_view_close(gate *g)
{
    pthread_mutex_lock(&g->lock);
    bool open = atomic_load(&g->views) > 0;
    if (open) atomic_fetch_sub(&g->views, 1);
    pthread_mutex_unlock(&g->lock);
    return open;
}
