#include "gate_fork.h"

static void prepare(void *object) { gate_enter_exclusive(((gate_fork *)object)->gate); }
static void in_parent(void *object) { gate_leave_exclusive(((gate_fork *)object)->gate); }

static void in_child(void *object)
{
    gate_fork *fork = object;
    gate_init(fork->gate); /* threads that waited there, or were about to step back, do not exist in this process */
    fork->set_back(fork->object);
}

static const fork_steps inner_steps = {false, prepare, in_parent, in_child};
static const fork_steps outer_steps = {true, prepare, in_parent, in_child};

pleach_status gate_fork_watch(gate_fork *fork, gate *gate, gate_fork_plan plan, void *object, void *exec)
{
    if (!plan.on_host) return PLEACH_OK;
    fork->gate = gate;
    fork->set_back = plan.set_back;
    fork->object = object;
    if (fork_watch_add(&fork->watch, plan.outer ? &outer_steps : &inner_steps, fork)) return PLEACH_OK;
    plan.undo(exec);
    return PLEACH_E_MEMORY;
}

void gate_fork_end(gate_fork *fork) { fork_watch_remove(&fork->watch); }
