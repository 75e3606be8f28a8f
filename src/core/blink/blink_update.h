/* core/blink/blink_update.h - put, add, erase: descend, latch the leaf, apply; if it was full, split it and post the
 * separator. Included by blink.h, once per key width. */
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
#endif

PORT_FN void W(unlatch)(W(node) *node, uint64_t header) { port_store_release(&node->word[W(HEADER_WORD)], header); }

/* Latches the node under the cursor if it covers the target; else moves right (MOVED) or asks for another try. DONE:
 * the latch is held, *header is the header from before, *link the link. */
PORT_FN blink_step W(latch_covering)(W(blink) map, W(cursor) *cursor, uint64_t *header, W(pair) *link)
{
    W(node) *node = W(node_at)(map, cursor->node);
    *header = W(node_end)(node, link);
    if (*header & HEADER_LATCHED) return BLINK_AGAIN;
    if (W(belongs_right)(*link, cursor->target)) {
        /* Not while a split of this node is unfinished: its old pairs still count as present here (a find may hit them
         * under the latch), so nobody may change them over there yet. */
        port_validate_fence();
        if (W(header_load)(node) != *header) return BLINK_AGAIN;
        W(cursor_right)(map, cursor, *link);
        return BLINK_MOVED;
    }
    /* Success also proves that the link is still right: the version has not moved since it was read. */
    return port_latch(&node->word[W(HEADER_WORD)], *header, *header | HEADER_LATCHED) ? BLINK_DONE : BLINK_AGAIN;
}

#ifdef BLINK_VERSIONED
#include "../versioned/versioned_keep.h"
#else
/* A map without versions forgets what it overwrites. */
PORT_FN bool W(nobody_looks_back)(W(blink) map) { return (void)map, true; }
PORT_FN bool W(keep_image)(W(blink) map, uint32_t id, unsigned count)
{
    return (void)map, (void)id, (void)count, true;
}
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
} W(update);

PORT_FN void W(update_start)(W(blink) map, W(update) *update, blink_kind kind, W(key) key, W(key) value)
{
    update->value = value;
    update->old = 0;
    update->kind = kind;
    update->outcome = BLINK_NOT_APPLIED;
    W(cursor_start)(map, &update->cursor, key);
}

/* No memory for what the update needs: the leaf is as it was. */
PORT_FN blink_step W(refuse_latched)(W(blink) map, const W(update) *update, uint64_t header)
{
    W(unlatch)(W(node_at)(map, update->cursor.node), header);
    return BLINK_DONE; /* not applied */
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

/* Nothing is stored to the node before it is certain that the whole change can be made. */
PORT_FN blink_step W(update_leaf)(W(blink) map, W(update) *update)
{
    uint64_t header;
    W(image) image;
    W(pair) link;
    blink_step step = W(latch_covering)(map, &update->cursor, &header, &link);
    if (step != BLINK_DONE) return step;
    W(node) *node = W(node_at)(map, update->cursor.node);
    bool in_place = W(nobody_looks_back)(map);
    W(node_read)(node, &image);
    unsigned count = header_count(header);
    unsigned at = W(image_rank)(&image, count, update->cursor.target);
    W(pair) old = W(image_pair)(&image, at);
    bool present = at < count && old.key == update->cursor.target;
    bool changes = present ? update->kind != BLINK_ADD : update->kind != BLINK_ERASE;
    if (changes && !in_place) {
        if (!W(keep_image)(map, update->cursor.node, count)) return W(refuse_latched)(map, update, header);
        W(node_read)(node, &image); /* again: it was not kept in registers meanwhile */
    }
    if (!present) {
        if (update->kind != BLINK_ERASE) return W(insert_latched)(map, update, header, &image, at);
        W(unlatch)(node, header); /* nothing was changed: the same version will do */
        update->outcome = BLINK_ABSENT;
        return BLINK_DONE;
    }
    update->old = old.value;
    if (update->kind == BLINK_PUT) {
        W(pair_store)(node, at, W(pair_of)(update->cursor.target, update->value));
        W(unlatch)(node, header_next(header, count));
        update->outcome = BLINK_REPLACED;
    } else if (update->kind == BLINK_ERASE) {
        W(image_remove)(&image, at, count);
        W(node_write)(node, &image, at, count - 1);
        W(unlatch)(node, header_next(header, count - 1));
        update->outcome = BLINK_ERASED;
    } else {
        W(unlatch)(node, header);
        update->outcome = BLINK_EXISTS;
    }
    return BLINK_DONE;
}

PORT_FN blink_step W(update_step)(W(blink) map, W(update) *update)
{
    if (update->cursor.level > 0) return W(cursor_descend)(map, &update->cursor);
    return W(update_leaf)(map, update);
}
