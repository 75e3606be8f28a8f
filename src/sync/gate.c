#include "gate.h"

#include "../port/port.h"
#include "doze.h"
#include "handover.h"

/* A waiting caller polls this often, some microseconds, before it sleeps: most calls and small batches end sooner. */
#ifdef PLEACH_SIM
enum { GATE_LOOKS = 2 };
#else
enum { GATE_LOOKS = 60 };
#endif

/* Waiting calls, on their callers' stacks: shared ones, and exclusive ones in a queue. Guarded by the lock. */
struct gate_guest {
    gate_guest *next;
    atomic_uint *counter;
    bool inside; /* the leaving holder has counted it in */
};

struct gate_turn {
    gate_turn *next;
    gate_closed closed;
    enum { UNDECIDED, ENTERED, REFUSED } decided;
    atomic_uint *called; /* changes after `decided` is set */
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

/* The counter in its slot with which the calling thread announces its calls. */
typedef struct gate_place {
    atomic_uint *counter;
    bool owned; /* no other thread stores to the counter while this one runs */
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

/* The counters of slot owners are stored without a locked instruction, but gate_barrier lies between the closing of the
 * gate, or the `watched` mark, and these loads. Acquire: everything that a call wrote before it left is visible. */
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

/* The exclusive call sleeps until the slots are empty, and the calling thread has just left one. If it was the last one
 * inside, it wakes that call. Of several leaving threads, the last to take the lock sees that all have left. */
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

/* The processor may delay an owner's store past its next load. gate_barrier on the exclusive side replaces the fence
 * for both; here only the compiler must keep the order. */
static inline void store_before_load(void) { atomic_signal_fence(memory_order_seq_cst); }

/* Release: what this call wrote is visible to the exclusive call that sees the slot empty. */
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

/* The caller holds the lock, which is released for the wait. An `overtaken` caller has waited before: it is inside when
 * this returns true. Any other caller may have to check the gate again. */
static bool wait_as_guest(gate *g, atomic_uint *counter, bool overtaken)
{
    gate_guest guest = {NULL, counter, false};
    gate_guest **guests = overtaken ? &g->overtaken : &g->guests;
    guest.next = *guests;
    *guests = &guest;
    g->waiting++;
    const unsigned before = atomic_load(&g->opened);
    pthread_mutex_unlock(&g->lock);
    doze_while(&g->opened, before); /* ends: the holder inside leaves */
    return guest.inside;
}

/* Counts the caller in as soon as the gate is closed no further than `most`. */
static void enter_by_lock(gate *g, atomic_uint *counter, gate_closed most)
{
    for (bool inside = false, overtaken = false; !inside; overtaken = true) { /* ends: the second wait is the last */
        pthread_mutex_lock(&g->lock);
        if (atomic_load(&g->closed) <= most) {
            /* a thread that closes the gate takes the lock after this, and sees it */
            atomic_fetch_add(counter, 1);
            pthread_mutex_unlock(&g->lock);
            return;
        }
        inside = wait_as_guest(g, counter, overtaken);
    }
}

/* Acquire: what the last exclusive call wrote is visible to this one. */
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
    if (!open) leave(g, place); /* otherwise this call would wait for the closer, and the closer for this call */
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

/* Sleeps until the slots are empty. The caller marks the gate as watched and then checks the slots; a leaving call
 * stores to its slot and then checks the mark. So one of the two sees the other. */
static void sleep_until_empty(gate *g, gate_closed closed)
{
    pthread_mutex_lock(&g->lock);
    const unsigned before = atomic_load(&g->emptied);
    atomic_store(&g->watched, 1);
    gate_barrier();
    const bool empty = is_empty(g, closed);
    if (empty) atomic_store(&g->watched, 0);
    pthread_mutex_unlock(&g->lock);
    if (!empty) doze_while(&g->emptied, before); /* ends: the calls inside leave, and new ones stay outside */
}

/* Sleeping pays only if a call inside takes longer, or needs this processor to finish. */
static void wait_until_empty(gate *g, gate_closed closed)
{
    for (unsigned look = 0; look < GATE_LOOKS; look++) {
        if (is_empty(g, closed)) return;
        port_pause(look);
    }
    while (!is_empty(g, closed)) sleep_until_empty(g, closed);
}

/* The caller holds the lock. Returns false while a view is open. */
static bool close_gate(gate *g, gate_closed closed)
{
    if (atomic_load(&g->views) > 0) return false;
    atomic_store(&g->closed, closed);
    return true;
}

/* The caller holds the lock, which is released for the wait. Returns false if the call was refused. */
static bool wait_for_turn(gate *g, gate_closed closed)
{
    gate_turn turn = {NULL, closed, UNDECIDED, &g->turn[g->numbers++ % GATE_TURNS]};
    *(g->last ? &g->last->next : &g->first) = &turn;
    g->last = &turn;
    g->waiting++;
    g->queued++;
    while (turn.decided == UNDECIDED) { /* ends: the calls queued before this one enter and leave */
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
    const bool open = atomic_load(&g->closed) == GATE_OPEN; /* then no call waits */
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

/* The caller holds the lock: admits the waiting shared calls. If the gate stays closed for the next exclusive call,
 * they are inside from now on, awake or not, and so are the calls that were overtaken before. Otherwise they will be
 * awake soon, and find the gate open, or closed again for a short call; waiting for each of them would cost the next
 * exclusive call a turn of the scheduler for every thread. */
static bool let_guests_in(gate *g)
{
    const bool any = g->guests || g->overtaken;
    if (g->first) count_in(g->guests);
    count_in(g->overtaken);
    g->guests = g->overtaken = NULL;
    g->waiting = g->queued;
    if (any) atomic_fetch_add(&g->opened, 1); /* the last access to the guests: they may return now */
    return any;
}

/* The caller holds the lock: closes the gate for the next queued call, or opens it. Returns a word to wake, or NULL. */
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
