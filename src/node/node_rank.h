/* node/node_rank.h - image_rank, image_rank_through and sink_run one pair at a time, for backends without wider
 * comparisons. Loops have constant bounds and are unrolled on a GPU, so that the image stays in registers. */

PORT_FN void image_of_one(node_image *image, map_pair pair) { image->pair[0] = pair; }

PORT_FN unsigned image_rank(const node_image *image, unsigned count, map_key key)
{
    unsigned rank = 0;
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++) rank += i < count && image->pair[i].key < key;
    return rank;
}

PORT_FN unsigned image_rank_through(const node_image *image, unsigned count, map_key key)
{
    unsigned rank = 0;
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++) rank += i < count && image->pair[i].key <= key;
    return rank;
}

PORT_FN void sink_run(pair_sink *sink, uint64_t place, const node_image *image, unsigned from, unsigned n)
{
    for (unsigned i = 0; i < n; i++) sink_put(sink, place + i, image->pair[from + i]);
}
