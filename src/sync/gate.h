/* sync/gate.h - admission to a structure: many shared calls together, or one exclusive call. Snapshot queries (`beside`
 * in the code) may run concurrently with any number of shared calls and a batch, but not with other exclusive calls.
 *
 * A shared call announces itself in a slot and then checks whether the gate is closed; an exclusive call closes the
 * gate and then checks all slots. At least one of the two sees the other: either the shared call steps back, or the
 * exclusive call waits for it. This takes a full fence between store and load on both sides. Shared calls are frequent,
 * so the exclusive call issues both fences (gate_barrier, by the system call membarrier), and a thread that owns a slot
 * enters and leaves by plain stores. A thread may own no slot because there are more than GATE_SLOTS threads, or
 * because the system has no membarrier. Such threads add to counters in the slots by locked instructions, which are
 * fences. No cache line is written by all callers. Calls that may run concurrently with a batch have counters of their
 * own. docs/memory-model.md has the argument.
 *
 * Device views (kernels unseen by the library) are counted separately; while one is open, exclusive calls are refused.
 *
 * WAITING    A waiting caller polls for some microseconds and then sleeps: a call inside may need its processor to
 *            finish. An exclusive caller marks the gate as watched before it sleeps, and the call that leaves a watched
 *            gate last wakes it. Exclusive calls queue in order of arrival.
 *            An exclusive holder that leaves wakes the waiting shared calls. If another exclusive call is queued, the
 *            holder closes the gate for it and admits the shared calls first *on their behalf*: it counts them in their
 *            slots, so that they are already inside when they wake. Otherwise the gate opens. An exclusive call that
 *            arrives then need not wait until all of them are awake, which takes a turn of the scheduler for each. But
 *            a shared call that wakes and finds the gate closed again waits as *overtaken*, and the next holder to
 *            leave admits it on its behalf.
 * FAIRNESS   Exclusive calls enter in order of arrival. A shared call sleeps at most twice: it enters before every
 *            exclusive caller that arrives after its second sleep began, or that arrived while another one was queued.
 * PROGRESS   Shared calls wait for one exclusive call, the one that closed the gate. Exclusive calls wait for those
 *            queued before them, for shared callers that were admitted before them and for the calls inside; once it is
 *            their turn, new calls stay outside. So neither kind starves. Every wait is a bounded number of polls
 *            followed by sleep, so a thread of high real-time priority lets the threads run that it waits for.
 */
#ifndef PLEACH_GATE_H
#define PLEACH_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef PLEACH_SIM
enum { GATE_TURNS = 2 };
#else
enum { GATE_TURNS = 8 };
#endif
enum { GATE_SLOTS = 64, GATE_LINE = 64 };

typedef enum gate_closed { GATE_OPEN, GATE_BATCH, GATE_EXCLUSIVE } gate_closed;

typedef struct gate_guest gate_guest;
typedef struct gate_turn gate_turn;

/* Counters of the calls that are inside. */
typedef struct gate_slot {
    _Alignas(GATE_LINE) atomic_uint inside, beside; /* of the thread that owns the slot */
    atomic_uint more_inside, more_beside;           /* of threads that own no slot */
} gate_slot;

typedef struct gate {
    _Alignas(GATE_LINE) atomic_uint closed;   /* to which calls: gate_closed; stored under the lock */
    atomic_uint watched;                      /* 1: the exclusive caller sleeps until the slots are empty */
    char handed;                              /* only its address is used, by handover.h */
    _Alignas(GATE_LINE) pthread_mutex_t lock; /* guards all members up to the slots; never held during a wait */
    atomic_uint views;
    gate_guest *guests, *overtaken;    /* waiting shared callers, for the first and for the second and last time */
    gate_turn *first, *last;           /* queue of exclusive callers */
    unsigned waiting, queued, numbers; /* waiting callers; the exclusive ones of these; tickets of exclusive callers */
    atomic_uint opened, emptied;       /* change when guests are admitted; when the slots of a watched gate are empty */
    atomic_uint turn[GATE_TURNS];      /* change when an exclusive caller is called; by ticket: few wake in vain */
    gate_slot slot[GATE_SLOTS];
} gate;

bool gate_init(gate *g);
void gate_destroy(gate *g);

/* Returns the calling thread's number, which stays the same until the thread ends. A number below GATE_SLOTS belongs to
 * one thread only, and that thread owns the slot of this number in every gate. */
#ifdef PLEACH_SIM
unsigned gate_thread_number(void);
static inline void gate_own_no_slot(void) {}
#else
/* The number plus one, or 0 if none was assigned yet. Each call reads it several times. With this TLS model access is
 * one instruction, not a call, in a shared library too; its few bytes are available even if that is loaded later. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) unsigned gate_my_number;
unsigned gate_take_number(void);

/* For a thread that passes no gate and has no number yet: its number owns no slot, because slots are few and each owned
 * slot makes exclusive calls execute a barrier. */
void gate_own_no_slot(void);

static inline unsigned gate_thread_number(void)
{
    return __builtin_expect(gate_my_number != 0, 1) ? gate_my_number - 1 : gate_take_number();
}
#endif

/* Every thread that owns a slot executes a full fence between the begin and the end of this call; the calling thread
 * executes one at both. A thread that gets its slot later sees everything that was stored before the call. */
void gate_barrier(void);

void gate_enter(gate *g);
void gate_leave(gate *g); /* must be called on the thread that entered */
void gate_enter_snapshot(gate *g);
void gate_leave_snapshot(gate *g);

/* Returns false if a view is open; then the caller is not inside. */
bool gate_enter_exclusive(gate *g);
bool gate_enter_batch(gate *g); /* snapshot queries may run concurrently; left by gate_leave_exclusive */
void gate_leave_exclusive(gate *g);

void gate_view_open(gate *g);
bool gate_view_close(gate *g); /* false if none was open */

#endif
