/* commands.h - the subcommands of pleach.
 *
 * Each takes the words after its own name and answers the exit status: 0 when all is well, 1 when an answer was
 * wrong or an input line was bad, 2 when the command could not be carried out as asked.
 */
#ifndef PLEACH_TOOLS_COMMANDS_H
#define PLEACH_TOOLS_COMMANDS_H

int command_info(int argc, char **argv);
int command_demo(int argc, char **argv);
int command_stress(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_graph(int argc, char **argv);
int command_sim(int argc, char **argv);

#endif
