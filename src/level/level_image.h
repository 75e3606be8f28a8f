/* level/level_image.h - work on the image of a latched node: plain arithmetic on private memory.
 *
 * The loops have constant bounds and are unrolled on a GPU, so that the image stays in registers there.
 */

/* The pair in slot `at`, which may be count: then some other pair. */
PORT_FN map_pair image_pair(const node_image *image, unsigned at)
{
#ifdef IMAGE_IN_REGISTERS
    map_pair pair = image->pair[0];
    PORT_UNROLL for (unsigned i = 1; i < NODE_CAPACITY; i++)
        if (i == at) pair = image->pair[i];
    return pair;
#else
    return image->pair[at < NODE_CAPACITY ? at : 0];
#endif
}

/* Into an image with room. What lies beyond the pairs stays as it is, here and below: node_write may write it again,
 * and a find that goes by an older, larger count must not come to see a pair there that is not live any more. */
PORT_FN void image_insert(node_image *image, unsigned at, unsigned count, map_pair pair)
{
    PORT_UNROLL for (unsigned i = NODE_CAPACITY - 1; i > 0; i--)
        if (i > at && i <= count) image->pair[i] = image->pair[i - 1];
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++)
        if (i == at) image->pair[i] = pair;
}

PORT_FN void image_remove(node_image *image, unsigned at, unsigned count)
{
    PORT_UNROLL for (unsigned i = 0; i + 1 < NODE_CAPACITY; i++)
        if (i >= at && i + 1 < count) image->pair[i] = image->pair[i + 1];
}
