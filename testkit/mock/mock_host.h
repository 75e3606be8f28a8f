/* testkit/mock/mock_host.h - what the public calls ask the machine, under a test's control: whether a gate can begin,
 * how many CPUs there are, and whether a pointer is a GPU's; and checks of what they return, and whether they reach the
 * executor. For programs that compile files of src/ into themselves:
 *
 *     #include "testkit/mock/mock_host.h"
 *     #define gate_init counterfeit_gate_init          (and sysconf, foreign_pointers)
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

static bool counterfeit_gate_init(gate *g) { return !gate_cannot_begin && gate_init(g); }

static long counterfeit_sysconf(int name)
{
    assert_int_equal(name, _SC_NPROCESSORS_ONLN);
    return cpus_online;
}

static bool counterfeit_foreign_pointers(const void *const *pointers, size_t n)
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

#endif
