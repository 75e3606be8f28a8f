/* soak_batches.c - batches of all sizes, kinds and distributions on one map after the other; nobody else is there. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "soak_batches.h"
#include "tools/common/words.h"

enum { CPU_LOG_CELLS = 20, GPU_LOG_CELLS = 24, SMALLER_BY = 10, LEAST_LOG_CELLS = 10 };
enum { CPU_MOST = 1 << 20, GPU_MOST = 1 << 24 };
enum { PAIRS_AN_OPERATION = 4, LEAST_PAIRS = 1 << 13 };
enum { ROUND_BATCHES = 8 };     /* operations of a round, in longest batches */
enum { LOOK_EVERY = 16 };       /* batches between two looks at the whole map */
enum { SMALL = 64 };            /* operations of a batch that may walk as far as it likes */
enum { MOST_PHASE_BATCHES = 8, REFUSE_IN = 16 };
enum { LOG_WIDEST = 7, MOST_LIMIT = 20, MOST_HOT = 16 };

static const double wide_part = 0.05; /* of counts */

/* put, add, erase, find, contains, succ, pred, count, range */
static const uint8_t growing[BATCH_KINDS] = {45, 20, 5, 12, 4, 3, 3, 4, 4};
static const uint8_t some_of_all[BATCH_KINDS] = {20, 10, 20, 25, 5, 5, 5, 5, 5};
static const uint8_t reading[BATCH_KINDS] = {2, 1, 2, 50, 15, 8, 8, 7, 7};
static const uint8_t shrinking[BATCH_KINDS] = {4, 2, 50, 20, 4, 5, 5, 5, 5};

enum phase { GROW, MIX, SHRINK, MIX_AGAIN, DRAIN, PHASES };

/* ---- memory ---- */

static bool batches_create(struct soak *soak)
{
    struct soak_batches *s = calloc(1, sizeof *s);
    if (s == NULL) return false;
    soak->batches = s;
    s->most = soak->options.batch > 0 ? soak->options.batch : soak->device->kind == PLEACH_CUDA ? GPU_MOST : CPU_MOST;
    s->room = s->most * PAIRS_AN_OPERATION + LEAST_PAIRS;
    s->kinds = malloc(s->most);
    s->keys = malloc(s->most * sizeof(uint64_t));
    s->values = malloc(s->most * sizeof(uint64_t));
    s->items = malloc((s->most + s->room) * sizeof s->items[0]);
    s->slices = malloc((size_t)soak->hand_count * BATCH_STRETCHES * sizeof s->slices[0]);
    s->batch = (pleach_batch){.kinds = s->kinds, .keys = s->keys, .values = s->values};
    s->batch.flags = malloc(s->most);
    s->batch.out_keys = malloc(s->most * sizeof(uint64_t));
    s->batch.out_values = malloc(s->most * sizeof(uint64_t));
    s->batch.counts = malloc(s->most * sizeof(uint64_t));
    s->batch.offsets = malloc((s->most + 1) * sizeof(uint64_t));
    s->batch.range_keys = malloc(s->room * sizeof(uint64_t));
    s->batch.range_values = malloc(s->room * sizeof(uint64_t));
    const void *const all[] = {s->kinds,          s->keys,         s->values,        s->items,
                               s->slices,         s->batch.flags,  s->batch.out_keys, s->batch.out_values,
                               s->batch.counts,   s->batch.offsets, s->batch.range_keys, s->batch.range_values};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] == NULL) return false;
    return true;
}

static void batches_destroy(struct soak *soak)
{
    struct soak_batches *s = soak->batches;
    void *const all[] = {s->kinds,          s->keys,         s->values,        s->items,
                         s->slices,         s->batch.flags,  s->batch.out_keys, s->batch.out_values,
                         s->batch.counts,   s->batch.offsets, s->batch.range_keys, s->batch.range_values};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    free(s);
    soak->batches = NULL;
}

/* By default at most twice as many cells as a batch has operations: emptying them takes a batch or two. */
static unsigned log_cells(struct soak *soak)
{
    unsigned most = soak->device->kind == PLEACH_CUDA ? GPU_LOG_CELLS : CPU_LOG_CELLS;
    while (soak->options.keys == 0 && most > LEAST_LOG_CELLS && (size_t)1 << most > 2 * soak->batches->most) most--;
    if (soak->options.keys > 0)
        for (most = LEAST_LOG_CELLS; (uint64_t)2 << most <= soak->options.keys; most++) {
        }
    const unsigned smaller = (unsigned)mix_below(&soak->random, SMALLER_BY + 1);
    return most < LEAST_LOG_CELLS + smaller ? LEAST_LOG_CELLS : most - smaller;
}

static bool open_round(struct soak *soak)
{
    struct soak_batches *s = soak->batches;
    const pleach_map_config config = soak_config(soak);
    const unsigned log = log_cells(soak);
    s->cells = batch_cells_make(soak->bits, log, (enum soak_layout)mix_below(&soak->random, SOAK_LAYOUTS));
    s->stretch_cells = s->cells.count / BATCH_STRETCHES;
    if (s->stretch_cells < ORACLE_BLOCK) s->stretch_cells = ORACLE_BLOCK;
    s->stretches = s->cells.count / s->stretch_cells;
    s->number = 0;
    soak->out_keys = malloc(s->cells.count * sizeof(uint64_t));
    soak->out_values = malloc(s->cells.count * sizeof(uint64_t));
    if (!oracle_create(&soak->oracle, soak->bits, s->cells.count / ORACLE_BLOCK) ||
        !cell_set_create(&s->set, s->cells.count) || soak->out_keys == NULL || soak->out_values == NULL) {
        soak_wrong(soak, 0, "out of host memory");
        return false;
    }
    soak_enter(soak, 0, "create", 0);
    const pleach_status status = pleach_map_create(&soak->map, &config);
    soak_leave(soak, 0);
    return soak_good(soak, 0, "create", status);
}

static void close_round(struct soak *soak)
{
    cell_set_destroy(&soak->batches->set);
    soak_close_round(soak);
}

/* ---- plans ---- */

/* Any mixture, often without some kinds. Erases that nothing makes up for would leave nothing to be found. */
static void draw_weights(struct soak *soak, unsigned *weight)
{
    const bool few = mix_below(&soak->random, 2) == 0;
    for (unsigned kind = 0; kind < BATCH_KINDS; kind++)
        weight[kind] = few && mix_below(&soak->random, 3) > 0 ? 0 : (unsigned)mix_below(&soak->random, 30);
    weight[PLEACH_OP_FIND]++;
    const unsigned inserts = weight[PLEACH_OP_PUT] + weight[PLEACH_OP_ADD];
    if (weight[PLEACH_OP_ERASE] > 8 * inserts) weight[PLEACH_OP_PUT] += weight[PLEACH_OP_ERASE] / 8 + 1;
}

static void choose_weights(struct soak *soak, enum phase phase, unsigned *weight)
{
    const uint8_t *mood = phase == GROW ? growing : phase == SHRINK ? shrinking : some_of_all;
    const uint64_t other = mix_below(&soak->random, 4);
    if (phase != GROW && phase != SHRINK && other == 0) mood = reading;
    for (unsigned kind = 0; kind < BATCH_KINDS; kind++) weight[kind] = mood[kind];
    if (phase != GROW && phase != SHRINK && other > 1) draw_weights(soak, weight);
}

static size_t draw_size(struct soak *soak, size_t most)
{
    const double power = (double)(mix_next(&soak->random) >> 11) * 0x1p-53;
    return soak_least((size_t)pow((double)most + 1, power), most);
}

/* Pairs of ranges must have room: narrower ones, where there may be many. */
static void fit_ranges(const struct soak_batches *s, struct batch_plan *plan)
{
    unsigned sum = 0;
    for (unsigned kind = 0; kind < BATCH_KINDS; kind++) sum += plan->weight[kind];
    const double ranges = (double)plan->n * plan->weight[PLEACH_OP_RANGE] / sum;
    for (; plan->widest > 0; plan->widest /= 2) {
        const size_t pairs = plan->limit > 0 ? soak_least(plan->limit, plan->widest + 2) : plan->widest + 2;
        if (plan->n <= SMALL || ranges * (double)pairs <= 0.75 * (double)s->room) break;
    }
}

static void plan_batch(struct soak *soak, enum phase phase)
{
    struct soak_batches *s = soak->batches;
    struct batch_plan *plan = &s->plan;
    struct mix_random *random = &soak->random;
    *plan = (struct batch_plan){.n = draw_size(soak, s->most), .seed = mix_next(random)};
    plan->dist = (enum batch_dist)mix_below(random, BATCH_DISTS);
    plan->scattered = plan->dist == BATCH_ZIPF || (plan->dist == BATCH_SELF_SIMILAR && mix_below(random, 2) == 0);
    plan->guarded = plan->n > SMALL;
    plan->first = (size_t)mix_below(random, s->cells.count);
    plan->hot = 1 + (size_t)mix_below(random, MOST_HOT);
    plan->widest = (size_t)1 << mix_below(random, LOG_WIDEST);
    plan->limit = (uint32_t)mix_below(random, MOST_LIMIT + 1);
    plan->wide = wide_part;
    plan->wide_cells = s->cells.count;
    plan->order = mix_order_make(s->cells.count, mix_next(random));
    choose_weights(soak, phase, plan->weight);
    fit_ranges(s, plan);
}

/* Erases of all cells from `first` on, or as many as a batch may have. */
static void plan_drain(struct soak *soak, size_t first)
{
    struct soak_batches *s = soak->batches;
    const size_t n = soak_least(s->cells.count - first, s->most);
    s->plan = (struct batch_plan){.n = n, .drain = true, .first = first,
                                  .scattered = mix_below(&soak->random, 2) == 0,
                                  .order = mix_order_make(n, mix_next(&soak->random))};
}

/* ---- batches ---- */

static pleach_status apply(struct soak *soak, size_t capacity)
{
    struct soak_batches *s = soak->batches;
    s->batch.n = s->plan.n;
    s->batch.limit = s->plan.limit;
    s->batch.capacity = capacity;
    soak_enter(soak, 0, "a batch", s->plan.n);
    const pleach_status status = pleach_map_apply(soak->map, &s->batch);
    soak_leave(soak, 0);
    return status;
}

static void check_size(struct soak *soak)
{
    const struct soak_batches *s = soak->batches;
    uint64_t size = 0;
    soak_enter(soak, 0, "size", 0);
    const pleach_status status = pleach_map_size(soak->map, &size);
    soak_leave(soak, 0);
    if (soak_good(soak, 0, "size", status) && size != s->set.size)
        soak_wrong(soak, 0, "after batch %" PRIu64 ": size is %" PRIu64 ", right is %zu", s->number, size, s->set.size);
}

static void look_at_all(struct soak *soak)
{
    struct soak_batches *s = soak->batches;
    soak_enter(soak, 0, "export", s->set.size);
    const pleach_status status =
        pleach_map_export(soak->map, s->cells.count, soak->out_keys, soak->out_values, &soak->pairs);
    soak_leave(soak, 0);
    if (!soak_good(soak, 0, "export", status)) return;
    if (soak->pairs != s->set.size)
        soak_wrong(soak, 0, "after batch %" PRIu64 ": export has %zu keys, right is %zu", s->number, soak->pairs,
                   s->set.size);
    else
        crew_run(soak->crew, soak_batch_compare, soak);
    s->compared++;
    if (!soak_is_wrong(soak)) soak_validate(soak);
}

/* Some are refused first, for lack of room: that must leave the map as it was, and tell how much it takes. */
static void run_batch(struct soak *soak)
{
    struct soak_batches *s = soak->batches;
    crew_run(soak->crew, soak_batch_make, soak);
    const bool refuse = mix_below(&soak->random, REFUSE_IN) == 0;
    pleach_status status = apply(soak, refuse ? 0 : s->room);
    if (refuse && status == PLEACH_E_SPACE) {
        const size_t total = s->batch.total;
        status = apply(soak, s->room);
        s->refused++;
        if (status == PLEACH_OK && total != s->batch.total)
            soak_wrong(soak, 0, "batch %" PRIu64 ", refused for lack of room, told of %zu pairs, then had %zu",
                       s->number, total, s->batch.total);
    }
    if (soak_good(soak, 0, "a batch", status)) soak_batch_check(soak);
    if (!soak_is_wrong(soak)) check_size(soak);
    s->number++;
    s->batches++;
    if (s->plan.n > s->largest) s->largest = s->plan.n;
    if (!soak_is_wrong(soak) && s->number % LOOK_EVERY == 0) look_at_all(soak);
}

static bool going_on(const struct soak *soak) { return !soak_is_wrong(soak) && soak_time_left(soak); }

/* A few operations of all kinds on an empty map, which is full of empty leaves; sometimes these are removed then. */
static void ask_empty(struct soak *soak)
{
    struct soak_batches *s = soak->batches;
    if (s->set.size != 0) soak_wrong(soak, 0, "the oracle is not empty after all cells were erased");
    look_at_all(soak);
    if (!going_on(soak)) return;
    plan_batch(soak, SHRINK);
    s->plan.n = soak_least(s->plan.n, SMALL);
    s->plan.guarded = false;
    run_batch(soak);
    if (mix_below(&soak->random, 2) == 0 || !going_on(soak)) return;
    soak_enter(soak, 0, "compact", 0);
    const pleach_status status = pleach_map_compact(soak->map, 0);
    soak_leave(soak, 0);
    soak_good(soak, 0, "compact", status);
}

static void drain(struct soak *soak)
{
    const size_t cells = soak->batches->cells.count;
    size_t first = 0;
    for (; first < cells && going_on(soak); first += soak->batches->plan.n) {
        plan_drain(soak, first);
        run_batch(soak);
    }
    if (first >= cells && going_on(soak)) ask_empty(soak);
}

static void run_phase(struct soak *soak, enum phase phase, uint64_t end)
{
    struct soak_batches *s = soak->batches;
    for (uint64_t left = 1 + mix_below(&soak->random, MOST_PHASE_BATCHES); left > 0; left--) {
        if (!going_on(soak) || soak_operations(soak) >= end) return;
        if (phase == SHRINK && s->set.size < s->cells.count / 16) return;
        plan_batch(soak, phase);
        run_batch(soak);
    }
}

/* ---- the scenario ---- */

void soak_batches(struct soak *soak)
{
    if (soak->batches == NULL && !batches_create(soak)) {
        soak_wrong(soak, 0, "out of memory for the arrays");
        return;
    }
    if (open_round(soak)) {
        const uint64_t end = soak_operations(soak) + soak->batches->most * (uint64_t)ROUND_BATCHES;
        for (unsigned phase = GROW; going_on(soak) && soak_operations(soak) < end; phase = (phase + 1) % PHASES) {
            if (phase == DRAIN)
                drain(soak);
            else
                run_phase(soak, (enum phase)phase, end);
        }
        if (!soak_is_wrong(soak)) look_at_all(soak);
    }
    close_round(soak);
}

void soak_batches_finish(struct soak *soak)
{
    static const char *const names[BATCH_KINDS] = {"put",  "add",  "erase", "find", "contains",
                                                   "succ", "pred", "count", "range"};
    struct soak_batches *s = soak->batches;
    if (s == NULL) return;
    printf("%" PRIu64 " batches, the largest of %" PRIu64 " operations, %" PRIu64 " refused first, %" PRIu64
           " looks at the whole map;",
           s->batches, s->largest, s->refused, s->compared);
    for (unsigned kind = 0; kind < BATCH_KINDS; kind++) {
        uint64_t sum = 0;
        for (unsigned i = 0; i < soak->hand_count; i++) sum += s->made[i][kind];
        printf("%s %s %" PRIu64, kind > 0 ? "," : "", names[kind], sum);
    }
    printf("\n");
    batches_destroy(soak);
}
