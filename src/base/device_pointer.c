#include "device_pointer.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Constants of the driver's interface: CU_POINTER_ATTRIBUTE_MEMORY_TYPE and _IS_MANAGED, CU_MEMORYTYPE_DEVICE. */
enum { MEMORY_TYPE = 2, IS_MANAGED = 8, MEMORY_TYPE_DEVICE = 2 };

typedef int get_attribute_fn(void *data, int attribute, unsigned long long pointer);

/* Reads the number of libraries that this process has loaded so far, and stops at the first library. */
static int note_loads(struct dl_phdr_info *info, size_t size, void *loads)
{
    (void)size;
    *(unsigned long long *)loads = info->dlpi_adds;
    return 1;
}

static atomic_bool forked; /* this process is the child of a fork */

void any_device_pointer_after_fork(void) { atomic_store(&forked, true); }

/* Returns the driver's function if the driver is loaded. It is never loaded for this: a process without the driver has
 * no GPU memory. The search is slow, so it is repeated only after another library was loaded. */
static void *driver_function(void)
{
    static _Atomic unsigned long long loads_without; /* the count of loads at which there was no driver */
    static _Atomic(void *) function;
    void *known = atomic_load(&function);
    if (known || atomic_load_explicit(&forked, memory_order_relaxed)) return known;
    unsigned long long loads = 0;
    dl_iterate_phdr(note_loads, &loads);
    if (loads == atomic_load(&loads_without)) return NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver)
        atomic_store(&function, dlsym(driver, "cuPointerGetAttribute")); /* never unloaded: the handle is kept */
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

/* Single calls mostly pass arguments in the caller's frames, which are directly above this one. */
static bool are_in_frames(const void *const *pointers, size_t n)
{
    enum { FRAMES = 4096 };
    const char here = 0;
    for (size_t i = 0; i < n; i++)
        if (pointers[i] && (uintptr_t)pointers[i] - (uintptr_t)&here >= FRAMES) return false;
    return true;
}

/* Looks up the driver once for all pointers, because the lookup takes a lock that all threads of the process share. */
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
