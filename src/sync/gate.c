#include "gate.h"

#include "../port/port.h"
#include "doze.h"
#include "handover.h"

/* Who waits looks so often, for some microseconds, before it sleeps: most calls, and small batches, are over by then. */
#ifdef PLEACH_SIM
enum { GATE_LOOKS = 2 };
#else
enum { GATE_LOOKS = 60 };
#endif

/* Calls that wait, on their stacks: shared ones, and exclusive ones in a queue. Under the lock. */
struct gate_guest {
    gate_guest *next;
    atomic_uint *counter;
    bool inside; /* counted in by the one who left */
};

struct gate_turn {
    gate_turn *next;
    gate_closed closed;
    enum { UNDECIDED, ENTERED, REFUSED } decided;
    atomic_uint *called; /* changes after `decided` has */
};

bool gate_init(gate *g)
{
    atomic_init(&g->closed, GATE_OPEN);
    atomic_init(&g->watched, 0);
    atomic_init(&g->views, 0);
    atomic_init(&g->opened, 0);
    atomic_init(&g->emptied, 0);
    for (unsigned i = 0; i < GATE_TURNS; i++) atomic_init(&g->turn[i], 0);
    g->guests = g->overtaken = NULL;
    g->first = g->last = NULL;
    g->waiting = g->queued = g->numbers = 0;
    for (unsigned i = 0; i < GATE_SLOTS; i++) {
        atomic_init(&g->slot[i].inside, 0);
        atomic_init(&g->slot[i].beside, 0);
        atomic_init(&g->slot[i].more_inside, 0);
        atomic_init(&g->slot[i].more_beside, 0);
    }
    return pthread_mutex_init(&g->lock, NULL) == 0;
}

void gate_destroy(gate *g) { pthread_mutex_destroy(&g->lock); }

/* ---- shared calls ---- */

/* Where the calling thread announces its calls: a counter in its slot. */
typedef struct gate_place {
    atomic_uint *counter;
    bool owned; /* no other thread stores to the counter while this one is awake */
} gate_place;

static inline gate_place place_inside(gate *g)
{
    const unsigned number = gate_thread_number();
    gate_slot *slot = &g->slot[number % GATE_SLOTS];
    return number < GATE_SLOTS ? (gate_place){&slot->inside, true} : (gate_place){&slot->more_inside, false};
}

static inline gate_place place_beside(gate *g)
{
    const unsigned number = gate_thread_number();
    gate_slot *slot = &g->slot[number % GATE_SLOTS];
    return number < GATE_SLOTS ? (gate_place){&slot->beside, true} : (gate_place){&slot->more_beside, false};
}

/* The first two are stored by their owner without a locked instruction, but gate_barrier lies between the closing of the
 * gate, or its mark, and the look at them. Acquire: with it comes what a call wrote that has left. */
static bool is_empty(gate *g, gate_closed closed)
{
    for (unsigned i = 0; i < GATE_SLOTS; i++) {
        gate_slot *slot = &g->slot[i];
        if (atomic_load_explicit(&slot->inside, memory_order_acquire) != 0) return false;
        if (atomic_load(&slot->more_inside) != 0) return false;
        if (closed != GATE_EXCLUSIVE) continue;
        if (atomic_load_explicit(&slot->beside, memory_order_acquire) != 0) return false;
        if (atomic_load(&slot->more_beside) != 0) return false;
    }
    return true;
}

/* The exclusive call sleeps until the slots are empty, and the calling thread has just left one: if it is the last one,
 * it wakes that call. Of several, the last one to come here sees that all have left: the others had the lock before. */
static void wake_if_empty(gate *g)
{
    pthread_mutex_lock(&g->lock);
    const bool wake = atomic_load(&g->watched) && is_empty(g, (gate_closed)atomic_load(&g->closed));
    if (wake) {
        atomic_store(&g->watched, 0);
        atomic_fetch_add(&g->emptied, 1);
    }
    pthread_mutex_unlock(&g->lock);
    if (wake) doze_wake(&g->emptied);
}

/* The processor may keep an owner's store back while it makes the load that comes next. gate_barrier on the exclusive side
 * does the fence's work for both; here only the compiler is to keep them in order. */
static inline void store_before_load(void) { atomic_signal_fence(memory_order_seq_cst); }

/* What this call wrote is there for the exclusive call that sees the slot empty. */
static inline void leave(gate *g, gate_place place)
{
    if (place.owned) {
        const unsigned count = atomic_load_explicit(place.counter, memory_order_relaxed);
        atomic_store_explicit(place.counter, count - 1, memory_order_release);
        store_before_load();
        if (atomic_load_explicit(&g->watched, memory_order_relaxed)) wake_if_empty(g);
    } else {
        atomic_fetch_sub(place.counter, 1);
        if (atomic_load(&g->watched)) wake_if_empty(g);
    }
}

static bool look_whether_open(gate *g, gate_closed most)
{
    for (unsigned look = 0; look < GATE_LOOKS; look++) {
        if (atomic_load(&g->closed) <= most) return true;
        port_pause(look);
    }
    return false;
}

/* Under the lock, which is given up for the wait. A caller that is `overtaken` has waited before: it is inside when it
 * returns true. One that has not may be sent to look again. */
static bool wait_as_guest(gate *g, atomic_uint *counter, bool overtaken)
{
    gate_guest guest = {NULL, counter, false};
    gate_guest **guests = overtaken ? &g->overtaken : &g->guests;
    guest.next = *guests;
    *guests = &guest;
    g->waiting++;
    const unsigned before = atomic_load(&g->opened);
    pthread_mutex_unlock(&g->lock);
    doze_while(&g->opened, before); /* ends: who is inside leaves */
    return guest.inside;
}

/* Counts the caller in once the gate is not closed further than so. */
static void enter_by_lock(gate *g, atomic_uint *counter, gate_closed most)
{
    for (bool inside = false, overtaken = false; !inside; overtaken = true) { /* ends: the second wait is the last */
        pthread_mutex_lock(&g->lock);
        if (atomic_load(&g->closed) <= most) {
            atomic_fetch_add(counter, 1); /* who closes the gate takes the lock after this, and sees it */
            pthread_mutex_unlock(&g->lock);
            return;
        }
        inside = wait_as_guest(g, counter, overtaken);
    }
}

/* Acquire: what the last exclusive call wrote is there for this one. */
static inline bool try_to_enter(gate *g, gate_place place, gate_closed most)
{
    bool open;
    if (place.owned) {
        const unsigned count = atomic_load_explicit(place.counter, memory_order_relaxed);
        atomic_store_explicit(place.counter, count + 1, memory_order_relaxed);
        store_before_load();
        open = atomic_load_explicit(&g->closed, memory_order_acquire) <= most;
    } else {
        atomic_fetch_add(place.counter, 1);
        open = atomic_load(&g->closed) <= most;
    }
    if (!open) leave(g, place); /* else the one who closed the gate waits for this call, and this call for it */
    return open;
}

static inline void enter(gate *g, gate_place place, gate_closed most)
{
    if (try_to_enter(g, place, most)) return;
    if (look_whether_open(g, most) && try_to_enter(g, place, most)) return;
    enter_by_lock(g, place.counter, most);
}

void gate_enter(gate *g)
{
    handover_give(&g->handed);
    enter(g, place_inside(g), GATE_OPEN);
}

void gate_leave(gate *g)
{
    handover_take(&g->handed);
    leave(g, place_inside(g));
}

void gate_enter_snapshot(gate *g)
{
    handover_give(&g->handed);
    enter(g, place_beside(g), GATE_BATCH);
}

void gate_leave_snapshot(gate *g)
{
    handover_take(&g->handed);
    leave(g, place_beside(g));
}

/* ---- exclusive calls ---- */

/* Sleeps until the slots are empty. The caller marks the gate as watched and then looks at the slots; who leaves stores
 * to its slot and then looks for the mark: so one of the two sees the other. */
static void sleep_until_empty(gate *g, gate_closed closed)
{
    pthread_mutex_lock(&g->lock);
    const unsigned before = atomic_load(&g->emptied);
    atomic_store(&g->watched, 1);
    gate_barrier();
    const bool empty = is_empty(g, closed);
    if (empty) atomic_store(&g->watched, 0);
    pthread_mutex_unlock(&g->lock);
    if (!empty) doze_while(&g->emptied, before); /* ends: those inside leave, and others stay outside */
}

/* Sleeping is worth while only when somebody is inside for longer, or needs this processor to get out. */
static void wait_until_empty(gate *g, gate_closed closed)
{
    for (unsigned look = 0; look < GATE_LOOKS; look++) {
        if (is_empty(g, closed)) return;
        port_pause(look);
    }
    while (!is_empty(g, closed)) sleep_until_empty(g, closed);
}

/* Under the lock. A view refuses exclusive calls. */
static bool close_gate(gate *g, gate_closed closed)
{
    if (atomic_load(&g->views) > 0) return false;
    atomic_store(&g->closed, closed);
    return true;
}

/* Under the lock, which is given up for the wait. False: refused. */
static bool wait_for_turn(gate *g, gate_closed closed)
{
    gate_turn turn = {NULL, closed, UNDECIDED, &g->turn[g->numbers++ % GATE_TURNS]};
    *(g->last ? &g->last->next : &g->first) = &turn;
    g->last = &turn;
    g->waiting++;
    g->queued++;
    while (turn.decided == UNDECIDED) { /* ends: those before us come and go */
        const unsigned before = atomic_load(turn.called);
        pthread_mutex_unlock(&g->lock);
        doze_while(turn.called, before);
        pthread_mutex_lock(&g->lock);
    }
    return turn.decided == ENTERED;
}

static bool close_to(gate *g, gate_closed closed)
{
    handover_give(&g->handed);
    pthread_mutex_lock(&g->lock);
    const bool open = atomic_load(&g->closed) == GATE_OPEN; /* then nobody waits */
    const bool entered = open ? close_gate(g, closed) : wait_for_turn(g, closed);
    pthread_mutex_unlock(&g->lock);
    if (!entered) return false;
    gate_barrier();
    wait_until_empty(g, closed);
    return true;
}

bool gate_enter_exclusive(gate *g) { return close_to(g, GATE_EXCLUSIVE); }
bool gate_enter_batch(gate *g) { return close_to(g, GATE_BATCH); }

static void count_in(gate_guest *guests)
{
    for (gate_guest *guest = guests; guest; guest = guest->next) {
        atomic_fetch_add(guest->counter, 1);
        guest->inside = true;
    }
}

/* Under the lock: the shared calls that wait go in. If the gate stays closed, for the next exclusive call, they are
 * inside from now on, awake or not, and so are those that were overtaken before. The others are awake soon, and find the
 * gate open, or closed again for a short call; to wait for each of them would cost the next exclusive call a turn of
 * the scheduler for every thread. */
static bool let_guests_in(gate *g)
{
    const bool any = g->guests || g->overtaken;
    if (g->first) count_in(g->guests);
    count_in(g->overtaken);
    g->guests = g->overtaken = NULL;
    g->waiting = g->queued;
    if (any) atomic_fetch_add(&g->opened, 1); /* the last look at them: they may return now */
    return any;
}

/* Under the lock: closes the gate for the next in the queue, or opens it. The result is to be woken, if not NULL. */
static atomic_uint *let_next_in(gate *g)
{
    atomic_uint *called = NULL;
    bool entered = false;
    while (!entered && g->first) {
        gate_turn *turn = g->first;
        g->first = turn->next;
        if (!g->first) g->last = NULL;
        g->waiting--;
        g->queued--;
        entered = close_gate(g, turn->closed);
        turn->decided = entered ? ENTERED : REFUSED;
        called = turn->called;
        atomic_fetch_add(called, 1);
        if (!entered) doze_wake(called);
    }
    if (!entered) atomic_store(&g->closed, GATE_OPEN);
    return entered ? called : NULL;
}

void gate_leave_exclusive(gate *g)
{
    handover_take(&g->handed);
    pthread_mutex_lock(&g->lock);
    const bool guests = let_guests_in(g);
    atomic_uint *called = let_next_in(g);
    pthread_mutex_unlock(&g->lock);
    if (guests) doze_wake(&g->opened);
    if (called) doze_wake(called);
}

/* ---- views ---- */

void gate_view_open(gate *g) { enter_by_lock(g, &g->views, GATE_OPEN); }

bool gate_view_close(gate *g)
{
    pthread_mutex_lock(&g->lock);
    bool open = atomic_load(&g->views) > 0;
    if (open) atomic_fetch_sub(&g->views, 1);
    pthread_mutex_unlock(&g->lock);
    return open;
}
