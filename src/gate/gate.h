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
 * PROGRESS   shared calls wait only for exclusive ones. An exclusive call waits for the shared calls inside, and
 *            newcomers stay outside meanwhile, so it is not starved.
 */
#ifndef PLEACH_GATE_H
#define PLEACH_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { GATE_SLOTS = 64, GATE_LINE = 64 };

typedef enum gate_closed { GATE_OPEN, GATE_BATCH, GATE_ALONE } gate_closed;

typedef struct gate {
    _Alignas(GATE_LINE) atomic_uint closed;        /* to whom: gate_closed */
    _Alignas(GATE_LINE) pthread_mutex_t exclusive; /* held by the exclusive caller */
    unsigned views;                                /* under the mutex */
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
