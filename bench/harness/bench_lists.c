/* bench_lists.c - options of pleach-bench that are lists: shares of updates, what these are, lengths of ranges. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "tools/common/cli.h"

static const char *const kind_names[UPDATES_KINDS] = {"update", "insert", "change"}; /* as enum bench_updates */

static void add_number(struct cli *cli, struct bench_numbers *numbers, const char *option, double number)
{
    if (numbers->count == BENCH_MOST_NUMBERS)
        cli_fail(cli, "%s takes at most %d numbers", option, BENCH_MOST_NUMBERS);
    else
        numbers->at[numbers->count++] = number;
}

static void take_share(struct cli *cli, void *context, const char *word)
{
    char *end;
    const double share = strtod(word, &end);
    if (end == word || *end != '\0' || !(share >= 0 && share <= 100))
        cli_fail(cli, "--updates takes numbers from 0 to 100 with commas between, not '%s'", word);
    else
        add_number(cli, context, "--updates", share);
}

static void take_length(struct cli *cli, void *context, const char *word)
{
    uint64_t length = 0;
    if (!cli_parse_number(word, &length) || length < 1 || length > BENCH_MOST_LENGTH)
        cli_fail(cli, "--length takes numbers from 1 to %d with commas between, not '%s'", BENCH_MOST_LENGTH, word);
    else
        add_number(cli, context, "--length", (double)length);
}

static void take_kind(struct cli *cli, void *context, const char *word)
{
    bool *const updates = context;
    for (size_t i = 0; i < UPDATES_KINDS; i++) {
        if (strcmp(kind_names[i], word) != 0) continue;
        updates[i] = true;
        return;
    }
    cli_fail(cli, "--kinds takes update, insert and change, not '%s'", word);
}

bool bench_take_list(struct cli *cli, struct bench_options *options)
{
    const char *text = NULL;
    if (cli_take_text(cli, "--updates", &text)) {
        options->shares.count = 0; /* of an option that is there twice the last one counts */
        cli_each_word(cli, text, take_share, &options->shares);
    } else if (cli_take_text(cli, "--length", &text)) {
        options->lengths.count = 0;
        cli_each_word(cli, text, take_length, &options->lengths);
    } else if (cli_take_text(cli, "--kinds", &text)) {
        memset(options->updates, 0, sizeof options->updates);
        cli_each_word(cli, text, take_kind, options->updates);
    } else {
        return false;
    }
    return true;
}
