/* base/check_report.h - what a validator says: the first thing that is wrong. */
#ifndef PLEACH_BASE_COMPLAINT_H
#define PLEACH_BASE_COMPLAINT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct check_report {
    char *message; /* may be NULL */
    size_t message_size;
    bool made;
} check_report;

/* Keeps the first check_report; later ones are dropped. */
void complain(check_report *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
