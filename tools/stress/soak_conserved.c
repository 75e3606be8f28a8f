/* soak_conserved.c - all hands fight over the same few keys. Nobody knows what an operation must answer, but what all
 * of them were told must add up for each key: inserts minus erases is 1 if it is there at the end, else 0; and the
 * values written minus the values that were replaced or erased is its value, or 0. */
#include <inttypes.h>
#include <stdlib.h>

#include "soak.h"
#include "tools/common/words.h"

enum { CELLS = 1 << 12, SMALLER_BY = 6, CPU_TURNS = 30, GPU_TURNS = 10, CPU_MOST = 1 << 12, GPU_MOST = 1 << 16 };

static const uint8_t percent[CALL_KINDS] = {
    [CALL_PUT] = 30, [CALL_ADD] = 25, [CALL_ERASE] = 35, [CALL_FIND] = 8, [CALL_CONTAINS] = 2};

static bool is_written(const struct soak *soak, uint64_t key, uint64_t value)
{
    return soak_writer(soak->bits, key, value) < soak->hand_count;
}

/* One of the outcomes that this kind of call has; with the key's tally kept. */
static bool tally(const struct soak *soak, struct soak_hand *hand, const struct soak_call *call, size_t i)
{
    const size_t cell = hand->cells[call->first + i];
    const uint64_t key = soak_key(&soak->keys, cell);
    const uint64_t given = word_get(hand->here.b, soak->bits, call->first + i);
    const uint64_t told = word_get(hand->here.out_b, soak->bits, call->first_out + i);
    const unsigned what = hand->here.bytes[call->first + i];
    if (!call_is_update(call->kind))
        return what == 0 || (what == 1 && (call->kind == CALL_CONTAINS || is_written(soak, key, told)));
    if (call->kind == CALL_ERASE && what == PLEACH_ABSENT) return true;
    if (call->kind == CALL_ERASE && what == PLEACH_ERASED) {
        hand->balance[cell]--;
        hand->debt[cell] -= told;
        return is_written(soak, key, told);
    }
    if (call_takes_value(call->kind) && what == PLEACH_INSERTED) {
        hand->balance[cell]++;
        hand->debt[cell] += given;
        return true;
    }
    if (call->kind == CALL_PUT && what == PLEACH_REPLACED) hand->debt[cell] += given - told;
    return what == (call->kind == CALL_PUT ? PLEACH_REPLACED : PLEACH_EXISTS) && call->kind != CALL_ERASE &&
           is_written(soak, key, told);
}

static void tally_call(struct soak *soak, struct soak_hand *hand, const struct soak_call *call)
{
    if (!soak_good(soak, hand->index, call_kind_name(call->kind), call->status)) return;
    for (size_t i = 0; i < call->n; i++) {
        if (tally(soak, hand, call, i)) continue;
        soak_wrong(soak, hand->index, "thread %u: %s of key %" PRIu64 " cannot answer %u, value %" PRIu64, hand->index,
                   call_kind_name(call->kind), word_get(hand->here.a, soak->bits, call->first + i),
                   hand->here.bytes[call->first + i], word_get(hand->here.out_b, soak->bits, call->first_out + i));
    }
    soak_count(hand, call->n, call->n);
}

static void tally_turn(void *context, unsigned index)
{
    struct soak *soak = context;
    struct soak_hand *hand = &soak->hands[index];
    for (size_t i = 0; i < hand->call_count; i++) tally_call(soak, hand, &hand->calls[i]);
    const struct call_answer *ends[] = {&hand->least, &hand->most};
    for (size_t i = 0; hand->style == SOAK_SINGLE && i < 2; i++)
        if (soak_good(soak, index, "min or max", ends[i]->status) && ends[i]->what == 1 &&
            !is_written(soak, ends[i]->key, ends[i]->value))
            soak_wrong(soak, index, "min or max answered %" PRIu64 ":%" PRIu64, ends[i]->key, ends[i]->value);
}

/* The sums decide what the oracle holds; then the map must hold the same. */
static void settle(struct soak *soak)
{
    for (size_t cell = 0; cell < soak->keys.cells; cell++) {
        int64_t balance = 0;
        uint64_t debt = 0, unused;
        for (unsigned i = 0; i < soak->hand_count; i++) {
            balance += soak->hands[i].balance[cell];
            debt += soak->hands[i].debt[cell];
        }
        debt &= word_max(soak->bits); /* the sum of 32-bit values is taken modulo 2^32 */
        if (balance == 1)
            oracle_put(&soak->oracle, cell, debt, &unused);
        else if (balance != 0 || debt != 0)
            soak_wrong(soak, 0, "key %" PRIu64 ": inserts minus erases are %" PRId64 ", and values differ by %" PRIu64,
                       soak_key(&soak->keys, cell), balance, debt);
    }
}

static bool tallies_create(struct soak *soak)
{
    for (unsigned i = 0; i < soak->hand_count; i++) {
        struct soak_hand *hand = &soak->hands[i];
        hand->balance = calloc(soak->keys.cells, sizeof hand->balance[0]);
        hand->debt = calloc(soak->keys.cells, sizeof hand->debt[0]);
        if (hand->balance == NULL || hand->debt == NULL) {
            soak_wrong(soak, i, "out of host memory");
            return false;
        }
    }
    return true;
}

static void tallies_destroy(struct soak *soak)
{
    for (unsigned i = 0; i < soak->hand_count; i++) {
        free(soak->hands[i].balance);
        free(soak->hands[i].debt);
        soak->hands[i].balance = NULL;
        soak->hands[i].debt = NULL;
    }
}

void soak_conserved(struct soak *soak)
{
    const bool gpu = soak->device->kind == PLEACH_CUDA;
    if (soak_open_round(soak, (size_t)CELLS >> mix_below(&soak->random, SMALLER_BY + 1)) && tallies_create(soak)) {
        soak->turn = (struct soak_turn){.percent = percent, .shared = true, .snapshots = true,
                                        .most = gpu ? GPU_MOST : CPU_MOST};
        for (unsigned turn = 0; turn < (gpu ? GPU_TURNS : CPU_TURNS) && !soak_is_wrong(soak); turn++) {
            soak_run_turn(soak, soak_do);
            crew_run(soak->crew, tally_turn, soak);
            if (!soak_time_left(soak)) break;
        }
        if (!soak_is_wrong(soak)) settle(soak);
        if (!soak_is_wrong(soak)) soak_compare(soak);
        if (!soak_is_wrong(soak)) soak_validate(soak);
    }
    tallies_destroy(soak);
    soak_close_round(soak);
}
