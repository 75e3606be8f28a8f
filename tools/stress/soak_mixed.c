/* soak_mixed.c - every hand works on its own keys, which share leaves with those of the others; all kinds of calls. */
#include <inttypes.h>
#include <stdlib.h>

#include "soak.h"
#include "tools/common/words.h"

enum { CPU_CELLS = 1 << 16, GPU_CELLS = 1 << 24, CPU_TURNS = 40, GPU_TURNS = 20 };
enum { CPU_MOST = 1 << 12, GPU_MOST = 1 << 20 };
enum { SMALLER_BY = 8 }; /* powers of two: the smallest map of a round */
enum { BLOCKS = 3 };

/* put, add, erase, find, contains, succ, pred, count, range_limit, range */
static const uint8_t moods[][CALL_KINDS] = {
    {20, 10, 20, 25, 5, 5, 5, 3, 4, 3}, /* some of all */
    {40, 25, 3, 15, 3, 4, 4, 2, 2, 2},  /* growing */
    {10, 5, 50, 15, 4, 4, 4, 2, 4, 2},  /* erasing */
    {8, 4, 8, 40, 10, 8, 8, 4, 6, 4},   /* reading */
};
enum { GROWING = 1, MOODS = sizeof moods / sizeof moods[0] };

/* ---- a round's map, keys and oracle ---- */

/* A whole number of blocks for each hand. */
static size_t whole_cells(const struct soak *soak, size_t about)
{
    const size_t group = soak->block * soak->hand_count;
    return about > group ? about / group * group : group;
}

static bool create_oracle(struct soak *soak)
{
    size_t blocks = 1;
    while (blocks * ORACLE_BLOCK < soak->keys.cells) blocks *= 2;
    return oracle_create(&soak->oracle, soak->bits, blocks);
}

bool soak_open_round(struct soak *soak, size_t cells)
{
    static const size_t blocks[BLOCKS] = {1, 4, 16};
    const pleach_map_config config = soak_config(soak);
    soak->block = blocks[mix_below(&soak->random, BLOCKS)];
    soak->keys = soak_keys_make((enum soak_layout)mix_below(&soak->random, SOAK_LAYOUTS), soak->bits,
                                whole_cells(soak, cells));
    for (unsigned i = 0; i < soak->hand_count; i++) {
        soak->hands[i].random = (struct mix_random){mix64(soak->seed + i)};
        soak->hands[i].cursor = soak->hands[i].serial = 0;
    }
    soak->out_keys = malloc(soak->keys.cells * sizeof(uint64_t));
    soak->out_values = malloc(soak->keys.cells * sizeof(uint64_t));
    if (!create_oracle(soak) || soak->out_keys == NULL || soak->out_values == NULL) {
        soak_wrong(soak, 0, "out of host memory");
        return false;
    }
    soak_enter(soak, 0, "create", 0);
    const pleach_status status = pleach_map_create(&soak->map, &config);
    soak_leave(soak, 0);
    return soak_good(soak, 0, "create", status);
}

void soak_close_round(struct soak *soak)
{
    if (soak->map != NULL) soak_check_nothing_kept(soak);
    soak_enter(soak, 0, "destroy", 0);
    pleach_map_destroy(soak->map);
    soak_leave(soak, 0);
    soak->map = NULL;
    oracle_destroy(&soak->oracle);
    free(soak->out_keys);
    free(soak->out_values);
    soak->out_keys = soak->out_values = NULL;
}

void soak_gather(struct soak *soak)
{
    size_t n = 0;
    for (size_t cell = 0; cell < soak->keys.cells; cell++) {
        if (!soak->oracle.present[cell]) continue;
        word_set(soak->out_keys, soak->bits, n, soak_key(&soak->keys, cell));
        word_set(soak->out_values, soak->bits, n, soak->oracle.values[cell]);
        n++;
    }
    soak->pairs = n;
}

void soak_load(struct soak *soak, unsigned hand)
{
    soak_enter(soak, hand, "load", soak->pairs);
    const pleach_status status = pleach_map_load(soak->map, soak->pairs, soak->out_keys, soak->out_values, 0);
    soak_leave(soak, hand);
    if (soak_good(soak, hand, "load", status)) soak_count(&soak->hands[hand], soak->pairs, 0);
}

void soak_fill(struct soak *soak)
{
    uint64_t unused;
    for (size_t cell = 0; cell < soak->keys.cells; cell++) {
        const uint64_t draw = mix_next(&soak->random);
        if (draw % 2 == 0) continue;
        oracle_put(&soak->oracle, cell,
                   soak_value(soak->bits, soak_key(&soak->keys, cell), soak_owner(soak, cell), draw >> 32), &unused);
    }
    soak_gather(soak);
    soak_load(soak, 0);
}

/* ---- turns ---- */

void soak_run_turn(struct soak *soak, crew_part *make_calls)
{
    crew_run(soak->crew, soak_choose, soak);
    crew_run(soak->crew, make_calls, soak);
    crew_run(soak->crew, soak_fetch, soak);
}

/* ---- the whole map ---- */

static void compare_part(void *context, unsigned index)
{
    struct soak *soak = context;
    const size_t n = soak->pairs, begin = n * index / soak->hand_count, end = n * (index + 1) / soak->hand_count;
    for (size_t i = begin; i < end; i++) {
        const uint64_t key = word_get(soak->out_keys, soak->bits, i), value = word_get(soak->out_values, soak->bits, i);
        const size_t cell = soak_cell(&soak->keys, key);
        uint64_t right = 0;
        if (cell == SOAK_NO_CELL || !oracle_find(&soak->oracle, cell, &right) || right != value)
            soak_wrong(soak, index, "export: pair %zu is %" PRIu64 ":%" PRIu64 "; right is value %" PRIu64, i, key,
                       value, right);
        if (i > 0 && word_get(soak->out_keys, soak->bits, i - 1) >= key)
            soak_wrong(soak, index, "export: pair %zu, key %" PRIu64 ", is not above the one before it", i, key);
    }
    soak_count(&soak->hands[index], 0, end - begin);
}

void soak_compare(struct soak *soak)
{
    const size_t cells = soak->keys.cells, right = oracle_size(&soak->oracle);
    uint64_t size = 0;
    soak_enter(soak, 0, "export and size", cells);
    pleach_status status = pleach_map_export(soak->map, cells, soak->out_keys, soak->out_values, &soak->pairs);
    if (status == PLEACH_OK) status = pleach_map_size(soak->map, &size);
    soak_leave(soak, 0);
    if (!soak_good(soak, 0, "export or size", status)) return;
    if (soak->pairs != right || size != right)
        soak_wrong(soak, 0, "export has %zu keys and size says %" PRIu64 "; right is %zu", soak->pairs, size, right);
    crew_run(soak->crew, compare_part, soak);
    soak_count(&soak->hands[0], soak->pairs, 1);
}

/* After a turn and before its checks, by which the oracle goes on: what the snapshot shows is still the oracle's. */
static void compare_before(struct soak *soak)
{
    const size_t right = oracle_size(&soak->oracle);
    if (!soak_export_before(soak, soak->keys.cells)) return;
    if (soak->pairs != right)
        soak_wrong(soak, 0, "a snapshot has %zu keys; right is %zu", soak->pairs, right);
    crew_run(soak->crew, compare_part, soak);
}

void soak_validate(struct soak *soak)
{
    char message[256] = "";
    soak_enter(soak, 0, "validate", 0);
    const pleach_status status = pleach_map_validate(soak->map, message, sizeof message);
    soak_leave(soak, 0);
    if (status == PLEACH_E_CORRUPT)
        soak_wrong(soak, 0, "validate: %s", message);
    else
        soak_good(soak, 0, "validate", status);
}

/* ---- the scenario ---- */

void soak_mixed(struct soak *soak)
{
    const bool gpu = soak->device->kind == PLEACH_CUDA;
    const size_t most = soak->options.keys > 0 ? soak->options.keys : gpu ? GPU_CELLS : CPU_CELLS;
    if (soak_open_round(soak, most >> mix_below(&soak->random, SMALLER_BY + 1))) {
        const size_t mood = mix_below(&soak->random, MOODS);
        soak->turn = (struct soak_turn){.percent = moods[mood],
                                        .order = (enum soak_order)mix_below(&soak->random, SOAK_ORDERS),
                                        .most = gpu ? GPU_MOST : CPU_MOST, .snapshots = true};
        if (mood != GROWING) soak_fill(soak);
        for (unsigned turn = 0; turn < (gpu ? GPU_TURNS : CPU_TURNS) && !soak_is_wrong(soak); turn++) {
            soak_take_before(soak);
            soak_run_turn(soak, soak_do);
            compare_before(soak);
            crew_run(soak->crew, soak_check, soak);
            if (!soak_time_left(soak)) break;
        }
        if (!soak_is_wrong(soak)) soak_compare(soak);
        if (!soak_is_wrong(soak)) soak_validate(soak);
    }
    soak_close_round(soak);
}
