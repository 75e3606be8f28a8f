/* version/version_record.h - the record of a version, and how an old version that no live snapshot needs is reused.
 *
 * LAYOUT   The word `older` of an old version has three parts:
 *
 *     owner, 31 bits | lock | older, 32 bits
 *
 * `owner` is the leaf whose latch holders made the version, or 0. The record of a leaf has only `older`. Its `until` is
 * a boundary: since a split, versions that end at or before it also belong to the version chain of another leaf.
 *
 * TWO WAYS TO REUSE AN OLD VERSION
 *   by age   until <= oldest. No live or later snapshot reads the version, or one behind it. Any participant that has
 *            the version on a list or in a ring may take it (version_claim). The chain stays: no reader goes there.
 *   by a cut No live snapshot has a timestamp in [since, until), but older snapshots may be live, whose readers pass
 *            through the version. Only the holder of the owner's latch may take it, and only as the node of the owner's
 *            next old version (version_cut). It stays on its list or in its ring.
 *
 * Both ways lock the version first, so only one of them takes it. Neither waits for a locked version.
 *
 * WHY THE LOCK IS SAFE. A latch holder locks by a compare-and-swap from a word that has its leaf as owner. Only holders
 * of this latch store such words. So the version was not freed by age since the latch was acquired, and what the latch
 * holder has read of the record is still valid. A participant that frees by age reads `until` again under the lock,
 * because the node may hold a newer version by now.
 *
 * WHY READERS NEED NO SECOND CHECK AFTER A CUT
 *   Let a reader of live snapshot s be at version X of leaf L, X.since > s.
 *   - X stays in L's chain while s is live: by age it is freed only if until <= oldest <= s, and until only grows. So X
 *     is always one of L's versions, and its link leads to versions of L's chain, or to the tail shared since a split.
 *   - X.since stays above s. A cut stores a larger `since` to the version that it takes. The version before that one,
 *     P, gets the smaller `since` of the version taken, but no live snapshot is between the two.
 *   - So the reader never stops at a version that it should pass. If X was taken meanwhile, its new link leads back
 *     towards the leaf, and the reader walks over the same chain again. Each such detour is caused by one update.
 *   - Where the reader stops, since <= s < until: snapshot s needs that version, and nothing in it changes.
 */
#ifndef PLEACH_VERSION_RECORD_H
#define PLEACH_VERSION_RECORD_H

#include "../port/port.h"

typedef struct version_record {
    uint64_t since;
    uint64_t older; /* id of the previous version, or 0; in an old version, also owner and lock */
    uint64_t until; /* of an old version, its end; of a leaf, the boundary */
    uint64_t next;  /* of an old version: the next one in its list of kept versions */
} version_record;

#define VERSION_LOCK (1ull << 32)

/* Versions of a leaf's chain that an update examines to find one to cut. */
#ifdef PLEACH_SIM
enum { VERSION_WALK = 3 };
#else
enum { VERSION_WALK = 8 };
#endif

PORT_FN uint64_t version_word(uint32_t owner, uint32_t older) { return (uint64_t)owner << 33 | older; }
PORT_FN uint32_t version_owner(uint64_t word) { return (uint32_t)(word >> 33); }

/* Takes a version that is free by age. Returns false, and leaves it where it is, if it is needed, if it was cut and now
 * holds a newer version, or if it is locked. */
PORT_FN bool version_claim(version_record *image, uint64_t oldest)
{
    if (port_load(&image->until) > oldest) return false;
    uint64_t word = port_load(&image->older);
    if ((word & VERSION_LOCK) || !port_latch(&image->older, word, word | VERSION_LOCK)) return false;
    bool free = port_load(&image->until) <= oldest;
    port_store_release(&image->older, free ? 0 : word);
    return free;
}

/* The result of a cut. Version `id` is locked. The owner's next old version gets this `since` and leads to `older`. */
typedef struct version_found {
    uint64_t since;
    uint32_t id, older;
} version_found;

/* Takes version `id`, which no live snapshot needs, out of the chain behind `before`. The caller must hold the latch of
 * `leaf`. If `before` is 0, it is the newest old version and keeps its place and its `since`. */
PORT_FN bool version_cut(version_record *record, uint32_t leaf, uint32_t before, uint32_t id, version_found *found)
{
    version_record *image = &record[id];
    uint64_t word = port_load(&image->older), link = version_word(leaf, id);
    if (version_owner(word) != leaf || (word & VERSION_LOCK)) return false;
    if (before && !port_latch(&record[before].older, link, link | VERSION_LOCK)) return false;
    if (!port_latch(&image->older, word, word | VERSION_LOCK)) {
        if (before) port_store_release(&record[before].older, link);
        return false;
    }
    found->id = id;
    if (!before) {
        found->since = port_load(&image->since);
        found->older = (uint32_t)word;
        return true;
    }
    port_store(&record[before].since, port_load(&image->since));
    port_store_release(&record[before].older, version_word(leaf, (uint32_t)word));
    found->since = port_load(&record[leaf].since);
    found->older = (uint32_t)port_load(&record[leaf].older);
    return true;
}

#endif
