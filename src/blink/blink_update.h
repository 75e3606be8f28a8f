/* blink/blink_update.h - put, add, erase: descend, latch the leaf, apply; if it was full, split it and post the
 * separator. Included by blink.h, once per key width. */
#include "../level/level_image.h"

#include "../level/level_latch.h"

#ifdef BLINK_VERSIONED
#include "../versioned/versioned_keep.h"
#else
/* A map without versions has no past. */
PORT_FN void W(inherit_images)(W(blink) map, uint32_t from, uint32_t to) { (void)map, (void)from, (void)to; }
#endif

#include "blink_split.h"
#include "blink_post.h"

/* The result is in outcome and old from when the leaf was updated. If that split the leaf, `separator` is (separator,
 * new node): the update step answers SPLIT, and what is left to do is a post operation. */
typedef struct W(update) {
    W(cursor) cursor; /* target: the key */
    W(key) value;
    W(key) old;
    W(pair) separator;
    blink_kind kind;
    blink_outcome outcome;
#ifdef BLINK_VERSIONED
    uint64_t latched; /* after KEEP: the leaf's header from before it was latched */
#endif
} W(update);

PORT_FN void W(update_start)(W(blink) map, W(update) *update, blink_kind kind, W(key) key, W(key) value)
{
    update->value = value;
    update->old = 0;
    update->kind = kind;
    update->outcome = BLINK_NOT_APPLIED;
    update->separator = W(pair_of)(0, NODE_NONE);
    W(cursor_start)(map, &update->cursor, key);
}

PORT_FN blink_step W(insert_latched)(W(blink) map, W(update) *update, uint64_t header, W(image) *image, unsigned at)
{
    W(node) *node = W(node_at)(map, update->cursor.node);
    unsigned count = header_count(header);
    W(pair) pair = W(pair_of)(update->cursor.target, update->value);
    if (count < NODE_CAPACITY) {
        W(image_insert)(image, at, count, pair);
        W(node_write)(node, image, at, count + 1);
        W(unlatch)(node, header_next(header, count + 1));
        update->outcome = BLINK_INSERTED;
        return BLINK_DONE;
    }
    update->separator = W(split)(map, update->cursor.node, header, at, pair);
    if (W(pair_node)(update->separator) == NODE_NONE) return BLINK_DONE; /* not applied */
    update->outcome = BLINK_INSERTED;
    return BLINK_SPLIT;
}

/* Where the update's key is, or would be, in a leaf, and whether the update changes anything there. */
typedef struct W(found_place) {
    W(pair) old;
    unsigned at;
    bool present, changes;
} W(found_place);

PORT_FN void W(find_place)(const W(update) *update, const W(image) *image, unsigned count, W(found_place) *place)
{
    place->at = W(image_rank)(image, count, update->cursor.target);
    place->old = W(image_pair)(image, place->at);
    place->present = place->at < count && place->old.key == update->cursor.target;
    place->changes = place->present ? update->kind != BLINK_ADD : update->kind != BLINK_ERASE;
}

/* Nothing is stored to the node before it is certain that the whole change can be made. Releases the latch. */
PORT_FN blink_step W(apply_latched)(W(blink) map, W(update) *update, uint64_t header, W(image) *image,
                                    const W(found_place) *place)
{
    W(node) *node = W(node_at)(map, update->cursor.node);
    unsigned count = header_count(header);
    if (place->present) update->old = place->old.value;
    if (!place->changes) {
        W(unlatch)(node, header); /* nothing was changed: the same version will do */
        update->outcome = place->present ? BLINK_EXISTS : BLINK_ABSENT;
    } else if (!place->present) {
        return W(insert_latched)(map, update, header, image, place->at);
    } else if (update->kind == BLINK_PUT) {
        W(pair_store)(node, place->at, W(pair_of)(update->cursor.target, update->value));
        W(unlatch)(node, header_next(header, count));
        update->outcome = BLINK_REPLACED;
    } else {
        W(image_remove)(image, place->at, count);
        W(node_write)(node, image, place->at, count - 1);
        W(unlatch)(node, header_next(header, count - 1));
        update->outcome = BLINK_ERASED;
    }
    return BLINK_DONE;
}

#ifdef BLINK_VERSIONED
/* The rest of an update that was answered KEEP: a snapshot may need the image of the leaf as it is. Apart from the
 * others, out of line and by value, so that it costs updates in place no registers. A separator says that the leaf was
 * split. */
PORT_COLD W(update) W(keep_and_apply)(W(blink) map, W(update) update)
{
    W(node) *node = W(node_at)(map, update.cursor.node);
    unsigned count = header_count(update.latched);
    W(image) image;
    W(found_place) place;
    W(node_read)(node, &image);
    W(find_place)(&update, &image, count, &place);
    if (place.changes && !W(keep_image)(map, update.cursor.node, &image, count))
        W(unlatch)(node, update.latched); /* no memory: the leaf is as it was; not applied */
    else
        W(apply_latched)(map, &update, update.latched, &image, &place);
    return update;
}

PORT_FN blink_step W(update_keeping)(W(blink) map, W(update) *update)
{
    *update = W(keep_and_apply)(map, *update);
    return W(pair_node)(update->separator) != NODE_NONE ? BLINK_SPLIT : BLINK_DONE;
}
#endif

PORT_FN blink_step W(update_leaf)(W(blink) map, W(update) *update)
{
    uint64_t header;
    W(image) image;
    W(pair) link;
    W(found_place) place;
    blink_step step = W(latch_covering)(map, &update->cursor, &header, &link);
    if (step != BLINK_DONE) return step;
#ifdef BLINK_VERSIONED
    bool in_place = W(nobody_looks_back)(map);
#endif
    W(node_read)(W(node_at)(map, update->cursor.node), &image);
#ifdef BLINK_VERSIONED
    if (!in_place) {
        update->latched = header;
        return BLINK_KEEP;
    }
#endif
    W(find_place)(update, &image, header_count(header), &place);
    return W(apply_latched)(map, update, header, &image, &place);
}

PORT_FN blink_step W(update_step)(W(blink) map, W(update) *update)
{
    if (update->cursor.level > 0) return W(cursor_descend)(map, &update->cursor);
    return W(update_leaf)(map, update);
}
