/* batch/batch_list.h - select: finds the operations that interact with others. Included by batch.h.
 *
 * The result of a find or contains whose key no operation of the batch updates depends on the old map only, so the
 * operation need not be sorted and need not wait for others. To recognize such operations, updates set a bit of a
 * filter by their keys. Other keys may share the bit; their finds are then selected although it is not necessary.
 */

PORT_FN uint32_t batch_filter_bit(const batch_ref *b, map_key key)
{
#if PLEACH_KEY_BITS == 32
    return (uint32_t)(key * 0x9e3779b1u) >> (32 - b->filter_bits);
#elif PLEACH_KEY_BITS == 64
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> (64 - b->filter_bits));
#else
    uint64_t halves = (uint64_t)key ^ (uint64_t)(key >> 64) * 0xd6e8feb86659fd93u;
    return (uint32_t)((halves * 0x9e3779b97f4a7c15u) >> (64 - b->filter_bits));
#endif
}

PORT_FN map_key batch_argument(const batch_ref *b, uint32_t place) { return ((const map_key *)b->r.keys)[place]; }

/* Select, first pass: an update sets the bit of its key. */
PORT_FN void batch_mark(const batch_ref *b, uint32_t place)
{
    if (batch_kind_at(&b->r, place) > OP_ERASE) return;
    uint32_t bit = batch_filter_bit(b, batch_argument(b, place));
    port_mark(&b->filter[bit / 64], (uint64_t)1 << bit % 64);
}

#define BATCH_LISTED ((uint32_t)1 << 31)
#define BATCH_ONLY_ASKED ((uint32_t)1 << 30) /* contains: its value is not requested */

/* Returns what is stored for an operation that is not selected. */
PORT_FN uint32_t batch_read_mark(const batch_ref *b, uint32_t place)
{
    return place | (batch_kind_at(&b->r, place) == OP_CONTAINS ? BATCH_ONLY_ASKED : 0);
}

/* Returns whether the operation is selected. Reads the filter once, and stores the result in mark[]. */
PORT_FN uint32_t batch_note(const batch_ref *b, uint32_t place)
{
    uint32_t kind = batch_kind_at(&b->r, place), listed = 1;
    if (kind == OP_FIND || kind == OP_CONTAINS) {
        listed = 0;
        if (b->sizes->seen & BATCH_HAS_UPDATES) {
            uint32_t bit = batch_filter_bit(b, batch_argument(b, place));
            listed = (uint32_t)(b->filter[bit / 64] >> bit % 64 & 1);
        }
    }
    b->mark[place] = batch_read_mark(b, place) | (listed ? BATCH_LISTED : 0);
    return listed;
}

PORT_FN uint32_t batch_is_listed(const batch_ref *b, uint32_t place) { return b->mark[place] >> 31; }

/* Then a scan: stores its result at an operation. */
PORT_FN void batch_store_listed(const batch_ref *b, uint32_t place, uint32_t listed)
{
    if (place + 1 == b->r.n) b->sizes->ops = listed;
    if (!batch_is_listed(b, place)) return;
    b->list_key[listed - 1] = batch_argument(b, place);
    b->list_function[listed - 1] = batch_function_of(batch_kind_at(&b->r, place), place);
}

/* Replaces both if all operations are updates, because then all are selected. */
PORT_FN void batch_list_all(const batch_ref *b, uint32_t place)
{
    b->list_key[place] = batch_argument(b, place);
    b->list_function[place] = batch_function_of(b->r.kind, place);
}

/* Read: stores the result of an operation that is not selected, once its find is done. */
PORT_FN void batch_answer_read(const batch_ref *b, uint32_t mark, const find_op *find)
{
    uint32_t place = mark & (BATCH_ONLY_ASKED - 1);
    if (b->r.flags) b->r.flags[place] = find->found;
    if (b->r.out_values && find->found && !(mark & BATCH_ONLY_ASKED))
        ((map_key *)b->r.out_values)[place] = find->value;
}
