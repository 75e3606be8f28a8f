/* gfsl_skiplist.h - operations of all kinds on a skiplist whose chunks have PLEACH_CHUNK slots. A block is the
 * agent that enters and leaves. */
#include <pleach/skiplist_device.cuh>

#define VIEW pleach_skiplist_view
#define AGENT __shared__ pleach_skiplist_agent agent
#define AGENT_PARAMETER , pleach_skiplist_agent *agent
#define AGENT_ARGUMENT , &agent
#define ENTER(view) pleach_skiplist_enter(view, &agent)
#define LEAVE(view) pleach_skiplist_leave(view, &agent)
#define CONTAINS(bits, view, key) pleach_skiplist##bits##_contains(view, agent, key)
#define ADD(bits, view, key) gfsl_answer_of(pleach_skiplist##bits##_add(view, agent, key, key, NULL))
#define ERASE(bits, view, key) gfsl_answer_of(pleach_skiplist##bits##_erase(view, agent, key, NULL))
#include "gfsl_kernel.h"
