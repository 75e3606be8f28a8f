/* main.c - the pleach command: finds the subcommand. */
#define _DEFAULT_SOURCE 1
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/cli.h"
#include "commands.h"
#include "pleach/pleach.h"

static const char help[] =
    "usage: pleach COMMAND [OPTION...]\n"
    "\n"
    "  info     what this build can do on this machine\n"
    "  demo     a few seconds of concurrent work of all kinds, with every result checked\n"
    "  stress   the same for as long as you like, with options and a hang watchdog\n"
    "  replay   carry out operations from a file or standard input, one result a line\n"
    "  graph    figures of edge files, and graphs to order\n"
    "  sim      run the structures' source on a simulated machine, under adversarial schedules\n"
    "  help     this text; 'pleach help COMMAND' is 'pleach COMMAND --help'\n"
    "\n"
    "  --version, --help\n"
    "\n"
    "Exit status: 0 all is well, 1 an answer was wrong or an input line bad, 2 the command could not be carried\n"
    "out.\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"info", command_info},
    {"demo", command_demo},
    {"stress", command_stress},
    {"replay", command_replay},
    {"graph", command_graph},
    {"sim", command_sim},
};

static int run_command(const char *name, int argc, char **argv)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0) return commands[i].run(argc, argv);
    if (strcmp(name, "bench") == 0)
        cli_complain("pleach", "benchmarks are in a command of their own, pleach-bench, which 'make bench' builds");
    else
        cli_complain("pleach", "there is no command '%s'; it is one of info, demo, stress, replay, graph, sim, help", name);
    return EXIT_USAGE;
}

static int run_help(int argc, char **argv)
{
    static char flag[] = "--help";
    char *arguments[] = {flag, NULL};
    if (argc > 0 && strcmp(argv[0], "help") != 0) return run_command(argv[0], 1, arguments);
    fputs(help, stdout);
    return EXIT_GOOD;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        fputs(help, stderr);
        return EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return run_help(argc - 2, argv + 2);
    if (strcmp(word, "--version") == 0) {
        printf("pleach %s\n", pleach_version());
        return EXIT_GOOD;
    }
    return run_command(word, argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
    /* A closed pipe is reported like any other write that fails. */
    signal(SIGPIPE, SIG_IGN);
    return cli_finish_output("pleach", dispatch(argc, argv));
}
