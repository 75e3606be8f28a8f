/* soak_batch_make.c - the keys of a round of batches, and the operations of a batch. */
#include <math.h>
#include <string.h>

#include "soak_batches.h"
#include "tools/common/words.h"

/* ---- cells and keys ---- */

struct batch_cells batch_cells_make(unsigned bits, unsigned log_count, enum soak_layout layout)
{
    const size_t count = (size_t)1 << log_count;
    struct batch_cells cells = {.bits = bits, .count = count};
    if (layout == SOAK_DENSE_HIGH) cells.base = word_max(bits) - (count - 1);
    if (layout != SOAK_DENSE_HIGH && layout != SOAK_DENSE_LOW) cells.shift = bits - log_count;
    return cells;
}

uint64_t batch_cell_key(const struct batch_cells *cells, size_t cell)
{
    if (cells->shift > 0 && cell == cells->count - 1) return word_max(cells->bits);
    return cells->base + ((uint64_t)cell << cells->shift);
}

size_t batch_cells_up_to(const struct batch_cells *cells, uint64_t key)
{
    if (key < cells->base) return 0;
    if (key >= batch_cell_key(cells, cells->count - 1)) return cells->count;
    return soak_least((size_t)((key - cells->base) >> cells->shift) + 1, cells->count - 1);
}

size_t batch_cells_below(const struct batch_cells *cells, uint64_t key)
{
    return key == 0 ? 0 : batch_cells_up_to(cells, key - 1);
}

size_t batch_cell_of(const struct batch_cells *cells, uint64_t key)
{
    const size_t cell = batch_cells_below(cells, key);
    return cell < cells->count && batch_cell_key(cells, cell) == key ? cell : SOAK_NO_CELL;
}

/* ---- operations ---- */

enum { ASIDE_IN = 8, BACKWARDS_IN = 50, HOT_PERCENT = 90, FAR_CELLS = 256 };

static double draw_real(struct mix_random *random) { return (double)(mix_next(random) >> 11) * 0x1p-53; }

static bool one_in(struct mix_random *random, unsigned n) { return mix_below(random, n) == 0; }

/* Two draws at once, by Box and Muller; one of them is enough here. */
static double draw_gaussian(struct mix_random *random)
{
    const double radius = sqrt(-2 * log(1 - draw_real(random)));
    return radius * cos(6.283185307179586 * draw_real(random));
}

/* Rank k with a probability in proportion to 1/k; 80 percent of all in the first 20, and of these again; or around the
 * middle. */
static size_t draw_rank(const struct batch_plan *plan, size_t count, struct mix_random *random)
{
    const double cells = (double)count;
    double rank = 0;
    if (plan->dist == BATCH_ZIPF) rank = exp(draw_real(random) * log(cells + 1)) - 1;
    if (plan->dist == BATCH_SELF_SIMILAR) rank = cells * pow(draw_real(random), log(0.2) / log(0.8));
    if (plan->dist == BATCH_GAUSSIAN) rank = cells * (0.5 + draw_gaussian(random) / 16);
    return rank < 0 ? 0 : rank < cells ? (size_t)rank : count - 1;
}

static size_t draw_cell(const struct batch_plan *plan, size_t count, size_t i, struct mix_random *random)
{
    switch (plan->dist) {
    case BATCH_ASCENDING: return (plan->first + i) % count;
    case BATCH_HOT:
        if (mix_below(random, 100) >= HOT_PERCENT) break;
        return (size_t)mix_order_at(&plan->order, mix_below(random, plan->hot));
    case BATCH_UNIFORM:
    case BATCH_DISTS: break;
    case BATCH_ZIPF:
    case BATCH_SELF_SIMILAR:
    case BATCH_GAUSSIAN: {
        const size_t rank = draw_rank(plan, count, random);
        return plan->scattered ? (size_t)mix_order_at(&plan->order, rank) : rank;
    }
    }
    return (size_t)mix_below(random, count);
}

static uint8_t draw_kind(const struct batch_plan *plan, struct mix_random *random)
{
    unsigned sum = 0;
    for (unsigned kind = 0; kind < BATCH_KINDS; kind++) sum += plan->weight[kind];
    unsigned at = (unsigned)mix_below(random, sum);
    uint8_t kind = 0;
    while (at >= plan->weight[kind]) at -= plan->weight[kind++];
    return kind;
}

/* True if the neighbour is near, as the map is before the batch. A batch that erases all cells around would still make
 * the walk long; plans see to it that none does. */
static bool is_near(const struct soak_batches *s, uint8_t kind, size_t cell)
{
    if (kind == PLEACH_OP_SUCC) return cell_set_from(&s->set, cell + 1) - cell <= FAR_CELLS;
    const size_t before = cell_set_before(&s->set, cell);
    return before != SIZE_MAX && cell - before <= FAR_CELLS;
}

/* A key beside the cell's. It must not come around to the other end: that would be a very wide range. */
static uint64_t aside(unsigned bits, uint64_t key, struct mix_random *random)
{
    const bool up = one_in(random, 2);
    return key == (up ? word_max(bits) : 0) ? key : up ? key + 1 : key - 1;
}

static uint64_t draw_end(const struct soak_batches *s, uint8_t kind, size_t cell, uint64_t low,
                         struct mix_random *random)
{
    const struct batch_plan *plan = &s->plan;
    const bool wide = kind == PLEACH_OP_COUNT && draw_real(random) < plan->wide;
    const size_t end = cell + (size_t)mix_below(random, wide ? plan->wide_cells : plan->widest + 1);
    if (one_in(random, BACKWARDS_IN)) return low / 2;
    const uint64_t key = batch_cell_key(&s->cells, soak_least(end, s->cells.count - 1));
    return one_in(random, ASIDE_IN) ? aside(s->cells.bits, key, random) : key;
}

static void make_erase(struct soak_batches *s, size_t i)
{
    const struct batch_plan *plan = &s->plan;
    const size_t at = plan->scattered ? (size_t)mix_order_at(&plan->order, i) : i;
    s->kinds[i] = PLEACH_OP_ERASE;
    word_set(s->keys, s->cells.bits, i, batch_cell_key(&s->cells, plan->first + at));
    word_set(s->values, s->cells.bits, i, 0);
}

static void make_operation(struct soak_batches *s, size_t i)
{
    const struct batch_plan *plan = &s->plan;
    const unsigned bits = s->cells.bits;
    struct mix_random random = {mix64(plan->seed + i)};
    const size_t cell = draw_cell(plan, s->cells.count, i, &random);
    uint64_t key = batch_cell_key(&s->cells, cell), value = mix_next(&random) & word_max(bits);
    uint8_t kind = draw_kind(plan, &random);
    if ((kind == PLEACH_OP_SUCC || kind == PLEACH_OP_PRED) && plan->guarded && !is_near(s, kind, cell))
        kind = PLEACH_OP_CONTAINS;
    if (kind >= PLEACH_OP_ERASE && one_in(&random, ASIDE_IN)) key = aside(bits, key, &random);
    if (kind >= PLEACH_OP_COUNT) value = draw_end(s, kind, cell, key, &random);
    s->kinds[i] = kind;
    word_set(s->keys, bits, i, key);
    word_set(s->values, bits, i, value);
}

/* Results that nobody writes must not look right. */
static void spoil(struct soak_batches *s, size_t begin, size_t n)
{
    const unsigned bits = s->cells.bits;
    memset(s->batch.flags + begin, BATCH_SPOIL, n);
    memset(word_at(s->batch.out_keys, bits, begin), BATCH_SPOIL, n * word_bytes(bits));
    memset(word_at(s->batch.out_values, bits, begin), BATCH_SPOIL, n * word_bytes(bits));
    memset(s->batch.counts + begin, BATCH_SPOIL, n * sizeof(uint64_t));
    memset(s->batch.offsets + begin, BATCH_SPOIL, (n + (begin + n == s->plan.n)) * sizeof(uint64_t));
}

void soak_batch_make(void *context, unsigned index)
{
    struct soak *soak = context;
    struct soak_batches *s = soak->batches;
    const size_t begin = batch_part(soak, index, s->plan.n), end = batch_part(soak, index + 1, s->plan.n);
    for (size_t i = begin; i < end; i++) {
        if (s->plan.drain)
            make_erase(s, i);
        else
            make_operation(s, i);
        s->made[index][s->kinds[i]]++;
    }
    if (begin < end) spoil(s, begin, end - begin);
}
