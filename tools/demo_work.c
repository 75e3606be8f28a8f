#include <stdlib.h>

#include "demo.h"
#include "words.h"

enum { FENCES = 2 }; /* cells of a block that are never erased: the first and the last */

static bool hand_create(struct demo_hand *hand, unsigned index, size_t ops, uint64_t seed)
{
    *hand = (struct demo_hand){.index = index, .random = {mix64(seed + index)}};
    hand->ops = malloc(ops * sizeof hand->ops[0]);
    hand->answers = malloc(ops * sizeof hand->answers[0]);
    hand->a = malloc(ops * sizeof(uint64_t));
    hand->b = malloc(ops * sizeof(uint64_t));
    hand->out_a = malloc(ops * ORACLE_BLOCK * sizeof(uint64_t));
    hand->out_b = malloc(ops * ORACLE_BLOCK * sizeof(uint64_t));
    hand->bytes = malloc(ops);
    hand->counts = malloc((ops + 1) * sizeof hand->counts[0]);
    hand->short_counts = malloc(ops * sizeof hand->short_counts[0]);
    return hand->ops != NULL && hand->answers != NULL && hand->a != NULL && hand->b != NULL && hand->out_a != NULL &&
           hand->out_b != NULL && hand->bytes != NULL && hand->counts != NULL && hand->short_counts != NULL;
}

static void hand_destroy(struct demo_hand *hand)
{
    free(hand->ops);
    free(hand->answers);
    free(hand->a);
    free(hand->b);
    free(hand->out_a);
    free(hand->out_b);
    free(hand->bytes);
    free(hand->counts);
    free(hand->short_counts);
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
    if (op->kind == DEMO_SUCC && op->cell == block + ORACLE_BLOCK - 1) op->cell--;
    if (op->kind == DEMO_PRED && op->cell == block) op->cell++;
}

static enum demo_kind choose_kind(struct mix_random *random)
{
    static const struct {
        enum demo_kind kind;
        unsigned percent;
    } shares[] = {
        {DEMO_PUT, 20}, {DEMO_ADD, 10}, {DEMO_ERASE, 20}, {DEMO_FIND, 25},       {DEMO_CONTAINS, 5},
        {DEMO_SUCC, 5}, {DEMO_PRED, 5}, {DEMO_COUNT, 3},  {DEMO_RANGE_LIMIT, 4}, {DEMO_RANGE, 3},
    };
    unsigned at = 0, draw = (unsigned)mix_below(random, 100);
    while (draw >= shares[at].percent) draw -= shares[at++].percent;
    return shares[at].kind;
}

void demo_choose_single(struct demo *demo, size_t count)
{
    for (unsigned h = 0; h < demo->threads; h++) {
        struct demo_hand *hand = &demo->hands[h];
        hand->count = count;
        for (size_t i = 0; i < count; i++) {
            struct demo_op *op = &hand->ops[i];
            op->kind = choose_kind(&hand->random);
            const bool erasable = op->kind == DEMO_ERASE;
            op->cell = own_cell(demo, h, mix_below(&hand->random, own_cells(demo, erasable)), erasable);
            finish_op(demo, &hand->random, op);
        }
    }
}

static void pack_array(const struct demo *demo, struct demo_hand *hand)
{
    const bool updates = hand->ops[0].kind == DEMO_PUT || hand->ops[0].kind == DEMO_ADD;
    for (size_t i = 0; i < hand->count; i++) {
        const struct demo_op *op = &hand->ops[i];
        word_set(hand->a, demo->bits, i, oracle_key(&demo->oracle, op->cell));
        word_set(hand->b, demo->bits, i, updates ? op->value : oracle_key(&demo->oracle, op->last));
    }
}

/* The order within an array call is open, so no key comes twice in one. */
void demo_choose_array(struct demo *demo, size_t count)
{
    for (unsigned h = 0; h < demo->threads; h++) {
        struct demo_hand *hand = &demo->hands[h];
        const enum demo_kind kind = (enum demo_kind)((h + demo->round) % DEMO_KINDS);
        const bool erasable = kind == DEMO_ERASE;
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
                       struct demo_answer *answer)
{
    answer->what = count;
    for (size_t i = from; i < from + count; i++)
        answer->key =
            oracle_digest(answer->key, word_get(hand->out_a, demo->bits, i), word_get(hand->out_b, demo->bits, i));
}

static void single_interval(struct demo *demo, struct demo_hand *hand, const struct demo_op *op,
                            struct demo_answer *answer)
{
    uint64_t lo, hi, offsets[2];
    size_t total = 0;
    uint32_t count = 0;
    word_set(&lo, demo->bits, 0, oracle_key(&demo->oracle, op->cell));
    word_set(&hi, demo->bits, 0, oracle_key(&demo->oracle, op->last));
    if (op->kind == DEMO_COUNT) {
        answer->status = pleach_map_range_count(demo->map, 1, &lo, &hi, &answer->what, PLEACH_SYNC);
    } else if (op->kind == DEMO_RANGE_LIMIT) {
        answer->status =
            pleach_map_range_limit(demo->map, 1, &lo, &hi, DEMO_LIMIT, hand->out_a, hand->out_b, &count, PLEACH_SYNC);
        fold_pairs(demo, hand, 0, count, answer);
    } else {
        answer->status =
            pleach_map_range(demo->map, 1, &lo, &hi, 0, ORACLE_BLOCK, hand->out_a, hand->out_b, offsets, &total);
        fold_pairs(demo, hand, 0, total <= ORACLE_BLOCK ? total : 0, answer);
    }
}

static void single_update(struct demo *demo, const struct demo_op *op, struct demo_answer *answer)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    const uint64_t key = oracle_key(&demo->oracle, op->cell);
    if (op->kind == DEMO_PUT)
        answer->status = pleach_map_put_one(demo->map, key, op->value, &outcome, &answer->value);
    else if (op->kind == DEMO_ADD)
        answer->status = pleach_map_add_one(demo->map, key, op->value, &outcome, &answer->value);
    else
        answer->status = pleach_map_erase_one(demo->map, key, &outcome, &answer->value);
    answer->what = (uint64_t)outcome;
}

static void single_read(struct demo *demo, const struct demo_op *op, struct demo_answer *answer)
{
    int found = 0;
    const uint64_t key = oracle_key(&demo->oracle, op->cell);
    if (op->kind == DEMO_FIND)
        answer->status = pleach_map_find_one(demo->map, key, &found, &answer->value);
    else if (op->kind == DEMO_CONTAINS)
        answer->status = pleach_map_contains_one(demo->map, key, &found);
    else if (op->kind == DEMO_SUCC)
        answer->status = pleach_map_succ_one(demo->map, key, &found, &answer->key, &answer->value);
    else
        answer->status = pleach_map_pred_one(demo->map, key, &found, &answer->key, &answer->value);
    answer->what = found ? 1 : 0;
}

void demo_do_single(void *context, unsigned index)
{
    struct demo *demo = context;
    struct demo_hand *hand = &demo->hands[index];
    for (size_t i = 0; i < hand->count; i++) {
        const struct demo_op *op = &hand->ops[i];
        struct demo_answer *answer = &hand->answers[i];
        *answer = (struct demo_answer){.status = PLEACH_OK};
        if (op->kind <= DEMO_ERASE)
            single_update(demo, op, answer);
        else if (op->kind >= DEMO_COUNT)
            single_interval(demo, hand, op, answer);
        else
            single_read(demo, op, answer);
    }
}

/* ---- array calls ---- */

void demo_do_array(void *context, unsigned index)
{
    struct demo *demo = context;
    struct demo_hand *h = &demo->hands[index];
    const size_t n = h->count;
    pleach_map *map = demo->map;
    switch (h->ops[0].kind) {
    case DEMO_PUT: h->status = pleach_map_put(map, n, h->a, h->b, h->bytes, h->out_b, PLEACH_SYNC); break;
    case DEMO_ADD: h->status = pleach_map_add(map, n, h->a, h->b, h->bytes, h->out_b, PLEACH_SYNC); break;
    case DEMO_ERASE: h->status = pleach_map_erase(map, n, h->a, h->bytes, h->out_b, PLEACH_SYNC); break;
    case DEMO_FIND: h->status = pleach_map_find(map, n, h->a, h->out_b, h->bytes, PLEACH_SYNC); break;
    case DEMO_CONTAINS: h->status = pleach_map_contains(map, n, h->a, h->bytes, PLEACH_SYNC); break;
    case DEMO_SUCC: h->status = pleach_map_succ(map, n, h->a, h->out_a, h->out_b, h->bytes, PLEACH_SYNC); break;
    case DEMO_PRED: h->status = pleach_map_pred(map, n, h->a, h->out_a, h->out_b, h->bytes, PLEACH_SYNC); break;
    case DEMO_COUNT: h->status = pleach_map_range_count(map, n, h->a, h->b, h->counts, PLEACH_SYNC); break;
    case DEMO_RANGE_LIMIT:
        h->status =
            pleach_map_range_limit(map, n, h->a, h->b, DEMO_LIMIT, h->out_a, h->out_b, h->short_counts, PLEACH_SYNC);
        break;
    default:
        h->status = pleach_map_range(map, n, h->a, h->b, 0, n * ORACLE_BLOCK, h->out_a, h->out_b, h->counts, NULL);
        break;
    }
}

static void unpack_element(const struct demo *demo, const struct demo_hand *hand, size_t i,
                           struct demo_answer *answer)
{
    const enum demo_kind kind = hand->ops[i].kind;
    if (kind == DEMO_COUNT) {
        answer->what = hand->counts[i];
    } else if (kind == DEMO_RANGE_LIMIT) {
        fold_pairs(demo, hand, i * DEMO_LIMIT, hand->short_counts[i], answer);
    } else if (kind == DEMO_RANGE) {
        fold_pairs(demo, hand, hand->counts[i], hand->counts[i + 1] - hand->counts[i], answer);
    } else {
        answer->what = hand->bytes[i];
        const bool has_pair = kind == DEMO_SUCC || kind == DEMO_PRED;
        const bool has_value = kind <= DEMO_ERASE ? answer->what >= PLEACH_REPLACED && answer->what <= PLEACH_ERASED
                                                  : kind != DEMO_CONTAINS && answer->what == 1;
        if (has_pair && has_value) answer->key = word_get(hand->out_a, demo->bits, i);
        if (has_value) answer->value = word_get(hand->out_b, demo->bits, i);
    }
}

void demo_unpack_array(void *context, unsigned index)
{
    const struct demo *demo = context;
    struct demo_hand *hand = &demo->hands[index];
    for (size_t i = 0; i < hand->count; i++) {
        hand->answers[i] = (struct demo_answer){.status = hand->status};
        if (hand->status == PLEACH_OK) unpack_element(demo, hand, i, &hand->answers[i]);
    }
}
