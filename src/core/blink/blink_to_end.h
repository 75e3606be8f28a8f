/* core/blink/blink_to_end.h - a GPU thread runs one operation from its first step to its last. Include after blink.h,
 * once per key width.
 *
 * Progress: blink.h. A latch is taken and released inside one step, so a lane that pauses holds none that another lane
 * of its warp may need.
 */
#ifndef BLINK_TO_END
#define BLINK_TO_END(step_call)                                                                                  \
    do {                                                                                                         \
        unsigned attempts_ = 0;                                                                                  \
        blink_step step_;                                                                                        \
        while ((step_ = (step_call)) == BLINK_MOVED || step_ == BLINK_AGAIN) {                                   \
            if (step_ == BLINK_AGAIN) port_pause(attempts_++);                                                   \
        }                                                                                                        \
    } while (0)
#endif

/* Out of line and by value, so that an update's state stays in registers until it splits. */
PORT_COLD void W(post_to_end)(W(blink) map, W(pair) separator, uint32_t parent)
{
    W(post) post;
    W(post_start)(map, &post, separator, 1, parent);
    BLINK_TO_END(W(post_step)(map, &post));
}

PORT_FN void W(update_to_end)(W(blink) map, W(update) *update, blink_kind kind, W(key) key, W(key) value)
{
    W(update_start)(map, update, kind, key, value);
    unsigned attempts = 0;
    blink_step step;
    while ((step = W(update_step)(map, update)) == BLINK_MOVED || step == BLINK_AGAIN)
        if (step == BLINK_AGAIN) port_pause(attempts++);
#ifdef BLINK_VERSIONED
    if (step == BLINK_KEEP) W(update_keeping)(map, update);
#endif
    if (W(pair_node)(update->separator) != NODE_NONE) W(post_to_end)(map, update->separator, update->cursor.parent);
}

/* The same for a thread by itself, which counts what it has changed; `old` may be NULL. */
PORT_FN blink_outcome W(update_counted)(W(blink) map, blink_kind kind, W(key) key, W(key) value, W(key) *old)
{
    W(update) update;
    W(update_to_end)(map, &update, kind, key, value);
    uint64_t *size = &map.tree->stripe[map.stripe % BLINK_STRIPES].size;
    if (update.outcome == BLINK_INSERTED) port_fetch_add(size, 1);
    if (update.outcome == BLINK_ERASED) port_fetch_add(size, (uint64_t)-1);
    bool has_old = update.outcome == BLINK_REPLACED || update.outcome == BLINK_EXISTS || update.outcome == BLINK_ERASED;
    if (old && has_old) *old = update.old;
    return update.outcome;
}
