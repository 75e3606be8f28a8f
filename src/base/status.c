#include "../../include/pleach/status.h"

const char *pleach_strerror(pleach_status status)
{
    switch (status) {
#define TEXT_OF(name, code, text)                                                                                \
    case name: return text;
        PLEACH_STATUS_TABLE(TEXT_OF)
#undef TEXT_OF
    }
    return "unknown status";
}

const char *pleach_status_name(pleach_status status)
{
    switch (status) {
#define NAME_OF(name, code, text)                                                                                \
    case name: return #name;
        PLEACH_STATUS_TABLE(NAME_OF)
#undef NAME_OF
    }
    return "unknown";
}
