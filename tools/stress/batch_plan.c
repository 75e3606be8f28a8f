/* batch_plan.c - plans a batch, and makes its operations. */
#include <math.h>
#include <string.h>

#include "batches.h"
#include "tools/common/words.h"

enum { SMALL = 64 }; /* operations of a batch that may walk as far as it likes */
enum { LOG_WIDEST = 7, MOST_LIMIT = 20, MOST_HOT = 16 };
enum { ASIDE_IN = 8, BACKWARDS_IN = 50, WIDE_IN = 20, HOT_PERCENT = 90, FAR_CELLS = 256 };

/* put, add, erase, find, contains, succ, pred, count, range */
static const uint8_t growing[BATCH_OPS] = {45, 20, 5, 12, 4, 3, 3, 4, 4};
static const uint8_t some_of_all[BATCH_OPS] = {20, 10, 20, 25, 5, 5, 5, 5, 5};
static const uint8_t reading[BATCH_OPS] = {2, 1, 2, 50, 15, 8, 8, 7, 7};
static const uint8_t shrinking[BATCH_OPS] = {4, 2, 50, 20, 4, 5, 5, 5, 5};

static double draw_real(struct mix_random *random) { return (double)(mix_next(random) >> 11) * 0x1p-53; }
static bool one_in(struct mix_random *random, unsigned n) { return mix_below(random, n) == 0; }

/* ---- plans ---- */

/* Any mixture, often without some operations. Erases without inserts would leave nothing to find. */
static void draw_weights(struct mix_random *random, unsigned *weight)
{
    const bool few = one_in(random, 2);
    for (unsigned op = 0; op < BATCH_OPS; op++)
        weight[op] = few && mix_below(random, 3) > 0 ? 0 : (unsigned)mix_below(random, 30);
    weight[PLEACH_OP_FIND]++;
    const unsigned inserts = weight[PLEACH_OP_PUT] + weight[PLEACH_OP_ADD];
    if (weight[PLEACH_OP_ERASE] > 8 * inserts) weight[PLEACH_OP_PUT] += weight[PLEACH_OP_ERASE] / 8 + 1;
}

static void choose_weights(struct mix_random *random, enum batch_phase phase, unsigned *weight)
{
    const bool free_choice = phase != PHASE_GROW && phase != PHASE_SHRINK;
    const uint64_t other = mix_below(random, 4);
    const uint8_t *mood = phase == PHASE_GROW         ? growing
                          : phase == PHASE_SHRINK     ? shrinking
                          : free_choice && other == 0 ? reading
                                                      : some_of_all;
    for (unsigned op = 0; op < BATCH_OPS; op++) weight[op] = mood[op];
    if (free_choice && other > 1) draw_weights(random, weight);
}

/* Pairs of ranges must fit: makes ranges narrower where there may be many. */
static void fit_ranges(const struct batches *b, struct batch_plan *plan)
{
    unsigned sum = 0;
    for (unsigned op = 0; op < BATCH_OPS; op++) sum += plan->weight[op];
    const double ranges = (double)plan->n * plan->weight[PLEACH_OP_RANGE] / sum;
    for (; plan->widest > 0; plan->widest /= 2) {
        const size_t pairs = plan->limit > 0 ? size_min(plan->limit, plan->widest + 2) : plan->widest + 2;
        if (plan->n <= SMALL || ranges * (double)pairs <= 0.75 * (double)b->pairs) break;
    }
}

void batch_plan_random(struct stress *s, enum batch_phase phase)
{
    struct batches *b = s->batches;
    struct batch_plan *plan = &b->plan;
    struct mix_random *random = &s->random;
    const size_t n = (size_t)pow((double)b->most + 1, draw_real(random)); /* sizes on a logarithmic scale */
    *plan = (struct batch_plan){.n = size_min(n, b->most), .seed = mix_next(random)};
    plan->dist = (enum batch_distribution)mix_below(random, DISTS);
    plan->scattered = plan->dist == DIST_ZIPF || (plan->dist == DIST_SELF_SIMILAR && one_in(random, 2));
    plan->guarded = plan->n > SMALL;
    plan->first = (size_t)mix_below(random, s->keys.cells);
    plan->hot = 1 + (size_t)mix_below(random, size_min(MOST_HOT, s->keys.cells));
    plan->widest = (size_t)1 << mix_below(random, LOG_WIDEST);
    plan->limit = (uint32_t)mix_below(random, MOST_LIMIT + 1);
    plan->order = mix_order_make(s->keys.cells, mix_next(random));
    choose_weights(random, phase, plan->weight);
    fit_ranges(b, plan);
}

void batch_plan_small(struct stress *s)
{
    batch_plan_random(s, PHASE_SHRINK);
    s->batches->plan.n = size_min(s->batches->plan.n, SMALL);
    s->batches->plan.guarded = false;
}

void batch_plan_drain(struct stress *s, size_t first)
{
    const size_t n = size_min(s->keys.cells - first, s->batches->most);
    s->batches->plan = (struct batch_plan){.n = n, .drain = true, .first = first, .scattered = one_in(&s->random, 2),
                                           .order = mix_order_make(n, mix_next(&s->random))};
}

/* ---- operations ---- */

/* One of two draws that Box and Muller's method makes. */
static double draw_gaussian(struct mix_random *random)
{
    const double radius = sqrt(-2 * log(1 - draw_real(random)));
    return radius * cos(6.283185307179586 * draw_real(random));
}

/* Zipf: rank k with a probability in proportion to 1/k. Self-similar: 80 percent in the first 20, recursively.
 * Gaussian: around the middle. */
static size_t draw_rank(const struct batch_plan *plan, size_t count, struct mix_random *random)
{
    const double cells = (double)count;
    double rank = 0;
    if (plan->dist == DIST_ZIPF) rank = exp(draw_real(random) * log(cells + 1)) - 1;
    if (plan->dist == DIST_SELF_SIMILAR) rank = cells * pow(draw_real(random), log(0.2) / log(0.8));
    if (plan->dist == DIST_GAUSSIAN) rank = cells * (0.5 + draw_gaussian(random) / 16);
    return rank < 0 ? 0 : rank < cells ? (size_t)rank : count - 1;
}

static size_t draw_cell(const struct batch_plan *plan, size_t count, size_t i, struct mix_random *random)
{
    switch (plan->dist) {
    case DIST_ASCENDING: return (plan->first + i) % count;
    case DIST_HOT:
        if (mix_below(random, 100) >= HOT_PERCENT) break;
        return (size_t)mix_order_at(&plan->order, mix_below(random, plan->hot));
    case DIST_ZIPF:
    case DIST_SELF_SIMILAR:
    case DIST_GAUSSIAN: {
        const size_t rank = draw_rank(plan, count, random);
        return plan->scattered ? (size_t)mix_order_at(&plan->order, rank) : rank;
    }
    case DIST_UNIFORM:
    case DISTS: break;
    }
    return (size_t)mix_below(random, count);
}

static uint8_t draw_op(const struct batch_plan *plan, struct mix_random *random)
{
    unsigned sum = 0;
    for (unsigned op = 0; op < BATCH_OPS; op++) sum += plan->weight[op];
    unsigned at = (unsigned)mix_below(random, sum);
    uint8_t op = 0;
    while (at >= plan->weight[op]) at -= plan->weight[op++];
    return op;
}

/* True if the neighbour is near, in the map before the batch. A batch that erases all cells around would still make the
 * walk long; the weights prevent that. */
static bool is_near(const struct batches *b, uint8_t op, size_t cell)
{
    if (op == PLEACH_OP_SUCC) return cell_set_from(&b->set, cell + 1) - cell <= FAR_CELLS;
    const size_t before = cell_set_before(&b->set, cell);
    return before != SIZE_MAX && cell - before <= FAR_CELLS;
}

/* A key next to this one. It must not wrap around to the other end: that would be a very wide range. */
static uint64_t aside(unsigned bits, uint64_t key, struct mix_random *random)
{
    const bool up = one_in(random, 2);
    return key == (up ? word_max(bits) : 0) ? key : up ? key + 1 : key - 1;
}

static uint64_t draw_end(const struct stress *s, uint8_t op, size_t cell, uint64_t low, struct mix_random *random)
{
    const bool wide = op == PLEACH_OP_COUNT && one_in(random, WIDE_IN);
    const size_t end = cell + (size_t)mix_below(random, wide ? s->keys.cells : s->batches->plan.widest + 1);
    if (one_in(random, BACKWARDS_IN)) return low / 2;
    const uint64_t key = key_of(&s->keys, size_min(end, s->keys.cells - 1));
    return one_in(random, ASIDE_IN) ? aside(s->bits, key, random) : key;
}

static void make_operation(struct stress *s, size_t i)
{
    struct batches *b = s->batches;
    const struct batch_plan *plan = &b->plan;
    struct mix_random random = {mix64(plan->seed + i)};
    const size_t erased = plan->first + (plan->scattered ? (size_t)mix_order_at(&plan->order, i) : i);
    const size_t cell = plan->drain ? erased : draw_cell(plan, s->keys.cells, i, &random);
    uint64_t key = key_of(&s->keys, cell), value = mix_next(&random) & word_max(s->bits);
    uint8_t op = plan->drain ? PLEACH_OP_ERASE : draw_op(plan, &random);
    if ((op == PLEACH_OP_SUCC || op == PLEACH_OP_PRED) && plan->guarded && !is_near(b, op, cell))
        op = PLEACH_OP_CONTAINS;
    if (op >= PLEACH_OP_ERASE && !plan->drain && one_in(&random, ASIDE_IN)) key = aside(s->bits, key, &random);
    if (op_is_interval(op)) value = draw_end(s, op, cell, key, &random);
    b->kinds[i] = op;
    word_set(b->keys, s->bits, i, key);
    word_set(b->values, s->bits, i, value);
}

static void make_part(void *context, size_t begin, size_t end)
{
    struct stress *s = context;
    const pleach_batch *batch = &s->batches->batch;
    const size_t n = end - begin;
    for (size_t i = begin; i < end; i++) make_operation(s, i);
    memset(batch->flags + begin, SPOILED, n);
    memset(word_at(batch->out_keys, s->bits, begin), SPOILED, n * word_bytes(s->bits));
    memset(word_at(batch->out_values, s->bits, begin), SPOILED, n * word_bytes(s->bits));
    memset(batch->counts + begin, SPOILED, n * sizeof(uint64_t));
    memset(batch->offsets + begin + 1, SPOILED, n * sizeof(uint64_t));
}

void batch_make(struct stress *s)
{
    memset(s->batches->batch.offsets, SPOILED, sizeof(uint64_t));
    crew_share(s->crew, s->batches->plan.n, make_part, s);
}
