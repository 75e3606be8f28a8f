/* test_bank.c - money that moves and is never lost. Owners transfer between their accounts, each time by one batch;
 * some transfers also move the account to another key. At every instant the balances of all accounts add up to the same
 * sum, and there are as many accounts as ever. Snapshots, exports, batches that read, and ranges of versioned maps must
 * show such an instant. */
#include <stdlib.h>
#include <string.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/interrupts.h"

enum { OWNERS = 2, OWN = 40, SPREAD = 16, STILL = 300, ACCOUNTS = OWNERS * OWN + STILL, BALANCE = 1000 };

typedef struct bank {
    const setting *where;
    pleach_map *map;
    bool versioned;
    size_t transfers;
    atomic_int busy; /* owners */
    atomic_size_t looks;
} bank;

/* ---- owners ---- */

typedef struct account { uint64_t key, balance; } account;

static uint64_t first_key(size_t owner, size_t i) { return 1 + ((owner + i * OWNERS) * SPREAD) * 2; }

/* The account's next key is in the same stretch, which is its own. */
static uint64_t moved(uint64_t key)
{
    const uint64_t stretch = (key - 1) / (2 * SPREAD) * (2 * SPREAD);
    return 1 + stretch + (key - 1 - stretch + 5) % (2 * SPREAD);
}

static bool transfer(const bank *b, account *from, account *to, uint64_t amount, bool moves)
{
    const unsigned bits = b->where->key_bits;
    uint64_t keys[3], values[3];
    uint8_t kinds[3] = {PLEACH_OP_PUT, PLEACH_OP_PUT, PLEACH_OP_ERASE}, flags[3] = {0};
    const uint64_t old = from->key;
    if (moves) from->key = moved(old);
    from->balance -= amount;
    to->balance += amount;
    set_word(bits, keys, 0, from->key), set_word(bits, values, 0, from->balance);
    set_word(bits, keys, 1, to->key), set_word(bits, values, 1, to->balance);
    set_word(bits, keys, 2, old), set_word(bits, values, 2, 0);
    pleach_batch batch = {.n = moves ? 3 : 2, .kinds = kinds, .keys = keys, .values = values, .flags = flags};
    if (pleach_map_apply(b->map, &batch) != PLEACH_OK) return false;
    return flags[0] == (moves ? PLEACH_INSERTED : PLEACH_REPLACED) && flags[1] == PLEACH_REPLACED &&
           (!moves || flags[2] == PLEACH_ERASED);
}

static void trade(agent *a)
{
    bank *b = a->shared;
    account mine[OWN];
    interrupts stops = interrupts_begin(test_seed() + a->index, 500);
    for (size_t i = 0; i < OWN; i++) mine[i] = (account){first_key(a->index, i), BALANCE};
    for (size_t n = 0; n < b->transfers && !stopped(a) && !a->failed; n++) {
        const size_t from = rng_below(&a->r, OWN), to = (from + 1 + rng_below(&a->r, OWN - 1)) % OWN;
        const uint64_t amount = rng_below(&a->r, mine[from].balance + 1);
        if (!transfer(b, &mine[from], &mine[to], amount, rng_percent(&a->r, 30)))
            agent_fail(a, __FILE__, __LINE__, "a transfer fails");
    }
    interrupts_end(&stops);
    atomic_fetch_sub(&b->busy, 1);
}

/* ---- those who add up ---- */

static bool is_whole(const bank *b, size_t n, const uint64_t *values)
{
    const unsigned bits = b->where->key_bits;
    uint64_t sum = 0;
    for (size_t i = 0; i < n && i < ACCOUNTS; i++) sum += get_word(bits, values, i);
    return n == ACCOUNTS && sum == (uint64_t)ACCOUNTS * BALANCE;
}

static bool adds_up_in_export(const bank *b)
{
    uint64_t values[ACCOUNTS];
    size_t n = 0;
    return pleach_map_export(b->map, ACCOUNTS, NULL, values, &n) == PLEACH_OK && is_whole(b, n, values);
}

static bool adds_up_in_batch(const bank *b)
{
    const unsigned bits = b->where->key_bits;
    uint64_t keys[2], bounds[2], counts[2] = {0}, values[ACCOUNTS + 1], offsets[3];
    uint8_t kinds[2] = {PLEACH_OP_COUNT, PLEACH_OP_RANGE}, flags[2];
    for (size_t i = 0; i < 2; i++) set_word(bits, keys, i, 0), set_word(bits, bounds, i, UINT32_MAX);
    pleach_batch batch = {.n = 2, .kinds = kinds, .keys = keys, .values = bounds, .flags = flags, .counts = counts,
                          .capacity = ACCOUNTS + 1, .range_values = values, .offsets = offsets};
    return pleach_map_apply(b->map, &batch) == PLEACH_OK && counts[0] == ACCOUNTS &&
           is_whole(b, batch.total, values);
}

static bool adds_up_in_range(const bank *b)
{
    const unsigned bits = b->where->key_bits;
    uint64_t lo[1], hi[1], values[ACCOUNTS + 1], offsets[2];
    size_t n = 0;
    set_word(bits, lo, 0, 0), set_word(bits, hi, 0, UINT32_MAX);
    return pleach_map_range(b->map, 1, lo, hi, 0, ACCOUNTS + 1, NULL, values, offsets, &n) == PLEACH_OK &&
           is_whole(b, n, values);
}

/* Twice, with other calls in between. */
static bool adds_up_in_snapshot(const bank *b)
{
    const unsigned bits = b->where->key_bits;
    uint64_t lo[1], hi[1], values[2][ACCOUNTS + 1], offsets[2];
    size_t n = 0;
    pleach_snapshot *snapshot = NULL;
    memset(values, 0, sizeof values);
    if (pleach_snapshot_take(b->map, &snapshot, PLEACH_SYNC) != PLEACH_OK) return false;
    bool good = pleach_snapshot_export(snapshot, ACCOUNTS, NULL, values[0], &n) == PLEACH_OK &&
                is_whole(b, n, values[0]) && adds_up_in_range(b);
    set_word(bits, lo, 0, 0), set_word(bits, hi, 0, UINT32_MAX);
    good = good &&
           pleach_snapshot_range(snapshot, 1, lo, hi, 0, ACCOUNTS + 1, NULL, values[1], offsets, &n) == PLEACH_OK &&
           n == ACCOUNTS && memcmp(values[0], values[1], sizeof values[0]) == 0;
    pleach_snapshot_release(snapshot);
    return good;
}

static void add_up(agent *a)
{
    bank *b = a->shared;
    size_t looks = 0;
    interrupts stops = interrupts_begin(test_seed() + a->index, 500);
    for (; atomic_load(&b->busy) > 0 && !stopped(a) && !a->failed; looks++) {
        const unsigned which = (unsigned)rng_below(&a->r, b->versioned ? 4 : 2);
        const bool good = which == 0   ? adds_up_in_export(b)
                          : which == 1 ? adds_up_in_batch(b)
                          : which == 2 ? adds_up_in_range(b)
                                       : adds_up_in_snapshot(b);
        if (!good) agent_fail(a, __FILE__, (int)which, "money is lost, or found");
    }
    interrupts_end(&stops);
    atomic_fetch_add(&b->looks, looks);
}

static void take_part(agent *a)
{
    if (a->index < OWNERS)
        trade(a);
    else
        add_up(a);
}

static void bank_in(const setting *where, bool versioned)
{
    bank b = {.where = where, .versioned = versioned, .transfers = scaled_single_calls(where, 20000)};
    assert_ok(pleach_map_create(&b.map, &(pleach_map_config){.device = where->device, .key_bits = where->key_bits,
                                                             .threads = where->threads, .versioned = versioned}));
    for (size_t owner = 0; owner < OWNERS; owner++)
        for (size_t i = 0; i < OWN; i++)
            assert_ok(pleach_map_put_one(b.map, first_key(owner, i), BALANCE, NULL, NULL));
    for (uint64_t i = 0; i < STILL; i++) /* above the others */
        assert_ok(pleach_map_put_one(b.map, first_key(0, OWN) + i, BALANCE, NULL, NULL));
    atomic_init(&b.busy, OWNERS);
    run_agents(OWNERS + 2, take_part, &b);
    assert_true(adds_up_in_export(&b));
    assert_ok(pleach_map_validate(b.map, NULL, 0));
    count_checked(OWNERS * b.transfers + b.looks);
    pleach_map_destroy(b.map);
}

static void a_bank_in_a_tree(const setting *where) { bank_in(where, false); }
static void a_bank_in_a_versioned_tree(const setting *where) { bank_in(where, true); }

int main(int argc, char **argv)
{
    static const test_case cases[] = {CASE_OF_TREES(a_bank_in_a_tree), CASE_OF_TREES(a_bank_in_a_versioned_tree)};
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
