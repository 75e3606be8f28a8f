/* skiplist/skiplist_blocking.h - a GPU thread runs one operation from its first step to its last, inside a stay.
 * Include after skiplist.h, once per key width. Progress: skiplist.h; what blink_blocking.h says of latches and lanes
 * holds here too. */
#include "../level/level_wait.h"

/* Out of line and by value, so that an update's state stays in registers until there is something to tend. */
PORT_COLD void W(tend_to_end)(W(blink) map, W(update) update)
{
    W(tend) tend;
    W(tend_start)(map, &tend, &update);
    unsigned attempts = 0, step;
    while ((step = port_between_tries(W(tend_step)(map, &tend))) == BLINK_MOVED || step == BLINK_AGAIN)
        BLINK_WAIT(step, attempts);
}

/* From wherever its cursor is. */
PORT_FN void W(update_finish)(W(blink) map, W(update) *update)
{
    unsigned attempts = 0, step;
    while ((step = port_between_tries(W(update_step)(map, update))) == BLINK_MOVED || step == BLINK_AGAIN)
        BLINK_WAIT(step, attempts);
    if (step == BLINK_TEND) W(tend_to_end)(map, *update);
}

PORT_FN void W(update_to_end)(W(blink) map, W(update) *update, blink_kind kind, W(key) key, W(key) value)
{
    W(update_start)(map, update, kind, key, value);
    W(update_finish)(map, update);
}
