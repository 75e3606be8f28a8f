/* fuzz_cli.c - command lines: numbers such as 64M and 2^20, options in all their forms, and pleach replay with them on
 * an empty input.
 *
 * THE INPUT   the words of a command line, one a line.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "../../tools/common/cli.h"
#include "../../tools/commands.h"
#include "fuzz.h"

enum { MOST_WORDS = 12, LEAST_NUMBER = 3, MOST_NUMBER = 5000000 };

/* ---- numbers ---- */

__extension__ typedef unsigned __int128 wide;

/* The digits' number, or more than 64 bits can hold; *at moves behind them. */
static wide read_wide(const char **at)
{
    const wide enough = (wide)1 << 80;
    wide number = 0;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        number = number * 10 + (wide)(**at - '0');
        if (number > enough) number = enough;
    }
    return number;
}

/* What the text means, or false. Everything is done in 128 bits, and checked at the end. */
static bool expect_number(const char *text, uint64_t *number)
{
    static const char *const suffixes[] = {"", "K", "M", "G", "Ki", "Mi", "Gi"};
    static const uint64_t factors[] = {1, 1000, 1000000, 1000000000, 1 << 10, 1 << 20, 1 << 30};
    const char *at = text;
    wide base = read_wide(&at), result = 0;
    if (at == text) return false;
    if (base == 2 && *at == '^') {
        const char *digits = ++at;
        wide power = read_wide(&at);
        if (at == digits || *at != '\0' || power > 63) return false;
        result = (wide)1 << power;
    } else {
        size_t i = 0;
        while (i < 7 && strcmp(suffixes[i], at) != 0) i++;
        if (i == 7) return false;
        result = base * factors[i];
    }
    *number = (uint64_t)result;
    return result <= UINT64_MAX;
}

static void check_number(const char *text)
{
    uint64_t got = 77, expected = 77;
    bool good = cli_parse_number(text, &got);
    CHECK(good == expect_number(text, &expected), "'%s' is %s number", text, good ? "a" : "no");
    CHECK(!good || got == expected, "'%s' is %llu", text, (unsigned long long)got);
}

/* ---- options ---- */

static const char *const colours[] = {"red", "green", "greenish", NULL};

typedef struct parsed {
    unsigned flags, words;
    const char *text, *last_word;
    uint64_t number;
    size_t colour;
    bool good;
} parsed;

static parsed parse(int argc, char **argv)
{
    struct cli cli;
    parsed p = {.number = 77, .colour = 77};
    cli_start(&cli, "pleach fuzz", argc, argv);
    while (cli_more(&cli)) {
        int before = cli.at;
        if (cli_take_flag(&cli, "--loud"))
            p.flags++;
        else if (cli_take_word(&cli, &p.last_word))
            p.words++;
        else if (!cli_take_text(&cli, "--text", &p.text) &&
                 !cli_take_number(&cli, "--number", LEAST_NUMBER, MOST_NUMBER, &p.number) &&
                 !cli_take_choice(&cli, "--colour", colours, &p.colour))
            cli_reject_option(&cli);
        CHECK(cli.at > before || cli.status != EXIT_GOOD, "no progress at word %d", before);
        CHECK(cli.at <= argc, "beyond the last word");
    }
    p.good = cli.status == EXIT_GOOD;
    CHECK(p.good == (cli.at == argc && cli.status != EXIT_USAGE), "status %d at word %d", cli.status, cli.at);
    return p;
}

/* If words[*at] is the option with a value, where that value is (NULL: it has none); *at moves behind it. */
static bool option_value(int argc, char **argv, int *at, const char *name, const char **value)
{
    size_t length = strlen(name);
    const char *w = argv[*at];
    if (strncmp(w, name, length) != 0 || (w[length] != '=' && w[length] != '\0')) return false;
    bool joined = w[length] == '=';
    *value = joined ? w + length + 1 : *at + 1 < argc ? argv[*at + 1] : NULL;
    *at += joined ? 1 : 2;
    return true;
}

static bool take_colour(const char *value, size_t *colour)
{
    for (size_t i = 0; value && i < 3; i++)
        if (strcmp(value, colours[i]) == 0) return *colour = i, true;
    return false;
}

static bool take_number_in_range(const char *value, uint64_t *number)
{
    uint64_t n;
    if (!value || !expect_number(value, &n) || n < LEAST_NUMBER || n > MOST_NUMBER) return false;
    *number = n;
    return true;
}

/* A second reading of the same words. */
static parsed expect(int argc, char **argv)
{
    parsed p = {.number = 77, .colour = 77, .good = true};
    bool only_words = false;
    for (int at = 0; p.good && at < argc;) {
        const char *w = argv[at], *value = NULL;
        if (!only_words && strcmp(w, "--") == 0) {
            only_words = true;
            at++;
        } else if (only_words || w[0] != '-' || w[1] == '\0') {
            p.words++, p.last_word = w, at++;
        } else if (strcmp(w, "--loud") == 0) {
            p.flags++, at++;
        } else if (option_value(argc, argv, &at, "--text", &value)) {
            p.good = value != NULL;
            if (value) p.text = value;
        } else if (option_value(argc, argv, &at, "--number", &value)) {
            p.good = take_number_in_range(value, &p.number);
        } else {
            p.good = option_value(argc, argv, &at, "--colour", &value) && take_colour(value, &p.colour);
        }
    }
    return p;
}

static void check_options(int argc, char **argv)
{
    fuzz_catch_messages();
    parsed got = parse(argc, argv);
    char *messages = fuzz_release_messages();
    parsed expected = expect(argc, argv);
    CHECK(got.good == expected.good, "good: %d", got.good);
    CHECK(got.flags == expected.flags && got.words == expected.words, "%u flags, %u words", got.flags, got.words);
    CHECK(got.text == expected.text && got.last_word == expected.last_word, "not the same word");
    CHECK(got.number == expected.number && got.colour == expected.colour, "not the same number or choice");
    CHECK(got.good ? messages[0] == '\0' : strncmp(messages, "pleach fuzz: ", 13) == 0, "message '%s'", messages);
    free(messages);
}

/* ---- pleach replay ---- */

static void check_replay(int argc, char **argv)
{
    fuzz_catch_messages();
    int status = command_replay(argc, argv);
    char *messages = fuzz_release_messages();
    CHECK(status == EXIT_GOOD || status == EXIT_WRONG || status == EXIT_USAGE, "status %d", status);
    CHECK(status != EXIT_USAGE || strncmp(messages, "pleach replay: ", 15) == 0, "message '%s'", messages);
    free(messages);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_small_pages();
    int nothing = open("/dev/null", O_RDWR);
    CHECK(nothing >= 0 && dup2(nothing, STDIN_FILENO) == STDIN_FILENO && dup2(nothing, STDOUT_FILENO) == STDOUT_FILENO,
          "open");
    return 0;
}

/* One word, in memory of its own length. A file that replay would open is one of the working folder. */
static char *copy_word(const uint8_t *text, size_t length)
{
    char *copy = fuzz_alloc(length + 1);
    for (size_t i = 0; i < length; i++) copy[i] = text[i] == '/' ? '_' : (char)text[i];
    copy[length] = '\0';
    return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *argv[MOST_WORDS + 1] = {NULL};
    int argc = 0;
    for (size_t at = 0; at < size && argc < MOST_WORDS;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t length = end ? (size_t)(end - data) - at : size - at;
        argv[argc++] = copy_word(data + at, length);
        at += length + 1;
    }
    for (int i = 0; i < argc; i++) check_number(argv[i]);
    check_options(argc, argv);
    check_replay(argc, argv);
    for (int i = 0; i < argc; i++) free(argv[i]);
    return 0;
}
