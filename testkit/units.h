/* units.h - runs the cases of a test program for one internal layer: functions without arguments, on the host. */
#ifndef PLEACH_TEST_UNITS_H
#define PLEACH_TEST_UNITS_H

#include <stddef.h>

typedef struct unit_case {
    const char *name;
    void (*run)(const void *argument);
    const void *argument; /* handed to run; may be NULL */
} unit_case;

#define UNIT(function) {#function, function, NULL}

/* Runs the cases, all or those that match `--filter PATTERN`, closes with a line "N passed, N failed" and answers the
 * exit status: 0 only if cases ran and none failed. */
int run_units(const char *program, int argc, char **argv, unit_case *cases, size_t count);

#endif
