/* soak_hash.c - hash tables: every hand works on its own keys, which share buckets with those of the others, and knows
 * each answer; it finds keys of the others too, whose values say who wrote them. Sometimes a hand makes a call for the
 * whole table in between. Tables begin empty, so that they grow while all this goes on. */
#include <inttypes.h>
#include <stdlib.h>

#include "pleach/hash.h"
#include "soak.h"
#include "tools/common/words.h"

enum { CELLS = 1 << 16, SMALLER_BY = 10, TURNS = 20, CALLS = 10000, GPU_CALLS = 500, MOST_ELEMENTS = 64 };

struct hash_round {
    struct soak *soak;
    pleach_hash *hash;
    bool set;
    unsigned erases; /* percent of the updates of this turn */
};

/* The n-th cell of a hand; hands have equally many. */
static size_t own_cell(const struct soak *soak, unsigned hand, size_t n)
{
    return (n / soak->block * soak->hand_count + hand) * soak->block + n % soak->block;
}

static size_t some_own_number(const struct soak *soak, struct soak_hand *hand)
{
    return mix_below(&hand->random, soak->keys.cells / soak->hand_count);
}

static uint64_t next_value(const struct hash_round *round, struct soak_hand *hand, uint64_t key)
{
    return round->set ? 0 : soak_value(round->soak->bits, key, hand->index, hand->serial++);
}

static enum call_kind some_update(const struct hash_round *round, struct soak_hand *hand)
{
    if (mix_below(&hand->random, 100) < round->erases) return CALL_ERASE;
    return mix_below(&hand->random, 2) == 0 ? CALL_PUT : CALL_ADD;
}

static pleach_status call_one_update(pleach_hash *hash, enum call_kind kind, uint64_t key, uint64_t value,
                                     pleach_outcome *outcome, uint64_t *told)
{
    switch (kind) {
    case CALL_PUT: return pleach_hash_put_one(hash, key, value, outcome, told);
    case CALL_ADD: return pleach_hash_add_one(hash, key, value, outcome, told);
    case CALL_ERASE: return pleach_hash_erase_one(hash, key, outcome, told);
    case CALL_FIND:
    case CALL_CONTAINS:
    case CALL_SUCC:
    case CALL_PRED:
    case CALL_COUNT:
    case CALL_RANGE_LIMIT:
    case CALL_RANGE:
    case CALL_KINDS: break; /* no updates */
    }
    return PLEACH_E_ARGUMENT;
}

static pleach_status call_array_update(pleach_hash *hash, enum call_kind kind, size_t n, const void *keys,
                                       const void *values, uint8_t *outcomes, void *olds)
{
    switch (kind) {
    case CALL_PUT: return pleach_hash_put(hash, n, keys, values, outcomes, olds, PLEACH_SYNC);
    case CALL_ADD: return pleach_hash_add(hash, n, keys, values, outcomes, olds, PLEACH_SYNC);
    case CALL_ERASE: return pleach_hash_erase(hash, n, keys, outcomes, olds, PLEACH_SYNC);
    case CALL_FIND:
    case CALL_CONTAINS:
    case CALL_SUCC:
    case CALL_PRED:
    case CALL_COUNT:
    case CALL_RANGE_LIMIT:
    case CALL_RANGE:
    case CALL_KINDS: break; /* no updates */
    }
    return PLEACH_E_ARGUMENT;
}

static void check_update(struct hash_round *round, struct soak_hand *hand, enum call_kind kind, size_t cell,
                         uint64_t value, unsigned outcome, uint64_t told)
{
    uint64_t old = 0;
    const pleach_outcome right = soak_expected_outcome(&round->soak->oracle, kind, cell, value, &old);
    const bool tells = right == PLEACH_REPLACED || right == PLEACH_EXISTS || right == PLEACH_ERASED;
    if (outcome == (unsigned)right && (!tells || told == old)) return;
    soak_wrong(round->soak, hand->index,
               "thread %u: %s of key %" PRIu64 " answered %u, old value %" PRIu64 "; right is %u, %" PRIu64,
               hand->index, call_kind_name(kind), soak_key(&round->soak->keys, cell), outcome, told, (unsigned)right,
               old);
}

static void update_one(struct hash_round *round, struct soak_hand *hand)
{
    struct soak *soak = round->soak;
    const enum call_kind kind = some_update(round, hand);
    const size_t cell = own_cell(soak, hand->index, some_own_number(soak, hand));
    const uint64_t key = soak_key(&soak->keys, cell), value = next_value(round, hand, key);
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    uint64_t told = 0;
    const pleach_status status = call_one_update(round->hash, kind, key, value, &outcome, &told);
    if (soak_good(soak, hand->index, call_kind_name(kind), status))
        check_update(round, hand, kind, cell, value, outcome, told);
    soak_count(hand, 1, 1);
}

/* Neighbours among the hand's own cells, so that no key comes twice. Of a set the old values are none, which is 0. */
static void update_array(struct hash_round *round, struct soak_hand *hand)
{
    struct soak *soak = round->soak;
    const enum call_kind kind = some_update(round, hand);
    const size_t own = soak->keys.cells / soak->hand_count, first = some_own_number(soak, hand);
    const size_t n = soak_least(1 + mix_below(&hand->random, MOST_ELEMENTS), own - first);
    uint64_t keys[MOST_ELEMENTS], given[MOST_ELEMENTS], values[MOST_ELEMENTS], olds[MOST_ELEMENTS] = {0};
    uint8_t outcomes[MOST_ELEMENTS];
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = soak_key(&soak->keys, own_cell(soak, hand->index, first + i));
        given[i] = next_value(round, hand, key);
        word_set(keys, soak->bits, i, key);
        word_set(values, soak->bits, i, given[i]);
    }
    const pleach_status status = call_array_update(round->hash, kind, n, keys, round->set ? NULL : values, outcomes,
                                                   round->set ? NULL : olds);
    soak_count(hand, n, n);
    if (!soak_good(soak, hand->index, call_kind_name(kind), status)) return;
    for (size_t i = 0; i < n; i++)
        check_update(round, hand, kind, own_cell(soak, hand->index, first + i), given[i], outcomes[i],
                     word_get(olds, soak->bits, i));
}

/* Of any cell. What the owner knows must be so; another's value must be its owner's. */
static void find_one(struct hash_round *round, struct soak_hand *hand)
{
    struct soak *soak = round->soak;
    const size_t cell = mix_below(&hand->random, soak->keys.cells);
    const uint64_t key = soak_key(&soak->keys, cell);
    const unsigned owner = soak_owner(soak, cell);
    uint64_t value = 0, right = 0;
    int found = 0;
    soak_count(hand, 1, 1);
    if (!soak_good(soak, hand->index, "find", pleach_hash_find_one(round->hash, key, &found, &value))) return;
    bool good = !found || (round->set ? value == 0 : soak_writer(soak->bits, key, value) == owner);
    if (owner == hand->index)
        good = found == oracle_find(&soak->oracle, cell, &right) && (!found || value == right);
    if (!good)
        soak_wrong(soak, hand->index, "thread %u: find of key %" PRIu64 ", thread %u's, answered %d, value %" PRIu64,
                   hand->index, key, owner, found, value);
}

static void call_whole(struct hash_round *round, struct soak_hand *hand)
{
    struct soak *soak = round->soak;
    char message[256] = "";
    pleach_hash_stats stats;
    uint64_t size = 0;
    pleach_status status = PLEACH_OK;
    switch (mix_below(&hand->random, 5)) {
    case 0: status = pleach_hash_compact(round->hash); break;
    case 1: status = pleach_hash_reserve(round->hash, mix_below(&hand->random, soak->keys.cells)); break;
    case 2: status = pleach_hash_get_stats(round->hash, &stats); break;
    case 3: status = pleach_hash_size(round->hash, &size); break;
    default: status = pleach_hash_validate(round->hash, message, sizeof message); break;
    }
    if (status == PLEACH_E_CORRUPT)
        soak_wrong(soak, hand->index, "validate: %s", message);
    else
        soak_good(soak, hand->index, "a call for the whole table", status);
    if (size > soak->keys.cells) soak_wrong(soak, hand->index, "size says %" PRIu64, size);
}

static void work(void *context, unsigned index)
{
    struct hash_round *round = context;
    struct soak_hand *hand = &round->soak->hands[index];
    const unsigned calls = round->soak->device->kind == PLEACH_CUDA ? GPU_CALLS : CALLS;
    soak_enter(round->soak, index, "calls on a hash table", calls);
    for (unsigned i = 0; i < calls && hand->wrong == 0; i++) {
        const uint64_t dice = mix_below(&hand->random, calls);
        if (dice == 0)
            call_whole(round, hand); /* seldom: it looks at the whole table, and the others wait */
        else if (dice < calls * 3 / 100)
            update_array(round, hand);
        else if (dice < calls * 3 / 10)
            find_one(round, hand);
        else
            update_one(round, hand);
    }
    soak_leave(round->soak, index);
}

/* The whole table against the whole oracle. */
static void compare(struct hash_round *round)
{
    struct soak *soak = round->soak;
    const size_t right = oracle_size(&soak->oracle);
    char message[256] = "";
    void *values = round->set ? NULL : soak->out_values;
    const pleach_status status =
        pleach_hash_export(round->hash, soak->keys.cells, soak->out_keys, values, &soak->pairs);
    if (!soak_good(soak, 0, "export", status)) return;
    if (soak->pairs != right) soak_wrong(soak, 0, "export has %zu keys; right is %zu", soak->pairs, right);
    for (size_t i = 0; i < soak->pairs; i++) {
        const uint64_t key = word_get(soak->out_keys, soak->bits, i);
        const uint64_t value = round->set ? 0 : word_get(soak->out_values, soak->bits, i);
        const size_t cell = soak_cell(&soak->keys, key);
        uint64_t expected = 0;
        if (cell == SOAK_NO_CELL || !oracle_find(&soak->oracle, cell, &expected) || expected != value)
            soak_wrong(soak, 0, "export: pair %zu is %" PRIu64 ":%" PRIu64 "; right is value %" PRIu64, i, key, value,
                       expected);
    }
    soak_count(&soak->hands[0], soak->pairs, soak->pairs);
    if (pleach_hash_validate(round->hash, message, sizeof message) != PLEACH_OK)
        soak_wrong(soak, 0, "validate: %s", message); /* a key that is there twice, too */
}

void soak_hash(struct soak *soak)
{
    struct hash_round round = {.soak = soak, .set = mix_below(&soak->random, 3) == 0};
    const size_t most = soak->options.keys > 0 ? soak->options.keys : CELLS;
    /* The round's map stays empty: keys and oracle are what is wanted of it. */
    if (soak_open_round(soak, most >> mix_below(&soak->random, SMALLER_BY + 1))) {
        const pleach_hash_config config = {.device = soak->options.device, .key_bits = soak->bits, .set = round.set,
                                           .threads = 2, .seed = (uint32_t)soak->seed, .fixed_seed = 1};
        if (soak_good(soak, 0, "create", pleach_hash_create(&round.hash, &config))) {
            for (unsigned turn = 0; turn < TURNS && !soak_is_wrong(soak); turn++) {
                round.erases = 10 + (unsigned)mix_below(&soak->random, 70);
                crew_run(soak->crew, work, &round);
                if (!soak_time_left(soak)) break;
            }
            if (!soak_is_wrong(soak)) compare(&round);
        }
        pleach_hash_destroy(round.hash);
    }
    soak_close_round(soak);
}
