/* memory_limit.h - how much memory a command takes for the files that it reads. A file of some kilobytes can unpack to
 * any amount, so whatever grows with a file's contents asks here first: --max-memory BYTES, or half of the machine's.
 * What is asked for is counted by the part that asks. One thread at a time. */
#ifndef PLEACH_TOOLS_MEMORY_LIMIT_H
#define PLEACH_TOOLS_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli.h"

/* Less is not enough to read any file. */
#define MEMORY_LIMIT_LEAST (UINT64_C(1) << 20)

void memory_limit_set(uint64_t bytes);
uint64_t memory_limit(void);

/* Whether so much, in all, may be held. */
bool memory_allows(uint64_t bytes);

/* Why the last allocation was not made: the limit, if memory_allows refused it, or else the machine. Static memory. */
const char *memory_lack(void);

/* Takes --max-memory. */
static inline bool memory_limit_take(struct cli *cli)
{
    uint64_t bytes = 0;
    if (!cli_take_number(cli, "--max-memory", MEMORY_LIMIT_LEAST, UINT64_MAX, &bytes)) return false;
    if (cli->status == EXIT_GOOD) memory_limit_set(bytes);
    return true;
}

#endif
