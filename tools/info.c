/* info.c - pleach info: what this build is, and what it can use here. */
#include <stdio.h>

#include "tools/common/cli.h"
#include "commands.h"
#include "tools/common/machine.h"
#include "pleach/pleach.h"

static const char help[] =
    "usage: pleach info\n"
    "\n"
    "Prints the version, the backends of this build, whether it can save and load files, the instruction set that\n"
    "CPU maps use here, and the GPU and driver that GPU maps would use, or why they cannot be used.\n"
    "\n"
    "The environment variable PLEACH_SIMD (avx512, avx2, plain) asks for a lower instruction set.\n";

/* Asked about no file at all, a build with files says that it cannot be opened. */
static void print_files(void)
{
    pleach_file_info info;
    const pleach_status status = pleach_file_get_info("", &info);
    if (status == PLEACH_E_NO_FILES)
        printf("files     none: %s\n", pleach_strerror(status));
    else
        printf("files     format %d\n", PLEACH_FILE_VERSION);
}

static void print_info(void)
{
    char cpu[256], gpu[512] = "";
    machine_cpu(cpu, sizeof cpu);
    const pleach_status gpu_status = pleach_gpu_info(0, gpu, sizeof gpu);
    printf("pleach    %s\n", pleach_version());
    printf("backends  %s\n", gpu_status == PLEACH_E_NO_CUDA ? "cpu" : "cpu, cuda");
    print_files();
    printf("compiler  %s\n", machine_compiler());
    printf("cpu       %s\n", cpu);
    printf("simd      %s\n", pleach_simd());
    printf("gpu       %s%s\n",
           gpu_status == PLEACH_OK ? "" : "none: ", gpu[0] != '\0' ? gpu : pleach_strerror(gpu_status));
}

int command_info(int argc, char **argv)
{
    struct cli cli;
    cli_start(&cli, "pleach info", argc, argv);
    cli.help = help;
    while (cli_more(&cli)) cli_fail(&cli, "takes no argument '%s'", argv[cli.at]);
    if (cli.status == EXIT_GOOD) print_info();
    return cli_result(&cli);
}
