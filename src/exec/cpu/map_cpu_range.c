/* exec/cpu/map_cpu_range.c - packed ranges of a CPU map.
 *
 * Count, add up, fill. Between counting and filling other calls may insert and erase. Gaps that erasing leaves are
 * closed. A query that has become longer than its place is not cut short, for that could lose a key which was there all
 * the time: all are filled again, into places with room to spare, twice as much in every round, until all have fitted.
 */
#include <string.h>

#include "../../base/memory.h"
#include "map_cpu.h"

static size_t offsets_of_counts(uint64_t *offsets, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t count = offsets[i];
        offsets[i] = total;
        total += count;
    }
    offsets[n] = total;
    return total;
}

static void copy_pairs(void *to, const void *from, size_t key_bytes, uint64_t to_place, uint64_t from_place,
                       uint64_t count)
{
    if (!to || (to == from && to_place == from_place)) return;
    memmove((char *)to + to_place * key_bytes, (const char *)from + from_place * key_bytes, count * key_bytes);
}

/* One try. True if every query's pairs fitted; found[i] is how many it had. */
static bool fill_places(cpu_map *map, const request *r, void *keys, void *values, const uint64_t *places,
                        uint64_t *found)
{
    request fill = *r;
    fill.out_keys = keys;
    fill.out_values = values;
    fill.offsets = places;
    fill.long_counts = found;
    cpu_run(map, &fill, PLEACH_SYNC);
    bool fitted = true;
    for (size_t i = 0; i < r->n; i++) fitted &= found[i] <= places[i + 1] - places[i];
    return fitted;
}

/* Moves the pairs together, to the caller's arrays, if they fit there. */
static pleach_status close_gaps(const request *r, size_t key_bytes, const void *keys, const void *values,
                                const uint64_t *places, const uint64_t *found, size_t capacity, uint64_t *offsets,
                                size_t *total)
{
    uint64_t place = 0;
    for (size_t i = 0; i < r->n; i++) place += found[i];
    *total = place;
    bool fits = place <= capacity;
    place = 0;
    for (size_t i = 0; i < r->n; i++) {
        uint64_t from = places[i]; /* places may be offsets */
        if (fits) copy_pairs(r->out_keys, keys, key_bytes, place, from, found[i]);
        if (fits) copy_pairs(r->out_values, values, key_bytes, place, from, found[i]);
        offsets[i] = place;
        place += found[i];
    }
    offsets[r->n] = place;
    return fits ? PLEACH_OK : PLEACH_E_SPACE;
}

static pleach_status fill_with_room_to_spare(cpu_map *map, const request *r, size_t capacity, uint64_t *offsets,
                                             uint64_t *found, size_t *total)
{
    size_t key_bytes = map->key_bits / 8;
    uint64_t *places = base_alloc(r->n + 1, sizeof *places);
    pleach_status status = places ? PLEACH_OK : PLEACH_E_MEMORY;
    bool fitted = false;
    for (unsigned round = 0; status == PLEACH_OK && !fitted; round++) {
        for (size_t i = 0; i < r->n; i++) places[i] = found[i] + ((uint64_t)4 << (round < 20 ? round : 20));
        size_t room = offsets_of_counts(places, r->n);
        void *keys = r->out_keys ? base_alloc(room, key_bytes) : NULL;
        void *values = r->out_values ? base_alloc(room, key_bytes) : NULL;
        if ((r->out_keys && !keys) || (r->out_values && !values))
            status = PLEACH_E_MEMORY;
        else
            fitted = fill_places(map, r, keys, values, places, found);
        if (fitted)
            status = close_gaps(r, key_bytes, keys, values, places, found, capacity, offsets, total);
        base_free(keys);
        base_free(values);
    }
    base_free(places);
    return status;
}

pleach_status cpu_range_packed(void *exec, const request *r, size_t capacity, uint64_t *offsets, size_t *total)
{
    cpu_map *map = exec;
    uint64_t *found = base_alloc(r->n, sizeof *found);
    if (!found) return PLEACH_E_MEMORY;
    request count = *r;
    count.kind = REQUEST_COUNT;
    count.out_keys = count.out_values = NULL;
    count.long_counts = offsets;
    cpu_run(map, &count, PLEACH_SYNC);
    *total = offsets_of_counts(offsets, r->n);
    pleach_status status = PLEACH_OK;
    if (*total > capacity && (r->out_keys || r->out_values))
        status = PLEACH_E_SPACE;
    else if ((r->out_keys || r->out_values) && fill_places(map, r, r->out_keys, r->out_values, offsets, found))
        status = close_gaps(r, map->key_bits / 8, r->out_keys, r->out_values, offsets, found, capacity, offsets, total);
    else if (r->out_keys || r->out_values)
        status = fill_with_room_to_spare(map, r, capacity, offsets, found, total);
    base_free(found);
    return status;
}
