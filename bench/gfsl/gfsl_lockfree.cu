/* gfsl_lockfree.cu - operations of all kinds on the baseline of lockfree.h. */
#include "lockfree.h"

#define VIEW lockfree_list
#define GFSL_RUN gfsl_run_lockfree
#define AGENT
#define AGENT_PARAMETER
#define AGENT_ARGUMENT
#define ENTER(view)
#define LEAVE(view)
#define CONTAINS(bits, view, key) lockfree_contains(view, key)
#define ADD(bits, view, key) (lockfree_add(view, key, key, w.places[i]) ? GFSL_YES : GFSL_NO)
#define ERASE(bits, view, key) (lockfree_erase(view, key) ? GFSL_YES : GFSL_NO)
#include "gfsl_kernel.h"
