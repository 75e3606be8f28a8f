#include "check_report.h"

#include <stdarg.h>
#include <stdio.h>

void complain(check_report *c, const char *format, ...)
{
    if (c->made) return;
    c->made = true;
    if (!c->message || c->message_size == 0) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->message, c->message_size, format, arguments);
    va_end(arguments);
}
