/* edge_input.h - numbers from a text file of edges, with the line they stand on.
 *
 * One byte of look-ahead. Commas, spaces, tabs and carriage returns separate words; a newline ends a line. The first
 * failure is kept in the error with file and line, and from then on every look finds EDGE_STOP.
 */
#ifndef PLEACH_TOOLS_EDGE_INPUT_H
#define PLEACH_TOOLS_EDGE_INPUT_H

#include "edge_bytes.h"
#include "edge_error.h"

#include <stdint.h>

enum { EDGE_STOP = -1, EDGE_TEXT_BYTES = 1 << 18 };

struct edge_input {
    const char *name; /* of the file, for messages */
    uint64_t line;
    const unsigned char *at, *end;
    struct edge_error *error;
    struct edge_bytes bytes;
    unsigned char text[EDGE_TEXT_BYTES];
};

/* NULL after a failure, which the error tells. "-" is standard input. */
struct edge_input *edge_input_open(const char *path, struct edge_error *error);
void edge_input_close(struct edge_input *in);

/* Keeps "file:line: message" unless a failure has been kept before. Always false. */
bool edge_input_fail(struct edge_input *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for what is no fault of the file. */
bool edge_input_cannot(struct edge_input *in, const char *why);

/* Whether all went well so far. */
static inline bool edge_input_good(const struct edge_input *in) { return in->error->fault == EDGE_FINE; }

/* Reads on; edge_look calls it. */
int edge_input_fill(struct edge_input *in);

/* The next byte, which stays; EDGE_STOP at the end of the file and after a failure. */
static inline int edge_look(struct edge_input *in) { return in->at < in->end ? *in->at : edge_input_fill(in); }

/* Passes the byte that edge_look has shown. */
static inline void edge_pass(struct edge_input *in)
{
    if (*in->at == '\n') in->line++;
    in->at++;
}

static inline bool edge_is_blank(int byte) { return byte == ' ' || byte == '\t' || byte == ',' || byte == '\r'; }

/* Passes blanks; answers what comes after them. */
static inline int edge_look_word(struct edge_input *in)
{
    int byte;
    while (edge_is_blank(byte = edge_look(in))) edge_pass(in);
    return byte;
}

/* Whether nothing but blanks is left of the line, and passes these. */
static inline bool edge_at_line_end(struct edge_input *in)
{
    const int byte = edge_look_word(in);
    return byte == '\n' || byte == EDGE_STOP;
}

/* Passes the newline, where it is one. */
static inline void edge_next_line(struct edge_input *in)
{
    if (edge_look(in) == '\n') edge_pass(in);
}

/* Passes blank lines and lines that begin with '%', or with `other`; answers what comes then. */
int edge_skip_comments(struct edge_input *in, int other);

/* Passes the rest of the line, without its newline; keeps its first size - 1 bytes as a string. */
void edge_read_rest(struct edge_input *in, char *text, size_t size);

/* An unsigned decimal number, up to the blank behind it. `what` is the number's name in messages. */
bool edge_read_number(struct edge_input *in, const char *what, uint64_t *number);

/* The same, with a fraction that is dropped. */
bool edge_read_time(struct edge_input *in, uint64_t *time);

/* Passes a number of any kind, such as -1.5e3. */
bool edge_skip_value(struct edge_input *in, const char *what);

#endif
