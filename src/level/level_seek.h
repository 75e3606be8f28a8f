/* level/level_seek.h - finds the nearest key at or above (ceiling), or at or below (floor), a given key. Also used for
 * succ, pred, min and max. Included by blink.h.
 *
 * Most results lie in the leaf that covers the key. These are as linearizable as a find that proves absence. If that
 * leaf has no such key, the walk crosses into neighbouring leaves, and what it saw in the first leaf may be outdated
 * when it reads the last one. So the walk is repeated until two consecutive walks agree on a digest of the ids and
 * versions of all leaves read. Versions only grow, so each of these leaves was unchanged from its visit in the first
 * walk to its visit in the second. At the instant when the first walk ended, all of them were as seen; this is the
 * linearization point. (The digest has 63 bits: the probability that two different walks have equal digests is 2^-63.)
 *
 * If the walk has crossed only once, one more load is enough. If the header of the first leaf is unchanged after the
 * second leaf was read, then both leaves were as seen at the fence after the second leaf's pairs, which is the
 * linearization point. (Skiplists on GPUs always walk twice: they hold an image in registers, and the extra state would
 * cost registers in every seek.)
 *
 * There is no link to the left, so the floor moves left by descending again for the key just below the leaf's low key.
 */
#include "level_digest.h"

#if defined(IMAGE_IN_REGISTERS) && defined(BLINK_SKIPLIST)
#define SEEK_WALKS_TWICE 1
#endif

typedef struct seek_op {
    level_cursor cursor;
    map_pair answer;
    map_key from;
    uint64_t digest;
    uint64_t last_digest; /* of the previous walk; 0 if there was none */
    bool up;
#ifdef SEEK_WALKS_TWICE
    bool crossed;
    bool found;
#else
    bool found;
    uint32_t crossed;      /* the first leaf from which the walk crossed, or NODE_NONE if it has not crossed */
    uint64_t first_header; /* of that leaf; HEADER_LATCHED, which no header equals, if it crossed again */
#endif
} seek_op;

#ifdef SEEK_WALKS_TWICE
PORT_FN void seek_crossed(seek_op *seek, uint32_t from, uint64_t header)
{
    (void)from, (void)header;
    seek->crossed = true;
}
#else
PORT_FN void seek_crossed(seek_op *seek, uint32_t from, uint64_t header)
{
    seek->first_header = seek->crossed ? HEADER_LATCHED : header;
    if (!seek->crossed) seek->crossed = from;
}

/* Returns true if the first leaf has not changed. Must be called after the fence that follows the loads of the second
 * leaf's pairs: at that fence both leaves were as seen. */
PORT_FN bool seek_first_stands(map_thread map, const seek_op *seek)
{
    return header_load(node_at(map, seek->crossed)) == seek->first_header;
}
#endif

PORT_FN void seek_walk(map_thread map, seek_op *seek)
{
    seek->digest = 1;
    seek->crossed = 0;
    cursor_start(map, &seek->cursor, seek->from);
}

PORT_FN void seek_start(map_thread map, seek_op *seek, map_key from, bool up)
{
    seek->from = from;
    seek->up = up;
    seek->last_digest = 0;
#ifndef SEEK_WALKS_TWICE
    seek->first_header = 0; /* avoids a compiler warning; only read after the walk has crossed, which sets it */
#endif
    seek_walk(map, seek);
}

/* The walk has found its result, or has reached the end of the map without one. */
PORT_FN level_step seek_arrived(map_thread map, seek_op *seek, bool found)
{
    seek->found = found;
    uint64_t digest = seek->digest | 1;
    if (!seek->crossed || digest == seek->last_digest) return STEP_DONE;
#ifndef SEEK_WALKS_TWICE
    if (seek_first_stands(map, seek)) return STEP_DONE;
#endif
    seek_walk(map, seek);
    seek->last_digest = digest;
    return STEP_MOVED;
}

#ifdef BLINK_SKIPLIST
/* Finds the nearest of the first `count` pairs, which are unordered. */
PORT_FN bool image_nearest(const node_image *image, unsigned count, map_key target, bool up, map_pair *nearest)
{
    bool found = false;
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++) {
        map_pair pair = image->pair[i];
        bool beyond = i < count && (up ? pair.key >= target : pair.key <= target);
        bool better = beyond && (!found || (up ? pair.key < nearest->key : pair.key > nearest->key));
        if (better) *nearest = pair;
        found |= better;
    }
    return found;
}
#elif !defined(IMAGE_IN_REGISTERS)
/* Finds the nearest of the first `count` pairs, which ascend. */
PORT_FN bool image_nearest(const node_image *image, unsigned count, map_key target, bool up, map_pair *nearest)
{
    unsigned at = up ? image_rank(image, count, target) : image_rank_through(image, count, target);
    bool found = up ? at < count : at > 0;
    if (found) *nearest = image->pair[up ? at : at - 1];
    return found;
}
#else
/* As above, without indexing the image. */
PORT_FN bool image_nearest(const node_image *image, unsigned count, map_key target, bool up, map_pair *nearest)
{
    bool found = false;
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++) {
        map_pair pair = image->pair[i];
        bool better = i < count && (up ? pair.key >= target && !found : pair.key <= target);
        if (better) *nearest = pair;
        found |= better;
    }
    return found;
}
#endif

/* The same for a leaf that the caller validates afterwards. */
PORT_FN bool leaf_nearest(const map_node *node, unsigned count, map_key target, bool up, map_pair *nearest)
{
#if defined(IMAGE_IN_REGISTERS) && !defined(BLINK_SKIPLIST)
    return node_nearest(node, count, target, up, nearest);
#else
    node_image image;
    node_read(node, &image);
    return image_nearest(&image, count, target, up, nearest);
#endif
}

PORT_FN level_step seek_leaf(map_thread map, seek_op *seek)
{
    level_cursor *cursor = &seek->cursor;
    const map_node *node = node_at(map, cursor->node);
    map_pair link;
    uint64_t header = node_end(node, &link);
    if (header & HEADER_LATCHED) return STEP_AGAIN;
#ifdef BLINK_SKIPLIST
    if (leads_back(header, link)) { /* its link tells where to continue, but not the low key there */
        port_fetch_add(&map.tree->restarts, 1);
        port_invalidate_cached(); /* else the old image of an upper chunk could lead here again and again */
        seek_walk(map, seek);
        return STEP_MOVED;
    }
#endif
    if (belongs_right(link, cursor->target)) {
        cursor_right(map, cursor, link);
        return STEP_MOVED;
    }
    /* The result from a torn leaf is discarded below. */
    bool found = leaf_nearest(node, header_count(header), cursor->target, seek->up, &seek->answer);
    port_validate_fence();
    if (header_load(node) != header) return STEP_AGAIN;

    seek->digest = blink_digest(blink_digest(seek->digest, cursor->node), header);
    if (found) return seek_arrived(map, seek, true);
    uint32_t from = cursor->node;
    if (seek->up) {
        if (!pair_is_link(link)) return seek_arrived(map, seek, false);
        cursor->node = pair_node(link);
        cursor->low = link.key;
    } else {
        if (cursor->low == 0) return seek_arrived(map, seek, false);
        cursor_start(map, cursor, cursor->low - 1);
    }
    seek_crossed(seek, from, header);
    return STEP_MOVED;
}

PORT_FN level_step seek_step(map_thread map, seek_op *seek)
{
    if (seek->cursor.level > 0) return cursor_descend(map, &seek->cursor);
    return seek_leaf(map, seek);
}
