/* batch/batch_stock.h - before a batch: arranges the pool's stock of free ids so that new nodes can take their ids from
 * it by number. Included by batch.h. One worker, of one or more lanes, runs it. */

PORT_FN void batch_forget_versions(const batch_ref *b, uint32_t id)
{
    port_store(&b->record[id].since, 0);
    port_store(&b->record[id].older, 0);
}

/* Allocations have taken ids from the front. This moves ids from the back to the front, as far as they fit. */
PORT_FN void batch_shift_stock(const batch_ref *b, uint32_t lanes)
{
    pool_state *pool = &b->map.tree->pool;
    uint64_t end = port_load(&pool->stock_end), next = port_load(&pool->stock_next), first = next < end ? next : end;
    uint64_t count = end - first, moved = first < count ? first : count;
    uint32_t *stock = batch_stock(b);
    for (uint64_t i = port_lane(lanes); i < moved; i += lanes) stock[i] = stock[end - 1 - i];
    port_group_sync(lanes);
    if (port_lane(lanes) == 0) {
        port_store(&pool->stock_end, count);
        port_store(&pool->stock_next, 0);
    }
    port_group_sync(lanes);
}

/* Moves freed nodes from their lists to the stock: at most `most` from each list, which bounds the time. The lists'
 * lengths, and where each list begins in the stock, are stored in case_freed and case_first. */
PORT_FN void batch_empty_lists(const batch_ref *b, uint32_t lanes, uint32_t most)
{
    pool_state *pool = &b->map.tree->pool;
    uint64_t end = port_load(&pool->stock_end);
    for (uint32_t list = port_lane(lanes); list < POOL_STRIPES; list += lanes) {
        uint32_t id = (uint32_t)port_load(&pool->free[list].head), length = 0;
        for (; id != NODE_NONE && length < most; length++) id = (uint32_t)port_load(&node_at(b->map, id)->word[0]);
        b->case_freed[list] = length;
    }
    port_group_sync(lanes);
    if (port_lane(lanes) == 0) {
        uint32_t sum = 0;
        for (uint32_t list = 0; list < POOL_STRIPES; list++) {
            b->case_first[list] = sum;
            sum += b->case_freed[list];
        }
        port_store(&pool->stock_end, end + sum);
    }
    port_group_sync(lanes);
    for (uint32_t list = port_lane(lanes); list < POOL_STRIPES; list += lanes) {
        uint64_t head = port_load(&pool->free[list].head);
        uint32_t id = (uint32_t)head;
        for (uint32_t i = 0; i < b->case_freed[list]; i++) {
            batch_stock(b)[end + b->case_first[list] + i] = id;
            if (b->record) batch_forget_versions(b, id);
            id = (uint32_t)port_load(&node_at(b->map, id)->word[0]);
        }
        port_store(&pool->free[list].head, ((head >> 32) + 1) << 32 | id);
    }
    port_group_sync(lanes);
}

PORT_FN void batch_settle_stock(const batch_ref *b, uint32_t lanes)
{
    batch_shift_stock(b, lanes);
    if (b->record) batch_empty_lists(b, lanes, b->r.n / 8 + 256);
}
