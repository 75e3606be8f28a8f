/* machine.h - one line each about what the tool runs on. */
#ifndef PLEACH_TOOLS_MACHINE_H
#define PLEACH_TOOLS_MACHINE_H

#include <stddef.h>

void machine_cpu(char *line, size_t size);
const char *machine_compiler(void);

/* What GPU maps would run on, or why there can be none. */
void machine_gpu(char *line, size_t size);

#endif
