/* replay_parse.c - a line becomes an operation, or an explanation why it is none. */
#define _DEFAULT_SOURCE 1
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"
#include "tools/common/words.h"

struct token {
    const char *text;
    size_t length;
};

enum { MOST_TOKENS = 5 }; /* one more than the longest operation has */

static const struct {
    const char *name;
    enum op_kind kind;
    size_t least, most;
    const char *arguments;
} grammar[] = {
    {"put", OP_PUT, 2, 2, "K V"},        {"add", OP_ADD, 2, 2, "K V"}, {"del", OP_DEL, 1, 1, "K"},
    {"get", OP_GET, 1, 1, "K"},          {"has", OP_HAS, 1, 1, "K"},   {"range", OP_RANGE, 2, 3, "LO HI [LIMIT]"},
    {"count", OP_COUNT, 2, 2, "LO HI"},  {"succ", OP_SUCC, 1, 1, "K"}, {"pred", OP_PRED, 1, 1, "K"},
    {"min", OP_MIN, 0, 0, ""},           {"max", OP_MAX, 0, 0, ""},    {"size", OP_SIZE, 0, 0, ""},
    {"validate", OP_VALIDATE, 0, 0, ""},
};

enum { GRAMMAR_SIZE = sizeof grammar / sizeof grammar[0] };

static void make_bad(struct op *op, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void make_bad(struct op *op, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    *op = (struct op){.kind = OP_BAD, .error = strdup(text)};
}

/* A word as it can be shown: bytes that are not printable become '?', and a long one is cut. */
static const char *shown(struct token token, char *text, size_t size)
{
    size_t used = 0;
    for (; used < token.length && used + 4 < size; used++) {
        const unsigned char byte = (unsigned char)token.text[used];
        text[used] = byte >= 0x20 && byte < 0x7f ? (char)byte : '?';
    }
    memcpy(text + used, used < token.length ? "..." : "", used < token.length ? 4 : 1);
    return text;
}

static size_t split(const char *line, size_t length, struct token *tokens)
{
    size_t count = 0;
    const char *at = line, *end = line + length;
    while (at < end && count < MOST_TOKENS) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        const char *stop = space != NULL ? space : end;
        tokens[count++] = (struct token){at, (size_t)(stop - at)};
        at = stop < end ? stop + 1 : end;
    }
    return count;
}

/* Reads an unsigned decimal that is at most `most`; else makes the operation a bad one. */
static bool read_number(struct token token, uint64_t most, struct op *op, uint64_t *number)
{
    char text[48];
    uint64_t sum = 0;
    bool fits = true;
    for (size_t i = 0; i < token.length; i++) {
        if (!isdigit((unsigned char)token.text[i])) {
            make_bad(op, "'%s' is not an unsigned decimal number", shown(token, text, sizeof text));
            return false;
        }
        const uint64_t digit = (uint64_t)(token.text[i] - '0');
        fits = fits && sum <= (most - digit) / 10;
        sum = fits ? sum * 10 + digit : sum;
    }
    if (!fits) make_bad(op, "%s does not fit %d bits", shown(token, text, sizeof text), most == UINT32_MAX ? 32 : 64);
    *number = sum;
    return fits;
}

static size_t find_grammar(struct token name)
{
    size_t i = 0;
    while (i < GRAMMAR_SIZE &&
           (strlen(grammar[i].name) != name.length || memcmp(grammar[i].name, name.text, name.length) != 0))
        i++;
    return i;
}

static void read_arguments(const struct token *arguments, size_t count, unsigned key_bits, struct op *op)
{
    const uint64_t most = word_max(key_bits);
    if (count > 0 && !read_number(arguments[0], most, op, &op->a)) return;
    if (count > 1 && !read_number(arguments[1], most, op, &op->b)) return;
    if (count > 2) read_number(arguments[2], UINT64_MAX, op, &op->limit);
}

void replay_parse(const char *line, size_t length, unsigned key_bits, struct op *op)
{
    struct token tokens[MOST_TOKENS];
    char text[48];
    const size_t count = split(line, length, tokens);
    const size_t found = find_grammar(tokens[0]);
    if (found == GRAMMAR_SIZE) {
        make_bad(op,
                 "unknown operation '%s'; a map has put, add, del, get, has, range, count, succ, pred, min, max, "
                 "size and validate",
                 shown(tokens[0], text, sizeof text));
        return;
    }
    *op = (struct op){.kind = grammar[found].kind, .limit = REPLAY_NO_LIMIT};
    if (count - 1 >= grammar[found].least && count - 1 <= grammar[found].most)
        read_arguments(tokens + 1, count - 1, key_bits, op);
    else if (grammar[found].most == 0)
        make_bad(op, "%s takes no arguments", grammar[found].name);
    else
        make_bad(op, "too %s arguments: %s takes %s", count - 1 < grammar[found].least ? "few" : "many",
                 grammar[found].name, grammar[found].arguments);
}

void replay_refuse_ordered(struct op *op)
{
    if (!op_is_ordered(op->kind)) return;
    size_t i = 0;
    while (grammar[i].kind != op->kind) i++;
    make_bad(op, "a hash table has no order, and so no %s; it has put, add, del, get, has, size and validate",
             grammar[i].name);
}

void replay_free_op(struct op *op)
{
    free(op->error);
    free(op->name);
}

void replay_parse_long_line(struct op *op) { make_bad(op, "line longer than %d bytes", TEXT_LINE_BYTES); }
