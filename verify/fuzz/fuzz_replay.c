/* fuzz_replay.c - pleach replay on any bytes. Every line that it prints is compared with a second reading of the same
 * bytes, done here: operations carried out one after the other on a sorted array. And what its plan puts into one run
 * must commute, which the output shows only when threads happen to meet.
 *
 * THE INPUT   options (3 bytes: widths, threads and structure, batch, how the text comes in), then the text. Texts that
 *             name files are for a map without versions only, where these are bad lines: nothing is written anywhere.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tools/common/cli.h"
#include "../../tools/commands.h"
#include "../../tools/replay/replay.h"
#include "fuzz.h"
#include "model.h"

enum { PACKETS = 16, MOST_WORDS = 6 }; /* a pipe holds as many portions */

/* ---- what replay should print ---- */

typedef struct word {
    const char *text;
    size_t length;
} word;

typedef struct named {
    char *name;
    model model;
} named;

typedef struct expectation {
    model model;
    uint64_t top;
    bool versioned;
    named *snapshots;
    size_t snapshot_count;
    bool errors;
    FILE *out; /* the lines; an error as "error: " and nothing more */
    char *text;
    size_t size;
} expectation;

/* Words of a line, as many as there are; the first MOST_WORDS are given. *length: as if one blank were between. */
static size_t split_line(const char *line, size_t size, word *words, size_t *length)
{
    size_t count = 0;
    *length = 0;
    for (size_t at = 0; at < size;) {
        if (strchr(" \t\v\f\r", line[at]) && line[at] != '\0') {
            at++;
            continue;
        }
        size_t end = at;
        while (end < size && (line[end] == '\0' || !strchr(" \t\v\f\r", line[end]))) end++;
        if (count < MOST_WORDS) words[count] = (word){line + at, end - at};
        *length += end - at + (count > 0);
        count++;
        at = end;
    }
    return count;
}

static bool is_word(word w, const char *name) { return w.length == strlen(name) && !memcmp(w.text, name, w.length); }

/* An unsigned decimal up to `most`. */
static bool read_decimal(word w, uint64_t most, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < w.length; i++) {
        if (w.text[i] < '0' || w.text[i] > '9') return false;
        uint64_t next;
        if (__builtin_mul_overflow(*number, 10, &next)) return false;
        if (__builtin_add_overflow(next, (uint64_t)(w.text[i] - '0'), number) || *number > most) return false;
    }
    return true;
}

static void print_pair(expectation *e, const model_pair *pair)
{
    if (pair)
        fprintf(e->out, "%" PRIu64 ":%" PRIu64 "\n", pair->key, pair->value);
    else
        fputs("-\n", e->out);
}

static void print_range(expectation *e, uint64_t lo, uint64_t hi, uint64_t limit)
{
    size_t first, n = limit ? model_range(&e->model, lo, hi, limit, &first) : 0;
    fprintf(e->out, "%zu", n);
    for (size_t i = 0; i < n; i++)
        fprintf(e->out, " %" PRIu64 ":%" PRIu64, e->model.pairs[first + i].key, e->model.pairs[first + i].value);
    fputc('\n', e->out);
}

/* An operation that updates; false if it is none. */
static bool expect_update(expectation *e, word name, size_t count, uint64_t key, uint64_t value)
{
    bool put = is_word(name, "put") && count == 2, add = is_word(name, "add") && count == 2;
    bool erase = is_word(name, "del") && count == 1;
    if (!put && !add && !erase) return false;
    const model_pair *present = model_find(&e->model, key);
    if (present && add)
        fputs("exists\n", e->out);
    else if (present)
        fprintf(e->out, "%" PRIu64 "\n", present->value);
    else
        fputs(erase ? "-\n" : "new\n", e->out);
    if (erase)
        model_remove(&e->model, key);
    else if (put || !present)
        model_set(&e->model, key, value);
    return true;
}

/* An operation on one key or none that reads. */
static bool expect_point(expectation *e, word name, size_t count, uint64_t key)
{
    const model *m = &e->model;
    const model_pair *pair = model_find(m, key);
    if (count == 1 && is_word(name, "get") && pair)
        fprintf(e->out, "%" PRIu64 "\n", pair->value);
    else if (count == 1 && is_word(name, "get"))
        fputs("-\n", e->out);
    else if (count == 1 && is_word(name, "has"))
        fputs(pair ? "1\n" : "0\n", e->out);
    else if (count == 1 && is_word(name, "succ"))
        print_pair(e, model_above(m, key));
    else if (count == 1 && is_word(name, "pred"))
        print_pair(e, model_below(m, key));
    else if (count == 0 && is_word(name, "min"))
        print_pair(e, m->n ? &m->pairs[0] : NULL);
    else if (count == 0 && is_word(name, "max"))
        print_pair(e, m->n ? &m->pairs[m->n - 1] : NULL);
    else if (count == 0 && is_word(name, "size"))
        fprintf(e->out, "%zu\n", m->n);
    else if (count == 0 && is_word(name, "validate"))
        fputs("ok\n", e->out);
    else
        return false;
    return true;
}

static bool expect_interval(expectation *e, word name, size_t count, uint64_t lo, uint64_t hi, uint64_t limit)
{
    size_t first;
    if (count == 2 && is_word(name, "count"))
        fprintf(e->out, "%zu\n", lo > hi ? 0 : model_range(&e->model, lo, hi, 0, &first));
    else if ((count == 2 || count == 3) && is_word(name, "range"))
        print_range(e, lo, hi, lo > hi ? 0 : limit);
    else
        return false;
    return true;
}

/* A line of a map without versions; false: it is bad. */
static bool expect_plain(expectation *e, const word *words, size_t count)
{
    uint64_t a = 0, b = 0, limit = UINT64_MAX;
    bool good = count <= 4;
    good = good && (count < 2 || read_decimal(words[1], e->top, &a));
    good = good && (count < 3 || read_decimal(words[2], e->top, &b));
    good = good && (count < 4 || read_decimal(words[3], UINT64_MAX, &limit));
    return good && (expect_update(e, words[0], count - 1, a, b) || expect_point(e, words[0], count - 1, a) ||
                    expect_interval(e, words[0], count - 1, a, b, limit));
}

/* ---- snapshots ---- */

/* A name ends at a zero, as a string does. */
static char *name_of(word w)
{
    char *name = strndup(w.text, w.length);
    CHECK(name != NULL, "no memory");
    return name;
}

static named *find_named(expectation *e, const char *name)
{
    for (size_t i = 0; i < e->snapshot_count; i++)
        if (!strcmp(e->snapshots[i].name, name)) return &e->snapshots[i];
    return NULL;
}

static void forget_named(expectation *e, named *old)
{
    free(old->name);
    model_free(&old->model);
    *old = e->snapshots[--e->snapshot_count];
}

/* snap NAME, drop NAME. */
static bool expect_named(expectation *e, bool snap, word w)
{
    char *name = name_of(w);
    named *found = find_named(e, name);
    bool good = snap ? !found : found != NULL;
    if (good) fputs("ok\n", e->out);
    if (good && !snap) forget_named(e, found);
    if (!good || !snap) {
        free(name);
        return good;
    }
    e->snapshots = realloc(e->snapshots, (e->snapshot_count + 1) * sizeof *e->snapshots);
    CHECK(e->snapshots != NULL, "no memory");
    named *fresh = &e->snapshots[e->snapshot_count++];
    *fresh = (named){.name = name};
    for (size_t i = 0; i < e->model.n; i++) model_set(&fresh->model, e->model.pairs[i].key, e->model.pairs[i].value);
    return true;
}

/* get@NAME K and its kin: as get K, of what the map was then. */
static bool expect_question(expectation *e, word *words, size_t count, const char *at)
{
    static const char *const questions[] = {"get", "has", "range", "count", "succ", "pred", "size"};
    size_t verb = (size_t)(at - words[0].text), after = words[0].length - verb - 1;
    bool known = false;
    const size_t kinds = sizeof questions / sizeof questions[0];
    if (after == 0) return false;
    char *name = name_of((word){at + 1, after});
    named *found = find_named(e, name);
    free(name);
    words[0].length = verb;
    for (size_t i = 0; i < kinds; i++) known = known || is_word(words[0], questions[i]);
    if (!known || !found) return false;
    const model newest = e->model;
    e->model = found->model;
    bool good = expect_plain(e, words, count);
    e->model = newest;
    return good;
}

static bool expect_versioned(expectation *e, word *words, size_t count)
{
    const char *at = memchr(words[0].text, '@', words[0].length);
    bool snap = is_word(words[0], "snap"), drop = is_word(words[0], "drop");
    if (snap || drop) return count == 2 && expect_named(e, snap, words[1]);
    if (at != NULL && at > words[0].text) return expect_question(e, words, count, at);
    return expect_plain(e, words, count);
}

static void expect_line(expectation *e, const char *line, size_t size)
{
    word words[MOST_WORDS];
    size_t length, count = split_line(line, size, words, &length);
    if (count == 0 || words[0].text[0] == '#') return;
    bool good = length <= TEXT_LINE_BYTES;
    if (good) good = e->versioned ? expect_versioned(e, words, count) : expect_plain(e, words, count);
    if (good) return;
    fputs("error: \n", e->out);
    e->errors = true;
}

static void expect_text(expectation *e, const char *text, size_t size)
{
    e->out = open_memstream(&e->text, &e->size);
    CHECK(e->out != NULL, "no memory");
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;
        expect_line(e, text + at, length);
        at += length + 1;
    }
    fclose(e->out);
}

static void forget(expectation *e)
{
    while (e->snapshot_count > 0) forget_named(e, e->snapshots);
    free(e->snapshots);
    free(e->text);
    model_free(&e->model);
}

/* ---- what it prints ---- */

static int input_file, output_file;

static char *read_output(size_t *size)
{
    struct stat status;
    CHECK(fstat(output_file, &status) == 0, "fstat");
    *size = (size_t)status.st_size;
    char *text = fuzz_alloc(*size + 1);
    CHECK(pread(output_file, text, *size, 0) == (ssize_t)*size, "pread");
    text[*size] = '\0';
    return text;
}

/* The text as a file. */
static void feed_file(const uint8_t *text, size_t size)
{
    CHECK(ftruncate(input_file, 0) == 0 && pwrite(input_file, text, size, 0) == (ssize_t)size, "write the input");
    CHECK(lseek(input_file, 0, SEEK_SET) == 0 && dup2(input_file, STDIN_FILENO) == STDIN_FILENO, "rewind");
}

/* The text through a pipe that gives it in portions, wherever these cut a line. */
static void feed_pipe(const uint8_t *text, size_t size, size_t portion)
{
    int ends[2];
    CHECK(pipe2(ends, O_DIRECT) == 0, "pipe2");
    for (size_t at = 0; at < size; at += portion) {
        size_t now = size - at < portion ? size - at : portion;
        CHECK(write(ends[1], text + at, now) == (ssize_t)now, "write a portion");
    }
    close(ends[1]);
    CHECK(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO, "dup2");
    close(ends[0]);
}

/* Bits of the first byte. */
enum { NARROW = 1, VERSIONED = 64, WITH_STATS = 128 };

static int run_replay(unsigned form, unsigned batch)
{
    char map[] = "--structure=map", versioned[] = "--structure=versioned";
    char keys[] = "--keys=64", threads[] = "--threads=1", batches[32], stats[] = "--stats", standard_input[] = "-";
    if (form & NARROW) memcpy(keys + 7, "32", 2);
    if (form / 2 % 8 == 7) threads[10] = '3';
    snprintf(batches, sizeof batches, "--batch=%u", 1 + batch);
    char *argv[] = {keys, threads, batches, form & VERSIONED ? versioned : map, standard_input, stats, NULL};
    CHECK(ftruncate(output_file, 0) == 0 && lseek(STDOUT_FILENO, 0, SEEK_SET) == 0, "rewind the output");
    fuzz_catch_messages();
    int status = command_replay(form & WITH_STATS ? 6 : 5, argv);
    char *messages = fuzz_release_messages();
    CHECK((messages[0] != '\0') == ((form & WITH_STATS) != 0), "messages: %s", messages);
    free(messages);
    return status;
}

/* The same lines; of an error only that it is one, and that it says what is wrong. */
static void compare(const char *got, size_t got_size, const char *expected, size_t expected_size)
{
    static const char error[] = "error: ";
    size_t line = 1;
    for (; got_size > 0 && expected_size > 0; line++) {
        const char *got_end = memchr(got, '\n', got_size), *expected_end = memchr(expected, '\n', expected_size);
        CHECK(got_end != NULL, "line %zu is cut off", line);
        size_t length = (size_t)(got_end - got), expected_length = (size_t)(expected_end - expected);
        bool bad = expected_length == strlen(error) && !memcmp(expected, error, expected_length);
        bool same = bad ? length > strlen(error) && !memcmp(got, error, strlen(error))
                        : length == expected_length && !memcmp(got, expected, length);
        CHECK(same, "line %zu is '%.*s' instead of '%.*s'", line, (int)length, got, (int)expected_length, expected);
        got += length + 1, got_size -= length + 1;
        expected += expected_length + 1, expected_size -= expected_length + 1;
    }
    CHECK(got_size == expected_size, "%s lines after line %zu", got_size ? "too many" : "missing", line - 1);
}

/* ---- what it does at once ---- */

/* What an operation reads or updates, as an interval; lo > hi: nothing. */
typedef struct touched {
    uint64_t lo, hi;
    bool updates, alone;
} touched;

static touched touched_by(const struct op *op, uint64_t top)
{
    switch (op->kind) {
    case OP_PUT:
    case OP_ADD:
    case OP_DEL: return (touched){op->a, op->a, true, false};
    case OP_GET:
    case OP_HAS: return (touched){op->a, op->a, false, false};
    case OP_RANGE:
    case OP_COUNT: return (touched){op->a, op->b, false, false};
    case OP_SUCC: return op->a == top ? (touched){1, 0, false, false} : (touched){op->a + 1, top, false, false};
    case OP_PRED: return op->a == 0 ? (touched){1, 0, false, false} : (touched){0, op->a - 1, false, false};
    case OP_MIN:
    case OP_MAX: return (touched){0, top, false, false};
    default: return (touched){1, 0, false, true};
    }
}

static bool commute(touched x, touched y)
{
    if (x.alone || y.alone) return false;
    if (x.lo > x.hi || y.lo > y.hi || (!x.updates && !y.updates)) return true;
    return x.hi < y.lo || y.hi < x.lo;
}

/* Takes the operations into runs, at most `batch` of them at a time: a run holds all that commute, and nothing else. */
static void check_runs(const struct op *ops, size_t count, size_t batch, unsigned key_bits)
{
    struct plan *plan = fuzz_alloc(sizeof *plan);
    touched *run = fuzz_alloc((count + 1) * sizeof *run);
    uint64_t top = key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    CHECK(plan_create(plan, batch, key_bits), "no memory");
    for (size_t i = 0, in_run = 0, in_batch = 0; i < count; i++, in_batch++) {
        touched now = touched_by(&ops[i], top);
        bool fits = true;
        if (in_batch == batch) plan_start_run(plan), in_run = in_batch = 0;
        for (size_t j = 0; j < in_run; j++) fits = fits && commute(run[j], now);
        CHECK(plan_admit(plan, &ops[i]) == fits, "operation %zu %s the run of %zu before it", i,
              fits ? "fits into" : "does not commute with", in_run);
        if (!fits) {
            plan_start_run(plan);
            in_run = 0;
            CHECK(plan_admit(plan, &ops[i]), "operation %zu does not fit an empty run", i);
        }
        run[in_run++] = now;
    }
    plan_destroy(plan);
    free(plan);
    free(run);
}

/* Anything like save or load. */
static bool names_files(const char *text, size_t size)
{
    return memmem(text, size, "save", 4) != NULL || memmem(text, size, "load", 4) != NULL;
}

static void before_read(void *context) { (void)context; }

/* The plan of what is on standard input, and every bad line explains itself. */
static void check_plan(size_t most, size_t batch, unsigned key_bits, bool versioned)
{
    struct text_in *in = fuzz_alloc(sizeof *in);
    struct op *ops = fuzz_alloc((most + 1) * sizeof *ops);
    char *line = fuzz_alloc(TEXT_LINE_BYTES);
    size_t count = 0, length;
    enum text_line got;
    text_in_start(in, STDIN_FILENO, before_read, NULL);
    while ((got = text_in_line(in, line, &length)) == TEXT_LINE || got == TEXT_LINE_LONG) {
        if (length == 0) continue;
        if (got == TEXT_LINE && versioned)
            replay_parse_versioned(line, length, key_bits, &ops[count]);
        else if (got == TEXT_LINE)
            replay_parse(line, length, key_bits, &ops[count]);
        else
            replay_parse_long_line(&ops[count]);
        CHECK((ops[count].kind == OP_BAD) == (ops[count].error != NULL), "a bad line without a reason");
        free(ops[count].name); /* no plan asks for it */
        if (ops[count].kind == OP_BAD)
            free(ops[count].error);
        else
            count++;
    }
    CHECK(got == TEXT_END, "the input cannot be read");
    check_runs(ops, count, batch, key_bits);
    free(line);
    free(ops);
    free(in);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_small_pages();
    input_file = memfd_create("input", 0);
    output_file = memfd_create("output", 0);
    CHECK(input_file >= 0 && output_file >= 0, "memfd_create");
    CHECK(dup2(output_file, STDOUT_FILENO) == STDOUT_FILENO, "dup2");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes in = {data, data + size};
    unsigned form = take_byte(&in), batch = take_byte(&in), portion = 8 * take_byte(&in);
    const size_t text_size = (size_t)(in.end - in.at);
    if (names_files((const char *)in.at, text_size)) form &= ~(unsigned)VERSIONED;
    feed_file(in.at, text_size);
    check_plan(text_size, 1 + batch, form & NARROW ? 32 : 64, form & VERSIONED); /* a line has at least a byte */
    if (portion > 0 && text_size <= PACKETS * (size_t)portion)
        feed_pipe(in.at, text_size, portion);
    else
        feed_file(in.at, text_size);
    expectation e = {.top = form & NARROW ? UINT32_MAX : UINT64_MAX, .versioned = form & VERSIONED};
    expect_text(&e, (const char *)in.at, text_size);
    int status = run_replay(form, batch);
    size_t output_size;
    char *output = read_output(&output_size);
    compare(output, output_size, e.text, e.size);
    CHECK(status == (e.errors ? EXIT_WRONG : EXIT_GOOD), "exit status %d", status);
    free(output);
    forget(&e);
    return 0;
}
