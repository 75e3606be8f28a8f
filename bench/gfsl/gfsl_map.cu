/* gfsl_map.cu - operations of all kinds on a B-link tree. */
#include <pleach/map_device.cuh>

#define VIEW pleach_map_view
#define GFSL_RUN gfsl_run_map
#define AGENT
#define AGENT_PARAMETER
#define AGENT_ARGUMENT
#define ENTER(view)
#define LEAVE(view)
#define CONTAINS(bits, view, key) pleach_map##bits##_contains(view, key)
#define ADD(bits, view, key) gfsl_answer_of(pleach_map##bits##_add(view, key, key, NULL))
#define ERASE(bits, view, key) gfsl_answer_of(pleach_map##bits##_erase(view, key, NULL))
#include "gfsl_kernel.h"
