/* rivals.h - the stores that pleach bench ycsb --rivals knows, in the order of their rows. */
#ifndef PLEACH_TOOLS_RIVALS_H
#define PLEACH_TOOLS_RIVALS_H

#include "rival.h"

struct rival_entry {
    const char *name, *what, *package; /* package: NULL, or what this build needed to have it */
    const struct rival *rival;         /* NULL: not in this build */
};

extern const struct rival_entry rival_list[];
extern const size_t rival_count;

void rivals_print(void);

#endif
