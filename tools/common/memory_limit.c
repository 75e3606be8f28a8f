#include "memory_limit.h"

#include <stdio.h>
#include <unistd.h>

static uint64_t limit; /* 0: not known yet */
static bool refused;

/* What the processes of this container, or of this service, may have together. */
static uint64_t group_memory(void)
{
    static const char *const files[] = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        unsigned long long bytes = 0;
        FILE *const file = fopen(files[i], "r");
        if (file == NULL) continue;
        const bool known = fscanf(file, "%llu", &bytes) == 1 && bytes > 0; /* or the word max */
        fclose(file);
        if (known) return bytes;
    }
    return UINT64_MAX;
}

static uint64_t machine_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t machine = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 32;
    const uint64_t group = group_memory();
    return group < machine ? group : machine;
}

void memory_limit_set(uint64_t bytes) { limit = bytes; }

uint64_t memory_limit(void)
{
    if (limit == 0) limit = machine_memory() / 2;
    return limit < MEMORY_LIMIT_LEAST ? MEMORY_LIMIT_LEAST : limit;
}

bool memory_allows(uint64_t bytes)
{
    refused = bytes > memory_limit();
    return !refused;
}

const char *memory_lack(void)
{
    static char text[100];
    if (!refused) return "out of memory";
    snprintf(text, sizeof text, "it takes more memory than the %.1f MiB that --max-memory allows",
             (double)memory_limit() / (1 << 20));
    return text;
}
