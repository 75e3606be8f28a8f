/* commands.h - the subcommands of pleach-bench.
 *
 * Each takes the words after its own name and returns the exit status: 0 when all is well, 1 when an answer was wrong,
 * 2 when the command could not be carried out as asked.
 */
#ifndef PLEACH_BENCH_COMMANDS_H
#define PLEACH_BENCH_COMMANDS_H

/* Finds the subcommand by the first word; without one, the words are names of benchmarks of maps. */
int command_bench(int argc, char **argv);

int command_bench_map(int argc, char **argv);
int command_bench_ablations(int argc, char **argv);
int command_bench_baselines(int argc, char **argv);
int command_bench_compare(int argc, char **argv);
int command_bench_gfsl(int argc, char **argv);
int command_bench_graph(int argc, char **argv);
int command_bench_paper(int argc, char **argv);
int command_bench_report(int argc, char **argv);
int command_bench_ycsb(int argc, char **argv);

#endif
