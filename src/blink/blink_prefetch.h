/* blink/blink_prefetch.h - asks for all lines of a node. Include after blink.h, once per key width. */

static inline void W(prefetch_node)(W(blink) map, uint32_t id)
{
    const char *node = (const char *)W(node_at)(map, id);
    for (size_t line = 0; line < sizeof(W(node)); line += 64) port_prefetch(node + line);
}
