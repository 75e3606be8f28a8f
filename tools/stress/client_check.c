/* client_check.c - the results of a client in a turn against the oracle, call by call in the order of its calls. */
#include <inttypes.h>

#include "stress.h"
#include "tools/common/words.h"

enum { PREFETCH = 24 }; /* elements whose cells are loaded ahead */
enum { WINDOW = 64 };   /* cells that are searched for a neighbour that was passed over */

struct checking {
    struct stress *s;
    struct client *client;
    const struct call *call;
    struct arrays x;
    unsigned bits;
};

/* ---- values ---- */

uint64_t stress_value(const struct stress *s, uint64_t key, unsigned writer, uint64_t serial)
{
    return s->target.set ? 0 : value_make(s->bits, key, writer, serial);
}

bool is_pair_of_any(const struct stress *s, uint64_t key, uint64_t value)
{
    return s->target.set || value_writer(s->bits, key, value) < s->client_count;
}

bool is_pair_of_owner(const struct stress *s, uint64_t key, uint64_t value)
{
    const size_t cell = cell_of(&s->keys, key);
    return cell != NO_CELL && (s->target.set || value_writer(s->bits, key, value) == cell_owner(s, cell));
}

/* ---- one element ---- */

static bool is_own(const struct checking *c, size_t cell) { return cell_owner(c->s, cell) == c->client->index; }
static uint64_t key_at(const struct checking *c, size_t i) { return word_get(c->x.keys, c->bits, i); }
static size_t cell_at(const struct checking *c, size_t i) { return cell_of(&c->s->keys, key_at(c, i)); }
static uint64_t out_key_at(const struct checking *c, size_t i) { return word_get(c->x.out_keys, c->bits, i); }
static uint64_t out_value_at(const struct checking *c, size_t i) { return word_get(c->x.out_values, c->bits, i); }

static void report(const struct checking *c, size_t i, const char *right, uint64_t right_value)
{
    static const char *const styles[] = {"single calls", "array in host memory", "array"};
    const size_t result = i * results_per_element(c->call->op);
    stress_wrong(c->s, c->client->index,
                 "client %u, call %zu of its turn (%s of %zu, %s), element %zu, key %" PRIu64 " (cell %zu): result %u, "
                 "%" PRIu64 ":%" PRIu64 ", count %" PRIu64 "/%" PRIu32 "; expected %s %" PRIu64,
                 c->client->index, (size_t)(c->call - c->client->calls), op_name(c->call->op), c->call->n,
                 styles[c->client->style], i, key_at(c, i), cell_at(c, i), c->x.flags[i],
                 out_key_at(c, result), out_value_at(c, result), c->x.counts[i], c->x.short_counts[i], right,
                 right_value);
}

static void check_update(const struct checking *c, size_t i)
{
    static const char *const names[] = {"not applied", "inserted", "replaced", "exists", "erased", "absent"};
    uint64_t old = 0;
    const uint64_t value = c->s->target.set ? 0 : word_get(c->x.values, c->bits, i);
    const pleach_outcome right = oracle_update(&c->s->oracle, c->call->op, cell_at(c, i), value, &old);
    const bool has_old = outcome_has_old(right) && !c->s->target.set;
    if (c->x.flags[i] != right || (has_old && out_value_at(c, i) != old)) report(c, i, names[right], old);
}

/* An own cell is known exactly; a value of another cell must be its owner's. */
static void check_find(const struct checking *c, size_t i)
{
    uint64_t value = 0;
    const size_t cell = cell_at(c, i);
    const bool own = is_own(c, cell), found = c->x.flags[i] == 1;
    const bool right = own ? oracle_find(&c->s->oracle, cell, &value) : found;
    const bool has_value = right && c->call->op == PLEACH_OP_FIND && !c->s->target.set;
    if (c->x.flags[i] > 1 || found != right || (has_value && own && out_value_at(c, i) != value))
        report(c, i, right ? "found" : "not found", value);
    else if (has_value && !is_pair_of_owner(c->s, key_of(&c->s->keys, cell), out_value_at(c, i)))
        report(c, i, "a value of writer", cell_owner(c->s, cell));
}

/* ---- neighbours and intervals: exact about own cells, careful about others ---- */

/* The cell of a reported pair. An own pair must be the oracle's, another must come from its owner; else NO_CELL. */
static size_t pair_cell(const struct checking *c, uint64_t key, uint64_t value)
{
    uint64_t right;
    if (!is_pair_of_owner(c->s, key, value)) return NO_CELL;
    const size_t cell = cell_of(&c->s->keys, key);
    return !is_own(c, cell) || (oracle_find(&c->s->oracle, cell, &right) && right == value) ? cell : NO_CELL;
}

static size_t own_present(const struct checking *c, size_t from, size_t end)
{
    size_t count = 0;
    for (size_t cell = from; cell < end; cell++) count += is_own(c, cell) && c->s->oracle.present[cell];
    return count;
}

/* Whether the pair may be that of the present cell nearest to start, start included, in this direction: no own present
 * cell lies before it. Below cell 0 is SIZE_MAX, which is 0 - 1. */
static bool is_neighbour(const struct checking *c, size_t start, bool up, bool found, uint64_t key, uint64_t value)
{
    size_t cell = up ? c->s->keys.cells : SIZE_MAX;
    if (found) {
        cell = pair_cell(c, key, value);
        if (cell == NO_CELL || (up ? cell < start : cell + 1 > start + 1)) return false;
    }
    size_t from = up ? start : cell + 1, end = up ? cell : start + 1;
    if (end - from > WINDOW && up) end = from + WINDOW;
    if (end - from > WINDOW && !up) from = end - WINDOW;
    return own_present(c, from, end) == 0;
}

static void check_neighbour(const struct checking *c, size_t i)
{
    const bool up = c->call->op == PLEACH_OP_SUCC;
    const size_t start = cell_at(c, i) + (up ? 1 : SIZE_MAX);
    const uint8_t found = c->x.flags[i];
    if (found > 1 || !is_neighbour(c, start, up, found == 1, out_key_at(c, i), out_value_at(c, i)))
        report(c, i, "the nearest key; presence of the adjacent cell is",
               start < c->s->keys.cells && is_own(c, start) && c->s->oracle.present[start]);
}

static size_t end_cell(const struct checking *c, size_t i)
{
    return cell_of(&c->s->keys, word_get(c->x.values, c->bits, i)) + 1;
}

static void check_count(const struct checking *c, size_t i)
{
    const size_t first = cell_at(c, i), end = end_cell(c, i), least = own_present(c, first, end);
    size_t most = least;
    for (size_t cell = first; cell < end; cell++) most += !is_own(c, cell);
    if (c->x.counts[i] < least || c->x.counts[i] > most) report(c, i, "at least", least);
}

/* Where the pairs of one range are; false if that is impossible. */
static bool locate_pairs(const struct checking *c, size_t i, size_t *from, size_t *count)
{
    const size_t results = results_per_element(c->call->op);
    const bool packed = c->call->op == PLEACH_OP_RANGE && c->client->style != STYLE_SINGLE;
    *from = packed ? c->x.counts[i] : i * results;
    *count = c->call->op == OP_RANGE_LIMIT ? c->x.short_counts[i] : c->x.counts[i + packed] - (packed ? *from : 0);
    return *count <= results && *from <= c->call->n * results - *count;
}

/* Ascending pairs of the interval, with all of the client's own present cells among them. */
static bool are_right_pairs(const struct checking *c, size_t i, size_t from, size_t count)
{
    const size_t end = end_cell(c, i);
    size_t next = cell_at(c, i); /* the first cell that may come */
    for (size_t k = from; k < from + count; k++) {
        const size_t cell = pair_cell(c, out_key_at(c, k), out_value_at(c, k));
        if (cell == NO_CELL || cell < next || cell >= end || own_present(c, next, cell) > 0) return false;
        next = cell + 1;
    }
    const bool cut = c->call->op == OP_RANGE_LIMIT && count == RANGE_LIMIT;
    return cut || own_present(c, next, end) == 0;
}

static void check_range(const struct checking *c, size_t i)
{
    size_t from, count;
    if (!locate_pairs(c, i, &from, &count) || !are_right_pairs(c, i, from, count))
        report(c, i, "a range with this many own keys:", own_present(c, cell_at(c, i), end_cell(c, i)));
}

/* ---- the turn ---- */

static void check_call(const struct checking *c)
{
    static void (*const checks[OPS])(const struct checking *c, size_t i) = {
        [PLEACH_OP_PUT] = check_update,     [PLEACH_OP_ADD] = check_update,    [PLEACH_OP_ERASE] = check_update,
        [PLEACH_OP_FIND] = check_find,      [PLEACH_OP_CONTAINS] = check_find, [PLEACH_OP_SUCC] = check_neighbour,
        [PLEACH_OP_PRED] = check_neighbour, [PLEACH_OP_COUNT] = check_count,   [PLEACH_OP_RANGE] = check_range,
        [OP_RANGE_LIMIT] = check_range,
    };
    if (!stress_ok(c->s, c->client->index, op_name(c->call->op), c->call->status)) return;
    for (size_t i = 0; i < c->call->n; i++) {
        if (i + PREFETCH < c->call->n) {
            const size_t cell = cell_at(c, i + PREFETCH);
            __builtin_prefetch(&c->s->oracle.present[cell], 1);
            __builtin_prefetch(&c->s->oracle.values[cell], 1);
        }
        checks[c->call->op](c, i);
    }
    stress_count(c->client, c->call->n, c->call->n);
}

/* Min and max came after all calls of the client. */
static void check_ends(const struct checking *c)
{
    const struct result *min = &c->client->min, *max = &c->client->max;
    if (!is_neighbour(c, 0, true, min->flag == 1, min->key, min->value))
        stress_wrong(c->s, c->client->index, "min returned %" PRIu64 ", %" PRIu64 ":%" PRIu64, min->flag, min->key,
                     min->value);
    if (!is_neighbour(c, c->s->keys.cells - 1, false, max->flag == 1, max->key, max->value))
        stress_wrong(c->s, c->client->index, "max returned %" PRIu64 ", %" PRIu64 ":%" PRIu64, max->flag, max->key,
                     max->value);
    stress_count(c->client, 2, 2);
}

static void check_part(void *context, unsigned index)
{
    struct stress *s = context;
    struct checking c = {.s = s, .client = &s->clients[index], .bits = s->bits};
    for (size_t i = 0; i < c.client->call_count; i++) {
        c.call = &c.client->calls[i];
        c.x = call_arrays(c.call, c.client->here, s->bits);
        check_call(&c);
    }
    if (c.client->style == STYLE_SINGLE && s->target.map != NULL) check_ends(&c);
}

void clients_check(struct stress *s) { crew_run(s->crew, check_part, s); }
