/* level/level_latch.h - latching the node that covers a key. Shared by the B-link
 * tree and the skiplist. */

PORT_FN void unlatch(map_node *node, uint64_t header) { port_store_release(&node->word[HEADER_WORD], header); }

/* Latches the node under the cursor if it covers the target; else moves right (MOVED) or asks for another try. DONE:
 * the latch is held, *header is the header from before, *link the link. */
PORT_FN level_step latch_covering(map_ref map, level_cursor *cursor, uint64_t *header, map_pair *link)
{
    map_node *node = node_at(map, cursor->node);
    *header = node_end(node, link);
    if (*header & HEADER_LATCHED) return STEP_AGAIN;
    if (belongs_right(*link, cursor->target)) {
        /* Not while a split of this node is unfinished: its old pairs still count as present here (a find may hit them
         * under the latch), so nobody may change them over there yet. */
        port_validate_fence();
        if (header_load(node) != *header) return STEP_AGAIN;
        cursor_right(map, cursor, *link);
        return STEP_MOVED;
    }
    /* Success also proves that the link is still right: the version has not moved since it was read. */
    return port_latch(&node->word[HEADER_WORD], *header, *header | HEADER_LATCHED) ? STEP_DONE : STEP_AGAIN;
}
