/* base/check_report.h - what a validator says: the first thing that is wrong. */
#ifndef PLEACH_BASE_COMPLAINT_H
#define PLEACH_BASE_COMPLAINT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct complaint {
    char *message; /* may be NULL */
    size_t message_size;
    bool made;
} complaint;

/* Keeps the first complaint; later ones are dropped. */
void complain(complaint *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
