/* test_device_pointer.c - GPU memory is told from other memory by asking the CUDA driver, if one is loaded. The source
 * is compiled into this program with a counterfeit loader and driver. */
#include <dlfcn.h>
#include <link.h>

#include "testkit/harness.h"
#include "testkit/units.h"

enum { ATTRIBUTE_TYPE = 2, ATTRIBUTE_MANAGED = 8, TYPE_HOST = 1, TYPE_DEVICE = 2, FAILURE = 1 };

/* What the driver answers about each pointer. */
static struct {
    int type_status, managed_status;
    unsigned type, managed;
} about;

static unsigned long long libraries_loaded = 10;
static size_t searches; /* for the driver */
static size_t looks;    /* at how many libraries there are */
static bool driver_is_loaded, driver_has_function;

static int mock_get_attribute(void *data, int attribute, unsigned long long pointer)
{
    assert_int_equal(pointer, (unsigned long long)(uintptr_t)&about);
    assert_true(attribute == ATTRIBUTE_TYPE || attribute == ATTRIBUTE_MANAGED);
    *(unsigned *)data = attribute == ATTRIBUTE_TYPE ? about.type : about.managed;
    return attribute == ATTRIBUTE_TYPE ? about.type_status : about.managed_status;
}

static void *mock_dlopen(const char *name, int flags)
{
    assert_string_equal(name, "libcuda.so.1");
    assert_true(flags & RTLD_NOLOAD); /* a driver is never loaded for this */
    searches++;
    return driver_is_loaded ? &about : NULL;
}

static void *mock_dlsym(void *driver, const char *name)
{
    assert_ptr_equal(driver, &about);
    assert_string_equal(name, "cuPointerGetAttribute");
    int (*function)(void *, int, unsigned long long) = mock_get_attribute;
    void *symbol;
    *(int (**)(void *, int, unsigned long long))&symbol = function;
    return driver_has_function ? symbol : NULL;
}

/* The number is the same for every library, so the first one must be enough. */
static int mock_dl_iterate_phdr(int (*tell)(struct dl_phdr_info *, size_t, void *), void *context)
{
    struct dl_phdr_info info = {.dlpi_adds = libraries_loaded};
    looks++;
    int answer = tell(&info, sizeof info, context);
    assert_int_not_equal(answer, 0);
    return answer;
}

#define dlopen mock_dlopen
#define dlsym mock_dlsym
#define dl_iterate_phdr mock_dl_iterate_phdr
#include "base/device_pointer.c"
#undef dlopen
#undef dlsym
#undef dl_iterate_phdr

static bool device_pointer(const void *pointer) { return any_device_pointer(&pointer, 1); }

/* In a process without CUDA there is no GPU memory. Searching is slow: it is done again only after a library came. */
static void no_driver_no_gpu_memory(void)
{
    assert_false(device_pointer(&about));
    assert_int_equal(searches, 1);
    assert_false(device_pointer(&about));
    assert_int_equal(searches, 1);
    libraries_loaded++;
    assert_false(device_pointer(&about));
    assert_false(device_pointer(&about));
    assert_int_equal(searches, 2);
    const void *const pointers[] = {&about, &about, &about};
    looks = 0;
    assert_false(any_device_pointer(pointers, COUNT_OF(pointers)));
    assert_int_equal(looks, 1); /* it takes a lock of the whole process */
}

/* The lock would be taken by every call of every thread. ThreadSanitizer and AddressSanitizer may move variables. */
static void own_frames_are_not_looked_up(void)
{
    const uint64_t key = 1;
    const void *const pointers[] = {&key, NULL};
    libraries_loaded++;
    looks = 0;
    assert_false(any_device_pointer(pointers, COUNT_OF(pointers)));
    if (!ADDRESS_SANITIZER && !THREAD_SANITIZER) assert_int_equal(looks, 0);
    libraries_loaded--;
}

/* A thread that the child does not have may have held the loader's lock. */
static void child_of_a_fork_does_not_search(void)
{
    const size_t before = searches;
    any_device_pointer_after_fork();
    libraries_loaded++;
    looks = 0;
    assert_false(device_pointer(&about));
    assert_int_equal(looks, 0);
    assert_int_equal(searches, before);
    atomic_store(&forked, false);
}

static void driver_without_the_function_knows_nothing(void)
{
    const size_t before = searches;
    driver_is_loaded = true;
    libraries_loaded++;
    about.type = TYPE_DEVICE;
    assert_false(device_pointer(&about));
    assert_int_equal(searches, before + 1);
}

static void driver_is_asked_about_each_pointer(void)
{
    static const struct {
        int type_status, managed_status;
        unsigned type, managed;
        bool foreign;
    } answers[] = {
        {0, 0, TYPE_DEVICE, 0, true},         {0, 0, TYPE_DEVICE, 1, false},  {0, FAILURE, TYPE_DEVICE, 1, true},
        {0, 0, TYPE_HOST, 0, false},          {0, 0, 0, 0, false},            {FAILURE, 0, TYPE_DEVICE, 0, false},
        {FAILURE, FAILURE, TYPE_HOST, 1, false},
    };
    const size_t before = searches;
    driver_has_function = true;
    libraries_loaded++;
    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        about.type_status = answers[i].type_status;
        about.managed_status = answers[i].managed_status;
        about.type = answers[i].type;
        about.managed = answers[i].managed;
        assert_int_equal(device_pointer(&about), answers[i].foreign);
    }
    assert_int_equal(searches, before + 1); /* found once, and kept */
}

static void one_of_several_is_enough(void)
{
    const void *const pointers[] = {NULL, &about, NULL};
    about.type_status = about.managed_status = 0;
    about.type = TYPE_DEVICE, about.managed = 0;
    assert_true(any_device_pointer(pointers, COUNT_OF(pointers)));
    assert_false(any_device_pointer(pointers, 1));
    assert_false(any_device_pointer(pointers, 0));
}

/* One case: what the source remembers goes from step to step. */
static void gpu_memory_is_known_by_the_driver(void)
{
    no_driver_no_gpu_memory();
    own_frames_are_not_looked_up();
    child_of_a_fork_does_not_search();
    driver_without_the_function_knows_nothing();
    driver_is_asked_about_each_pointer();
    one_of_several_is_enough();
}

int main(int argc, char **argv)
{
    unit_case cases[] = {UNIT(gpu_memory_is_known_by_the_driver)};
    return run_units("test_device_pointer", argc, argv, cases, COUNT_OF(cases));
}
