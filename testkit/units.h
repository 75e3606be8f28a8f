/* units.h - runs the cases of a test program for one internal layer: functions on the host, most without arguments. */
#ifndef PLEACH_TEST_UNITS_H
#define PLEACH_TEST_UNITS_H

#include <stddef.h>

typedef struct unit_case {
    const char *name;
    void (*run)(void); /* NULL: the other one */
    void (*run_with)(const void *argument);
    const void *argument;
} unit_case;

#define UNIT(function) UNIT_NAMED(#function, function)
#define UNIT_NAMED(title, function) {.name = (title), .run = (function)}
#define UNIT_WITH(title, function, what) {.name = (title), .run_with = (function), .argument = (what)}

/* Runs the cases, all or those that match `--filter PATTERN`, closes with a line "N passed, N failed" and answers the
 * exit status: 0 only if cases ran and none failed. */
int run_units(const char *program, int argc, char **argv, unit_case *cases, size_t count);

#endif
