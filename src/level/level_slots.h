/* level/level_slots.h - moves pairs within and between nodes. The caller holds the latch.
 *
 * Loops have constant bounds and are unrolled on a GPU, so that their loads are in flight together and the loaded pairs
 * stay in registers. They process a node in two halves to need fewer registers.
 * Readers do not depend on the order of the stores: if a pair is missing for a moment, the reader retries because the
 * header is latched; a pair that is present twice is valid in both places; and inner nodes are repaired by links.
 */

enum { HALF = NODE_CAPACITY / 2 };

/* Moves slots at .. count-1 up by one. */
PORT_FN void slots_open(map_node *node, unsigned at, unsigned count)
{
    PORT_UNROLL for (unsigned half = 2; half > 0; half--) {
        unsigned base = (half - 1) * HALF;
        map_pair moved[HALF];
        PORT_UNROLL for (unsigned i = 0; i < HALF; i++) moved[i] = pair_load(node, base + i);
        PORT_UNROLL for (unsigned i = 0; i < HALF; i++)
            if (base + i >= at && base + i < count) pair_store(node, base + i + 1, moved[i]);
    }
}

/* Stores one pair to slots from .. NODE_CAPACITY-1 and to the link slot. */
PORT_FN void slots_pad(map_node *node, unsigned from, map_pair pair)
{
    for (unsigned slot = from; slot <= NODE_LINK_SLOT; slot++) pair_store(node, slot, pair);
}

/* Returns slot `slot` of the 15 that a full node would have with `pair` inserted at `at`. */
PORT_FN map_pair slot_with(const map_node *node, unsigned at, map_pair pair, unsigned slot)
{
    return slot == at ? pair : pair_load(node, slot < at ? slot : slot - 1);
}

PORT_FN unsigned slots_rank(const map_node *node, unsigned count, map_key key)
{
    unsigned rank = 0;
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++) rank += i < count && pair_load(node, i).key < key;
    return rank;
}
