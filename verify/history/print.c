#include <inttypes.h>
#include <string.h>

#include "explain.h"

static const char *const names[] = {"put", "add", "erase", "find", "ceil", "floor", "range", "atomic range",
                                    "atomic count"};

static void print_question(const history_op *op, FILE *out)
{
    fprintf(out, "%s ", op->kind < sizeof names / sizeof *names ? names[op->kind] : "unknown");
    if (op->kind >= HISTORY_RANGE)
        fprintf(out, "[%" PRIu64 ", %" PRIu64 "]", op->key, op->high);
    else
        fprintf(out, "%" PRIu64, op->key);
    if (op->kind == HISTORY_PUT || op->kind == HISTORY_ADD)
        fprintf(out, " = %" PRIu64, op->value);
}

static void print_pairs(const history_op *op, const history_pair *pairs, FILE *out)
{
    enum { MOST = 20 };
    if (op->pair_count == 0)
        fprintf(out, "nothing");
    for (uint32_t i = 0; i < op->pair_count && i < MOST; i++)
        fprintf(out, "%s%" PRIu64 ":%" PRIu64, i ? " " : "", pairs[op->pairs + i].key, pairs[op->pairs + i].value);
    if (op->pair_count > MOST)
        fprintf(out, " ... %" PRIu32 " pairs", op->pair_count);
    if (op->limited)
        fprintf(out, " (limit)");
}

static void print_outcome(const history_op *op, FILE *out)
{
    switch (op->outcome) {
    case HISTORY_NOT_APPLIED: fprintf(out, "not applied"); break;
    case HISTORY_INSERTED: fprintf(out, "inserted"); break;
    case HISTORY_REPLACED: fprintf(out, "replaced %" PRIu64, op->out_value); break;
    case HISTORY_EXISTS: fprintf(out, "exists %" PRIu64, op->out_value); break;
    case HISTORY_ERASED: fprintf(out, "erased %" PRIu64, op->out_value); break;
    case HISTORY_ABSENT: fprintf(out, "absent"); break;
    case HISTORY_NOT_FOUND: fprintf(out, op->kind == HISTORY_FIND ? "absent" : "none"); break;
    case HISTORY_FOUND:
        if (op->kind == HISTORY_FIND)
            fprintf(out, "found %" PRIu64, op->out_value);
        else
            fprintf(out, "%" PRIu64 ":%" PRIu64, op->out_key, op->out_value);
        break;
    default: fprintf(out, "outcome %u", op->outcome);
    }
}

/* "put 7 = 21 -> replaced 5" */
static void print_call(const history_op *op, const history_pair *pairs, FILE *out)
{
    print_question(op, out);
    fprintf(out, " -> ");
    if (op->returned == HISTORY_PENDING)
        fprintf(out, "pending");
    else if (op->kind == HISTORY_COUNT_ATOMIC)
        fprintf(out, "%" PRIu64, op->out_value);
    else if (op->kind >= HISTORY_RANGE)
        print_pairs(op, pairs, out);
    else
        print_outcome(op, out);
}

void history_print_op(const history_op *op, const history_pair *pairs, FILE *out)
{
    fprintf(out, "agent %" PRIu32 "  [%" PRIu64 ", ", op->agent, op->invoked);
    if (op->returned == HISTORY_PENDING)
        fprintf(out, "pending]  ");
    else
        fprintf(out, "%" PRIu64 "]  ", op->returned);
    print_call(op, pairs, out);
}

/* ---- the part of a history that is shown ------------------------------------------------------------------------- */

enum { MOST_PRINTED = 200, MOST_DRAWN = 12, STAMP_WIDTH = 2 };

/* The stamps of the drawn operations, ascending; each gets a column. */
typedef struct columns {
    uint64_t stamps[2 * MOST_DRAWN];
    size_t count;
} columns;

static void add_column(columns *c, uint64_t stamp)
{
    size_t i = 0;
    while (i < c->count && c->stamps[i] < stamp)
        i++;
    if (stamp == HISTORY_PENDING || (i < c->count && c->stamps[i] == stamp))
        return;
    memmove(&c->stamps[i + 1], &c->stamps[i], (c->count - i) * sizeof *c->stamps);
    c->stamps[i] = stamp;
    c->count++;
}

static size_t column_of(const columns *c, uint64_t stamp)
{
    size_t i = 0;
    while (i < c->count && c->stamps[i] < stamp)
        i++;
    return i * STAMP_WIDTH;
}

/* "   |-----|    ", or "   |-------->" if it never returned. */
static void draw(const columns *c, const history_op *op, FILE *out)
{
    size_t from = column_of(c, op->invoked), to = column_of(c, op->returned), end = c->count * STAMP_WIDTH;
    for (size_t i = 0; i <= end; i++) {
        bool inside = i > from && i < to;
        if (i == end && op->returned == HISTORY_PENDING)
            fputc('>', out);
        else
            fputc(i == from || (i == to && i < end) ? '|' : inside ? '-' : ' ', out);
    }
}

static void print_pair(uint64_t key, const history_pair *pair, FILE *out)
{
    if (pair)
        fprintf(out, "%" PRIu64 " = %" PRIu64, key, pair->value);
    else
        fprintf(out, "%" PRIu64 " absent", key);
}

static void print_contents(const part *p, const contents *what, FILE *out)
{
    if (p->one_key) {
        print_pair(p->key, what->count ? what->pairs : NULL, out);
        return;
    }
    fprintf(out, "{");
    for (size_t i = 0; i < what->count; i++) {
        fputs(i ? ", " : "", out);
        print_pair(what->pairs[i].key, &what->pairs[i], out);
    }
    fprintf(out, "}");
}

static void print_verdict(const part *p, FILE *out)
{
    if (p->one_key)
        fprintf(out, "key %" PRIu64, p->key);
    else
        fprintf(out, "many keys at one instant");
    if (p->count == 0)
        fprintf(out, ": nobody changed it, and yet it changed\n");
    else if (p->with_final)
        fprintf(out, ": no order of these %zu operations leads to these contents\n", p->count);
    else if (p->count == 1)
        fprintf(out, ": this operation cannot have given this answer\n");
    else
        fprintf(out, ": no order of these %zu operations gives these answers\n", p->count);
}

/* A span stands in a part of one key for what it says of that key. */
static void print_source(const part *p, const history *h, size_t i, FILE *out)
{
    const history_op *source = &h->ops[p->sources[i]], *op = &p->ops[i];
    if (source->kind == op->kind) {
        print_call(op, h->pairs, out);
        return;
    }
    print_call(source, h->pairs, out);
    fprintf(out, ", that is: ");
    print_call(op, h->pairs, out);
}

static void print_stamps(const history_op *op, FILE *out)
{
    if (op->returned == HISTORY_PENDING)
        fprintf(out, "  [%" PRIu64 ", pending]\n", op->invoked);
    else
        fprintf(out, "  [%" PRIu64 ", %" PRIu64 "]\n", op->invoked, op->returned);
}

static void print_ops(const part *p, const history *h, FILE *out)
{
    columns c = {.count = 0};
    bool drawn = p->count <= MOST_DRAWN;
    for (size_t i = 0; drawn && i < p->count; i++) {
        add_column(&c, p->ops[i].invoked);
        add_column(&c, p->ops[i].returned);
    }
    for (size_t i = 0; i < p->count && i < MOST_PRINTED; i++) {
        fprintf(out, "  agent %-2" PRIu32 "  ", p->ops[i].agent);
        if (drawn)
            draw(&c, &p->ops[i], out);
        fprintf(out, "  ");
        print_source(p, h, i, out);
        print_stamps(&p->ops[i], out);
    }
    if (p->count > MOST_PRINTED)
        fprintf(out, "  and %zu more\n", p->count - MOST_PRINTED);
}

void print_part(const part *p, const history *h, FILE *out)
{
    print_verdict(p, out);
    fprintf(out, "  at the beginning: ");
    for (size_t i = 0; i < p->starts; i++) {
        fputs(i ? ", or " : "", out);
        print_contents(p, &p->start[i], out);
    }
    fprintf(out, "\n");
    print_ops(p, h, out);
    if (!p->with_final)
        return;
    fprintf(out, "  at the end: ");
    print_contents(p, &p->final, out);
    fprintf(out, "\n");
}
