#include "foreign_pointer.h"

#include <dlfcn.h>
#include <stddef.h>

/* From the driver's interface: CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_MEMORYTYPE_DEVICE. */
enum { MEMORY_TYPE = 2, IS_MANAGED = 8, MEMORY_TYPE_DEVICE = 2 };

typedef int get_attribute_fn(void *data, int attribute, unsigned long long pointer);

bool foreign_pointer(const void *pointer)
{
    /* Without loading the driver: where it is not loaded yet, there is no GPU memory in this process. */
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!driver) return false;
    void *symbol = dlsym(driver, "cuPointerGetAttribute");
    get_attribute_fn *get_attribute;
    *(void **)&get_attribute = symbol;
    unsigned type = 0, managed = 0;
    unsigned long long address = (unsigned long long)(size_t)pointer;
    bool foreign = symbol && get_attribute(&type, MEMORY_TYPE, address) == 0 && type == MEMORY_TYPE_DEVICE;
    if (foreign && get_attribute(&managed, IS_MANAGED, address) == 0 && managed) foreign = false;
    dlclose(driver);
    return foreign;
}
