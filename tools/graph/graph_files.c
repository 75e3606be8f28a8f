/* graph_files.c - what the subcommands of pleach graph share: the options of edge files, and errors. */
#include "graph.h"

#include "tools/common/memory_limit.h"

bool graph_take_format(struct cli *cli, struct edge_read_options *options)
{
    size_t format = options->format;
    if (cli_take_flag(cli, "--temporal"))
        options->temporal = true;
    else if (!memory_limit_take(cli) && !cli_take_choice(cli, "--format", edge_format_names, &format))
        return false;
    options->format = (enum edge_format)format;
    return true;
}

void graph_take_file(struct cli *cli, const char **file)
{
    const char *word = NULL;
    if (!cli_take_word(cli, &word))
        cli_reject_option(cli);
    else if (*file != NULL)
        cli_fail(cli, "one FILE at a time: '%s' or '%s'", *file, word);
    else
        *file = word;
}

int graph_complain(const char *named, const struct edge_error *error)
{
    cli_complain(named, "%s", error->text);
    return error->fault == EDGE_BAD_FILE ? EXIT_WRONG : EXIT_USAGE;
}
