/* hash/slabhash_pairs.h - iterates over the pairs of a bucket. The caller has exclusive access. Included after
 * slabhash.h. */

/* An iterator over a bucket's pairs, or over those of its targets if it has moved. */
typedef struct slab_pairs {
    const slab_ref *place;
    const slab *at;
    uint32_t mask;
    uint64_t next;         /* root that it has moved to, or 0 */
    uint32_t target, step; /* buckets of `next` */
} slab_pairs;

PORT_FN void pairs_enter(slab_pairs *pairs, uint32_t id)
{
    pairs->at = slab_at(pairs->place, id);
    pairs->mask = slab_mask(pairs->at->word[SLAB_HEADER]);
}

PORT_FN slab_pairs pairs_begin(const slab_ref *place, const slab_table *table, uint32_t number)
{
    slab_pairs pairs;
    pairs.place = place;
    pairs.next = 0;
    pairs.target = number;
    pairs.step = (uint32_t)1 << slab_root_log(table->root);
    pairs_enter(&pairs, slab_root_first(table->root) + number);
    if (!(pairs.at->word[SLAB_HEADER] & SLAB_MOVED)) return pairs;
    pairs.next = slab_target(table, table->root);
    pairs_enter(&pairs, slab_root_first(pairs.next) + number);
    return pairs;
}

/* Advances to the next slab of the bucket, or to the next target. Returns false at the end. */
PORT_FN bool pairs_on(slab_pairs *pairs)
{
    uint32_t id = (uint32_t)pairs->at->word[SLAB_LINK];
    if (!id && pairs->next) {
        pairs->target += pairs->step;
        if (pairs->target >> slab_root_log(pairs->next) == 0) id = slab_root_first(pairs->next) + pairs->target;
    }
    if (id) pairs_enter(pairs, id);
    return id;
}

PORT_FN bool pairs_next(slab_pairs *pairs, slab_slot *pair)
{
    while (!pairs->mask)
        if (!pairs_on(pairs)) return false;
    *pair = slot_load(pairs->at, slab_lowest(pairs->mask));
    pairs->mask &= pairs->mask - 1;
    return true;
}

