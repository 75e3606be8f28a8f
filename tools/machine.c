#define _DEFAULT_SOURCE 1
#include "machine.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "pleach/pleach.h"

/* The text after "model name :" in Linux' list of CPUs; empty where there is none. */
static void cpu_model(char *model, size_t size)
{
    char line[256];
    model[0] = '\0';
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) return;
    while (model[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
        colon += strspn(colon, ": \t");
        snprintf(model, size, "%.*s", (int)strcspn(colon, "\r\n"), colon);
    }
    fclose(file);
}

void machine_cpu(char *line, size_t size)
{
    char model[200];
    cpu_model(model, sizeof model);
    const unsigned cpus = cli_online_cpus();
    snprintf(line, size, "%s, %u CPU%s online", model[0] != '\0' ? model : "unknown model", cpus,
             cpus == 1 ? "" : "s");
}

const char *machine_compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " __VERSION__;
#else
    return "unknown compiler";
#endif
}

void machine_gpu(char *line, size_t size)
{
    line[0] = '\0';
    const pleach_status status = pleach_gpu_info(0, line, size);
    if (line[0] == '\0') snprintf(line, size, "%s", pleach_strerror(status));
}
