/* graph.h - the subcommands of pleach graph. Each takes the words after its own name and answers the exit status. */
#ifndef PLEACH_TOOLS_GRAPH_H
#define PLEACH_TOOLS_GRAPH_H

#include "tools/common/cli.h"
#include "tools/edges/edge_error.h"
#include "tools/edges/edge_read.h"

int graph_info(int argc, char **argv);
int graph_gen(int argc, char **argv);
int graph_triangles(int argc, char **argv);
int graph_stream(int argc, char **argv);

/* Options that every subcommand with an edge file has: --format and --temporal. Whether the current word was one. */
bool graph_take_format(struct cli *cli, struct edge_read_options *options);

/* The rest of a subcommand's words: the one FILE, or an option that there is not. */
void graph_take_file(struct cli *cli, const char **file);

/* Prints the error; answers the exit status that it means. */
int graph_complain(const char *command, const struct edge_error *error);

#endif
