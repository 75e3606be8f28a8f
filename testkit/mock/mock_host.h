/* testkit/mock/mock_host.h - what the public calls ask the machine, under a test's control: whether a gate can begin,
 * how many CPUs there are, and whether a pointer is a GPU's; and checks of what they return, and whether they reach the
 * executor. For programs that compile files of src/ into themselves:
 *
 *     #include "testkit/mock/mock_host.h"
 *     #define gate_init mock_gate_init          (and sysconf, any_device_pointer)
 *     #include "map/..."
 */
#ifndef PLEACH_TESTS_COUNTERFEIT_HOST_H
#define PLEACH_TESTS_COUNTERFEIT_HOST_H

#include <unistd.h>

#include <base/device_pointer.h>
#include <base/memory.h>
#include <sync/gate.h>

#include "../harness.h"

static bool gate_cannot_begin;
static long cpus_online = 2;
static const void *gpu_pointer;

static bool mock_gate_init(gate *g) { return !gate_cannot_begin && gate_init(g); }

static long mock_sysconf(int name)
{
    assert_int_equal(name, _SC_NPROCESSORS_ONLN);
    return cpus_online;
}

static bool mock_device_pointer(const void *const *pointers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pointers[i] && pointers[i] == gpu_pointer) return true;
    return false;
}

/* A stream that is never used as one. */
#define SOME_STREAM ((pleach_stream)(uintptr_t)64)

#define assert_answers(expected, call) assert_status((call), (expected), #call, __LINE__)

static inline void assert_status(pleach_status got, pleach_status expected, const char *call, int line)
{
    if (got != expected)
        fail_msg("line %d: %s returns %s instead of %s", line, call, pleach_status_name(got),
                 pleach_status_name(expected));
}

/* What the call returns, and how often it reaches the program's mock executor, `behind`. */
#define assert_calls(times, expected, call)                                                                      \
    do {                                                                                                         \
        size_t calls_before = behind.calls;                                                                      \
        assert_answers(expected, call);                                                                          \
        assert_int_equal(behind.calls, calls_before + (times));                                                  \
    } while (0)
#define assert_refused(expected, call) assert_calls(0, expected, call)
#define assert_taken(expected, call) assert_calls(1, expected, call)

/* An object's views are opened and closed once, and clear is refused while one is open. One that cannot be opened keeps
 * no call out. `shows` is what is true of an open `view`. */
#define CHECK_VIEWS(object, view_type, open, close, clear, field, shows)                                         \
    do {                                                                                                         \
        view_type view = {.field = &behind}, second, forged = {.field = &second};                                \
        assert_refused(PLEACH_E_ARGUMENT, open(object, NULL));                                                   \
        assert_refused(PLEACH_E_ARGUMENT, open(NULL, &view));                                                    \
        behind.answer = PLEACH_E_CUDA;                                                                           \
        assert_taken(PLEACH_E_CUDA, open(object, &view));                                                        \
        assert_null(view.field);                                                                                 \
        behind.answer = PLEACH_OK;                                                                               \
        assert_taken(PLEACH_OK, clear(object));                                                                  \
        assert_refused(PLEACH_E_ARGUMENT, close(object, &forged)); /* none is open */                            \
        assert_taken(PLEACH_OK, open(object, &view));                                                            \
        assert_taken(PLEACH_OK, open(object, &second));                                                          \
        assert_true(view.field && (shows));                                                                      \
        assert_refused(PLEACH_E_ARGUMENT, close(NULL, &view));                                                   \
        assert_refused(PLEACH_E_ARGUMENT, close(object, NULL));                                                  \
        assert_refused(PLEACH_E_ARGUMENT, close(object, &(view_type){0}));                                       \
        assert_int_equal(behind.views_closed, 0);                                                                \
        assert_refused(PLEACH_OK, close(object, &view));                                                         \
        assert_refused(PLEACH_E_BUSY, clear(object)); /* one is still open */                                    \
        assert_refused(PLEACH_OK, close(object, &second));                                                       \
        assert_int_equal(behind.views_closed, 2);                                                                \
        assert_null(view.field);                                                                                 \
        assert_refused(PLEACH_E_ARGUMENT, close(object, &view)); /* closed already */                            \
        assert_taken(PLEACH_OK, clear(object));                                                                  \
    } while (0)

#endif
