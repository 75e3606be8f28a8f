/* sync/gate_fork.h - resets what is behind a gate in a fork's child: a state between calls, the gate open. */
#ifndef PLEACH_GATE_FORK_H
#define PLEACH_GATE_FORK_H

#include "../../include/pleach/status.h"
#include "../base/fork.h"
#include "gate.h"

typedef struct gate_fork {
    fork_watch watch;
    gate *gate;
    void (*set_back)(void *object); /* resets the object in the child, which has none of its threads */
    void *object;
} gate_fork;

/* `fork` must be zeroed. `outer`: calls inside this gate enter other gates. No view may be open at this gate. */
typedef struct gate_fork_plan {
    bool on_host; /* otherwise nothing is done: a child cannot use its parent's GPU */
    bool outer;
    void (*set_back)(void *object);
    void (*undo)(void *exec); /* called if there is no memory and MEMORY is returned */
} gate_fork_plan;

pleach_status gate_fork_watch(gate_fork *fork, gate *gate, gate_fork_plan plan, void *object, void *exec);
void gate_fork_end(gate_fork *fork);

#endif
