/* sync/gate_fork.h - what stands behind a gate, in the child of a fork: as it was between two calls, with the gate
 * open. */
#ifndef PLEACH_GATE_FORK_H
#define PLEACH_GATE_FORK_H

#include "../../include/pleach/status.h"
#include "../base/fork.h"
#include "gate.h"

typedef struct gate_fork {
    fork_watch watch;
    gate *gate;
    void (*set_back)(void *object); /* in the child, which has none of the object's threads */
    void *object;
} gate_fork;

/* `fork` holds zeros. `outer`: calls inside this gate go through the gates of others. No view can be open at this gate. */
typedef struct gate_fork_plan {
    bool on_host; /* else nothing is done: children cannot use a GPU of their parent */
    bool outer;
    void (*set_back)(void *object);
    void (*undo)(void *exec); /* called if there is no memory, and MEMORY returned */
} gate_fork_plan;

pleach_status gate_fork_watch(gate_fork *fork, gate *gate, gate_fork_plan plan, void *object, void *exec);
void gate_fork_end(gate_fork *fork);

#endif
