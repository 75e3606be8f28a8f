/* machine.h - one line each about what the tool runs on, and how it was built. */
#ifndef PLEACH_TOOLS_MACHINE_H
#define PLEACH_TOOLS_MACHINE_H

#include <stddef.h>

void machine_cpu(char *line, size_t size);
const char *machine_compiler(void);

/* What GPU maps would run on, or why there can be none. */
void machine_gpu(char *line, size_t size);

enum { MACHINE_LINES = 9 };

struct machine_line {
    const char *name;
    char text[512]; /* empty where nothing is known */
};

/* All that results should tell about where they were measured. */
void machine_describe(struct machine_line lines[MACHINE_LINES]);

#endif
