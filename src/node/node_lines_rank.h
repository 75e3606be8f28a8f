/* node/node_lines_rank.h - ranks in an image, built on slots_below and slots_at_or_below. */

/* All keys of an image are compared, so all must have a value. */
PORT_FN void image_of_one(node_image *image, map_pair pair)
{
    for (unsigned i = 0; i < IMAGE_SLOTS; i++) image->pair[i] = pair;
}

PORT_FN unsigned image_rank(const node_image *image, unsigned count, map_key key)
{
    const map_node *slots = IMAGE_POINTER(image);
    return (unsigned)__builtin_popcount(slots_below(slots, key) & ((1u << count) - 1));
}

PORT_FN unsigned image_rank_through(const node_image *image, unsigned count, map_key key)
{
    const map_node *slots = IMAGE_POINTER(image);
    return (unsigned)__builtin_popcount(slots_at_or_below(slots, key) & ((1u << count) - 1));
}
