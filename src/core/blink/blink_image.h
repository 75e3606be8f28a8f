/* core/blink/blink_image.h - work on the image of a latched node: plain arithmetic on private memory.
 *
 * The loops have constant bounds and are unrolled on a GPU, so that the image stays in registers there.
 */

/* Number of the first `count` pairs with a key below `key`. */
PORT_FN unsigned W(image_rank)(const W(image) *image, unsigned count, W(key) key)
{
    unsigned rank = 0;
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++) rank += i < count && image->pair[i].key < key;
    return rank;
}

/* The pair in slot `at`, which may be count: then some other pair. */
PORT_FN W(pair) W(image_pair)(const W(image) *image, unsigned at)
{
    W(pair) pair = image->pair[0];
    PORT_UNROLL for (unsigned i = 1; i < NODE_CAPACITY + 1; i++)
        if (i == at) pair = image->pair[i];
    return pair;
}

PORT_FN void W(image_insert)(W(image) *image, unsigned at, W(pair) pair)
{
    PORT_UNROLL for (unsigned i = NODE_CAPACITY; i > 0; i--)
        if (i > at) image->pair[i] = image->pair[i - 1];
    PORT_UNROLL for (unsigned i = 0; i <= NODE_CAPACITY; i++)
        if (i == at) image->pair[i] = pair;
}

PORT_FN void W(image_remove)(W(image) *image, unsigned at)
{
    PORT_UNROLL for (unsigned i = 0; i + 1 < NODE_CAPACITY; i++)
        if (i >= at) image->pair[i] = image->pair[i + 1];
}

/* The pairs that a split moves: from slot 7 on, or only the last of 15 when appending. */
PORT_FN void W(image_upper)(const W(image) *image, bool appending, W(image) *upper)
{
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++)
        upper->pair[i] = image->pair[i + NODE_CAPACITY / 2 <= NODE_CAPACITY ? i + NODE_CAPACITY / 2 : NODE_CAPACITY];
    if (appending) upper->pair[0] = image->pair[NODE_CAPACITY];
}

/* I4: an inner node's free slots repeat its link slot. */
PORT_FN void W(image_pad)(W(image) *image, unsigned count)
{
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++)
        if (i >= count) image->pair[i] = image->link;
}
