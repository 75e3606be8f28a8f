/* gate/gate_fork.h - what stands behind a gate, in the child of a fork: as it was between two calls, with the gate
 * open. */
#ifndef PLEACH_GATE_FORK_H
#define PLEACH_GATE_FORK_H

#include "../base/fork.h"
#include "gate.h"

typedef struct gate_fork {
    fork_watch watch;
    gate *gate;
    void (*set_back)(void *object); /* in the child, which has none of the object's threads */
    void *object;
} gate_fork;

/* `fork` holds zeros. `outer`: calls inside this gate go through the gates of others. No view can be open at this gate.
 * False: there is no memory. */
bool gate_fork_watch(gate_fork *fork, gate *gate, bool outer, void (*set_back)(void *object), void *object);
void gate_fork_end(gate_fork *fork);

#endif
