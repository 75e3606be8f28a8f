/* hash/slabhash_check.h - checks the invariants of a quiescent table. Host only; included after slabhash.h. */
#include <inttypes.h>
#include <stdio.h>

#include "../pool/pool_runs_check.h"

/* Returns whether no slot of the bucket before slot `slot` of slab `last` has this key. */
static bool check_unique(const slab_ref *place, uint32_t first, const slab *last, unsigned slot, slab_key key)
{
    for (const slab *at = slab_at(place, first);;) {
        uint32_t mask = slab_mask(at->word[SLAB_HEADER]);
        for (unsigned i = 0; i < SLAB_SLOTS; i++) {
            if (at == last && i == slot) return true;
            if (mask >> i & 1 && slot_load(at, i).key == key) return false;
        }
        at = slab_at(place, (uint32_t)at->word[SLAB_LINK]);
    }
}

static bool check_slots(const slab_ref *place, uint64_t root, uint32_t first, uint32_t id, hash_counts *counts,
                        char *message, size_t size)
{
    const slab *at = slab_at(place, id);
    uint32_t mask = slab_mask(at->word[SLAB_HEADER]);
    if (mask & ~SLAB_ALL) return snprintf(message, size, "H3: slab %" PRIu32 " has slots that do not exist", id), false;
    for (unsigned slot = 0; slot < SLAB_SLOTS; slot++) {
        if (!(mask >> slot & 1)) continue;
        slab_key key = slot_load(at, slot).key;
        if (slab_bucket(root, slab_hash(place, key)) != first)
            return snprintf(message, size, "H1: slab %" PRIu32 " slot %u: key %" PRIu64 " belongs to another bucket",
                            id, slot, (uint64_t)key), false;
        unsigned group = slab_group(slab_hash(place, key));
        bool in_group = id == first && group_slots(group) >> slot & 1;
        if (!in_group && !(slab_at(place, first)->word[SLAB_LINK] & slab_displaced_bit(group)))
            return snprintf(message, size, "H10: slab %" PRIu32 " slot %u: key %" PRIu64 " is not in its group, and "
                            "bucket %" PRIu32 " does not say so", id, slot, (uint64_t)key, first), false;
        if (!check_unique(place, first, at, slot, key))
            return snprintf(message, size, "H1: slab %" PRIu32 " slot %u: key %" PRIu64 " is in its bucket twice", id,
                            slot, (uint64_t)key), false;
        counts->keys++;
    }
    return true;
}

/* Checks a bucket that has not moved. */
static bool check_bucket(const slab_ref *place, uint64_t root, uint32_t first, uint64_t *seen, hash_counts *counts,
                         char *message, size_t size)
{
    uint64_t length = 0;
    for (uint32_t id = first; id; id = (uint32_t)slab_at(place, id)->word[SLAB_LINK], length++) {
        if (id != first && !pool_mark_run(place->runs.pool, seen, id, 1))
            return snprintf(message, size, "P1: slab %" PRIu32 " of bucket %" PRIu32 " is in two places", id, first),
                   false;
        uint64_t flags = slab_at(place, id)->word[SLAB_HEADER] & (SLAB_LATCHED | SLAB_MOVED | SLAB_OTHER);
        if (flags != (id == first ? 0 : SLAB_OTHER))
            return snprintf(message, size, "H5: slab %" PRIu32 " of bucket %" PRIu32 " has flags %u", id, first,
                            (unsigned)flags), false;
        if (id != first && !slab_mask(slab_at(place, id)->word[SLAB_HEADER]))
            return snprintf(message, size, "H7: slab %" PRIu32 " of a chain is empty", id), false;
        if (!check_slots(place, root, first, id, counts, message, size)) return false;
    }
    counts->overflow_slabs += length - 1;
    if (length > counts->longest_chain) counts->longest_chain = length;
    return true;
}

/* Checks the targets of a bucket that has moved. */
static bool check_targets(const slab_ref *place, uint64_t root, uint64_t next, uint32_t number, uint64_t *seen,
                          hash_counts *counts, char *message, size_t size)
{
    uint32_t bucket = slab_root_first(root) + number, step = (uint32_t)1 << slab_root_log(root);
    if (!next)
        return snprintf(message, size, "H2: bucket %" PRIu32 " has moved to nowhere", bucket), false;
    counts->moved_buckets++;
    for (uint32_t target = number; target >> slab_root_log(next) == 0; target += step)
        if (!check_bucket(place, next, slab_root_first(next) + target, seen, counts, message, size)) return false;
    return true;
}

static bool check_run(const slab_ref *place, uint64_t root, uint64_t *seen, char *message, size_t size)
{
    for (uint64_t i = 0; i < (uint64_t)1 << slab_root_log(root); i++)
        if (!pool_mark_run(place->runs.pool, seen, slab_root_first(root) + i, 1))
            return snprintf(message, size, "H6: bucket %" PRIu64 " of the run at %" PRIu32 " is in two places", i,
                            slab_root_first(root)), false;
    return true;
}

static bool slab_check(const slab_ref *place, const slab_table *table, uint64_t *seen, hash_counts *counts,
                       char *message, size_t size)
{
    *counts = (hash_counts){0};
    uint64_t root = table->root, next = slab_target(table, root);
    if (table->next == SLAB_NEXT_CLAIMED)
        return snprintf(message, size, "H6: a claim of the next root was not released"), false;
    if (!slab_root_first(root)) return true;
    if (!check_run(place, root, seen, message, size)) return false;
    if (next && !check_run(place, next, seen, message, size)) return false;
    counts->buckets = (uint64_t)1 << slab_root_log(root);
    for (uint32_t number = 0; number < counts->buckets; number++) {
        uint32_t first = slab_root_first(root) + number;
        bool moved = slab_at(place, first)->word[SLAB_HEADER] & SLAB_MOVED;
        if (moved ? !check_targets(place, root, next, number, seen, counts, message, size)
                  : !check_bucket(place, root, first, seen, counts, message, size))
            return false;
    }
    if (slab_moved(table->load) != counts->moved_buckets)
        return snprintf(message, size, "H8: %" PRIu64 " buckets have moved, the table counts %" PRIu64,
                        counts->moved_buckets, slab_moved(table->load)), false;
    uint64_t load = place->load_of_keys ? counts->keys : counts->overflow_slabs;
    if (slab_load(table->load) != (uint32_t)load)
        return snprintf(message, size, "H8: the load is %" PRIu64 ", the table counts %" PRIu32, load,
                        slab_load(table->load)), false;
    return true;
}
