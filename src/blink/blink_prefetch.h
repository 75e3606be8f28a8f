/* blink/blink_prefetch.h - prefetches all cache lines of a node. Include after blink.h. */

static inline void prefetch_node(map_thread map, uint32_t id)
{
    const char *node = (const char *)node_at(map, id);
    for (size_t line = 0; line < sizeof(map_node); line += 64) port_prefetch(node + line);
}
