/* sync/gate.h - who may be inside a map: many calls together (shared), or one alone (exclusive). Queries at snapshots
 * (beside) may be inside with any number of shared calls, and with a batch, but not with other exclusive calls.
 *
 * A shared call announces itself in a slot and then looks whether the gate is closed; an exclusive call closes the gate
 * and then looks at all slots. One of the two must see the other: either the shared call steps back, or the exclusive
 * call waits for it. That takes a full fence between store and load on both sides. Shared calls are frequent, so the
 * exclusive call makes both (gate_barrier, by the system call membarrier), and a thread that owns a slot enters and leaves
 * by plain stores. Threads that own none, because there are more than GATE_SLOTS, or because the system has no
 * membarrier, add to counters in the slots by locked instructions, which are fences. No line of memory is written by all
 * callers. Those who may be beside a batch have counters of their own. docs/memory-model.md has the argument.
 *
 * Device views (kernels that the library cannot see) are counted apart: while one is open, exclusive calls are refused.
 *
 * WAITING    Who waits looks for some microseconds, and then sleeps: others may need its processor to get out. An
 *            exclusive call that sleeps has marked the gate as watched, and who leaves a watched gate last wakes it.
 *            Exclusive calls queue in the order in which they came.
 *            Who leaves exclusively wakes the shared calls that wait. If another exclusive call is in the queue, it closes
 *            the gate for that one, and lets the shared ones in first *on their behalf*: it counts them in their slots,
 *            so that they are inside already when they wake. Otherwise the gate opens. An exclusive call that comes then
 *            need not wait until all of them are awake, which takes a turn of the scheduler for each; but a shared call
 *            that wakes and finds the gate closed again waits as *overtaken*, and who leaves next lets it in on its
 *            behalf.
 * FAIRNESS   Exclusive calls go in in the order in which they came. A shared call that sleeps sleeps twice at most: it
 *            goes in before every exclusive caller that asks after its second sleep began, or that asked while another
 *            one was in the queue.
 * PROGRESS   shared calls wait for one exclusive call, which has closed the gate. Exclusive ones wait for those before
 *            them, for shared callers that were let in before them and for the calls inside; once it is their turn,
 *            newcomers stay outside. So neither are starved. Every wait is a bounded number of looks and then sleep, so
 *            a thread of high real-time priority lets those run that it waits for.
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

/* Calls that are inside. */
typedef struct gate_slot {
    _Alignas(GATE_LINE) atomic_uint inside, beside; /* of the thread that owns the slot */
    atomic_uint more_inside, more_beside;           /* of those without a slot of their own */
} gate_slot;

typedef struct gate {
    _Alignas(GATE_LINE) atomic_uint closed;   /* to whom: gate_closed; stored under the lock */
    atomic_uint watched;                      /* 1: the exclusive caller sleeps until the slots are empty */
    char handed;                              /* its address alone, for handover.h */
    _Alignas(GATE_LINE) pthread_mutex_t lock; /* of all up to the slots; not held while anybody is waited for */
    atomic_uint views;
    gate_guest *guests, *overtaken;    /* shared callers that wait, for the first and for the last time */
    gate_turn *first, *last;           /* exclusive ones */
    unsigned waiting, queued, numbers; /* all of them; of these exclusive ones; exclusive ones so far */
    atomic_uint opened, emptied;       /* change when guests are let in; when the slots of a watched gate are empty */
    atomic_uint turn[GATE_TURNS];      /* change when an exclusive caller is called; by number: few wake in vain */
    gate_slot slot[GATE_SLOTS];
} gate;

bool gate_init(gate *g);
void gate_destroy(gate *g);

/* The calling thread's number, which stays its own until it ends. A number below GATE_SLOTS is one thread's only, and that
 * thread owns the slot of this number in every gate. */
#ifdef PLEACH_SIM
unsigned gate_thread_number(void);
static inline void gate_own_no_slot(void) {}
#else
/* The number plus one; 0: not asked yet. Calls ask several times each. Of this kind a thread's variable is one instruction
 * away in a shared library too, else it is a call; its few bytes are there for libraries that are loaded later as well. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) unsigned gate_my_number;
unsigned gate_take_number(void);

/* For a thread that passes no gate, and has not asked for its number yet: its number owns no slot, because slots are few
 * and each that is owned makes exclusive calls execute a barrier. */
void gate_own_no_slot(void);

static inline unsigned gate_thread_number(void)
{
    return __builtin_expect(gate_my_number != 0, 1) ? gate_my_number - 1 : gate_take_number();
}
#endif

/* Every thread that owns a slot executes a full fence between the begin and the end of this call, as does the calling
 * thread at both. A thread that takes its slot later sees all that was stored before the call. */
void gate_barrier(void);

void gate_enter(gate *g);
void gate_leave(gate *g); /* on the thread that entered */
void gate_enter_snapshot(gate *g);
void gate_leave_snapshot(gate *g);

/* False: a view is open, and the caller is not inside. */
bool gate_enter_exclusive(gate *g);
bool gate_enter_batch(gate *g); /* with those beside; left as any exclusive call */
void gate_leave_exclusive(gate *g);

void gate_view_open(gate *g);
bool gate_view_close(gate *g); /* false: none was open */

#endif
