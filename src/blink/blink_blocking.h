/* blink/blink_blocking.h - runs one operation of a GPU thread to its end. Include after blink.h.
 *
 * Progress: blink.h. A latch is acquired and released within one try, so a lane that pauses holds no latch that another
 * lane of its warp may need; port_retry_point keeps the compiler from changing this.
 */
#include "../level/level_wait.h"

/* Out of line and by value, so that an update's state stays in registers until it splits. */
PORT_COLD void post_blocking(map_thread map, map_pair separator, uint32_t parent)
{
    post_op post;
    post_start(map, &post, separator, 1, parent);
    unsigned attempts = 0, step;
    while ((step = port_retry_point(post_step(map, &post))) == STEP_MOVED || step == STEP_AGAIN)
        BLINK_WAIT(step, attempts);
}

PORT_FN level_step update_try(map_thread map, update_op *update)
{
    level_step step = update_step(map, update);
#ifdef BLINK_VERSIONED
    if (step == STEP_COPY) return update_keeping(map, update);
#endif
    return step;
}

PORT_FN void update_blocking(map_thread map, update_op *update, op_kind kind, map_key key, map_key value)
{
    update_start(map, update, kind, key, value);
    unsigned attempts = 0, step;
    while ((step = port_retry_point(update_try(map, update))) == STEP_MOVED || step == STEP_AGAIN)
        BLINK_WAIT(step, attempts);
    if (step == STEP_SPLIT) post_blocking(map, update->separator, update->cursor.parent);
}

/* The same for a single thread, which also updates the map's size; `old` may be NULL. */
PORT_FN pleach_outcome update_counted(map_thread map, op_kind kind, map_key key, map_key value, map_key *old)
{
    update_op update;
    update_blocking(map, &update, kind, key, value);
    uint64_t *size = &map.tree->stripe[map.stripe % BLINK_STRIPES].size;
    if (update.outcome == PLEACH_INSERTED) port_fetch_add(size, 1);
    if (update.outcome == PLEACH_ERASED) port_fetch_add(size, (uint64_t)-1);
    bool has_old = update.outcome == PLEACH_REPLACED || update.outcome == PLEACH_EXISTS || update.outcome == PLEACH_ERASED;
    if (old && has_old) *old = update.old;
    return update.outcome;
}
