/* edge_read.h - edges from a file: Matrix Market, METIS, or lines "u v", each plain, gzip or xz.
 *
 * What a list then holds is what the file has, in its order: self loops and duplicates stay, and a file that says that
 * it is undirected makes the list `undirected` and is not doubled. METIS files name each edge from both of its ends.
 * Ids of Matrix Market and METIS files begin with 1 there and with 0 here; ids of "u v" lines are kept. The memory for
 * all of it is within memory_limit.h's limit.
 */
#ifndef PLEACH_TOOLS_EDGE_READ_H
#define PLEACH_TOOLS_EDGE_READ_H

#include "edge_error.h"
#include "edge_list.h"

enum edge_format {
    EDGE_BY_NAME, /* by the name's end, less .gz or .xz: .mtx; .graph or .metis; anything else is EDGE_SNAP */
    EDGE_SNAP,    /* "u v" lines; blanks or commas between, further numbers ignored; comments begin with # or % */
    EDGE_MTX,     /* Matrix Market, coordinate */
    EDGE_METIS
};

extern const char *const edge_format_names[]; /* as edge_format, with NULL at the end */

struct edge_read_options {
    enum edge_format format;
    bool temporal; /* "u v t" lines: the third number is a time */
};

enum edge_format edge_format_of(const char *path);

/* Fills a list, which the caller frees. NULL options are all zero. After a failure, told in the error, it is empty. */
bool edge_read(const char *path, const struct edge_read_options *options, struct edge_list *list,
               struct edge_error *error);

#endif
