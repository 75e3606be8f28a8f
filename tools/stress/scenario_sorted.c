/* scenario_sorted.c - ascending keys into an empty map, turn after turn: all inserts meet at the right edge of the
 * tree. In one array call or in many; by one client, or by all concurrently, each with every n-th key. */
#include <inttypes.h>
#include <stdlib.h>

#include "stress.h"
#include "tools/common/words.h"

enum { LEAST_SHIFT = 3, SHIFTS = 5 }; /* a call of many has n / 8 to n / 128 keys */

struct sorted {
    unsigned lanes;          /* clients that insert */
    void *keys, *values;     /* in the structure's memory: the lanes' keys, one lane after the other */
    uint8_t *outcomes;
    bool by_add;
    size_t chunk;            /* elements of a call */
};

static size_t lane_begin(const struct stress *s, unsigned lane)
{
    const size_t n = s->keys.cells, lanes = s->sorted->lanes;
    return lane * (n / lanes) + size_min(lane, n % lanes);
}

/* The pairs of one lane, into host memory. */
static void write_part(void *context, unsigned lane)
{
    struct stress *s = context;
    if (lane >= s->sorted->lanes) return;
    size_t cell = lane;
    for (size_t at = lane_begin(s, lane); at < lane_begin(s, lane + 1); at++, cell += s->sorted->lanes) {
        word_set(s->out_keys, s->bits, at, key_of(&s->keys, cell));
        word_set(s->out_values, s->bits, at, s->oracle.values[cell]);
    }
}

static bool prepare(struct stress *s)
{
    const size_t n = s->keys.cells, bytes = n * word_bytes(s->bits);
    struct sorted *sorted = s->sorted = calloc(1, sizeof *sorted);
    if (sorted == NULL) return false;
    s->keys = key_space_make(s->bits == 32 ? KEYS_DENSE_LOW : KEYS_SPREAD, s->bits, n);
    for (size_t cell = 0; cell < n; cell++) {
        s->oracle.present[cell] = 1;
        s->oracle.values[cell] = stress_value(s, key_of(&s->keys, cell), 0, cell);
    }
    sorted->lanes = mix_below(&s->random, 2) == 0 ? 1 : s->on_gpu ? (unsigned)s->options.streams : s->client_count;
    sorted->keys = s->device->allocate(bytes);
    sorted->values = s->device->allocate(bytes);
    sorted->outcomes = s->device->allocate(n);
    if (sorted->keys == NULL || sorted->values == NULL || sorted->outcomes == NULL) return false;
    crew_run(s->crew, write_part, s);
    return s->device->copy_in(sorted->keys, s->out_keys, bytes) &&
           s->device->copy_in(sorted->values, s->out_values, bytes);
}

static void end(struct stress *s)
{
    if (s->sorted == NULL) return;
    s->device->release(s->sorted->keys);
    s->device->release(s->sorted->values);
    s->device->release(s->sorted->outcomes);
    free(s->sorted);
    s->sorted = NULL;
}

static pleach_status insert(struct stress *s, const struct client *client, size_t at, size_t n)
{
    const struct sorted *sorted = s->sorted;
    const struct arrays x = {.keys = word_at(sorted->keys, s->bits, at), .values = word_at(sorted->values, s->bits, at),
                             .flags = sorted->outcomes + at};
    return target_array(&s->target, sorted->by_add ? PLEACH_OP_ADD : PLEACH_OP_PUT, n, &x, 0,
                        s->on_gpu ? client->stream : PLEACH_SYNC);
}

static void insert_part(void *context, unsigned lane)
{
    struct stress *s = context;
    struct client *client = &s->clients[lane];
    if (lane >= s->sorted->lanes) return;
    const size_t begin = lane_begin(s, lane), last = lane_begin(s, lane + 1);
    for (size_t at = begin, n; at < last; at += n) {
        n = size_min(s->sorted->chunk, last - at);
        if (!STRESS_CALL(s, lane, "ascending inserts", n, insert(s, client, at, n))) break;
    }
    client_wait(s, client);
    stress_count(client, last - begin, 0);
}

static void check_outcomes(struct stress *s)
{
    const size_t n = s->keys.cells;
    const uint8_t *outcomes = s->out_keys;
    size_t wrong = 0;
    if (!s->device->copy_out(s->out_keys, s->sorted->outcomes, n)) stress_wrong(s, 0, "copying outcomes back failed");
    for (size_t i = 0; i < n; i++) wrong += outcomes[i] != PLEACH_INSERTED;
    if (wrong > 0) stress_wrong(s, 0, "%zu of %zu keys were not inserted", wrong, n);
    stress_count(&s->clients[0], 0, n);
}

/* Filling also waits until the pairs are there. */
static void run_turn(struct stress *s, size_t turn)
{
    struct sorted *sorted = s->sorted;
    const size_t part = s->keys.cells >> (LEAST_SHIFT + mix_below(&s->random, SHIFTS));
    sorted->by_add = mix_below(&s->random, 2) == 1;
    sorted->chunk = mix_below(&s->random, 2) == 1 && part > 0 ? part : s->keys.cells;
    if (turn > 0 && !STRESS_CALL(s, 0, "clear", 0, target_clear(&s->target))) return;
    if (!s->device->fill(sorted->outcomes, SPOILED, s->keys.cells)) stress_wrong(s, 0, "filling outcomes failed");
    snapshot_before_take(s);
    crew_run(s->crew, insert_part, s);
    if (snapshot_before_export(s, 0) && s->pairs != 0) stress_wrong(s, 0, "a snapshot of the empty map has keys");
    snapshot_check_none_left(s);
    check_outcomes(s);
    if (!stress_is_wrong(s)) contents_compare(s);
    if (!stress_is_wrong(s) && !s->on_gpu) contents_validate(s); /* on a GPU, where this is slow, after the last turn */
}

const struct scenario scenario_sorted = {
    .name = "sorted",
    .structures = 1 << TARGET_TREE | 1 << TARGET_SKIPLIST,
    .cells = {1 << 20, 1 << 25},
    .turns = {4, 8},
    .prepare = prepare,
    .run_turn = run_turn,
    .check = contents_validate,
    .end = end,
};
