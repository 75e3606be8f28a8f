/* node/node_search_wide.h - node_route and node_lookup for 16-byte keys: as in node_plain.h, but smaller keys are
 * counted instead of searched for, because a comparison with an unpredictable outcome should not be a branch. A count
 * taken concurrently with a writer is meaningless and is not used: the version is validated before the return. */

PORT_FN map_key key_load(const map_node *node, unsigned slot)
{
    const uint64_t *word = &node->word[4 * slot];
    return (map_key)port_load(&word[1]) << 64 | port_load(&word[0]);
}

PORT_FN bool node_route(const map_node *node, map_key key, map_pair *pair)
{
    uint64_t header = port_load_acquire(&node->word[HEADER_WORD]);
    unsigned slot = 0; /* holds the node's low key, which is <= key */
    for (unsigned i = 1; i <= NODE_LINK_SLOT; i++) slot += key_load(node, i) <= key;
    *pair = pair_load(node, slot);
    return node_unchanged(node, header);
}

PORT_FN node_answer node_lookup(const map_node *node, map_key key, map_pair *pair)
{
    uint64_t header = port_load_acquire(&node->word[HEADER_WORD]);
    unsigned count = header_count(header), slot = 0;
    if (NODE_HIT_WAITS && (header & HEADER_LATCHED)) return NODE_CHANGED;
    for (unsigned i = 0; i < NODE_CAPACITY; i++) slot += (i < count) & (key_load(node, i) < key);
    bool found = slot < count && key_load(node, slot) == key;
    *pair = pair_load(node, found ? slot : NODE_LINK_SLOT);
    if (!node_unchanged(node, header)) return NODE_CHANGED;
    if (found) return NODE_FOUND;
    return pair_is_link(*pair) && key >= pair->key ? NODE_RIGHT : NODE_ABSENT; /* absent: linearized here */
}
