/* soak_sorted.c - ascending keys into an empty map, again and again: all inserts meet at the right edge of the tree. In
 * one array call or in many, by one hand or by all of them at once, each having every n-th key. */
#include <inttypes.h>
#include <stdlib.h>

#include "soak.h"
#include "tools/common/words.h"

enum { CPU_KEYS = 1 << 20, GPU_KEYS = 1 << 25, FRESH_EVERY = 8, GPU_VALIDATE_EVERY = 50, SPOIL = 0xa5 };
enum { LEAST_SHIFT = 3, SHIFTS = 5 }; /* a call of many has n / 8 to n / 128 keys */

/* One key width: its map, and the pairs in the map's memory, in order and dealt out to the lanes. */
struct sorted_width {
    pleach_map *map;
    void *keys, *values, *dealt_keys, *dealt_values;
    unsigned rounds;
    bool validated;
};

struct soak_sorted {
    size_t n;
    unsigned lanes; /* hands that insert when several do */
    struct sorted_width widths[2];
    void *out_keys, *out_values; /* in the map's memory */
    uint8_t *outcomes;
    /* of the round */
    struct sorted_width *width;
    bool several, by_add;
    size_t chunk;
};

static size_t lane_begin(const struct soak_sorted *sorted, unsigned lane)
{
    return lane * (sorted->n / sorted->lanes) + soak_least(lane, sorted->n % sorted->lanes);
}

static uint64_t value_of(const struct soak *soak, uint64_t key, size_t i) { return soak_value(soak->bits, key, 0, i); }

/* ---- the pairs ---- */

/* The rank of the key at a place of the dealt arrays. */
static size_t dealt_rank(const struct soak_sorted *sorted, size_t place)
{
    unsigned lane = 0;
    while (place >= lane_begin(sorted, lane + 1)) lane++;
    return lane + (place - lane_begin(sorted, lane)) * sorted->lanes;
}

static bool write_pairs(struct soak *soak, struct soak_hand *hand, bool dealt, size_t at, size_t n)
{
    const struct soak_sorted *sorted = soak->sorted;
    const struct sorted_width *width = sorted->width;
    const size_t bytes = n * word_bytes(soak->bits);
    for (size_t i = 0; i < n; i++) {
        const size_t rank = dealt ? dealt_rank(sorted, at + i) : at + i;
        const uint64_t key = soak_key(&soak->keys, rank);
        word_set(hand->here.a, soak->bits, i, key);
        word_set(hand->here.b, soak->bits, i, value_of(soak, key, rank));
    }
    void *keys = dealt ? width->dealt_keys : width->keys, *values = dealt ? width->dealt_values : width->values;
    return soak->device->copy_in(word_at(keys, soak->bits, at), hand->here.a, bytes) &&
           soak->device->copy_in(word_at(values, soak->bits, at), hand->here.b, bytes);
}

/* A hand's share of the elements, in pieces that its host arrays hold. */
#define FOR_PIECES(soak, index, n, at, count)                                                                    \
    for (size_t at = (n) * (index) / (soak)->hand_count, end_ = (n) * ((index) + 1) / (soak)->hand_count, count; \
         at < end_ && (count = soak_least((soak)->room, end_ - at), true); at += count)

static void write_part(void *context, unsigned index)
{
    struct soak *soak = context;
    struct soak_hand *hand = &soak->hands[index];
    FOR_PIECES(soak, index, soak->sorted->n, at, n)
        if (!write_pairs(soak, hand, false, at, n) || !write_pairs(soak, hand, true, at, n))
            soak_wrong(soak, index, "copying pairs to the GPU failed");
}

static bool width_prepare(struct soak *soak)
{
    struct soak_sorted *sorted = soak->sorted;
    struct sorted_width *width = sorted->width;
    void **const arrays[] = {&width->keys, &width->values, &width->dealt_keys, &width->dealt_values};
    if (width->dealt_values != NULL) return true;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        if (*arrays[i] == NULL) *arrays[i] = soak->device->allocate(sorted->n * word_bytes(soak->bits));
        if (*arrays[i] == NULL) return false;
    }
    crew_run(soak->crew, write_part, soak);
    return true;
}

static bool sorted_create(struct soak *soak)
{
    const bool gpu = soak->device->kind == PLEACH_CUDA;
    struct soak_sorted *sorted = calloc(1, sizeof *sorted);
    if (sorted == NULL) return false;
    soak->sorted = sorted;
    sorted->n = soak->options.keys > 0 ? soak->options.keys : gpu ? GPU_KEYS : CPU_KEYS;
    sorted->lanes = gpu ? soak->options.streams : soak->hand_count;
    sorted->out_keys = soak->device->allocate(sorted->n * sizeof(uint64_t));
    sorted->out_values = soak->device->allocate(sorted->n * sizeof(uint64_t));
    sorted->outcomes = soak->device->allocate(sorted->n);
    return sorted->out_keys != NULL && sorted->out_values != NULL && sorted->outcomes != NULL;
}

/* ---- a round ---- */

static pleach_status empty_map(struct soak *soak)
{
    struct sorted_width *width = soak->sorted->width;
    const pleach_map_config config = soak_config(soak);
    /* A skiplist's chunks are chosen by the round. */
    const bool fresh = width->rounds % FRESH_EVERY == 0 || soak->options.skiplist;
    if (width->map != NULL && !fresh) return pleach_map_clear(width->map);
    pleach_map_destroy(width->map);
    return pleach_map_create(&width->map, &config);
}

/* Results that nobody writes must not look right. On a GPU filling also waits for the pairs to be there. */
static bool prepare_round(struct soak *soak)
{
    struct soak_sorted *sorted = soak->sorted;
    soak_enter(soak, 0, "clear or create", 0);
    const pleach_status status = empty_map(soak);
    soak_leave(soak, 0);
    if (!soak_good(soak, 0, "clear or create", status)) return false;
    soak->map = sorted->width->map;
    sorted->width->validated = false;
    const size_t bytes = sorted->n * word_bytes(soak->bits);
    return soak->device->fill(sorted->outcomes, SPOIL, sorted->n) &&
           soak->device->fill(sorted->out_keys, SPOIL, bytes) && soak->device->fill(sorted->out_values, SPOIL, bytes);
}

static pleach_status insert(struct soak *soak, struct soak_hand *hand, size_t at, size_t n)
{
    const struct soak_sorted *sorted = soak->sorted;
    const struct sorted_width *width = sorted->width;
    void *keys = word_at(sorted->several ? width->dealt_keys : width->keys, soak->bits, at);
    void *values = word_at(sorted->several ? width->dealt_values : width->values, soak->bits, at);
    const pleach_stream stream = soak->device->kind == PLEACH_CUDA ? hand->stream : PLEACH_SYNC;
    return sorted->by_add ? pleach_map_add(soak->map, n, keys, values, sorted->outcomes + at, NULL, stream)
                          : pleach_map_put(soak->map, n, keys, values, sorted->outcomes + at, NULL, stream);
}

static void insert_part(void *context, unsigned index)
{
    struct soak *soak = context;
    const struct soak_sorted *sorted = soak->sorted;
    struct soak_hand *hand = &soak->hands[index];
    if (index >= (sorted->several ? sorted->lanes : 1)) return;
    const size_t begin = sorted->several ? lane_begin(sorted, index) : 0;
    const size_t end = sorted->several ? lane_begin(sorted, index + 1) : sorted->n;
    for (size_t at = begin; at < end; at += sorted->chunk) {
        const size_t n = soak_least(sorted->chunk, end - at);
        soak_enter(soak, index, sorted->several ? "ascending inserts, dealt out" : "ascending inserts", n);
        const pleach_status status = insert(soak, hand, at, n);
        soak_leave(soak, index);
        if (!soak_good(soak, index, "an ascending insert", status)) break;
    }
    hand->used = end - begin;
    soak_wait(soak, hand);
    soak_count(hand, end - begin, 0);
}

static bool check_outcomes(struct soak *soak, struct soak_hand *hand, size_t at, size_t n)
{
    if (!soak->device->copy_out(hand->here.bytes, soak->sorted->outcomes + at, n)) return false;
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) wrong += hand->here.bytes[i] != PLEACH_INSERTED;
    if (wrong > 0) soak_wrong(soak, hand->index, "%zu of %zu keys from place %zu were not inserted", wrong, n, at);
    return true;
}

static bool check_pairs(struct soak *soak, struct soak_hand *hand, size_t at, size_t n)
{
    const unsigned bits = soak->bits;
    const size_t bytes = n * word_bytes(bits);
    if (!soak->device->copy_out(hand->here.out_a, word_at(soak->sorted->out_keys, bits, at), bytes) ||
        !soak->device->copy_out(hand->here.out_b, word_at(soak->sorted->out_values, bits, at), bytes))
        return false;
    for (size_t i = 0; i < n; i++) {
        const uint64_t right = soak_key(&soak->keys, at + i), key = word_get(hand->here.out_a, bits, i);
        const uint64_t value = word_get(hand->here.out_b, bits, i);
        if (key != right || value != value_of(soak, right, at + i))
            soak_wrong(soak, hand->index, "pair %zu is %" PRIu64 ":%" PRIu64 "; right is %" PRIu64 ":%" PRIu64, at + i,
                       key, value, right, value_of(soak, right, at + i));
    }
    return true;
}

static void check_part(void *context, unsigned index)
{
    struct soak *soak = context;
    struct soak_hand *hand = &soak->hands[index];
    FOR_PIECES(soak, index, soak->sorted->n, at, n) {
        soak_enter(soak, index, "copying results back", n);
        const bool copied = check_outcomes(soak, hand, at, n) && check_pairs(soak, hand, at, n);
        soak_leave(soak, index);
        if (!copied) soak_wrong(soak, index, "copying from the GPU failed");
        soak_count(hand, 0, 2 * n);
    }
}

static bool export_all(struct soak *soak)
{
    const struct soak_sorted *sorted = soak->sorted;
    size_t n = 0;
    uint64_t size = 0;
    soak_enter(soak, 0, "export and size", sorted->n);
    pleach_status status = pleach_map_export(soak->map, sorted->n, sorted->out_keys, sorted->out_values, &n);
    if (status == PLEACH_OK) status = pleach_map_size(soak->map, &size);
    soak_leave(soak, 0);
    if (!soak_good(soak, 0, "export or size", status)) return false;
    if (n == sorted->n && size == n) return true;
    soak_wrong(soak, 0, "export has %zu keys and size says %" PRIu64 "; right is %zu", n, size, sorted->n);
    return false;
}

static void validate(struct soak *soak)
{
    soak_validate(soak);
    soak->sorted->width->validated = true;
}

static void run_round(struct soak *soak)
{
    struct soak_sorted *sorted = soak->sorted;
    const unsigned validate_every = soak->device->kind == PLEACH_CUDA ? GPU_VALIDATE_EVERY : 1;
    sorted->several = mix_below(&soak->random, 2) == 1;
    sorted->by_add = mix_below(&soak->random, 2) == 1;
    const bool in_parts = mix_below(&soak->random, 2) == 1;
    const size_t part = sorted->n >> (LEAST_SHIFT + mix_below(&soak->random, SHIFTS));
    sorted->chunk = in_parts && part > 0 ? part : sorted->n;
    soak_take_before(soak);
    crew_run(soak->crew, insert_part, soak);
    if (soak_export_before(soak, 0) && soak->pairs != 0) soak_wrong(soak, 0, "a snapshot of the empty map has keys");
    soak_check_nothing_kept(soak);
    if (!soak_is_wrong(soak) && export_all(soak)) crew_run(soak->crew, check_part, soak);
    sorted->width->rounds++;
    if (!soak_is_wrong(soak) && sorted->width->rounds % validate_every == 0) validate(soak);
}

void soak_sorted(struct soak *soak)
{
    if (soak->sorted == NULL && !sorted_create(soak)) {
        soak_wrong(soak, 0, "out of memory for the arrays");
        return;
    }
    soak->sorted->width = &soak->sorted->widths[soak->bits == 64];
    soak->keys = soak_keys_make(soak->bits == 32 ? SOAK_DENSE_LOW : SOAK_SPREAD, soak->bits, soak->sorted->n);
    if (!width_prepare(soak) || !prepare_round(soak))
        soak_wrong(soak, 0, "out of memory for the arrays");
    else
        run_round(soak);
    soak->map = NULL; /* it stays with the width */
}

void soak_sorted_finish(struct soak *soak)
{
    struct soak_sorted *sorted = soak->sorted;
    if (sorted == NULL) return;
    for (size_t i = 0; i < 2; i++) {
        struct sorted_width *width = sorted->width = &sorted->widths[i];
        soak->map = width->map;
        if (width->map != NULL && !width->validated && !soak_is_wrong(soak)) validate(soak);
        pleach_map_destroy(width->map);
        void *const arrays[] = {width->keys, width->values, width->dealt_keys, width->dealt_values};
        for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) soak->device->release(arrays[k]);
    }
    soak->map = NULL;
    soak->device->release(sorted->out_keys);
    soak->device->release(sorted->out_values);
    soak->device->release(sorted->outcomes);
    free(sorted);
}
