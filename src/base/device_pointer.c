#include "device_pointer.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Numbers of the driver's interface: CU_POINTER_ATTRIBUTE_MEMORY_TYPE and _IS_MANAGED, CU_MEMORYTYPE_DEVICE. */
enum { MEMORY_TYPE = 2, IS_MANAGED = 8, MEMORY_TYPE_DEVICE = 2 };

typedef int get_attribute_fn(void *data, int attribute, unsigned long long pointer);

/* Number of libraries this process has loaded so far; looks at the first one only. */
static int note_loads(struct dl_phdr_info *info, size_t size, void *loads)
{
    (void)size;
    *(unsigned long long *)loads = info->dlpi_adds;
    return 1;
}

static atomic_bool forked; /* this process is a child */

void any_device_pointer_after_fork(void) { atomic_store(&forked, true); }

/* The driver's function, if the driver is loaded: it is not loaded for this, because where it is not there is no GPU
 * memory in this process either. Looking is slow, so it is done again only after a library was loaded. */
static void *driver_function(void)
{
    static _Atomic unsigned long long loads_without; /* the count at which there was no driver */
    static _Atomic(void *) function;
    void *known = atomic_load(&function);
    if (known || atomic_load_explicit(&forked, memory_order_relaxed)) return known;
    unsigned long long loads = 0;
    dl_iterate_phdr(note_loads, &loads);
    if (loads == atomic_load(&loads_without)) return NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver)
        atomic_store(&function, dlsym(driver, "cuPointerGetAttribute")); /* the driver stays: the handle is kept */
    else
        atomic_store(&loads_without, loads);
    return atomic_load(&function);
}

static bool is_foreign(get_attribute_fn *get_attribute, const void *pointer)
{
    unsigned type = 0, managed = 0;
    unsigned long long address = (unsigned long long)(size_t)pointer;
    if (get_attribute(&type, MEMORY_TYPE, address) != 0 || type != MEMORY_TYPE_DEVICE) return false;
    return get_attribute(&managed, IS_MANAGED, address) != 0 || !managed;
}

/* Single calls mostly have their arguments in the caller's frames, which are right above this one. */
static bool are_in_frames(const void *const *pointers, size_t n)
{
    enum { FRAMES = 4096 };
    const char here = 0;
    for (size_t i = 0; i < n; i++)
        if (pointers[i] && (uintptr_t)pointers[i] - (uintptr_t)&here >= FRAMES) return false;
    return true;
}

/* The driver is looked for once for all pointers: that takes a lock which all threads of the process share. */
bool any_device_pointer(const void *const *pointers, size_t n)
{
    if (are_in_frames(pointers, n)) return false;
    void *symbol = driver_function();
    if (!symbol) return false;
    get_attribute_fn *get_attribute;
    *(void **)&get_attribute = symbol;
    for (size_t i = 0; i < n; i++)
        if (pointers[i] && is_foreign(get_attribute, pointers[i])) return true;
    return false;
}
