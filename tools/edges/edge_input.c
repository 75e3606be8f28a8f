#define _DEFAULT_SOURCE 1
#include "edge_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- failures ---- */

bool edge_input_fail(struct edge_input *in, const char *format, ...)
{
    struct edge_error *const error = in->error;
    if (error->fault != EDGE_FINE) return false;
    const int used = snprintf(error->text, sizeof error->text, "%.300s:%llu: ", in->name, (unsigned long long)in->line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, arguments);
    va_end(arguments);
    error->fault = EDGE_BAD_FILE;
    in->at = in->end;
    return false;
}

bool edge_input_cannot(struct edge_input *in, const char *why)
{
    edge_input_fail(in, "%s", why);
    in->error->fault = EDGE_CANNOT;
    return false;
}

static void bytes_failed(struct edge_input *in)
{
    const struct edge_bytes *const bytes = &in->bytes;
    if (bytes->lacks_codec)
        edge_input_fail(in, "this is a %s file, and this pleach was built without %s: unpack it, or install %s and "
                            "build again", bytes->codec->name, bytes->codec->name, bytes->codec->package);
    else
        edge_input_fail(in, "cannot read on: %s", bytes->why);
    if (bytes->lacks_codec || bytes->system_failed) in->error->fault = EDGE_CANNOT;
}

/* ---- the stream ---- */

static struct edge_input *cannot_open(struct edge_input *in, int file, struct edge_error *error, const char *why)
{
    if (in != NULL)
        snprintf(error->text, sizeof error->text, "cannot open %.300s: %s", in->name, why);
    else
        snprintf(error->text, sizeof error->text, "%s", why);
    error->fault = EDGE_CANNOT;
    if (file > STDIN_FILENO) close(file);
    free(in);
    return NULL;
}

struct edge_input *edge_input_open(const char *path, struct edge_error *error)
{
    const bool standard = strcmp(path, "-") == 0;
    struct edge_input *const in = malloc(sizeof *in);
    error->fault = EDGE_FINE;
    if (in == NULL) return cannot_open(NULL, -1, error, "out of memory");
    in->name = standard ? "standard input" : path;
    in->line = 1;
    in->at = in->end = in->text;
    in->error = error;
    const int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return cannot_open(in, file, error, strerror(errno));
    if (!edge_bytes_start(&in->bytes, file)) {
        bytes_failed(in);
        edge_input_close(in);
        return NULL;
    }
    return in;
}

void edge_input_close(struct edge_input *in)
{
    edge_bytes_stop(&in->bytes);
    if (in->bytes.file != STDIN_FILENO) close(in->bytes.file);
    free(in);
}

int edge_input_fill(struct edge_input *in)
{
    if (!edge_input_good(in)) return EDGE_STOP;
    const ptrdiff_t got = edge_bytes_read(&in->bytes, in->text, sizeof in->text);
    if (got < 0) bytes_failed(in);
    if (got <= 0) return EDGE_STOP;
    in->at = in->text;
    in->end = in->text + got;
    return *in->at;
}

/* ---- lines and words ---- */

int edge_skip_comments(struct edge_input *in, int other)
{
    for (;;) { /* each turn passes a line */
        const int byte = edge_look_word(in);
        if (byte == '%' || byte == other)
            edge_read_rest(in, NULL, 0);
        else if (byte != '\n')
            return byte;
        edge_next_line(in);
        if (edge_look(in) == EDGE_STOP) return EDGE_STOP;
    }
}

void edge_read_rest(struct edge_input *in, char *text, size_t size)
{
    size_t used = 0;
    for (int byte; (byte = edge_look(in)) != '\n' && byte != EDGE_STOP; edge_pass(in))
        if (used + 1 < size) text[used++] = (char)byte;
    if (size > 0) text[used] = '\0';
}

/* Says what stands where `what` should. */
static bool fail_word(struct edge_input *in, const char *what)
{
    const int byte = edge_look(in);
    if (byte == '\n' || byte == EDGE_STOP)
        return edge_input_fail(in, "the line ends where %s should be", what);
    if (byte > ' ' && byte < 0x7f) return edge_input_fail(in, "%s should be a number, but has '%c' in it", what, byte);
    return edge_input_fail(in, "%s should be a number, but has the byte 0x%02x in it", what, (unsigned)byte);
}

static bool is_digit(int byte) { return byte >= '0' && byte <= '9'; }

static bool ends_word(int byte) { return edge_is_blank(byte) || byte == '\n' || byte == EDGE_STOP; }

static bool read_digits(struct edge_input *in, const char *what, uint64_t *number)
{
    uint64_t sum = 0;
    int byte = edge_look_word(in);
    if (!is_digit(byte)) return fail_word(in, what);
    do {
        const uint64_t digit = (uint64_t)(byte - '0');
        if (sum >= UINT64_MAX / 10 && (sum > UINT64_MAX / 10 || digit > UINT64_MAX % 10))
            return edge_input_fail(in, "%s is above 2^64 - 1", what);
        sum = sum * 10 + digit;
        in->at++; /* a digit is no newline */
    } while (is_digit(byte = edge_look(in)));
    *number = sum;
    return edge_input_good(in);
}

bool edge_read_number(struct edge_input *in, const char *what, uint64_t *number)
{
    if (!read_digits(in, what, number)) return false;
    return ends_word(edge_look(in)) ? edge_input_good(in) : fail_word(in, what);
}

bool edge_read_time(struct edge_input *in, uint64_t *time)
{
    static const char what[] = "the time";
    if (!read_digits(in, what, time)) return false;
    if (edge_look(in) == '.') {
        edge_pass(in);
        while (is_digit(edge_look(in))) edge_pass(in);
    }
    return ends_word(edge_look(in)) ? edge_input_good(in) : fail_word(in, what);
}

bool edge_skip_value(struct edge_input *in, const char *what)
{
    char word[64];
    size_t used = 0;
    bool digits = true;
    for (int byte = edge_look_word(in); !ends_word(byte); byte = edge_look(in)) {
        if (used + 1 == sizeof word) return edge_input_fail(in, "%s has more than 63 characters", what);
        digits = digits && is_digit(byte);
        word[used++] = (char)byte;
        edge_pass(in);
    }
    if (used == 0) return fail_word(in, what);
    word[used] = '\0';
    if (digits) return edge_input_good(in);
    char *end;
    strtod(word, &end);
    if (end == word + used) return edge_input_good(in);
    for (size_t i = 0; i < used; i++)
        if (word[i] < ' ' || word[i] > '~') word[i] = '?'; /* for the terminal's sake */
    return edge_input_fail(in, "%s should be a number, not '%s'", what, word);
}
