/* node/node_rank.h - image_rank, image_rank_through and sink_run one pair at a time, for backends without wider
 * comparisons. Loops have constant bounds and are unrolled on a GPU, so that the image stays in registers there. */

PORT_FN void W(image_of_one)(W(image) *image, W(pair) pair) { image->pair[0] = pair; }

PORT_FN unsigned W(image_rank)(const W(image) *image, unsigned count, W(key) key)
{
    unsigned rank = 0;
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++) rank += i < count && image->pair[i].key < key;
    return rank;
}

PORT_FN unsigned W(image_rank_through)(const W(image) *image, unsigned count, W(key) key)
{
    unsigned rank = 0;
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++) rank += i < count && image->pair[i].key <= key;
    return rank;
}

PORT_FN void W(sink_run)(W(sink) *sink, uint64_t place, const W(image) *image, unsigned from, unsigned n)
{
    for (unsigned i = 0; i < n; i++) W(sink_put)(sink, place + i, image->pair[from + i]);
}
