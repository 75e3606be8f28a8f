#include "faults.h"

#include <dlfcn.h>
#include <stdlib.h>

/* Asked of the driver that is loaded already, so that builds without CUDA need nothing of it. */
size_t gpu_free_bytes(const setting *where)
{
    typedef int get_info_fn(size_t *free_bytes, size_t *total_bytes);
    if (where->device == PLEACH_CPU || getenv("PLEACH_TEST_SHARED_GPU"))
        return 0;
    size_t free_bytes = 0, total_bytes = 0;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    assert_non_null(driver);
    void *symbol = dlsym(driver, "cuMemGetInfo_v2");
    assert_non_null(symbol);
    get_info_fn *get_info;
    *(void **)&get_info = symbol;
    assert_int_equal(get_info(&free_bytes, &total_bytes), 0);
    dlclose(driver);
    return free_bytes;
}
