/* node/node_lines_rank.h - ranks in an image, on top of slots_below and slots_at_or_below. */

/* All keys of an image are compared, so all have a value. */
PORT_FN void W(image_of_one)(W(image) *image, W(pair) pair)
{
    for (unsigned i = 0; i < IMAGE_SLOTS; i++) image->pair[i] = pair;
}

PORT_FN unsigned W(image_rank)(const W(image) *image, unsigned count, W(key) key)
{
    const W(node) *slots = IMAGE_POINTER(image);
    return (unsigned)__builtin_popcount(W(slots_below)(slots, key) & ((1u << count) - 1));
}

PORT_FN unsigned W(image_rank_through)(const W(image) *image, unsigned count, W(key) key)
{
    const W(node) *slots = IMAGE_POINTER(image);
    return (unsigned)__builtin_popcount(W(slots_at_or_below)(slots, key) & ((1u << count) - 1));
}
