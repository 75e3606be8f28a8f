/* node/node_image.h - node_read and node_write one pair at a time, for backends without wider accesses. With
 * NODE_READS_LINES only the latter. */

#ifndef NODE_READS_LINES
PORT_FN void W(node_read)(const W(node) *node, W(image) *image)
{
    PORT_UNROLL for (unsigned slot = 0; slot < NODE_CAPACITY; slot++) image->pair[slot] = W(pair_load)(node, slot);
}
#endif

PORT_FN void W(node_write)(W(node) *node, const W(image) *image, unsigned from, unsigned to)
{
    PORT_UNROLL for (unsigned slot = 0; slot < NODE_CAPACITY; slot++)
        if (slot >= from && slot < to) W(pair_store)(node, slot, image->pair[slot]);
}
