/* soak_snapshots.c - snapshots beside the work on a versioned map. One is taken before a turn, while all is known, and
 * must show just that when the turn is over. And hands take some between their calls: what such a snapshot shows is not
 * known, but it must stay the same for as long as it lives. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "soak.h"
#include "tools/common/words.h"

enum { LOOK_CELLS = 1 << 12 }; /* that a hand reads of its snapshot */

/* A hand's snapshot, and what it showed at first. */
struct soak_look {
    pleach_snapshot *snapshot; /* NULL: none just now */
    uint64_t lo, hi;           /* the interval that is read, in the map's width */
    uint64_t size;
    size_t count;
    uint64_t keys[LOOK_CELLS], values[LOOK_CELLS], again_keys[LOOK_CELLS], again_values[LOOK_CELLS]; /* so, too */
};

bool soak_look_create(struct soak_hand *hand)
{
    hand->look = calloc(1, sizeof *hand->look);
    return hand->look != NULL;
}

void soak_look_destroy(struct soak_hand *hand) { free(hand->look); }

static pleach_snapshot *take(struct soak *soak, unsigned index)
{
    pleach_snapshot *snapshot = NULL;
    soak_enter(soak, index, "taking a snapshot", 0);
    const pleach_status status = pleach_snapshot_take(soak->map, &snapshot, PLEACH_SYNC);
    soak_leave(soak, index);
    soak_good(soak, index, "taking a snapshot", status);
    return snapshot;
}

static void release(struct soak *soak, unsigned index, pleach_snapshot **snapshot)
{
    soak_enter(soak, index, "releasing a snapshot", 0);
    pleach_snapshot_release(*snapshot);
    soak_leave(soak, index);
    *snapshot = NULL;
}

/* ---- a snapshot of what is known ---- */

void soak_take_before(struct soak *soak)
{
    if (soak->options.versioned) soak->before = take(soak, 0);
}

bool soak_export_before(struct soak *soak, size_t room)
{
    uint64_t size = 0;
    if (soak->before == NULL) return false;
    soak_enter(soak, 0, "export of a snapshot", room);
    pleach_status status = pleach_snapshot_export(soak->before, room, soak->out_keys, soak->out_values, &soak->pairs);
    if (status == PLEACH_OK) status = pleach_snapshot_size(soak->before, &size);
    soak_leave(soak, 0);
    release(soak, 0, &soak->before);
    if (!soak_good(soak, 0, "export or size of a snapshot", status)) return false;
    if (size != soak->pairs)
        soak_wrong(soak, 0, "a snapshot has %zu keys, and its size is %" PRIu64, soak->pairs, size);
    soak_count(&soak->hands[0], soak->pairs, 1);
    return true;
}

void soak_check_nothing_kept(struct soak *soak)
{
    pleach_map_stats stats;
    if (!soak->options.versioned || soak_is_wrong(soak)) return;
    soak_enter(soak, 0, "stats", 0);
    const pleach_status status = pleach_map_get_stats(soak->map, &stats);
    soak_leave(soak, 0);
    if (soak_good(soak, 0, "stats", status) && (stats.snapshots != 0 || stats.old_images != 0))
        soak_wrong(soak, 0, "%" PRIu64 " snapshots and %" PRIu64 " old images are left", stats.snapshots,
                   stats.old_images);
}

/* ---- a hand's snapshots ---- */

static pleach_status read_look(struct soak_look *look, void *keys, void *values, size_t *n, uint64_t *size)
{
    uint64_t offsets[2], count = 0;
    pleach_status status = pleach_snapshot_range(look->snapshot, 1, &look->lo, &look->hi, 0, LOOK_CELLS, keys, values,
                                                 offsets, n);
    if (status == PLEACH_OK) status = pleach_snapshot_range_count(look->snapshot, 1, &look->lo, &look->hi, &count,
                                                                  PLEACH_SYNC);
    if (status == PLEACH_OK) status = pleach_snapshot_size(look->snapshot, size);
    if (status == PLEACH_OK && count != *n) *n = SIZE_MAX; /* no range has so many */
    return status;
}

/* Ascending keys of the interval, with values that were written to them. */
static bool is_possible(const struct soak *soak, const struct soak_look *look)
{
    const unsigned bits = soak->bits;
    if (look->count > LOOK_CELLS || look->count > look->size) return false;
    for (size_t i = 0; i < look->count; i++) {
        const uint64_t key = word_get(look->keys, bits, i), value = word_get(look->values, bits, i);
        const bool written = soak->turn.shared ? soak_writer(bits, key, value) < soak->hand_count
                                               : soak_check_owner(soak, key, value) != SOAK_NO_CELL;
        const bool above = i == 0 ? key >= word_get(&look->lo, bits, 0) : key > word_get(look->keys, bits, i - 1);
        if (!written || !above || key > word_get(&look->hi, bits, 0)) return false;
    }
    return true;
}

static void begin_look(struct soak *soak, struct soak_hand *hand)
{
    struct soak_look *look = hand->look;
    const size_t cells = soak->keys.cells, first = (size_t)mix_below(&hand->random, cells);
    look->snapshot = take(soak, hand->index);
    if (look->snapshot == NULL) return;
    word_set(&look->lo, soak->bits, 0, soak_key(&soak->keys, first));
    word_set(&look->hi, soak->bits, 0, soak_key(&soak->keys, soak_least(first + LOOK_CELLS, cells) - 1));
    soak_enter(soak, hand->index, "reading a snapshot", LOOK_CELLS);
    const pleach_status status = read_look(look, look->keys, look->values, &look->count, &look->size);
    soak_leave(soak, hand->index);
    if (!soak_good(soak, hand->index, "reading a snapshot", status)) return;
    if (!is_possible(soak, look))
        soak_wrong(soak, hand->index, "thread %u: a snapshot shows what nobody wrote, from key %" PRIu64 " on",
                   hand->index, word_get(&look->lo, soak->bits, 0));
    soak_count(hand, look->count, look->count);
}

static void look_again(struct soak *soak, struct soak_hand *hand)
{
    struct soak_look *look = hand->look;
    const size_t bytes = look->count * word_bytes(soak->bits);
    size_t count = 0;
    uint64_t size = 0;
    soak_enter(soak, hand->index, "reading a snapshot again", LOOK_CELLS);
    const pleach_status status = read_look(look, look->again_keys, look->again_values, &count, &size);
    soak_leave(soak, hand->index);
    if (!soak_good(soak, hand->index, "reading a snapshot again", status)) return;
    if (count != look->count || size != look->size || memcmp(look->keys, look->again_keys, bytes) != 0 ||
        memcmp(look->values, look->again_values, bytes) != 0)
        soak_wrong(soak, hand->index, "thread %u: a snapshot has changed: it had %zu pairs from key %" PRIu64
                   " on, of %" PRIu64 ", and now has %zu of %" PRIu64,
                   hand->index, look->count, word_get(&look->lo, soak->bits, 0), look->size, count, size);
    soak_count(hand, count, count);
}

void soak_look_between(struct soak *soak, struct soak_hand *hand)
{
    if (!soak->options.versioned || !soak->turn.snapshots || hand->wrong > 0) return;
    const uint64_t draw = mix_below(&hand->random, 16);
    if (hand->look->snapshot == NULL) {
        if (draw < 4) begin_look(soak, hand);
    } else if (draw < 4) {
        soak_look_end(soak, hand);
    } else if (draw < 6) {
        look_again(soak, hand);
    }
}

void soak_look_end(struct soak *soak, struct soak_hand *hand)
{
    if (hand->look == NULL || hand->look->snapshot == NULL) return;
    if (hand->wrong == 0) look_again(soak, hand);
    release(soak, hand->index, &hand->look->snapshot);
}
