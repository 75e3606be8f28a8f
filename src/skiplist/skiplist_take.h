/* skiplist/skiplist_take.h - allocates chunks for splits: free ones first, so that a structure that neither grows nor
 * shrinks uses no new memory. Included by skiplist.h. */

PORT_FN uint32_t take_returned(map_thread map)
{
    if ((int64_t)port_load(&map.tree->returned) <= 0) return NODE_NONE;
    uint32_t id = pool_alloc_any(&map.tree->pool, map.nodes, sizeof(map_node), map.stripe);
    if (id != NODE_NONE) port_fetch_add(&map.tree->returned, (uint64_t)-1);
    return id;
}

PORT_FN uint32_t take_chunk(map_thread map)
{
    uint32_t id = take_returned(map);
    if (id == NODE_NONE) id = pool_alloc_fresh(&map.tree->pool, 0);
    return id != NODE_NONE ? id : take_returned(map);
}

/* Returns whether a new chunk with this low key gets a pair in the level above. */
PORT_FN bool is_raised(map_thread map, uint32_t id, uint64_t low, unsigned level)
{
    uint64_t dice = (low ^ (uint64_t)id << 32) * 0x9e3779b97f4a7c15u;
    dice = (dice ^ dice >> 29) * 0xbf58476d1ce4e5b9u;
    return level + 1 < SKIPLIST_LEVELS && dice >> 32 < map.raise;
}

/* Returns true for a zombie, or a chunk that became one between the two loads: no live chunk has high key 0. */
PORT_FN bool leads_back(uint64_t header, map_pair link)
{
    return chunk_state(header) == CHUNK_ZOMBIE || (pair_is_link(link) && link.key == 0);
}
