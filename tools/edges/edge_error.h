/* edge_error.h - why a file of edges could not be read, made or written, in words for its user. */
#ifndef PLEACH_TOOLS_EDGE_ERROR_H
#define PLEACH_TOOLS_EDGE_ERROR_H

enum edge_fault {
    EDGE_FINE,
    EDGE_BAD_FILE, /* what the file holds is wrong */
    EDGE_CANNOT    /* no such file, no memory, a library that this build lacks */
};

struct edge_error {
    enum edge_fault fault;
    char text[512]; /* "file:line: what is wrong", or without a line where there is none; no newline */
};

#endif
