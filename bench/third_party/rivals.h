/* rivals.h - the stores that pleach-bench ycsb --rivals knows, in the order of their rows. */
#ifndef PLEACH_BENCH_RIVALS_H
#define PLEACH_BENCH_RIVALS_H

#include "rival.h"

struct rival_entry {
    const char *name;
    enum rival_kind kind;
    const char *package;       /* Debian's, that a build needs to have it; or NULL */
    const struct rival *rival; /* NULL: not in this build */
    const char *what;
};

extern const struct rival_entry rival_list[];
extern const size_t rival_count;

void rivals_print(void);

#endif
