/* verify/history/explain.h - the part of a bad history that is shown. */
#ifndef PLEACH_HISTORY_EXPLAIN_H
#define PLEACH_HISTORY_EXPLAIN_H

#include "history.h"

enum { MOST_STATES = 8 }; /* at the beginning of a part */

typedef struct contents {
    history_pair *pairs;
    size_t count;
} contents;

typedef struct part {
    history_op *ops;   /* in order of invocation. Of one key only: what spans say of it is there as finds */
    uint32_t *sources; /* their places in the history */
    size_t count;
    contents start[MOST_STATES]; /* what the map may have held at the beginning */
    size_t starts;
    contents final;
    bool with_final;
    bool one_key;
    uint64_t key;
} part;

/* The keys of which a completed operation on many keys says something; false: of none. */
bool told_interval(const history *h, const history_op *op, uint64_t *low, uint64_t *high);

void print_part(const part *p, const history *h, FILE *out);

#endif
