/* level/level_image.h - operations on the image of a latched node: plain arithmetic on private memory.
 *
 * The loops have constant bounds and are unrolled on a GPU, so that the image stays in registers.
 */

/* Returns the pair in slot `at`. `at` may be NODE_CAPACITY; the result is then some other pair. */
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

/* Inserts into an image that has room. Here and in image_remove, slots beyond the pairs stay unchanged: node_write may
 * write them again, and a find that uses an older, larger count must not see a pair there that is no longer live. */
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
