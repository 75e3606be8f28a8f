#include "gate_fork.h"

static void prepare(void *object) { gate_enter_exclusive(((gate_fork *)object)->gate); }
static void in_parent(void *object) { gate_leave_exclusive(((gate_fork *)object)->gate); }

static void in_child(void *object)
{
    gate_fork *fork = object;
    gate_init(fork->gate); /* threads that waited there, or were about to step back, are not in this process */
    fork->set_back(fork->object);
}

static const fork_steps inner_steps = {false, prepare, in_parent, in_child};
static const fork_steps outer_steps = {true, prepare, in_parent, in_child};

bool gate_fork_watch(gate_fork *fork, gate *gate, bool outer, void (*set_back)(void *object), void *object)
{
    fork->gate = gate;
    fork->set_back = set_back;
    fork->object = object;
    return fork_watch_add(&fork->watch, outer ? &outer_steps : &inner_steps, fork);
}

void gate_fork_end(gate_fork *fork) { fork_watch_remove(&fork->watch); }
