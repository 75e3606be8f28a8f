/* blink/blink_update.h - put, add, erase: descend, latch the leaf, apply the update; if the leaf was full, split it and
 * post the separator. Included by blink.h. */
#include "../level/level_image.h"

#include "../level/level_latch.h"

#ifdef BLINK_VERSIONED
#include "blink_keep.h"
#else
/* A map without versions has no version chains. */
PORT_FN void share_version_chain(map_thread map, uint32_t from, uint32_t to) { (void)map, (void)from, (void)to; }
#endif

#include "blink_split.h"
#include "blink_post.h"
#include "../level/level_update.h"

PORT_FN level_step insert_latched(map_thread map, update_op *update, uint64_t header, node_image *image, unsigned at)
{
    map_node *node = node_at(map, update->cursor.node);
    unsigned count = header_count(header);
    map_pair pair = pair_of(update->cursor.target, update->value);
    if (count < NODE_CAPACITY) {
        image_insert(image, at, count, pair);
        node_write(node, image, at, count + 1);
        unlatch(node, header_next(header, count + 1));
        update->outcome = PLEACH_INSERTED;
        return STEP_DONE;
    }
    update->separator = split(map, update->cursor.node, header, at, pair);
    if (pair_node(update->separator) == NODE_NONE) return STEP_DONE; /* not applied */
    update->outcome = PLEACH_INSERTED;
    return STEP_SPLIT;
}

/* The position of the update's key in a leaf, present or not, and whether the update changes anything there. */
typedef struct found_place {
    map_pair old;
    unsigned at;
    bool present, changes;
} found_place;

PORT_FN void find_place(const update_op *update, const node_image *image, unsigned count, found_place *place)
{
    place->at = image_rank(image, count, update->cursor.target);
    place->old = image_pair(image, place->at);
    place->present = place->at < count && place->old.key == update->cursor.target;
    place->changes = place->present ? update->kind != OP_ADD : update->kind != OP_ERASE;
}

/* Stores nothing to the node before it is certain that the whole change can be made. Releases the latch. */
PORT_FN level_step apply_latched(map_thread map, update_op *update, uint64_t header, node_image *image,
                                 const found_place *place)
{
    map_node *node = node_at(map, update->cursor.node);
    unsigned count = header_count(header);
    if (place->present) update->old = place->old.value;
    if (!place->changes) {
        unlatch(node, header); /* nothing was changed: the same version will do */
        update->outcome = place->present ? PLEACH_EXISTS : PLEACH_ABSENT;
    } else if (!place->present) {
        return insert_latched(map, update, header, image, place->at);
    } else if (update->kind == OP_PUT) {
        pair_store(node, place->at, pair_of(update->cursor.target, update->value));
        unlatch(node, header_next(header, count));
        update->outcome = PLEACH_REPLACED;
    } else {
        image_remove(image, place->at, count);
        node_write(node, image, place->at, count - 1);
        unlatch(node, header_next(header, count - 1));
        update->outcome = PLEACH_ERASED;
    }
    return STEP_DONE;
}

#ifdef BLINK_VERSIONED
/* The rest of an update that returned COPY: a snapshot may need the current version of the leaf. Out of line and by
 * value, so that updates in place need no additional registers. If `separator` is set on return, the leaf was split. */
PORT_COLD update_op keep_and_apply(map_thread map, update_op update)
{
    map_node *node = node_at(map, update.cursor.node);
    unsigned count = header_count(update.latched);
    node_image image;
    found_place place;
    node_read(node, &image);
    find_place(&update, &image, count, &place);
    if (place.changes && !preserve_version(map, update.cursor.node, &image, count))
        unlatch(node, update.latched); /* no memory: the leaf is unchanged, the update not applied */
    else
        apply_latched(map, &update, update.latched, &image, &place);
    return update;
}

PORT_FN level_step update_keeping(map_thread map, update_op *update)
{
    *update = keep_and_apply(map, *update);
    return pair_node(update->separator) != NODE_NONE ? STEP_SPLIT : STEP_DONE;
}
#endif

PORT_FN level_step update_leaf(map_thread map, update_op *update)
{
    uint64_t header;
    node_image image;
    map_pair link;
    found_place place;
    level_step step = latch_covering(map, &update->cursor, &header, &link);
    if (step != STEP_DONE) return step;
#ifdef BLINK_VERSIONED
    bool in_place = can_update_in_place(map);
#endif
    node_read(node_at(map, update->cursor.node), &image);
#ifdef BLINK_VERSIONED
    if (!in_place) {
        update->latched = header;
        return STEP_COPY;
    }
#endif
    find_place(update, &image, header_count(header), &place);
    return apply_latched(map, update, header, &image, &place);
}

PORT_FN level_step update_step(map_thread map, update_op *update)
{
    if (update->cursor.level > 0) return cursor_descend(map, &update->cursor);
    return update_leaf(map, update);
}
