/* hash/slabhash_count.h - counts what is in a quiescent table, without reading its keys. Host only; included after
 * slabhash.h. */

static void count_chain(const slab_ref *place, uint32_t first, hash_counts *counts)
{
    uint64_t length = 0;
    for (uint32_t id = first; id; id = (uint32_t)slab_at(place, id)->word[SLAB_LINK], length++)
        counts->keys += (unsigned)__builtin_popcount(slab_mask(slab_at(place, id)->word[SLAB_HEADER]));
    counts->overflow_slabs += length - 1;
    if (length > counts->longest_chain) counts->longest_chain = length;
}

static void slab_count(const slab_ref *place, const slab_table *table, hash_counts *counts)
{
    *counts = (hash_counts){0};
    uint64_t root = table->root, next = slab_target(table, root);
    counts->buckets = slab_root_first(root) ? (uint64_t)1 << slab_root_log(root) : 0;
    for (uint32_t number = 0; number < counts->buckets; number++) {
        uint32_t first = slab_root_first(root) + number;
        if (!(slab_at(place, first)->word[SLAB_HEADER] & SLAB_MOVED)) {
            count_chain(place, first, counts);
            continue;
        }
        counts->moved_buckets++;
        for (uint64_t target = number; target >> slab_root_log(next) == 0; target += counts->buckets)
            count_chain(place, slab_root_first(next) + (uint32_t)target, counts);
    }
}
