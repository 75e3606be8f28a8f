/* edge_write.h - edges to a file. */
#ifndef PLEACH_TOOLS_EDGE_WRITE_H
#define PLEACH_TOOLS_EDGE_WRITE_H

#include "edge_error.h"
#include "edge_list.h"

/* A name that ends in .mtx makes a Matrix Market file, .graph, .metis, .gz and .xz cannot be written, anything else
 * makes lines "u v". "-" is standard output; another
 * name's file is replaced when the new one is complete. `comment` is a line for the head of the file, or NULL. */
bool edge_write(const char *path, const struct edge_list *list, const char *comment, struct edge_error *error);

#endif
