/* base/check_report.h - the report of a validator: the first violation that it finds. */
#ifndef PLEACH_BASE_COMPLAINT_H
#define PLEACH_BASE_COMPLAINT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct check_report {
    char *message; /* may be NULL */
    size_t message_size;
    bool made;
} check_report;

/* Stores the first report; later ones are dropped. */
void complain(check_report *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
