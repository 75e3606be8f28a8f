/* testkit/system_calls.h - a process whose system lacks a call. */
#ifndef PLEACH_TESTS_SYSTEM_CALLS_H
#define PLEACH_TESTS_SYSTEM_CALLS_H

#include <stdbool.h>

/* From now on, and in all programs that this process starts, the system call fails with ENOSYS in the calling thread and
 * those that it starts. False: the system has no filters. */
bool refuse_system_call(long number);

#endif
