/* map_refusals.c - calls that must be refused whatever the map holds. What they would have written or changed is
 * compared later, like everything. */
#include "map_subject.h"

static void *const some_stream = (void *)(uintptr_t)64; /* never used as one */

static pleach_status call_with_null(subject *s, unsigned which, const void *one)
{
    uint64_t words[2];
    uint8_t flag;
    switch (which % 16) {
    case 0: return pleach_map_put(s->map, 1, NULL, one, NULL, NULL, PLEACH_SYNC);
    case 1: return pleach_map_put(s->map, 1, one, NULL, NULL, NULL, PLEACH_SYNC);
    case 2: return pleach_map_add(s->map, 1, one, NULL, NULL, NULL, PLEACH_SYNC);
    case 3: return pleach_map_erase(s->map, 1, NULL, NULL, NULL, PLEACH_SYNC);
    case 4: return pleach_map_find(s->map, 1, NULL, NULL, &flag, PLEACH_SYNC);
    case 5: return pleach_map_contains(s->map, 1, one, NULL, PLEACH_SYNC);
    case 6: return pleach_map_succ(s->map, 1, NULL, words, NULL, NULL, PLEACH_SYNC);
    case 7: return pleach_map_range_count(s->map, 1, one, one, NULL, PLEACH_SYNC);
    case 8: return pleach_map_range_count(s->map, 1, one, NULL, words, PLEACH_SYNC);
    case 9: return pleach_map_range_limit(s->map, 1, one, one, 0, NULL, NULL, NULL, PLEACH_SYNC);
    case 10: return pleach_map_range(s->map, 1, one, one, 0, 0, NULL, NULL, NULL, NULL);
    case 11: return pleach_map_range(s->map, 1, one, NULL, 0, 0, NULL, NULL, words, NULL);
    case 12: return pleach_map_load(s->map, 1, one, NULL, 0);
    case 13: return pleach_map_export(s->map, 0, NULL, NULL, NULL);
    case 14: return pleach_map_size(s->map, NULL);
    default: return pleach_map_get_stats(s->map, NULL);
    }
}

static pleach_status call_too_large(subject *s, unsigned which, const void *one)
{
    uint64_t words[2];
    size_t n = which & 8 ? SIZE_MAX : ((size_t)1 << 31) + 1;
    switch (which % 5) {
    case 0: return pleach_map_put(s->map, n, one, one, NULL, NULL, PLEACH_SYNC);
    case 1: return pleach_map_find(s->map, n, one, NULL, NULL, PLEACH_SYNC);
    case 2: return pleach_map_range_limit(s->map, n, one, one, 1 + which, NULL, NULL, NULL, PLEACH_SYNC);
    case 3: return pleach_map_range(s->map, n, one, one, 0, 0, NULL, NULL, words, NULL);
    default: return pleach_map_load(s->map, n, one, one, 0);
    }
}

static pleach_status call_with_stream(subject *s, unsigned which, const void *one)
{
    uint8_t flag;
    switch (which % 4) {
    case 0: return pleach_map_put(s->map, 1, one, one, NULL, NULL, some_stream);
    case 1: return pleach_map_erase(s->map, 1, one, NULL, NULL, some_stream);
    case 2: return pleach_map_contains(s->map, 1, one, &flag, some_stream);
    default: return pleach_map_range_limit(s->map, 1, one, one, 1, NULL, NULL, NULL, some_stream);
    }
}

static pleach_status call_too_wide(subject *s, unsigned which, uint64_t wide)
{
    switch (which % 4) {
    case 0: return pleach_map_put_one(s->map, wide, 1, NULL, NULL);
    case 1: return pleach_map_add_one(s->map, 1, wide, NULL, NULL);
    case 2: return pleach_map_erase_one(s->map, wide, NULL, NULL);
    default: return pleach_map_succ_one(s->map, wide, NULL, NULL, NULL);
    }
}

void refuse_something(subject *s)
{
    const uint64_t one[2] = {1, 1};
    unsigned form = take_byte(&s->in), which = form / 4;
    pleach_map_view view = {0};
    pleach_status expected, status;
    if (form % 4 == 0)
        expected = PLEACH_E_ARGUMENT, status = call_with_null(s, which, one);
    else if (form % 4 == 1)
        expected = PLEACH_E_SIZE, status = call_too_large(s, which, one);
    else if (form % 4 == 2)
        expected = PLEACH_E_STREAM, status = call_with_stream(s, which, one);
    else if (s->key_bits == 32)
        expected = PLEACH_E_WIDTH, status = call_too_wide(s, which, ((uint64_t)1 << 32) + take_number(&s->in, 6));
    else
        expected = PLEACH_E_ARGUMENT, status = pleach_map_view_open(s->map, &view);
    CHECK(status == expected, "%s instead of %s", pleach_status_name(status), pleach_status_name(expected));
}
