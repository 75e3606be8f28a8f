#define _DEFAULT_SOURCE 1
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_start(struct cli *cli, const char *command, int argc, char **argv)
{
    *cli = (struct cli){.command = command, .argc = argc, .argv = argv, .status = EXIT_GOOD};
}

bool cli_more(struct cli *cli)
{
    if (cli->status == EXIT_GOOD && !cli->words_only && cli->at < cli->argc &&
        strcmp(cli->argv[cli->at], "--") == 0) {
        cli->words_only = true;
        cli->at++;
    }
    if (cli->help != NULL && cli->status == EXIT_GOOD && cli->at < cli->argc && cli_take_flag(cli, "--help")) {
        fputs(cli->help, stdout);
        cli->status = CLI_HELPED;
    }
    return cli->status == EXIT_GOOD && cli->at < cli->argc;
}

int cli_result(const struct cli *cli) { return cli->status == CLI_HELPED ? EXIT_GOOD : cli->status; }

bool cli_take_flag(struct cli *cli, const char *name)
{
    if (cli->words_only || strcmp(cli->argv[cli->at], name) != 0) return false;
    cli->at++;
    return true;
}

bool cli_set_flag(struct cli *cli, const char *name, bool *flag)
{
    if (!cli_take_flag(cli, name)) return false;
    *flag = true;
    return true;
}

bool cli_take_text(struct cli *cli, const char *name, const char **text)
{
    const char *word = cli->argv[cli->at];
    const size_t length = strlen(name);
    if (cli->words_only || strncmp(word, name, length) != 0) return false;
    if (word[length] == '=') {
        *text = word + length + 1;
        cli->at++;
        return true;
    }
    if (word[length] != '\0') return false;
    if (cli->at + 1 >= cli->argc) {
        cli_fail(cli, "%s needs a value after it", name);
        return true;
    }
    *text = cli->argv[cli->at + 1];
    cli->at += 2;
    return true;
}

bool cli_take_number(struct cli *cli, const char *name, uint64_t least, uint64_t most, uint64_t *number)
{
    const char *text = NULL;
    if (!cli_take_text(cli, name, &text)) return false;
    if (text == NULL) return true;
    uint64_t parsed;
    if (!cli_parse_number(text, &parsed) || parsed < least || parsed > most)
        cli_fail(cli, "%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'", name, least, most, text);
    else
        *number = parsed;
    return true;
}

static void join_names(const char *const *names, char *line, size_t size)
{
    size_t used = 0;
    line[0] = '\0';
    for (size_t i = 0; names[i] != NULL && used < size; i++) {
        const int wrote = snprintf(line + used, size - used, "%s%s", i == 0 ? "" : ", ", names[i]);
        used += (size_t)(wrote > 0 ? wrote : 0);
    }
}

bool cli_take_choice(struct cli *cli, const char *name, const char *const *names, size_t *index)
{
    const char *text = NULL;
    if (!cli_take_text(cli, name, &text)) return false;
    if (text == NULL) return true;
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], text) == 0) {
            *index = i;
            return true;
        }
    }
    char choices[200];
    join_names(names, choices, sizeof choices);
    cli_fail(cli, "%s takes one of: %s; not '%s'", name, choices, text);
    return true;
}

bool cli_take_word(struct cli *cli, const char **word)
{
    const char *text = cli->argv[cli->at];
    if (!cli->words_only && text[0] == '-' && text[1] != '\0') return false;
    *word = text;
    cli->at++;
    return true;
}

void cli_reject_option(struct cli *cli) { cli_fail(cli, "unknown option '%s'", cli->argv[cli->at]); }

void cli_fail(struct cli *cli, const char *format, ...)
{
    va_list arguments;
    if (cli->status == CLI_HELPED) return;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", cli->command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nTry '%s --help'.\n", cli->command);
    va_end(arguments);
    cli->status = EXIT_USAGE;
}

/* Reads decimal digits; false without one, or when the number does not fit. */
static bool read_digits(const char **text, uint64_t *number)
{
    const char *at = *text;
    uint64_t sum = 0;
    if (!isdigit((unsigned char)*at)) return false;
    for (; isdigit((unsigned char)*at); at++) {
        const uint64_t digit = (uint64_t)(*at - '0');
        if (sum > (UINT64_MAX - digit) / 10) return false;
        sum = sum * 10 + digit;
    }
    *text = at;
    *number = sum;
    return true;
}

/* What a suffix multiplies by; 0 for an unknown one. */
static uint64_t suffix_factor(const char *suffix)
{
    static const struct {
        const char *name;
        uint64_t factor;
    } known[] = {
        {"", 1}, {"K", 1000}, {"M", 1000000}, {"G", 1000000000}, {"Ki", 1u << 10}, {"Mi", 1u << 20}, {"Gi", 1u << 30},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(suffix, known[i].name) == 0) return known[i].factor;
    return 0;
}

bool cli_parse_number(const char *text, uint64_t *number)
{
    uint64_t base;
    if (!read_digits(&text, &base)) return false;
    if (base == 2 && *text == '^') {
        uint64_t power;
        text++;
        if (!read_digits(&text, &power) || power > 63 || *text != '\0') return false;
        *number = (uint64_t)1 << power;
        return true;
    }
    const uint64_t factor = suffix_factor(text);
    if (factor == 0 || base > UINT64_MAX / factor) return false;
    *number = base * factor;
    return true;
}

void cli_complain(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", command);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void cli_each_word(struct cli *cli, const char *text, void (*take)(struct cli *cli, void *context, const char *word),
                   void *context)
{
    char word[32];
    while (text != NULL && cli->status == EXIT_GOOD) {
        const size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (length >= sizeof word)
            cli_fail(cli, "'%s' is too long", text);
        else
            take(cli, context, word);
        text = text[length] != '\0' ? text + length + 1 : NULL;
    }
}

/* ---- lists ---- */

struct names {
    const char *option;
    const char *const *names;
    bool *chosen;
};

static void take_name(struct cli *cli, void *context, const char *word)
{
    const struct names *n = context;
    char choices[200];
    for (size_t i = 0; n->names[i] != NULL; i++) {
        if (strcmp(n->names[i], word) != 0) continue;
        n->chosen[i] = true;
        return;
    }
    join_names(n->names, choices, sizeof choices);
    cli_fail(cli, "%s takes some of: %s; with commas between, not '%s'", n->option, choices, word);
}

bool cli_take_names(struct cli *cli, const char *name, const char *const *names, bool *chosen)
{
    const char *text = NULL;
    if (!cli_take_text(cli, name, &text)) return false;
    for (size_t i = 0; text != NULL && names[i] != NULL; i++) chosen[i] = false;
    cli_each_word(cli, text, take_name, &(struct names){name, names, chosen});
    return true;
}

struct numbers {
    const char *option;
    uint64_t least, most, *numbers;
    size_t room, *count;
};

static void take_number(struct cli *cli, void *context, const char *word)
{
    const struct numbers *n = context;
    uint64_t number = 0;
    if (!cli_parse_number(word, &number) || number < n->least || number > n->most)
        cli_fail(cli, "%s takes numbers from %" PRIu64 " to %" PRIu64 " with commas between, not '%s'", n->option,
                 n->least, n->most, word);
    else if (*n->count == n->room)
        cli_fail(cli, "%s takes at most %zu numbers", n->option, n->room);
    else
        n->numbers[(*n->count)++] = number;
}

bool cli_take_numbers(struct cli *cli, const char *name, uint64_t least, uint64_t most, uint64_t *numbers, size_t room,
                      size_t *count)
{
    const char *text = NULL;
    if (!cli_take_text(cli, name, &text)) return false;
    if (text != NULL) *count = 0;
    cli_each_word(cli, text, take_number, &(struct numbers){name, least, most, numbers, room, count});
    return true;
}

bool cli_take_real(struct cli *cli, const char *name, double most, double *number)
{
    const char *text = NULL;
    char *end;
    if (!cli_take_text(cli, name, &text)) return false;
    if (text == NULL) return true;
    const double parsed = strtod(text, &end);
    if (end == text || *end != '\0' || !(parsed > 0 && parsed <= most))
        cli_fail(cli, "%s takes a number above 0 and up to %g, not '%s'", name, most, text);
    else
        *number = parsed;
    return true;
}

int cli_finish_output(const char *command, int status)
{
    errno = 0;
    const bool failed = ferror(stdout) != 0;
    if (fflush(stdout) == 0 && !failed) return status;
    cli_complain(command, "cannot write standard output: %s",
                 errno != 0 ? strerror(errno) : "an earlier write failed");
    return EXIT_USAGE;
}

unsigned cli_online_cpus(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}
