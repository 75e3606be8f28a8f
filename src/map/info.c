#include <stdio.h>

#include "../../include/pleach/pleach.h"
#include "map_choose_isa.h"
#ifdef PLEACH_HAVE_CUDA
#include "../cuda/cuda_base.h"
#endif

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

const char *pleach_version(void)
{
    return TEXT(PLEACH_VERSION_MAJOR) "." TEXT(PLEACH_VERSION_MINOR) "." TEXT(PLEACH_VERSION_PATCH);
}

const char *pleach_simd(void) { return blink_run_simd(); }

pleach_status pleach_gpu_info(int gpu, char *line, size_t line_size)
{
#ifdef PLEACH_HAVE_CUDA
    return cuda_describe(gpu, line, line_size);
#else
    (void)gpu;
    if (line && line_size) snprintf(line, line_size, "%s", pleach_strerror(PLEACH_E_NO_CUDA));
    return PLEACH_E_NO_CUDA;
#endif
}

const char *pleach_cuda_error(void)
{
#ifdef PLEACH_HAVE_CUDA
    return cuda_last_error();
#else
    return "";
#endif
}
