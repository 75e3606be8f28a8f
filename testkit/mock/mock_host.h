/* testkit/counterfeit_host.h - what the public calls ask the machine, under a test's control: whether a gate can begin,
 * how many CPUs there are, and whether a pointer is a GPU's. For programs that compile files of src/ into themselves:
 *
 *     #include "testkit/counterfeit_host.h"
 *     #define gate_init counterfeit_gate_init          (and sysconf, foreign_pointers)
 *     #include "../src/map/..."
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

#endif
