/* cli.h - walking over a subcommand's words, and telling the user what is wrong with them.
 *
 * A command loops while (cli_more(&cli)) over a chain of cli_take_... calls. Each answers whether the current word
 * was its own; a word that was, but has a bad or missing value, ends the loop with cli.status = EXIT_USAGE.
 */
#ifndef PLEACH_TOOLS_CLI_H
#define PLEACH_TOOLS_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EXIT_GOOD = 0, EXIT_WRONG = 1, EXIT_USAGE = 2, CLI_HELPED = 100 /* no exit status */ };

struct cli {
    const char *command; /* named in messages: "pleach replay" */
    const char *help;    /* that --help prints, and ends the loop with CLI_HELPED; NULL: the command takes --help */
    int argc;
    char **argv;
    int at;
    int status;
    bool words_only; /* after "--" */
};

void cli_start(struct cli *cli, const char *command, int argc, char **argv);

bool cli_more(struct cli *cli);

/* The exit status of a loop that has ended with another status than EXIT_GOOD. */
int cli_result(const struct cli *cli);

bool cli_take_flag(struct cli *cli, const char *name);

/* The same, and then *flag is true. */
bool cli_set_flag(struct cli *cli, const char *name, bool *flag);

/* "--name VALUE" or "--name=VALUE". */
bool cli_take_text(struct cli *cli, const char *name, const char **text);

/* Hands each word between commas to `take`; text may be NULL. */
void cli_each_word(struct cli *cli, const char *text, void (*take)(struct cli *cli, void *context, const char *word),
                   void *context);

/* A count such as 5000, 64M, 16Ki or 2^20. */
bool cli_take_number(struct cli *cli, const char *name, uint64_t least, uint64_t most, uint64_t *number);

/* One of the NULL-ended names; *index says which. */
bool cli_take_choice(struct cli *cli, const char *name, const char *const *names, size_t *index);

/* Some of the NULL-ended names, with commas between; chosen[i] becomes true for each. */
bool cli_take_names(struct cli *cli, const char *name, const char *const *names, bool *chosen);

/* Up to `room` numbers with commas between; of an option that is there twice the last one counts. */
bool cli_take_numbers(struct cli *cli, const char *name, uint64_t least, uint64_t most, uint64_t *numbers, size_t room,
                      size_t *count);

/* A number above 0 and up to `most`, with a fraction. */
bool cli_take_real(struct cli *cli, const char *name, double most, double *number);

/* A word that is no option; "-" is one. */
bool cli_take_word(struct cli *cli, const char **word);

void cli_reject_option(struct cli *cli);

/* Reports a usage error and ends the loop. */
void cli_fail(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool cli_parse_number(const char *text, uint64_t *number);

/* Prints "command: message" on standard error. */
void cli_complain(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes standard output; returns status, or EXIT_USAGE after a message when something could not be written. */
int cli_finish_output(const char *command, int status);

unsigned cli_online_cpus(void);

#endif
