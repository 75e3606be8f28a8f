/* main.c - the pleach-bench command: finds the subcommand. */
#define _DEFAULT_SOURCE 1
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "pleach/pleach.h"
#include "tools/common/cli.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"ablations", command_bench_ablations}, {"baselines", command_bench_baselines}, {"gfsl", command_bench_gfsl},
    {"graph", command_bench_graph},         {"paper", command_bench_paper},         {"ycsb", command_bench_ycsb},
};

int command_bench(int argc, char **argv)
{
    for (size_t i = 0; argc > 0 && i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, argv[0]) == 0) return commands[i].run(argc - 1, argv + 1);
    if (argc > 0 && (strcmp(argv[0], "report") == 0 || strcmp(argv[0], "compare") == 0)) {
        cli_complain("pleach-bench", "results become pages by bench/report.py, and are compared by bench/compare.py");
        return EXIT_USAGE;
    }
    return command_bench_map(argc, argv);
}

int main(int argc, char **argv)
{
    /* A closed pipe is reported like any other write that fails. */
    signal(SIGPIPE, SIG_IGN);
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("pleach-bench %s\n", pleach_version());
        return cli_finish_output("pleach-bench", EXIT_GOOD);
    }
    return cli_finish_output("pleach-bench", command_bench(argc > 0 ? argc - 1 : 0, argv + 1));
}
