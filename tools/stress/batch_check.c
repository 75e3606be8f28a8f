/* batch_check.c - every result of a batch, against a table of values and a set of cells. */
#include <inttypes.h>

#include "batches.h"
#include "tools/common/words.h"

enum { PREFETCH = 24 }; /* operations whose cells are loaded ahead */

/* One operation, and what is known of it. */
struct step {
    struct stress *s;
    struct batches *b;
    size_t i;
    unsigned op;
    uint64_t key, value;
};

static bool expect(const struct step *t, const char *what, uint64_t got, uint64_t right)
{
    if (got != right)
        stress_wrong(t->s, 0, "batch %" PRIu64 ", operation %zu of %zu, %s %" PRIu64 " %" PRIu64 ": %s is %" PRIu64
                     ", expected %" PRIu64, t->b->number, t->i, t->b->plan.n, op_name(t->op), t->key, t->value, what,
                     got, right);
    return got == right;
}

/* A result that the operation writes only if `written`. */
static void expect_word(const struct step *t, const char *what, const void *words, bool written, uint64_t right)
{
    const uint64_t spoiled = (uint64_t)0xa5a5a5a5a5a5a5a5u & word_max(t->s->bits);
    expect(t, what, word_get(words, t->s->bits, t->i), written ? right : spoiled);
}

/* A key that belongs to no cell is never present. */
static void check_point(const struct step *t)
{
    struct oracle *oracle = &t->s->oracle;
    const size_t cell = cell_of(&t->s->keys, t->key);
    uint64_t old = 0;
    unsigned right = t->op == PLEACH_OP_ERASE ? PLEACH_ABSENT : 0;
    if (cell != NO_CELL)
        right = op_is_update(t->op) ? (unsigned)oracle_update(oracle, t->op, cell, t->value, &old)
                                    : oracle_find(oracle, cell, &old);
    if (t->op == PLEACH_OP_ERASE && cell != NO_CELL) cell_set_erase(&t->b->set, cell);
    if (op_takes_value(t->op)) cell_set_insert(&t->b->set, cell);
    const bool has_value = op_is_update(t->op) ? outcome_has_old(right) : right == 1;
    if (expect(t, "flags", t->b->batch.flags[t->i], right) && t->op != PLEACH_OP_CONTAINS)
        expect_word(t, "out_values", t->b->batch.out_values, has_value, old);
}

static void check_neighbour(const struct step *t)
{
    const struct key_space *keys = &t->s->keys;
    const size_t cell = t->op == PLEACH_OP_SUCC ? cell_set_from(&t->b->set, cells_up_to(keys, t->key))
                                                : cell_set_before(&t->b->set, cells_below(keys, t->key));
    const bool right = cell < keys->cells;
    if (!expect(t, "flags", t->b->batch.flags[t->i], right)) return;
    expect_word(t, "out_keys", t->b->batch.out_keys, right, right ? key_of(keys, cell) : 0);
    expect_word(t, "out_values", t->b->batch.out_values, right, right ? t->s->oracle.values[cell] : 0);
}

static size_t check_count(const struct step *t, size_t limit)
{
    const struct key_space *keys = &t->s->keys;
    size_t right = 0;
    if (t->key <= t->value)
        right = cell_set_between(&t->b->set, cells_below(keys, t->key), cells_up_to(keys, t->value));
    right = size_min(right, limit);
    expect(t, "counts", t->b->batch.counts[t->i], right);
    return right;
}

static void check_range(const struct step *t)
{
    const pleach_batch *batch = &t->b->batch;
    const struct key_space *keys = &t->s->keys;
    const size_t n = check_count(t, t->b->plan.limit > 0 ? t->b->plan.limit : SIZE_MAX);
    const uint64_t first = batch->offsets[t->i];
    if (!expect(t, "the next of offsets", batch->offsets[t->i + 1], first + n)) return;
    size_t cell = cell_set_from(&t->b->set, cells_below(keys, t->key));
    for (uint64_t at = first; at < first + n; at++, cell = cell_set_from(&t->b->set, cell + 1))
        if (!expect(t, "a key of its pairs", word_get(batch->range_keys, keys->bits, at), key_of(keys, cell)) ||
            !expect(t, "a value of its pairs", word_get(batch->range_values, keys->bits, at),
                    t->s->oracle.values[cell]))
            return;
}

static void check_operation(const struct step *t)
{
    const uint64_t *offsets = t->b->batch.offsets;
    if (t->op != PLEACH_OP_RANGE) expect(t, "the next of offsets", offsets[t->i + 1], offsets[t->i]);
    if (t->op <= PLEACH_OP_CONTAINS)
        check_point(t);
    else if (t->op <= PLEACH_OP_PRED)
        check_neighbour(t);
    else if (t->op == PLEACH_OP_COUNT)
        check_count(t, SIZE_MAX);
    else
        check_range(t);
}

void batch_check(struct stress *s)
{
    struct batches *b = s->batches;
    const size_t n = b->plan.n;
    if (b->batch.offsets[0] != 0 || b->batch.offsets[n] != b->batch.total || b->batch.total > b->pairs) {
        stress_wrong(s, 0, "batch %" PRIu64 ": offsets go from %" PRIu64 " to %" PRIu64 ", and total is %zu",
                     b->number, b->batch.offsets[0], b->batch.offsets[n], b->batch.total);
        return;
    }
    for (size_t i = 0; i < n && s->clients[0].wrong == 0; i++) {
        if (i + PREFETCH < n) {
            const size_t cell = cells_below(&s->keys, word_get(b->keys, s->bits, i + PREFETCH));
            __builtin_prefetch(&s->oracle.present[cell], 1);
            __builtin_prefetch(&s->oracle.values[cell], 1);
        }
        const struct step step = {s, b, i, b->kinds[i], word_get(b->keys, s->bits, i), word_get(b->values, s->bits, i)};
        check_operation(&step);
        b->made[step.op]++;
    }
    stress_count(&s->clients[0], n, n);
}
