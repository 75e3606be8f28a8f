/* scenario_conserved.c - all clients contend for a few keys. The result of a single operation is not known, but all
 * results of a key must balance: inserts minus erases is 1 if the key is present at the end, otherwise 0; and the
 * values written minus the values replaced or erased is its value, or 0. */
#include <inttypes.h>
#include <stdlib.h>

#include "stress.h"
#include "tools/common/words.h"

static const uint8_t percent[OPS] = {30, 25, 35, 8, 2};

static bool prepare(struct stress *s)
{
    s->turn.percent = percent;
    s->turn.shared = s->turn.probes = true;
    for (unsigned i = 0; i < s->client_count; i++) {
        struct client *client = &s->clients[i];
        client->balance = calloc(s->keys.cells, sizeof client->balance[0]);
        client->value_sum = calloc(s->keys.cells, sizeof client->value_sum[0]);
        if (client->balance == NULL || client->value_sum == NULL) return false;
    }
    return true;
}

static void end(struct stress *s)
{
    for (unsigned i = 0; i < s->client_count; i++) {
        free(s->clients[i].balance);
        free(s->clients[i].value_sum);
        s->clients[i].balance = NULL;
        s->clients[i].value_sum = NULL;
    }
}

/* Records one result. False if the operation cannot have it. */
static bool tally(const struct stress *s, struct client *client, unsigned op, const struct arrays *x, size_t i)
{
    const uint64_t key = word_get(x->keys, s->bits, i);
    const uint64_t given = s->target.set ? 0 : word_get(x->values, s->bits, i);
    const uint64_t old = s->target.set ? 0 : word_get(x->out_values, s->bits, i);
    const size_t cell = cell_of(&s->keys, key);
    const unsigned flag = x->flags[i];
    const bool written = is_pair_of_any(s, key, old);
    if (!op_is_update(op)) return flag == 0 || (flag == 1 && (op == PLEACH_OP_CONTAINS || written));
    if (op == PLEACH_OP_ERASE && flag == PLEACH_ABSENT) return true;
    if (op == PLEACH_OP_ERASE && flag == PLEACH_ERASED) {
        client->balance[cell]--;
        client->value_sum[cell] -= old;
        return written;
    }
    if (op != PLEACH_OP_ERASE && flag == PLEACH_INSERTED) {
        client->balance[cell]++;
        client->value_sum[cell] += given;
        return true;
    }
    if (op == PLEACH_OP_PUT && flag == PLEACH_REPLACED) client->value_sum[cell] += given - old;
    return written && op != PLEACH_OP_ERASE && flag == (op == PLEACH_OP_PUT ? PLEACH_REPLACED : PLEACH_EXISTS);
}

static void tally_part(void *context, unsigned index)
{
    struct stress *s = context;
    struct client *client = &s->clients[index];
    for (size_t k = 0; k < client->call_count; k++) {
        const struct call *call = &client->calls[k];
        const struct arrays x = call_arrays(call, client->here, s->bits);
        if (!stress_ok(s, index, op_name(call->op), call->status)) return;
        for (size_t i = 0; i < call->n; i++)
            if (!tally(s, client, call->op, &x, i))
                stress_wrong(s, index, "client %u: %s of key %" PRIu64 " cannot return %u, value %" PRIu64, index,
                             op_name(call->op), word_get(x.keys, s->bits, i), x.flags[i],
                             word_get(x.out_values, s->bits, i));
        stress_count(client, call->n, call->n);
    }
    const struct result *ends[] = {&client->min, &client->max};
    for (size_t i = 0; client->style == STYLE_SINGLE && i < 2; i++)
        if (ends[i]->flag == 1 && !is_pair_of_any(s, ends[i]->key, ends[i]->value))
            stress_wrong(s, index, "min or max returned %" PRIu64 ":%" PRIu64, ends[i]->key, ends[i]->value);
}

static void run_turn(struct stress *s, size_t turn)
{
    (void)turn;
    clients_turn(s, clients_make_calls);
    crew_run(s->crew, tally_part, s);
}

/* The sums decide what the oracle contains; then the structure must contain the same. */
static void check(struct stress *s)
{
    for (size_t cell = 0; cell < s->keys.cells; cell++) {
        int64_t balance = 0;
        uint64_t value = 0, unused;
        for (unsigned i = 0; i < s->client_count; i++) {
            balance += s->clients[i].balance[cell];
            value += s->clients[i].value_sum[cell];
        }
        value &= word_max(s->bits); /* the sum of 32-bit values is taken modulo 2^32 */
        if (balance == 1)
            oracle_update(&s->oracle, PLEACH_OP_PUT, cell, value, &unused);
        else if (balance != 0 || value != 0)
            stress_wrong(s, 0, "key %" PRIu64 ": inserts minus erases are %" PRId64 ", and values differ by %" PRIu64,
                         key_of(&s->keys, cell), balance, value);
    }
    if (!stress_is_wrong(s)) contents_check(s);
}

const struct scenario scenario_conserved = {
    .name = "conserved",
    .structures = 1 << TARGET_TREE | 1 << TARGET_SKIPLIST | 1 << TARGET_HASH,
    .cells = {1 << 12, 1 << 12},
    .halvings = 6,
    .turns = {30, 10},
    .most = {1 << 12, 1 << 16},
    .prepare = prepare,
    .run_turn = run_turn,
    .check = check,
    .end = end,
};
