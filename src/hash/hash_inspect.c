#include "hash_inspect.h"

#include "../base/memory.h"
#include "../pool/pool_runs_check.h"

void hash_inspect_stats(const hash_inspection *sight, pleach_hash_stats *stats)
{
    hash_counts counts;
    sight->ops->count(&sight->place, &sight->state->table, &counts);
    const slab_table *table = &sight->state->table;
    uint64_t next_buckets = slab_target(table, table->root) ? (uint64_t)1 << slab_root_log(table->next) : 0;
    stats->keys = counts.keys;
    stats->buckets = counts.buckets;
    stats->overflow_slabs = counts.overflow_slabs;
    stats->slabs = counts.buckets + next_buckets + counts.overflow_slabs;
    stats->longest_chain = counts.longest_chain;
    stats->moved_buckets = counts.moved_buckets;
    stats->slab_bytes = stats->slabs * SLAB_BYTES;
    stats->free_bytes = (pool_ids(&sight->state->pool) - 1 - stats->slabs) * SLAB_BYTES;
    stats->utilisation = (double)counts.keys / (double)(stats->slabs * sight->slots);
}

pleach_status hash_inspect_validate(const hash_inspection *sight, char *message, size_t message_size)
{
    hash_counts counts;
    uint64_t size = slabhash_size(sight->state);
    uint64_t *seen = base_alloc(pool_ids(&sight->state->pool) / 64 + 1, sizeof *seen);
    if (!seen) return PLEACH_E_MEMORY;
    bool sound = sight->ops->check(&sight->place, &sight->state->table, seen, &counts, message, message_size);
    pleach_status status = sound ? PLEACH_OK : PLEACH_E_CORRUPT;
    if (sound && counts.keys != size) {
        snprintf(message, message_size, "H9: %" PRIu64 " keys, the sizes say %" PRIu64, counts.keys, size);
        status = PLEACH_E_CORRUPT;
    }
    if (status == PLEACH_OK && !pool_check_runs(sight->place.runs, seen, message, message_size))
        status = PLEACH_E_CORRUPT;
    base_free(seen);
    return status;
}
