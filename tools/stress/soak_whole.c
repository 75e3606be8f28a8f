/* soak_whole.c - calls that have the map for themselves, made by one hand while the others go on with theirs. */
#include <inttypes.h>

#include "soak.h"
#include "tools/common/words.h"

enum { CPU_CELLS = 1 << 14, GPU_CELLS = 1 << 20, SMALLER_BY = 6, CPU_TURNS = 8, GPU_TURNS = 6 };
enum { CPU_MOST = 1 << 12, GPU_MOST = 1 << 18 };
enum { KEEPER = 0, CALLS_BETWEEN = 4 };

static const uint8_t all_kinds[CALL_KINDS] = {25, 10, 25, 15, 5, 5, 5, 3, 4, 3};
static const uint8_t only_finds[CALL_KINDS] = {[CALL_FIND] = 100};

/* ---- what leaves the contents as they are ---- */

/* In order, and each pair written by its owner; which pairs there must be is only known when all hands are done. */
static void check_export(struct soak *soak, size_t n)
{
    uint64_t before = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = word_get(soak->out_keys, soak->bits, i), value = word_get(soak->out_values, soak->bits, i);
        if ((i > 0 && key <= before) || soak_check_owner(soak, key, value) == SOAK_NO_CELL)
            soak_wrong(soak, KEEPER, "export beside others: pair %zu is %" PRIu64 ":%" PRIu64, i, key, value);
        before = key;
    }
    soak_count(&soak->hands[KEEPER], n, n);
}

static void check_stats(struct soak *soak, const pleach_map_stats *stats)
{
    if (stats->keys > soak->keys.cells || stats->key_bits != soak->bits || stats->unposted != 0 ||
        stats->leaves == 0 || stats->empty_leaves > stats->leaves || stats->height == 0)
        soak_wrong(soak, KEEPER,
                   "stats beside others: %" PRIu64 " keys, %u bits, %" PRIu64 " leaves, %" PRIu64 " empty, %" PRIu64
                   " unposted, height %u",
                   stats->keys, stats->key_bits, stats->leaves, stats->empty_leaves, stats->unposted, stats->height);
}

enum whole_call { EXPORT, STATS, SIZE, COMPACT, VALIDATE, WHOLE_CALLS };

static void make_whole_call(struct soak *soak, enum whole_call which)
{
    static const char *const names[WHOLE_CALLS] = {"export", "stats", "size", "compact", "validate"};
    const double fill = 0.4 + 0.1 * (double)mix_below(&soak->hands[KEEPER].random, 7);
    pleach_map_stats stats;
    pleach_status status = PLEACH_E_ARGUMENT;
    uint64_t size = 0;
    size_t n = 0;
    soak_enter(soak, KEEPER, names[which], 0);
    switch (which) {
    case EXPORT:
        status = pleach_map_export(soak->map, soak->keys.cells, soak->out_keys, soak->out_values, &n);
        break;
    case STATS: status = pleach_map_get_stats(soak->map, &stats); break;
    case SIZE: status = pleach_map_size(soak->map, &size); break;
    case COMPACT: status = pleach_map_compact(soak->map, fill); break;
    case VALIDATE: status = pleach_map_validate(soak->map, NULL, 0); break;
    case WHOLE_CALLS: break;
    }
    soak_leave(soak, KEEPER);
    if (!soak_good(soak, KEEPER, names[which], status)) return;
    if (which == EXPORT) check_export(soak, n);
    if (which == STATS) check_stats(soak, &stats);
    if (size > soak->keys.cells) soak_wrong(soak, KEEPER, "size beside others: %" PRIu64, size);
    soak_count(&soak->hands[KEEPER], 1, 1);
}

/* Part for crew_run: the keeper's own calls, with whole-map calls between them, beside the others'. */
static void do_with_keeper(void *context, unsigned index)
{
    struct soak *soak = context;
    struct soak_hand *hand = &soak->hands[index];
    if (index != KEEPER) {
        soak_do(soak, index);
        return;
    }
    for (size_t i = 0; i < hand->call_count; i++) {
        soak_do_call(soak, hand, &hand->calls[i]);
        if (i % CALLS_BETWEEN == 0) make_whole_call(soak, (enum whole_call)mix_below(&hand->random, WHOLE_CALLS));
    }
    if (soak_is_resident(soak, hand)) soak_wait(soak, hand);
}

static void keeper_turn(struct soak *soak)
{
    soak->turn.percent = all_kinds;
    soak->turn.arrays_only = true;
    soak_run_turn(soak, do_with_keeper);
    crew_run(soak->crew, soak_check, soak);
}

/* ---- clear and load: everything disappears or appears at one instant ---- */

static void do_with_flip(void *context, unsigned index)
{
    struct soak *soak = context;
    struct soak_hand *hand = &soak->hands[index];
    for (size_t i = 0; i < hand->call_count; i++) {
        if (index == KEEPER && i == hand->call_count / 2) {
            if (soak->turn.appears) {
                soak_load(soak, KEEPER);
            } else {
                soak_enter(soak, KEEPER, "clear", 0);
                const pleach_status status = pleach_map_clear(soak->map);
                soak_leave(soak, KEEPER);
                soak_good(soak, KEEPER, "clear", status);
            }
        }
        soak_do_call(soak, hand, &hand->calls[i]);
    }
    if (soak_is_resident(soak, hand)) soak_wait(soak, hand);
}

struct sight {
    size_t seen, hidden, impossible;
};

/* What one array of finds saw of the pairs in the oracle. */
static struct sight look(const struct soak *soak, const struct soak_hand *hand, const struct soak_call *call)
{
    struct sight sight = {0};
    for (size_t i = 0; i < call->n; i++) {
        uint64_t value = 0;
        const bool there = oracle_find(&soak->oracle, hand->cells[call->first + i], &value);
        const uint8_t found = hand->here.bytes[call->first + i];
        if (found == 0)
            sight.hidden += there;
        else if (there && found == 1 && word_get(hand->here.out_b, soak->bits, call->first_out + i) == value)
            sight.seen++;
        else
            sight.impossible++;
    }
    return sight;
}

/* Each call is wholly before or wholly after the clear or load, and none before it comes after one after it. */
static void check_flip(void *context, unsigned index)
{
    struct soak *soak = context;
    struct soak_hand *hand = &soak->hands[index];
    bool flipped = false;
    for (size_t i = 0; i < hand->call_count; i++) {
        const struct soak_call *call = &hand->calls[i];
        if (!soak_good(soak, index, "find", call->status)) return;
        const struct sight sight = look(soak, hand, call);
        soak_count(hand, call->n, call->n);
        if (index == KEEPER && i == hand->call_count / 2) flipped = true;
        const bool after = soak->turn.appears ? sight.seen > 0 : sight.hidden > 0;
        const bool before = soak->turn.appears ? sight.hidden > 0 : sight.seen > 0;
        if (sight.impossible > 0 || (after && before) || (flipped && before) ||
            (index == KEEPER && after && i < hand->call_count / 2))
            soak_wrong(soak, index, "thread %u, find %zu beside a %s: %zu keys seen, %zu not, %zu answers impossible",
                       index, i, soak->turn.appears ? "load" : "clear", sight.seen, sight.hidden, sight.impossible);
        flipped = flipped || after;
    }
}

static void flip_turn(struct soak *soak, bool appears)
{
    soak->turn.percent = only_finds;
    soak->turn.arrays_only = true;
    soak->turn.appears = appears;
    if (appears) soak_gather(soak);
    soak_run_turn(soak, do_with_flip);
    crew_run(soak->crew, check_flip, soak);
}

/* ---- the scenario ---- */

static void run_turn(struct soak *soak, unsigned turn)
{
    keeper_turn(soak);
    if (!soak_is_wrong(soak)) soak_compare(soak);
    if (!soak_is_wrong(soak)) soak_validate(soak);
    if (turn % 2 == 0) return;
    if (!soak_is_wrong(soak)) flip_turn(soak, false);
    if (!soak_is_wrong(soak)) flip_turn(soak, true);
    if (!soak_is_wrong(soak)) soak_compare(soak);
}

void soak_whole(struct soak *soak)
{
    const bool gpu = soak->device->kind == PLEACH_CUDA;
    const size_t most = soak->options.keys > 0 ? soak->options.keys : gpu ? GPU_CELLS : CPU_CELLS;
    if (soak_open_round(soak, most >> mix_below(&soak->random, SMALLER_BY + 1))) {
        soak->turn = (struct soak_turn){.order = (enum soak_order)mix_below(&soak->random, SOAK_ORDERS),
                                        .most = gpu ? GPU_MOST : CPU_MOST};
        soak_fill(soak);
        for (unsigned turn = 0; turn < (gpu ? GPU_TURNS : CPU_TURNS) && !soak_is_wrong(soak); turn++) {
            run_turn(soak, turn);
            if (!soak_time_left(soak)) break;
        }
    }
    soak_close_round(soak);
}
