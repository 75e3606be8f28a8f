/* skiplist/skiplist_blocking.h - runs one operation of a GPU thread to its end, inside a critical section. Include
 * after skiplist.h. Progress: skiplist.h; the remarks on latches and lanes in blink_blocking.h apply here too. */
#include "../level/level_wait.h"

/* Out of line and by value, so that an update's state stays in registers until the levels above need work. */
PORT_COLD void restructure_blocking(map_thread map, update_op update)
{
    restructure_op tend;
    restructure_start(map, &tend, &update);
    unsigned attempts = 0, step;
    while ((step = port_retry_point(restructure_step(map, &tend))) == STEP_MOVED || step == STEP_AGAIN)
        BLINK_WAIT(step, attempts);
}

/* Continues an update from the position of its cursor. */
PORT_FN void update_finish(map_thread map, update_op *update)
{
    unsigned attempts = 0, step;
    while ((step = port_retry_point(update_step(map, update))) == STEP_MOVED || step == STEP_AGAIN)
        BLINK_WAIT(step, attempts);
    if (step == STEP_RESTRUCTURE) restructure_blocking(map, *update);
}

PORT_FN void update_blocking(map_thread map, update_op *update, op_kind kind, map_key key, map_key value)
{
    update_start(map, update, kind, key, value);
    update_finish(map, update);
}
