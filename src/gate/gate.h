/* gate/gate.h - who may be inside a map: many calls together (shared), or one alone (exclusive). Queries at snapshots
 * (beside) may be inside with any number of shared calls, and with a batch, but not with other exclusive calls.
 *
 * A shared call announces itself in a slot that its thread has nearly for itself, and then looks whether the gate is
 * closed; an exclusive call closes the gate and then looks at all slots. Both orders are sequentially consistent, so
 * one of the two sees the other: either the shared call steps back, or the exclusive call waits for it. No line of
 * memory is written by all callers. Those who may be beside a batch have counters of their own. (Slots are shared by
 * threads whose numbers are equal modulo GATE_SLOTS; a slot counts.)
 *
 * Device views (kernels that the library cannot see) are counted apart: while one is open, exclusive calls are refused.
 *
 * Who finds the gate closed sleeps. When the exclusive caller leaves, all shared ones who wait are woken, and the gate
 * stays open until every one of them is awake and counted in; then it is the turn of the next exclusive caller, by the
 * numbers that these have drawn. Without this, a thread that makes exclusive calls without end would have closed the
 * gate again before anybody is awake. It costs exclusive callers nothing, since they must wait for those inside anyway.
 *
 * FAIRNESS   who waits goes in before every exclusive caller that asks later, be it the one that is inside now: shared
 *            callers when that one leaves, exclusive ones in the order in which they came.
 * PROGRESS   shared calls wait for one exclusive call, which has closed the gate. Exclusive ones wait for those before
 *            them, for shared callers that have waited and wake up, and for the calls inside; once it is their turn,
 *            newcomers stay outside. So neither are starved.
 */
#ifndef PLEACH_GATE_H
#define PLEACH_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { GATE_SLOTS = 64, GATE_LINE = 64, GATE_TURNS = 8 };

typedef enum gate_closed { GATE_OPEN, GATE_BATCH, GATE_ALONE } gate_closed;

typedef struct gate {
    _Alignas(GATE_LINE) atomic_uint closed;   /* to whom: gate_closed; stored under the lock */
    char handed;                              /* its address alone, for handover.h */
    _Alignas(GATE_LINE) pthread_mutex_t lock; /* of all up to the slots; not held while anybody is waited for */
    atomic_uint views;
    unsigned waiting, waking;        /* shared callers: before a closed gate; woken since, and not counted in yet */
    uint64_t left;                   /* times that an exclusive caller left */
    uint64_t numbers, next;          /* of exclusive callers: drawn; whose turn it is, now or next */
    pthread_cond_t opened;           /* shared callers wait here, */
    pthread_cond_t turn[GATE_TURNS]; /* and here exclusive ones, by their numbers, so that few are woken in vain */
    struct {
        _Alignas(GATE_LINE) atomic_uint inside;
        atomic_uint beside;
    } slot[GATE_SLOTS];
} gate;

bool gate_init(gate *g);
void gate_destroy(gate *g);

/* The calling thread's number: small, stable, and spread over threads. */
unsigned gate_thread_number(void);

void gate_enter(gate *g);
void gate_leave(gate *g); /* on the thread that entered */
void gate_enter_beside(gate *g);
void gate_leave_beside(gate *g);

/* False: a view is open, and the caller is not inside. */
bool gate_enter_exclusive(gate *g);
bool gate_enter_batch(gate *g); /* with those beside; left as any exclusive call */
void gate_leave_exclusive(gate *g);

void gate_view_open(gate *g);
bool gate_view_close(gate *g); /* false: none was open */

#endif
