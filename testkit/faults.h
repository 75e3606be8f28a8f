/* testkit/faults.h - what is needed to see that nothing stays behind when allocations fail. */
#ifndef PLEACH_TESTS_FAULTS_H
#define PLEACH_TESTS_FAULTS_H

#include <stddef.h>

#include "harness.h"

/* Free bytes of the GPU that this thread uses; 0 for a CPU setting, and where PLEACH_TEST_SHARED_GPU says that other
 * programs use the GPU too. Fails the test if the driver does not say. */
size_t gpu_free_bytes(const setting *where);

/* What two of these answers may differ by without anything being lost: the runtime rounds to such pieces. */
enum { GPU_ROUNDING = 4 << 20 };

#endif
