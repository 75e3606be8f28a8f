/* scenario_batches.c - batches of all sizes, operations and distributions, one after the other. The map grows, shrinks,
 * and is emptied down to the last key. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "batches.h"
#include "tools/common/words.h"

enum { CPU_MOST = 1 << 20, GPU_MOST = 1 << 24 };
enum { PAIRS_PER_OPERATION = 4, LEAST_PAIRS = 1 << 13 };
enum { ROUND_BATCHES = 8 };  /* operations of a round, in longest batches */
enum { COMPARE_EVERY = 16 }; /* batches between two comparisons of the whole map */
enum { MOST_PHASE_BATCHES = 8, REFUSE_IN = 16 };

static bool create(struct stress *s)
{
    struct batches *b = s->batches = calloc(1, sizeof *b);
    if (b == NULL) return false;
    b->most = s->options.batch > 0 ? s->options.batch : s->on_gpu ? GPU_MOST : CPU_MOST;
    b->pairs = b->most * PAIRS_PER_OPERATION + LEAST_PAIRS;
    uint64_t *words = b->memory = malloc((6 * b->most + 1 + 2 * b->pairs) * sizeof(uint64_t) + 2 * b->most);
    if (words == NULL) return false;
    b->keys = words;
    b->values = words + b->most;
    b->batch.out_keys = words + 2 * b->most;
    b->batch.out_values = words + 3 * b->most;
    b->batch.counts = words + 4 * b->most;
    b->batch.offsets = words + 5 * b->most;
    b->batch.range_keys = words + 6 * b->most + 1;
    b->batch.range_values = words + 6 * b->most + 1 + b->pairs;
    b->batch.flags = (uint8_t *)(words + 6 * b->most + 1 + 2 * b->pairs);
    b->kinds = b->batch.flags + b->most;
    b->batch.kinds = b->kinds;
    b->batch.keys = b->keys;
    b->batch.values = b->values;
    return true;
}

static bool prepare(struct stress *s)
{
    if (s->batches == NULL && !create(s)) return false;
    struct batches *b = s->batches;
    if (b->memory == NULL) return false;
    b->number = 0;
    b->phase = PHASE_GROW;
    b->last = stress_sum(s).operations + b->most * (uint64_t)ROUND_BATCHES;
    return cell_set_create(&b->set, s->keys.cells);
}

static void end(struct stress *s)
{
    if (s->batches != NULL) cell_set_destroy(&s->batches->set);
}

/* ---- batches ---- */

static void compare_all(struct stress *s)
{
    contents_check(s);
    s->batches->compared++;
}

static pleach_status apply(struct stress *s, size_t capacity)
{
    struct batches *b = s->batches;
    b->batch.n = b->plan.n;
    b->batch.limit = b->plan.limit;
    b->batch.capacity = capacity;
    heartbeat_begin(s, 0, "a batch", b->plan.n);
    return heartbeat_end(s, 0, pleach_map_apply(s->target.map, &b->batch));
}

/* Some are refused first because the pairs do not fit: that must leave the map as it was, and return how many pairs
 * there are. */
static void run_batch(struct stress *s)
{
    struct batches *b = s->batches;
    const bool refuse = mix_below(&s->random, REFUSE_IN) == 0;
    uint64_t size = 0;
    batch_make(s);
    pleach_status status = apply(s, refuse ? 0 : b->pairs);
    if (refuse && status == PLEACH_E_SPACE) {
        const size_t total = b->batch.total;
        status = apply(s, b->pairs);
        b->refused++;
        if (status == PLEACH_OK && total != b->batch.total)
            stress_wrong(s, 0, "batch %" PRIu64 " was refused because of %zu pairs, then had %zu", b->number, total,
                         b->batch.total);
    }
    if (stress_ok(s, 0, "a batch", status)) batch_check(s);
    if (!stress_is_wrong(s) && STRESS_CALL(s, 0, "size", 0, pleach_map_size(s->target.map, &size)) &&
        size != b->set.size)
        stress_wrong(s, 0, "after batch %" PRIu64 ": size is %" PRIu64 ", expected %zu", b->number, size, b->set.size);
    b->number++;
    b->batches++;
    if (b->plan.n > b->largest) b->largest = b->plan.n;
    if (!stress_is_wrong(s) && b->number % COMPARE_EVERY == 0) compare_all(s);
}

/* ---- phases ---- */

/* A few operations on an empty map, which is full of empty leaves; sometimes these are removed afterwards. */
static void query_empty(struct stress *s)
{
    if (s->batches->set.size != 0) stress_wrong(s, 0, "the oracle is not empty after all cells were erased");
    compare_all(s);
    if (!stress_goes_on(s)) return;
    batch_plan_small(s);
    run_batch(s);
    if (mix_below(&s->random, 2) == 0 && stress_goes_on(s))
        STRESS_CALL(s, 0, "compact", 0, pleach_map_compact(s->target.map, 0));
}

static void drain(struct stress *s)
{
    size_t first = 0;
    for (; first < s->keys.cells && stress_goes_on(s); first += s->batches->plan.n) {
        batch_plan_drain(s, first);
        run_batch(s);
    }
    if (first >= s->keys.cells && stress_goes_on(s)) query_empty(s);
}

/* A turn is a phase; after the last operations of the round the others do nothing. */
static void run_turn(struct stress *s, size_t turn)
{
    struct batches *b = s->batches;
    b->phase = (enum batch_phase)(turn % PHASES);
    if (stress_sum(s).operations >= b->last) return;
    if (b->phase == PHASE_DRAIN) {
        drain(s);
        return;
    }
    for (uint64_t left = 1 + mix_below(&s->random, MOST_PHASE_BATCHES); left > 0; left--) {
        if (!stress_goes_on(s) || stress_sum(s).operations >= b->last) return;
        if (b->phase == PHASE_SHRINK && b->set.size < s->keys.cells / 16) return;
        batch_plan_random(s, b->phase);
        run_batch(s);
    }
}

static void report(struct stress *s)
{
    struct batches *b = s->batches;
    if (b == NULL) return;
    if (!s->options.quiet) {
        printf("%" PRIu64 " batches, the largest of %" PRIu64 " operations, %" PRIu64 " refused first, %" PRIu64
               " comparisons of the whole map;",
               b->batches, b->largest, b->refused, b->compared);
        for (unsigned op = 0; op < BATCH_OPS; op++)
            printf("%s %s %" PRIu64, op > 0 ? "," : "", op_name(op), b->made[op]);
        printf("\n");
    }
    free(b->memory);
    free(b);
    s->batches = NULL;
}

const struct scenario scenario_batches = {
    .name = "batches",
    .structures = 1 << TARGET_TREE,
    .cells = {1 << 20, 1 << 24},
    .halvings = 10,
    .turns = {1000, 1000},
    .prepare = prepare,
    .run_turn = run_turn,
    .check = compare_all,
    .end = end,
    .report = report,
};
