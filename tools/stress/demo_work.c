#include <stdlib.h>

#include "demo.h"
#include "tools/common/words.h"

enum { FENCES = 2 }; /* cells of a block that are never erased: the first and the last */

static bool hand_create(struct demo_hand *hand, unsigned index, size_t ops, uint64_t seed)
{
    *hand = (struct demo_hand){.index = index, .random = {mix64(seed + index)}};
    hand->ops = malloc(ops * sizeof hand->ops[0]);
    hand->answers = malloc(ops * sizeof hand->answers[0]);
    return call_arrays_create(&hand->arrays, ops, ops * ORACLE_BLOCK, malloc) && hand->ops != NULL &&
           hand->answers != NULL;
}

static void hand_destroy(struct demo_hand *hand)
{
    free(hand->ops);
    free(hand->answers);
    call_arrays_destroy(&hand->arrays, free);
}

bool demo_hands_create(struct demo *demo)
{
    demo->hands = calloc(demo->threads, sizeof demo->hands[0]);
    if (demo->hands == NULL) return false;
    for (unsigned i = 0; i < demo->threads; i++)
        if (!hand_create(&demo->hands[i], i, demo->hand_ops, demo->seed)) return false;
    return true;
}

void demo_hands_destroy(struct demo *demo)
{
    for (unsigned i = 0; demo->hands != NULL && i < demo->threads; i++) hand_destroy(&demo->hands[i]);
    free(demo->hands);
}

/* ---- choosing ---- */

static size_t own_blocks(const struct demo *demo) { return demo->oracle.cells / ORACLE_BLOCK / demo->threads; }

/* The n-th of a thread's cells; without the fences if n counts only what may be erased. */
static size_t own_cell(const struct demo *demo, unsigned index, size_t n, bool erasable)
{
    const size_t in_block = erasable ? ORACLE_BLOCK - FENCES : ORACLE_BLOCK;
    const size_t block = index + demo->threads * (n / in_block);
    return block * ORACLE_BLOCK + n % in_block + (erasable ? 1 : 0);
}

static size_t own_cells(const struct demo *demo, bool erasable)
{
    return own_blocks(demo) * (erasable ? ORACLE_BLOCK - FENCES : ORACLE_BLOCK);
}

/* Completes an operation whose kind and cell are chosen. */
static void finish_op(const struct demo *demo, struct mix_random *random, struct demo_op *op)
{
    const size_t block = op->cell - op->cell % ORACLE_BLOCK;
    op->value = mix_next(random) & word_max(demo->bits);
    op->last = block + (size_t)mix_below(random, ORACLE_BLOCK);
    /* Intervals the wrong way round are worth trying, but not half of the time. */
    if (op->last < op->cell && mix_below(random, 16) != 0) op->last = block + ORACLE_BLOCK - 1;
    /* What comes above the last key of a block, or below its first, is another thread's matter. */
    if (op->kind == CALL_SUCC && op->cell == block + ORACLE_BLOCK - 1) op->cell--;
    if (op->kind == CALL_PRED && op->cell == block) op->cell++;
}

static const uint8_t percent[CALL_KINDS] = {
    [CALL_PUT] = 20, [CALL_ADD] = 10, [CALL_ERASE] = 20, [CALL_FIND] = 25,       [CALL_CONTAINS] = 5,
    [CALL_SUCC] = 5, [CALL_PRED] = 5, [CALL_COUNT] = 3,  [CALL_RANGE_LIMIT] = 4, [CALL_RANGE] = 3,
};

void demo_choose_single(struct demo *demo, size_t count)
{
    for (unsigned h = 0; h < demo->threads; h++) {
        struct demo_hand *hand = &demo->hands[h];
        hand->count = count;
        for (size_t i = 0; i < count; i++) {
            struct demo_op *op = &hand->ops[i];
            op->kind = call_choose(&hand->random, percent);
            const bool erasable = op->kind == CALL_ERASE;
            op->cell = own_cell(demo, h, mix_below(&hand->random, own_cells(demo, erasable)), erasable);
            finish_op(demo, &hand->random, op);
        }
    }
}

static void pack_array(const struct demo *demo, struct demo_hand *hand)
{
    const bool has_values = call_takes_value(hand->ops[0].kind);
    for (size_t i = 0; i < hand->count; i++) {
        const struct demo_op *op = &hand->ops[i];
        word_set(hand->arrays.a, demo->bits, i, oracle_key(&demo->oracle, op->cell));
        word_set(hand->arrays.b, demo->bits, i, has_values ? op->value : oracle_key(&demo->oracle, op->last));
    }
}

/* The order within an array call is open, so no key comes twice in one. */
void demo_choose_array(struct demo *demo, size_t count)
{
    for (unsigned h = 0; h < demo->threads; h++) {
        struct demo_hand *hand = &demo->hands[h];
        const enum call_kind kind = (enum call_kind)((h + demo->round) % CALL_KINDS);
        const bool erasable = kind == CALL_ERASE;
        const size_t room = own_cells(demo, erasable);
        const struct mix_order order = mix_order_make(room, mix_next(&hand->random));
        hand->count = count < room ? count : room;
        for (size_t i = 0; i < hand->count; i++) {
            hand->ops[i].kind = kind;
            hand->ops[i].cell = own_cell(demo, h, mix_order_at(&order, i), erasable);
            finish_op(demo, &hand->random, &hand->ops[i]);
        }
        pack_array(demo, hand);
    }
}

/* ---- single calls ---- */

static void fold_pairs(const struct demo *demo, const struct demo_hand *hand, size_t from, size_t count,
                       struct call_answer *answer)
{
    const struct call_arrays *arrays = &hand->arrays;
    answer->what = count;
    for (size_t i = from; i < from + count; i++)
        answer->key = oracle_digest(answer->key, word_get(arrays->out_a, demo->bits, i),
                                    word_get(arrays->out_b, demo->bits, i));
}

static struct call_answer single_interval(struct demo *demo, struct demo_hand *hand, const struct demo_op *op)
{
    struct call_answer answer = {.status = PLEACH_OK};
    uint64_t lo, hi, counts[2] = {0};
    uint32_t short_count = 0;
    struct call_arrays one = hand->arrays;
    one.a = &lo;
    one.b = &hi;
    one.counts = counts;
    one.short_counts = &short_count;
    word_set(&lo, demo->bits, 0, oracle_key(&demo->oracle, op->cell));
    word_set(&hi, demo->bits, 0, oracle_key(&demo->oracle, op->last));
    answer.status = call_array(demo->map, op->kind, 1, &one, ORACLE_BLOCK, PLEACH_SYNC);
    if (op->kind == CALL_COUNT)
        answer.what = counts[0];
    else if (op->kind == CALL_RANGE_LIMIT)
        fold_pairs(demo, hand, 0, short_count, &answer);
    else
        fold_pairs(demo, hand, 0, counts[1] <= ORACLE_BLOCK ? counts[1] : 0, &answer);
    return answer;
}

void demo_do_single(void *context, unsigned index)
{
    struct demo *demo = context;
    struct demo_hand *hand = &demo->hands[index];
    for (size_t i = 0; i < hand->count; i++) {
        const struct demo_op *op = &hand->ops[i];
        hand->answers[i] = call_is_interval(op->kind)
                               ? single_interval(demo, hand, op)
                               : call_one(demo->map, op->kind, oracle_key(&demo->oracle, op->cell), op->value);
    }
}

/* ---- array calls ---- */

void demo_do_array(void *context, unsigned index)
{
    struct demo *demo = context;
    struct demo_hand *hand = &demo->hands[index];
    hand->status = call_array(demo->map, hand->ops[0].kind, hand->count, &hand->arrays, hand->count * ORACLE_BLOCK,
                              PLEACH_SYNC);
}

static void unpack_element(const struct demo *demo, const struct demo_hand *hand, size_t i,
                           struct call_answer *answer)
{
    const struct call_arrays *arrays = &hand->arrays;
    bool has_key = false, has_value = false;
    switch (hand->ops[i].kind) {
    case CALL_COUNT: answer->what = arrays->counts[i]; return;
    case CALL_RANGE_LIMIT: fold_pairs(demo, hand, i * CALL_LIMIT, arrays->short_counts[i], answer); return;
    case CALL_RANGE:
        fold_pairs(demo, hand, arrays->counts[i], arrays->counts[i + 1] - arrays->counts[i], answer);
        return;
    case CALL_PUT:
    case CALL_ADD:
    case CALL_ERASE: has_value = arrays->bytes[i] >= PLEACH_REPLACED && arrays->bytes[i] <= PLEACH_ERASED; break;
    case CALL_FIND: has_value = arrays->bytes[i] == 1; break;
    case CALL_SUCC:
    case CALL_PRED: has_key = has_value = arrays->bytes[i] == 1; break;
    case CALL_CONTAINS:
    case CALL_KINDS: break;
    }
    answer->what = arrays->bytes[i];
    if (has_key) answer->key = word_get(arrays->out_a, demo->bits, i);
    if (has_value) answer->value = word_get(arrays->out_b, demo->bits, i);
}

void demo_unpack_array(void *context, unsigned index)
{
    const struct demo *demo = context;
    struct demo_hand *hand = &demo->hands[index];
    for (size_t i = 0; i < hand->count; i++) {
        hand->answers[i] = (struct call_answer){.status = hand->status};
        if (hand->status == PLEACH_OK) unpack_element(demo, hand, i, &hand->answers[i]);
    }
}
