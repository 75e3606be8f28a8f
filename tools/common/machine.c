#define _DEFAULT_SOURCE 1
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "pleach/pleach.h"

/* Where CMake does not say. */
#ifndef PLEACH_BUILD_TYPE
#define PLEACH_BUILD_TYPE ""
#endif
#ifndef PLEACH_COMMIT
#define PLEACH_COMMIT "unknown"
#endif

/* The text after "NAME:" in a file of Linux' about the machine; empty where there is none. */
static void proc_entry(const char *path, const char *name, char *text, size_t size)
{
    char line[512];
    text[0] = '\0';
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    while (text[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, name, strlen(name)) != 0 || colon == NULL) continue;
        colon += strspn(colon, ": \t");
        snprintf(text, size, "%.*s", (int)strcspn(colon, "\r\n"), colon);
    }
    fclose(file);
}

void machine_cpu(char *line, size_t size)
{
    char model[200];
    proc_entry("/proc/cpuinfo", "model name", model, sizeof model);
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

static void describe_memory(char *line, size_t size)
{
    char total[64];
    proc_entry("/proc/meminfo", "MemTotal", total, sizeof total);
    const double kib = strtod(total, NULL);
    line[0] = '\0';
    if (kib > 0) snprintf(line, size, "%.1f GiB", kib / (1 << 20));
}

/* Of "NVIDIA UNIX ... x86_64  580.95.05  Release Build ..." the version alone. */
static void describe_driver(char *text, size_t size)
{
    char line[256];
    text[0] = '\0';
    proc_entry("/proc/driver/nvidia/version", "NVRM version", line, sizeof line);
    for (char *word = strtok(line, " "); word != NULL && text[0] == '\0'; word = strtok(NULL, " "))
        if (word[0] >= '0' && word[0] <= '9' && strchr(word, '.') != NULL) snprintf(text, size, "%s", word);
}

void machine_describe(struct machine_line lines[MACHINE_LINES])
{
    static const char *const names[MACHINE_LINES] = {"pleach", "commit", "build", "compiler", "cpu", "simd", "memory",
                                                     "gpu", "driver"};
    const size_t size = sizeof lines[0].text;
    for (size_t i = 0; i < MACHINE_LINES; i++) lines[i].name = names[i];
    snprintf(lines[0].text, size, "%s", pleach_version());
    snprintf(lines[1].text, size, "%s", PLEACH_COMMIT);
    snprintf(lines[2].text, size, "%s", PLEACH_BUILD_TYPE);
    snprintf(lines[3].text, size, "%s", machine_compiler());
    machine_cpu(lines[4].text, size);
    snprintf(lines[5].text, size, "%s", pleach_simd());
    describe_memory(lines[6].text, size);
    machine_gpu(lines[7].text, size);
    describe_driver(lines[8].text, size);
}
