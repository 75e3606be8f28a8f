/* batch/batch_list.h - which operations have to do with each other. Included by batch.h, once per key width.
 *
 * A find or contains whose key no operation of the batch updates is answered by the old map alone: it need not be
 * sorted, nor wait for anybody. To know, updates mark a bit of a filter, chosen by their key; other keys may share it,
 * and are then listed for nothing.
 */

PORT_FN uint32_t W(batch_filter_bit)(const W(batch) *b, W(key) key)
{
#if PLEACH_KEY_BITS == 32
    return (uint32_t)(key * 0x9e3779b1u) >> (32 - b->filter_bits);
#else
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> (64 - b->filter_bits));
#endif
}

PORT_FN W(key) W(batch_argument)(const W(batch) *b, uint32_t place) { return ((const W(key) *)b->r.keys)[place]; }

/* List, first: an update marks its key. */
PORT_FN void W(batch_mark)(const W(batch) *b, uint32_t place)
{
    if (b->r.kinds[place] > BATCH_ERASE) return;
    uint32_t bit = W(batch_filter_bit)(b, W(batch_argument)(b, place));
    port_mark(&b->filter[bit / 64], (uint64_t)1 << bit % 64);
}

PORT_FN uint32_t W(batch_concerns)(const W(batch) *b, uint32_t kind, W(key) key)
{
    if (kind != BATCH_FIND && kind != BATCH_CONTAINS) return 1;
    uint32_t bit = W(batch_filter_bit)(b, key);
    return (uint32_t)(b->filter[bit / 64] >> bit % 64 & 1);
}

PORT_FN uint32_t W(batch_is_listed)(const W(batch) *b, uint32_t place)
{
    return W(batch_concerns)(b, b->r.kinds[place], W(batch_argument)(b, place));
}

/* Then, by a scan: what it has come to at an operation. */
PORT_FN void W(batch_store_listed)(const W(batch) *b, uint32_t place, uint32_t listed)
{
    if (place + 1 == b->r.n) b->sizes->ops = listed;
    if (!W(batch_is_listed)(b, place)) return;
    b->list_key[listed - 1] = W(batch_argument)(b, place);
    b->list_place[listed - 1] = place;
}

/* Read: the answer of an operation that is not listed, after a find has come to its end. */
PORT_FN void W(batch_answer_read)(const W(batch) *b, uint32_t place, const W(find) *find)
{
    if (b->r.flags) b->r.flags[place] = find->found;
    if (b->r.out_values && find->found && b->r.kinds[place] == BATCH_FIND)
        ((W(key) *)b->r.out_values)[place] = find->value;
}
