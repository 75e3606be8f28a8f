/* soak_batch_check.c - every result of a batch, against a table of values and a set of cells. */
#include <inttypes.h>

#include "soak_batches.h"
#include "tools/common/words.h"

static const char *const kind_names[BATCH_KINDS] = {"put",  "add",  "erase", "find", "contains",
                                                    "succ", "pred", "count", "range"};

static uint64_t key_of(const struct soak_batches *s, size_t i) { return word_get(s->keys, s->cells.bits, i); }
static uint64_t value_of(const struct soak_batches *s, size_t i) { return word_get(s->values, s->cells.bits, i); }

static uint64_t spoiled(const struct soak_batches *s)
{
    return (uint64_t)0xa5a5a5a5a5a5a5a5u & word_max(s->cells.bits);
}

/* "what" is wrong with operation i. */
static void complain(struct soak *soak, unsigned index, size_t i, const char *what, uint64_t got, uint64_t right)
{
    const struct soak_batches *s = soak->batches;
    soak_wrong(soak, index,
               "seed %" PRIu64 ", batch %" PRIu64 " of round %" PRIu64 ", operation %zu of %zu, %s %" PRIu64 " %" PRIu64
               ": %s is %" PRIu64 ", right is %" PRIu64,
               soak->options.seed, s->number, soak->round, i, s->plan.n, kind_names[s->kinds[i]], key_of(s, i),
               value_of(s, i), what, got, right);
}

static bool expect(struct soak *soak, unsigned index, size_t i, const char *what, uint64_t got, uint64_t right)
{
    if (got != right) complain(soak, index, i, what, got, right);
    return got == right;
}

/* ---- points ---- */

/* The value that was reported, or that none was. */
static void check_value(struct soak *soak, unsigned index, size_t i, bool present, uint64_t right)
{
    const struct soak_batches *s = soak->batches;
    const uint64_t got = word_get(s->batch.out_values, s->cells.bits, i);
    if (present)
        expect(soak, index, i, "out_values", got, right);
    else
        expect(soak, index, i, "out_values, where nothing is to be written,", got, spoiled(s));
}

static void check_point(struct soak *soak, unsigned index, size_t cell, size_t i)
{
    struct soak_batches *s = soak->batches;
    struct oracle *oracle = &soak->oracle;
    const uint64_t value = value_of(s, i);
    const unsigned got = s->batch.flags[i];
    uint64_t old = 0;
    switch ((pleach_operation)s->kinds[i]) {
    case PLEACH_OP_PUT: {
        const pleach_outcome right = oracle_put(oracle, cell, value, &old);
        if (expect(soak, index, i, "flags", got, right)) check_value(soak, index, i, right == PLEACH_REPLACED, old);
        break;
    }
    case PLEACH_OP_ADD: {
        const pleach_outcome right = oracle_add(oracle, cell, value, &old);
        if (expect(soak, index, i, "flags", got, right)) check_value(soak, index, i, right == PLEACH_EXISTS, old);
        break;
    }
    case PLEACH_OP_ERASE: {
        const pleach_outcome right = oracle_erase(oracle, cell, &old);
        if (expect(soak, index, i, "flags", got, right)) check_value(soak, index, i, right == PLEACH_ERASED, old);
        break;
    }
    case PLEACH_OP_FIND:
    case PLEACH_OP_SUCC: /* of the key that it reports */
    case PLEACH_OP_PRED: {
        const bool right = oracle_find(oracle, cell, &old);
        if (expect(soak, index, i, "flags", got, right)) check_value(soak, index, i, right, old);
        break;
    }
    case PLEACH_OP_CONTAINS: expect(soak, index, i, "flags", got, oracle_find(oracle, cell, &old)); break;
    case PLEACH_OP_COUNT:
    case PLEACH_OP_RANGE: /* not on one key */
        complain(soak, index, i, "kinds", s->kinds[i], PLEACH_OP_FIND);
        break;
    }
}

/* Which operation a pair of a range belongs to. */
static size_t operation_of_pair(const struct soak_batches *s, size_t pair)
{
    size_t low = 0, high = s->plan.n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (s->batch.offsets[middle] <= pair)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void check_pair(struct soak *soak, unsigned index, size_t cell, size_t pair)
{
    const struct soak_batches *s = soak->batches;
    const uint64_t got = word_get(s->batch.range_values, s->cells.bits, pair);
    uint64_t right = 0;
    if (oracle_find(&soak->oracle, cell, &right) && right == got) return;
    complain(soak, index, operation_of_pair(s, pair), "a value of its pairs", got, right);
}

static void check_stretch(struct soak *soak, unsigned index, size_t stretch)
{
    const struct soak_batches *s = soak->batches;
    const struct batch_item *item = s->items + s->stretch_first[stretch];
    const struct batch_item *end = s->items + s->stretch_first[stretch + 1];
    for (; item < end && soak->hands[index].wrong == 0; item++) {
        if (item->at & BATCH_PAIR)
            check_pair(soak, index, item->cell, item->at & ~BATCH_PAIR);
        else
            check_point(soak, index, item->cell, item->at);
    }
}

/* ---- order ---- */

/* A successor or predecessor: its flag and its key. */
static void check_neighbour(struct soak *soak, unsigned index, size_t i)
{
    const struct soak_batches *s = soak->batches;
    const size_t cell = s->kinds[i] == PLEACH_OP_SUCC
                            ? cell_set_from(&s->set, batch_cells_up_to(&s->cells, key_of(s, i)))
                            : cell_set_before(&s->set, batch_cells_below(&s->cells, key_of(s, i)));
    const bool right = cell < s->cells.count;
    if (!expect(soak, index, i, "flags", s->batch.flags[i], right)) return;
    expect(soak, index, i, "out_keys", word_get(s->batch.out_keys, s->cells.bits, i),
           right ? batch_cell_key(&s->cells, cell) : spoiled(s));
    if (!right) check_value(soak, index, i, false, 0);
}

/* Answers how many pairs it has. */
static size_t check_count(struct soak *soak, unsigned index, size_t i, size_t limit)
{
    const struct soak_batches *s = soak->batches;
    size_t right = 0;
    if (key_of(s, i) <= value_of(s, i))
        right = cell_set_between(&s->set, batch_cells_below(&s->cells, key_of(s, i)),
                                 batch_cells_up_to(&s->cells, value_of(s, i)));
    right = soak_least(right, limit);
    expect(soak, index, i, "counts", s->batch.counts[i], right);
    return right;
}

static void check_range(struct soak *soak, unsigned index, size_t i)
{
    const struct soak_batches *s = soak->batches;
    const size_t n = check_count(soak, index, i, s->plan.limit > 0 ? s->plan.limit : SIZE_MAX);
    const uint64_t first = s->batch.offsets[i];
    if (!expect(soak, index, i, "the next of offsets", s->batch.offsets[i + 1], first + n)) return;
    size_t cell = cell_set_from(&s->set, batch_cells_below(&s->cells, key_of(s, i)));
    for (size_t k = 0; k < n; k++, cell = cell_set_from(&s->set, cell + 1))
        if (!expect(soak, index, i, "a key of its pairs", word_get(s->batch.range_keys, s->cells.bits, first + k),
                    batch_cell_key(&s->cells, cell)))
            return;
}

static void check_order(struct soak *soak, unsigned index)
{
    struct soak_batches *s = soak->batches;
    for (size_t i = 0; i < s->plan.n && soak->hands[index].wrong == 0; i++) {
        switch ((pleach_operation)s->kinds[i]) {
        case PLEACH_OP_PUT:
        case PLEACH_OP_ADD: cell_set_insert(&s->set, batch_cells_below(&s->cells, key_of(s, i))); break;
        case PLEACH_OP_ERASE: {
            const size_t cell = batch_cell_of(&s->cells, key_of(s, i));
            if (cell != SOAK_NO_CELL) cell_set_erase(&s->set, cell);
            break;
        }
        case PLEACH_OP_SUCC:
        case PLEACH_OP_PRED: check_neighbour(soak, index, i); break;
        case PLEACH_OP_COUNT: check_count(soak, index, i, SIZE_MAX); break;
        case PLEACH_OP_RANGE: check_range(soak, index, i); break;
        case PLEACH_OP_FIND:
        case PLEACH_OP_CONTAINS: break;
        }
    }
}

/* ---- dividing a batch among the stretches ---- */

/* A key that is no cell's is never there. */
static void check_foreign(struct soak *soak, unsigned index, size_t i)
{
    const struct soak_batches *s = soak->batches;
    const unsigned right = s->kinds[i] == PLEACH_OP_ERASE ? PLEACH_ABSENT : 0;
    if (!expect(soak, index, i, "flags", s->batch.flags[i], right)) return;
    if (s->kinds[i] != PLEACH_OP_CONTAINS) check_value(soak, index, i, false, 0);
}

typedef void take_item(struct soak_batches *s, uint32_t *slice, size_t cell, uint32_t at);

static void count_item(struct soak_batches *s, uint32_t *slice, size_t cell, uint32_t at)
{
    (void)at;
    slice[cell / s->stretch_cells]++;
}

static void place_item(struct soak_batches *s, uint32_t *slice, size_t cell, uint32_t at)
{
    s->items[slice[cell / s->stretch_cells]++] = (struct batch_item){(uint32_t)cell, at};
}

/* The items of one operation. A reported key that is no cell's is left to check_order, which knows the right one. */
static inline bool take_operation(struct soak_batches *s, uint32_t *slice, size_t i, take_item *take)
{
    const unsigned kind = s->kinds[i];
    if (kind <= PLEACH_OP_PRED) {
        const bool point = kind <= PLEACH_OP_CONTAINS;
        if (!point && s->batch.flags[i] != 1) return true;
        const uint64_t key = point ? key_of(s, i) : word_get(s->batch.out_keys, s->cells.bits, i);
        const size_t cell = batch_cell_of(&s->cells, key);
        if (cell != SOAK_NO_CELL) take(s, slice, cell, (uint32_t)i);
        return cell != SOAK_NO_CELL || !point;
    }
    for (uint64_t pair = s->batch.offsets[i]; pair < s->batch.offsets[i + 1]; pair++) {
        const size_t cell = batch_cell_of(&s->cells, word_get(s->batch.range_keys, s->cells.bits, (size_t)pair));
        if (cell != SOAK_NO_CELL) take(s, slice, cell, (uint32_t)pair | BATCH_PAIR);
    }
    return true;
}

static bool offsets_are_sound(const struct soak_batches *s, size_t i)
{
    const uint64_t here = s->batch.offsets[i], next = s->batch.offsets[i + 1];
    return here <= next && next <= s->batch.total && (s->kinds[i] == PLEACH_OP_RANGE || here == next);
}

static void count_part(void *context, unsigned index)
{
    struct soak *soak = context;
    struct soak_batches *s = soak->batches;
    uint32_t *slice = s->slices + (size_t)index * s->stretches;
    const size_t end = batch_part(soak, index + 1, s->plan.n);
    for (size_t k = 0; k < s->stretches; k++) slice[k] = 0;
    for (size_t i = batch_part(soak, index, s->plan.n); i < end && soak->hands[index].wrong == 0; i++) {
        if (!offsets_are_sound(s, i))
            complain(soak, index, i, "the next of offsets", s->batch.offsets[i + 1], s->batch.offsets[i]);
        else if (!take_operation(s, slice, i, count_item))
            check_foreign(soak, index, i);
    }
}

static void place_part(void *context, unsigned index)
{
    struct soak *soak = context;
    struct soak_batches *s = soak->batches;
    const size_t end = batch_part(soak, index + 1, s->plan.n);
    for (size_t i = batch_part(soak, index, s->plan.n); i < end; i++)
        take_operation(s, s->slices + (size_t)index * s->stretches, i, place_item);
}

/* From counts to places: by stretch, and in a stretch by slice, which is the order of the batch. */
static void add_up(struct soak *soak)
{
    struct soak_batches *s = soak->batches;
    uint32_t sum = 0;
    for (size_t k = 0; k < s->stretches; k++) {
        s->stretch_first[k] = sum;
        for (unsigned index = 0; index < soak->hand_count; index++) {
            uint32_t *slice = &s->slices[(size_t)index * s->stretches + k], count = *slice;
            *slice = sum;
            sum += count;
        }
    }
    s->stretch_first[s->stretches] = sum;
}

/* ---- all of it ---- */

/* The longest piece of work is the first: order. */
static void check_part(void *context, unsigned index)
{
    struct soak *soak = context;
    struct soak_batches *s = soak->batches;
    for (;;) {
        const size_t task = atomic_fetch_add(&s->next_stretch, 1);
        if (task > s->stretches) break;
        if (task == 0)
            check_order(soak, index);
        else
            check_stretch(soak, index, task - 1);
    }
    const size_t n = batch_part(soak, index + 1, s->plan.n) - batch_part(soak, index, s->plan.n);
    soak_count(&soak->hands[index], n, n);
}

void soak_batch_check(struct soak *soak)
{
    struct soak_batches *s = soak->batches;
    if (s->batch.offsets[0] != 0 || s->batch.offsets[s->plan.n] != s->batch.total || s->batch.total > s->room) {
        soak_wrong(soak, 0, "seed %" PRIu64 ", batch %" PRIu64 " of round %" PRIu64 ": offsets go from %" PRIu64
                            " to %" PRIu64 ", and total is %zu", soak->options.seed, s->number, soak->round,
                   s->batch.offsets[0], s->batch.offsets[s->plan.n], s->batch.total);
        return;
    }
    crew_run(soak->crew, count_part, soak);
    if (soak_is_wrong(soak)) return;
    add_up(soak);
    crew_run(soak->crew, place_part, soak);
    atomic_store(&s->next_stretch, 0);
    crew_run(soak->crew, check_part, soak);
}

/* ---- the whole map ---- */

void soak_batch_compare(void *context, unsigned index)
{
    struct soak *soak = context;
    const struct soak_batches *s = soak->batches;
    const size_t begin = batch_part(soak, index, s->cells.count), end = batch_part(soak, index + 1, s->cells.count);
    size_t at = cell_set_below(&s->set, begin);
    for (size_t cell = begin; cell < end; cell++) {
        uint64_t right;
        if (!oracle_find(&soak->oracle, cell, &right)) continue;
        const uint64_t key = word_get(soak->out_keys, soak->bits, at);
        const uint64_t value = word_get(soak->out_values, soak->bits, at);
        if (key != batch_cell_key(&s->cells, cell) || value != right) {
            soak_wrong(soak, index, "after batch %" PRIu64 ": pair %zu of the export is %" PRIu64 ":%" PRIu64
                                    ", right is %" PRIu64 ":%" PRIu64, s->number, at, key, value,
                       batch_cell_key(&s->cells, cell), right);
            return;
        }
        at++;
    }
    if (at != cell_set_below(&s->set, end))
        soak_wrong(soak, index, "the oracles disagree about cells %zu to %zu", begin, end);
    soak_count(&soak->hands[index], 0, at - cell_set_below(&s->set, begin));
}
