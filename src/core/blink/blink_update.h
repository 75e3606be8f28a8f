/* core/blink/blink_update.h - put, add, erase: descend, latch, apply, split, post the separator. Included by blink.h, once
 * per key width. */
#include "blink_image.h"

#ifndef PLEACH_BLINK_UPDATE
#define PLEACH_BLINK_UPDATE
typedef enum blink_kind { BLINK_PUT, BLINK_ADD, BLINK_ERASE } blink_kind;

/* The same numbers as pleach_outcome (pleach/map.h; the executors assert it). */
typedef enum blink_outcome {
    BLINK_NOT_APPLIED,
    BLINK_INSERTED,
    BLINK_REPLACED,
    BLINK_EXISTS,
    BLINK_ERASED,
    BLINK_ABSENT
} blink_outcome;

/* Keep some nodes for posting separators: leaves stop splitting a little before the pool is empty. */
PORT_FN uint64_t blink_spare_nodes(const pool_state *pool) { return port_load(&pool->capacity) / 64; }
#endif

/* The result is in outcome, and value is the old value, from when the leaf was updated; while posting is set, the
 * separator of a split is on its way up: from `target` on level `post_level` to node `post_child`. */
typedef struct W(update) {
    W(cursor) cursor;
    W(key) key;
    W(key) value;
    W(key) old;
    uint32_t post_child;
    uint32_t post_level;
    blink_kind kind;
    blink_outcome outcome;
    bool posting;
} W(update);

PORT_FN void W(update_start)(W(blink) map, W(update) *update, blink_kind kind, W(key) key, W(key) value)
{
    update->key = key;
    update->value = value;
    update->old = 0;
    update->kind = kind;
    update->outcome = BLINK_NOT_APPLIED;
    update->posting = false;
    W(cursor_start)(map, &update->cursor, key);
}

PORT_FN void W(unlatch)(W(node) *node, uint64_t header) { port_store_release(&node->word[W(HEADER_WORD)], header); }

/* Latches the node under the cursor if it covers the target; else moves right (MOVED) or asks for another try. DONE: the
 * latch is held, *header is the header from before, and *image is the node's contents. */
PORT_FN blink_step W(latch_covering)(W(blink) map, W(cursor) *cursor, uint64_t *header, W(image) *image)
{
    W(node) *node = W(node_at)(map, cursor->node);
    W(pair) link;
    *header = W(node_end)(node, &link);
    if (*header & HEADER_LATCHED) return BLINK_AGAIN;
    if (W(belongs_right)(link, cursor->target)) {
        W(cursor_right)(map, cursor, link);
        return BLINK_MOVED;
    }
    /* Success also proves that the link above is still right: the version has not moved since. */
    if (!port_latch(&node->word[W(HEADER_WORD)], *header, *header | HEADER_LATCHED)) return BLINK_AGAIN;
    W(node_read)(node, image);
    return BLINK_DONE;
}

/* Sends the separator of a split up. The parent that the descent came through is where to begin: its low key is at or
 * below the leaf's, so the node that must take the separator is there or to its right. Higher up, from the root. */
PORT_FN void W(post_start)(W(blink) map, W(update) *update, W(key) separator, uint32_t child, uint32_t level)
{
    uint32_t parent = update->cursor.parent;
    update->posting = true;
    update->post_child = child;
    update->post_level = level;
    W(cursor_start)(map, &update->cursor, separator);
    if (level == 1 && parent != NODE_NONE) {
        update->cursor.node = parent;
        update->cursor.level = 1;
    }
}

/* Writes the upper part of a full node's image (15 pairs) to a new node and links it in; the caller holds the latch,
 * which this releases. False, with nothing changed and the latch still held: the pool is empty. */
PORT_FN bool W(split)(W(blink) map, W(update) *update, W(node) *node, uint64_t header, W(image) *image, unsigned at)
{
    unsigned level = header_level(header);
    uint32_t right = pool_take(&map.tree->pool, map.nodes, sizeof(W(node)), map.stripe,
                               level ? 0 : blink_spare_nodes(&map.tree->pool));
    if (!right) return false;
    /* At the end of a level keep the old node full: ascending input then fills its nodes. */
    bool last = !W(pair_is_link)(image->link);
    bool appending = last && at == NODE_CAPACITY;
    unsigned left_count = appending ? NODE_CAPACITY : NODE_CAPACITY / 2;
    unsigned right_count = NODE_CAPACITY + 1 - left_count;

    W(image) upper;
    W(image_upper)(image, appending, &upper);
    upper.link = image->link;
    if (level && last) upper.link = image->pair[NODE_CAPACITY];
    if (level) W(image_pad)(&upper, right_count);
    W(node) *fresh = W(node_at)(map, right);
    W(node_write)(fresh, &upper, 0, level ? NODE_CAPACITY : right_count);
    W(pair_store)(fresh, NODE_LINK_SLOT, upper.link);
    port_store(&fresh->word[W(HEADER_WORD)], header_first(level, right_count));
    port_publish_fence(); /* the new node is there before anything names it */

    W(key) separator = upper.pair[0].key;
    image->link = W(link_to)(separator, right);
    if (level) W(image_pad)(image, left_count);
    W(pair_store)(node, NODE_LINK_SLOT, image->link);
    if (level) /* the pads too */
        W(node_write)(node, image, at < left_count ? at : left_count, NODE_CAPACITY);
    else
        W(node_write)(node, image, at, left_count);
    W(unlatch)(node, header_next(header, left_count));
    W(post_start)(map, update, separator, right, level + 1);
    return true;
}

PORT_FN blink_step W(insert_latched)(W(blink) map, W(update) *update, W(node) *node, uint64_t header, W(image) *image,
                                     unsigned at)
{
    unsigned count = header_count(header);
    W(image_insert)(image, at, W(pair_of)(update->key, update->value));
    if (count < NODE_CAPACITY) {
        W(node_write)(node, image, at, count + 1);
        W(unlatch)(node, header_next(header, count + 1));
        update->outcome = BLINK_INSERTED;
        return BLINK_DONE;
    }
    if (W(split)(map, update, node, header, image, at)) {
        update->outcome = BLINK_INSERTED;
        return BLINK_MOVED;
    }
    W(unlatch)(node, header);
    return BLINK_DONE;
}

/* Nothing is stored to the node before it is certain that the whole change can be made. */
PORT_FN blink_step W(update_leaf)(W(blink) map, W(update) *update)
{
    uint64_t header;
    W(image) image;
    blink_step step = W(latch_covering)(map, &update->cursor, &header, &image);
    if (step != BLINK_DONE) return step;
    W(node) *node = W(node_at)(map, update->cursor.node);
    unsigned count = header_count(header);
    unsigned at = W(image_rank)(&image, count, update->key);
    W(pair) old = W(image_pair)(&image, at);
    bool present = at < count && old.key == update->key;
    if (!present) {
        if (update->kind != BLINK_ERASE) return W(insert_latched)(map, update, node, header, &image, at);
        W(unlatch)(node, header); /* nothing was changed: the same version will do */
        update->outcome = BLINK_ABSENT;
        return BLINK_DONE;
    }
    update->old = old.value;
    if (update->kind == BLINK_PUT) {
        W(pair_store)(node, at, W(pair_of)(update->key, update->value));
        W(unlatch)(node, header_next(header, count));
        update->outcome = BLINK_REPLACED;
    } else if (update->kind == BLINK_ERASE) {
        W(image_remove)(&image, at);
        W(node_write)(node, &image, at, count - 1);
        W(unlatch)(node, header_next(header, count - 1));
        update->outcome = BLINK_ERASED;
    } else {
        W(unlatch)(node, header);
        update->outcome = BLINK_EXISTS;
    }
    return BLINK_DONE;
}

/* Puts a root with two children above the old root; somebody may have done so already, then just descend from there. */
PORT_FN blink_step W(grow_root)(W(blink) map, W(update) *update)
{
    if (!port_compare_swap(&map.tree->root_latch, 0, 1)) return BLINK_AGAIN;
    uint64_t root = port_load(&map.tree->root);
    if ((root >> 32) < update->post_level) {
        uint32_t id = pool_take(&map.tree->pool, map.nodes, sizeof(W(node)), map.stripe, 0);
        if (id) {
            W(image) image;
            image.pair[0] = W(pair_of)(0, (W(key))(uint32_t)root);
            image.pair[1] = W(pair_of)(update->cursor.target, update->post_child);
            image.link = image.pair[1];
            W(image_pad)(&image, 2);
            W(node) *node = W(node_at)(map, id);
            W(node_write)(node, &image, 0, NODE_CAPACITY);
            W(pair_store)(node, NODE_LINK_SLOT, image.link);
            port_store(&node->word[W(HEADER_WORD)], header_first(update->post_level, 2));
            port_store_release(&map.tree->root, (uint64_t)update->post_level << 32 | id);
        } else {
            port_fetch_add(&map.tree->unposted, 1);
        }
        port_store_release(&map.tree->root_latch, 0);
        return BLINK_DONE;
    }
    port_store_release(&map.tree->root_latch, 0);
    W(cursor_to_root)(map, &update->cursor, root);
    return BLINK_MOVED;
}

/* Puts the separator into the inner node under the cursor. */
PORT_FN blink_step W(post_here)(W(blink) map, W(update) *update)
{
    uint64_t header;
    W(image) image;
    blink_step step = W(latch_covering)(map, &update->cursor, &header, &image);
    if (step != BLINK_DONE) return step;
    W(node) *node = W(node_at)(map, update->cursor.node);
    unsigned count = header_count(header);
    unsigned at = W(image_rank)(&image, count, update->cursor.target);
    W(pair) pair = W(pair_of)(update->cursor.target, update->post_child);
    bool last = !W(pair_is_link)(image.link);
    W(image_insert)(&image, at, pair);
    if (count < NODE_CAPACITY) {
        bool new_last = last && at == count; /* I4: then the free slots must repeat the new pair */
        if (new_last) {
            image.link = pair;
            W(image_pad)(&image, count + 1);
            W(pair_store)(node, NODE_LINK_SLOT, pair);
        }
        W(node_write)(node, &image, at, new_last ? NODE_CAPACITY : count + 1);
        W(unlatch)(node, header_next(header, count + 1));
        return BLINK_DONE;
    }
    if (W(split)(map, update, node, header, &image, at)) return BLINK_MOVED;
    W(unlatch)(node, header);
    port_fetch_add(&map.tree->unposted, 1); /* I5: still reachable through its left neighbour */
    return BLINK_DONE;
}

PORT_FN blink_step W(update_step)(W(blink) map, W(update) *update)
{
    if (!update->posting) {
        if (update->cursor.level > 0) return W(cursor_descend)(map, &update->cursor);
        return W(update_leaf)(map, update);
    }
    if (update->cursor.level > update->post_level) return W(cursor_descend)(map, &update->cursor);
    if (update->cursor.level == update->post_level) return W(post_here)(map, update);
    return W(grow_root)(map, update);
}
