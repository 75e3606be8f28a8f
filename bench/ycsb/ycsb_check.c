/* ycsb_check.c - the judgement of the answers, by what ycsb.h says. */
#include <inttypes.h>
#include <string.h>

#include "ycsb.h"
#include "tools/common/cli.h"

void ycsb_spoil_answers(struct ycsb *y)
{
    memset(y->counts, 0xee, y->ops.n * sizeof *y->counts);
    memset(y->values, 0xee, y->ops.n * sizeof *y->values);
    memset(y->lasts, 0xee, y->ops.n * sizeof *y->lasts);
    atomic_store(&y->bad_pairs, 0);
}

static bool wrong(struct ycsb *y, const char *what, uint64_t number)
{
    cli_complain("pleach-bench ycsb", "WRONG: %s, %s%s, on %s: %s %" PRIu64, y->workload->name, y->rival->name, y->form,
                 y->device->name, what, number);
    y->failed = true;
    return false;
}

/* ---- values ---- */

/* Was the value written for this key, by anyone? *writer is 0, or the operation's index plus 1. */
static bool is_value_of(const struct ycsb *y, uint64_t key, uint64_t value, uint64_t *writer)
{
    *writer = value & UINT32_MAX;
    if (ycsb_value(key, *writer) != value || *writer > y->ops.n) return false;
    return *writer == 0 || (y->ops.keys[*writer - 1] == key && ycsb_writes(y->ops.kinds[*writer - 1]));
}

/* Could operation i read this? */
static bool right_value(const struct ycsb *y, enum ycsb_order order, size_t i)
{
    const struct ycsb_ops *ops = &y->ops;
    uint64_t writer;
    if (order == YCSB_IN_ORDER) return y->values[i] == ops->expected[i];
    if (!is_value_of(y, ops->keys[i], y->values[i], &writer)) return false;
    if (writer == 0) return ops->records[i] < y->first;
    if (order == YCSB_GROUPS) return (writer - 1) / y->group <= i / y->group;
    return writer - 1 < i || ycsb_client(ops->n, y->clients, writer - 1) != ycsb_client(ops->n, y->clients, i);
}

/* ---- scans ---- */

/* How many of the sorted keys are below; or, with `equal`, not above. */
static size_t rank_of(const uint64_t *keys, size_t n, uint64_t key, bool equal)
{
    size_t low = 0;
    while (n > 0) {
        const size_t half = n / 2, middle = low + half;
        const bool before = equal ? keys[middle] <= key : keys[middle] < key;
        low = before ? middle + 1 : low;
        n = before ? n - half - 1 : half;
    }
    return low;
}

static size_t count_between(const uint64_t *keys, size_t n, uint64_t from, uint64_t to)
{
    return rank_of(keys, n, to, true) - rank_of(keys, n, from, false);
}

/* It has all keys from the first to the last that were there at first, and no more than there can be; and it ends early
 * only where the keys do. Without inserts this is exact. */
static bool right_scan(const struct ycsb *y, size_t i)
{
    const struct ycsb_ops *ops = &y->ops;
    const size_t count = y->counts[i], all = y->first + ops->inserts;
    const uint64_t from = ops->keys[i], to = y->lasts[i];
    if (count < 1 || count > ops->lengths[i] || y->values[i] != from || to < from) return false;
    const size_t least = count_between(y->sorted_first, y->first, from, to) + (ops->records[i] >= y->first);
    const size_t most = count_between(y->sorted_all, all, from, to);
    return least <= count && count <= most && (count == ops->lengths[i] || to >= y->sorted_first[y->first - 1]);
}

void ycsb_see_pairs(struct ycsb *y, size_t i, size_t n, const uint64_t *keys, const uint64_t *values)
{
    uint64_t writer;
    bool right = n == 0 || keys[0] == y->ops.keys[i];
    for (size_t k = 0; k < n && right; k++)
        right = is_value_of(y, keys[k], values[k], &writer) && (k == 0 || keys[k] > keys[k - 1]);
    if (!right) atomic_fetch_add(&y->bad_pairs, 1);
}

/* ---- all ---- */

struct judging {
    struct ycsb *y;
    enum ycsb_order order;
    atomic_size_t wrong, first;
};

static bool right_answer(const struct ycsb *y, enum ycsb_order order, size_t i)
{
    switch ((enum ycsb_kind)y->ops.kinds[i]) {
    case YCSB_SCAN: return right_scan(y, i);
    case YCSB_READ:
    case YCSB_RMW: return y->counts[i] == 1 && right_value(y, order, i);
    case YCSB_UPDATE:
    case YCSB_INSERT: return y->counts[i] == 1;
    case YCSB_KINDS: break;
    }
    return false;
}

static void judge_slice(void *context, size_t begin, size_t end)
{
    struct judging *judging = context;
    for (size_t i = begin; i < end; i++) {
        if (right_answer(judging->y, judging->order, i)) continue;
        atomic_fetch_add(&judging->wrong, 1);
        atomic_store(&judging->first, i);
    }
}

/* Inserted records, and those of the last writers. On a GPU single calls would take a launch each, so only some. */
static bool judge_records(struct ycsb *y)
{
    const size_t step = y->device->kind == PLEACH_CPU ? 1 : y->ops.n / 1000 + 1;
    uint64_t value = 0, writer;
    for (size_t i = 0; i < y->ops.n; i += step)
        if (ycsb_writes(y->ops.kinds[i]) && (!y->rival->get(y->store, 0, y->ops.keys[i], &value) ||
                                             !is_value_of(y, y->ops.keys[i], value, &writer) || writer == 0))
            return wrong(y, "what is left of the record that is written by operation", i);
    return true;
}

static bool judge_structure(struct ycsb *y)
{
    char message[256] = "";
    if (y->rival->kind != RIVAL_OWN) return true;
    const pleach_status status = target_validate(y->store, message, sizeof message);
    if (status == PLEACH_OK) return true;
    return ycsb_complain(y, status == PLEACH_E_CORRUPT ? message : "validating it", status);
}

bool ycsb_judge(struct ycsb *y, enum ycsb_order order, bool last)
{
    struct judging judging = {.y = y, .order = order};
    const uint64_t count = y->rival->count(y->store);
    crew_share(y->crew, y->ops.n, judge_slice, &judging);
    if (judging.wrong > 0) return wrong(y, "the answer of operation", judging.first);
    if (y->bad_pairs > 0) return wrong(y, "scans with pairs that cannot be:", y->bad_pairs);
    if (count != y->first + y->ops.inserts) return wrong(y, "the number of keys is", count);
    return judge_records(y) && (!last || judge_structure(y));
}
