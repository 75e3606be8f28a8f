/* node/node_image.h - node_read (unless NODE_READS_LINES) and node_write by accesses to single pairs. */

#ifndef NODE_READS_LINES
PORT_FN void node_read(const map_node *node, node_image *image)
{
    PORT_UNROLL for (unsigned slot = 0; slot < NODE_CAPACITY; slot++) image->pair[slot] = pair_load(node, slot);
}
#endif

PORT_FN void node_write(map_node *node, const node_image *image, unsigned from, unsigned to)
{
    PORT_UNROLL for (unsigned slot = 0; slot < NODE_CAPACITY; slot++)
        if (slot >= from && slot < to) pair_store(node, slot, image->pair[slot]);
}
