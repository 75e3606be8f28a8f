/* snapshot_probe.c - snapshots of a versioned map while clients work. One is taken before a turn, when all is known,
 * and must still show exactly that when the turn is over. And clients take some between their calls: what such a
 * snapshot shows is not known, but it must not change while it lives. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stress.h"
#include "tools/common/words.h"

enum { PROBE_CELLS = 1 << 12 }; /* that a client reads of its snapshot */

struct probe_pairs {
    size_t count;
    uint64_t size; /* of the whole snapshot */
    uint64_t keys[PROBE_CELLS], values[PROBE_CELLS]; /* in the map's width */
};

struct snapshot_probe {
    pleach_snapshot *snapshot; /* NULL: none */
    uint64_t lo, hi;           /* the interval that is read, in the map's width */
    struct probe_pairs first, again;
};

bool probe_create(struct client *client)
{
    client->probe = calloc(1, sizeof *client->probe);
    return client->probe != NULL;
}

static void release(struct stress *s, unsigned index, pleach_snapshot **snapshot)
{
    heartbeat_begin(s, index, "releasing a snapshot", 0);
    pleach_snapshot_release(*snapshot);
    heartbeat_end(s, index, PLEACH_OK);
    *snapshot = NULL;
}

/* ---- a snapshot before the turn ---- */

void snapshot_before_take(struct stress *s)
{
    if (s->options.versioned)
        STRESS_CALL(s, 0, "taking a snapshot", 0, pleach_snapshot_take(s->target.map, &s->before, PLEACH_SYNC));
}

bool snapshot_before_export(struct stress *s, size_t capacity)
{
    uint64_t size = 0;
    if (s->before == NULL) return false;
    const bool good =
        STRESS_CALL(s, 0, "export of a snapshot", capacity,
                    pleach_snapshot_export(s->before, capacity, s->out_keys, s->out_values, &s->pairs)) &&
        STRESS_CALL(s, 0, "size of a snapshot", 0, pleach_snapshot_size(s->before, &size));
    release(s, 0, &s->before);
    if (!good) return false;
    if (size != s->pairs) stress_wrong(s, 0, "a snapshot has %zu keys, and its size is %" PRIu64, s->pairs, size);
    stress_count(&s->clients[0], s->pairs, 1);
    return true;
}

void snapshot_check_none_left(struct stress *s)
{
    pleach_map_stats stats;
    if (!s->options.versioned || stress_is_wrong(s)) return;
    if (STRESS_CALL(s, 0, "stats", 0, pleach_map_get_stats(s->target.map, &stats)) &&
        (stats.snapshots != 0 || stats.old_images != 0))
        stress_wrong(s, 0, "%" PRIu64 " snapshots and %" PRIu64 " old images are left", stats.snapshots,
                     stats.old_images);
}

/* ---- snapshots between calls ---- */

static bool read_pairs(struct stress *s, struct client *client, struct probe_pairs *pairs)
{
    const struct snapshot_probe *probe = client->probe;
    uint64_t offsets[2], count = 0;
    heartbeat_begin(s, client->index, "reading a snapshot", PROBE_CELLS);
    pleach_status status = pleach_snapshot_range(probe->snapshot, 1, &probe->lo, &probe->hi, 0, PROBE_CELLS,
                                                 pairs->keys, pairs->values, offsets, &pairs->count);
    if (status == PLEACH_OK)
        status = pleach_snapshot_range_count(probe->snapshot, 1, &probe->lo, &probe->hi, &count, PLEACH_SYNC);
    if (status == PLEACH_OK) status = pleach_snapshot_size(probe->snapshot, &pairs->size);
    heartbeat_end(s, client->index, status);
    if (count != pairs->count) pairs->count = SIZE_MAX; /* impossible, and reported as such */
    stress_count(client, size_min(pairs->count, PROBE_CELLS), size_min(pairs->count, PROBE_CELLS));
    return stress_ok(s, client->index, "reading a snapshot", status);
}

/* Ascending keys of the interval, with values that were written to them. */
static bool is_possible(const struct stress *s, const struct snapshot_probe *probe)
{
    const struct probe_pairs *pairs = &probe->first;
    uint64_t least = word_get(&probe->lo, s->bits, 0);
    if (pairs->count > PROBE_CELLS || pairs->count > pairs->size) return false;
    for (size_t i = 0; i < pairs->count; i++) {
        const uint64_t key = word_get(pairs->keys, s->bits, i), value = word_get(pairs->values, s->bits, i);
        const bool written = s->turn.shared ? is_pair_of_any(s, key, value) : is_pair_of_owner(s, key, value);
        if (!written || key < least || key > word_get(&probe->hi, s->bits, 0)) return false;
        least = key + 1;
    }
    return true;
}

static void probe_begin(struct stress *s, struct client *client)
{
    struct snapshot_probe *probe = client->probe;
    const size_t cells = s->keys.cells, first = (size_t)mix_below(&client->random, cells);
    if (!STRESS_CALL(s, client->index, "taking a snapshot", 0,
                     pleach_snapshot_take(s->target.map, &probe->snapshot, PLEACH_SYNC)))
        return;
    word_set(&probe->lo, s->bits, 0, key_of(&s->keys, first));
    word_set(&probe->hi, s->bits, 0, key_of(&s->keys, size_min(first + PROBE_CELLS, cells) - 1));
    if (read_pairs(s, client, &probe->first) && !is_possible(s, probe))
        stress_wrong(s, client->index, "client %u: a snapshot contains a pair that was never written, from key %" PRIu64
                     " on", client->index, word_get(&probe->lo, s->bits, 0));
}

static void probe_again(struct stress *s, struct client *client)
{
    struct snapshot_probe *probe = client->probe;
    const struct probe_pairs *first = &probe->first, *again = &probe->again;
    const size_t bytes = first->count * word_bytes(s->bits);
    if (!read_pairs(s, client, &probe->again)) return;
    if (again->count != first->count || again->size != first->size || memcmp(again->keys, first->keys, bytes) != 0 ||
        memcmp(again->values, first->values, bytes) != 0)
        stress_wrong(s, client->index, "client %u: a snapshot has changed: it had %zu pairs from key %" PRIu64
                     " on, of %" PRIu64 ", and now has %zu of %" PRIu64, client->index, first->count,
                     word_get(&probe->lo, s->bits, 0), first->size, again->count, again->size);
}

void probe_step(struct stress *s, struct client *client)
{
    if (client->probe == NULL || !s->turn.probes || client->wrong > 0) return;
    const uint64_t draw = mix_below(&client->random, 16);
    if (client->probe->snapshot == NULL) {
        if (draw < 4) probe_begin(s, client);
    } else if (draw < 4) {
        probe_end(s, client);
    } else if (draw < 6) {
        probe_again(s, client);
    }
}

void probe_end(struct stress *s, struct client *client)
{
    if (client->probe == NULL || client->probe->snapshot == NULL) return;
    if (client->wrong == 0) probe_again(s, client);
    release(s, client->index, &client->probe->snapshot);
}
