/* hash/slabhash_walk.h - reads all keys of a table, group by group, concurrently with updates. Included after
 * slabhash.h.
 *
 * Here a group is the set of all keys whose hashes end with the same bits; the number of these bits is the log of the
 * number of buckets when the walk began. A group is one bucket or, if the table has grown since, several. A key stays
 * in one group wherever it moves. Each bucket is read at one instant; keys that do not change during the walk are seen
 * once.
 */

/* Slots that were read. There is space for `room`; more are only counted. */
typedef struct slab_sink {
    slab_slot *slots;
    uint64_t count, room;
} slab_sink;

PORT_FN void sink_slab(slab_sink *sink, const slab *at, uint32_t mask)
{
    for (unsigned i = 0; i < SLAB_SLOTS; i++) {
        if (!(mask >> i & 1)) continue;
        if (sink->count < sink->room) sink->slots[sink->count] = slot_load(at, i);
        sink->count++;
    }
}

/* Reads the bucket of one hash. Returns SLAB_AGAIN if it changed concurrently; the sink is then as before. */
PORT_FN slab_step walk_bucket(const slab_ref *place, const slab_table *table, uint32_t hash, slab_sink *sink,
                              unsigned *log)
{
    bucket_view look;
    if (look_begin(place, table, hash, &look) != SLAB_DONE) return SLAB_AGAIN;
    uint64_t before = sink->count;
    *log = look.log;
    if (!look.first) return SLAB_DONE;
    uint32_t mask = slab_mask(look.header);
    for (const slab *at = look.first;;) {
        sink_slab(sink, at, mask);
        uint32_t next = (uint32_t)port_load(&at->word[SLAB_LINK]);
        if (!next) break;
        if (!bucket_unchanged(&look)) {
            sink->count = before;
            return SLAB_AGAIN;
        }
        at = slab_at(place, next);
        mask = slab_mask(port_load(&at->word[SLAB_HEADER]));
        port_validate_fence();
    }
    if (bucket_unchanged(&look)) return SLAB_DONE;
    sink->count = before;
    return SLAB_AGAIN;
}

enum { WALK_PENDING = 32 };

/* Reads the group of hashes whose lowest `bits` bits are those of `group`, in which all other bits are 0. If the table
 * has more buckets by now, the bucket of `group` has only some of these hashes. The others form groups with one more
 * bit, two more bits and so on, which are read later; there are never more pending groups than bits in a hash.
 * PROGRESS: a bucket is read again only after an update of it, or of the root, has completed. Each bucket that was read
 * is finished, and there are no more of them than the table has grown to by then. */
PORT_FN void walk_group(const slab_ref *place, const slab_table *table, uint32_t group, unsigned bits,
                        slab_sink *sink)
{
    struct { uint32_t group; unsigned bits; } pending[WALK_PENDING];
    unsigned count = 0, attempt = 0;
    for (;;) {
        unsigned log;
        if (walk_bucket(place, table, group, sink, &log) != SLAB_DONE) {
            port_pause(attempt++);
            continue;
        }
        for (; bits < log; bits++, count++) {
            pending[count].group = group | (uint32_t)1 << bits;
            pending[count].bits = bits + 1;
        }
        if (count-- == 0) return;
        group = pending[count].group;
        bits = pending[count].bits;
    }
}
