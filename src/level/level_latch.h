/* level/level_latch.h - latches the node that covers a key. For trees and skiplists. */

PORT_FN void unlatch(map_node *node, uint64_t header) { port_store_release(&node->word[HEADER_WORD], header); }

/* Latches the node under the cursor if it covers the target. Returns DONE if the latch is held: *header is the header
 * from before, *link the link. Otherwise moves right (MOVED) or returns AGAIN. */
PORT_FN level_step latch_covering(map_thread map, level_cursor *cursor, uint64_t *header, map_pair *link)
{
    map_node *node = node_at(map, cursor->node);
    *header = node_end(node, link);
    if (*header & HEADER_LATCHED) return STEP_AGAIN;
    if (belongs_right(*link, cursor->target)) {
        /* Not while a split of this node is unfinished: its old pairs still count as present here (a find may hit them
         * under the latch), so no thread may change them in the new node yet. */
        port_validate_fence();
        if (header_load(node) != *header) return STEP_AGAIN;
        cursor_right(map, cursor, *link);
        return STEP_MOVED;
    }
    /* Success also proves that the link is still valid: the version has not changed since the link was read. */
    return port_latch(&node->word[HEADER_WORD], *header, *header | HEADER_LATCHED) ? STEP_DONE : STEP_AGAIN;
}
