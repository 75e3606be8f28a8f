#include "gate.h"

/* Asked several times in each call. Of this kind a thread's variable is one instruction away in a shared library too;
 * else it is a call. The few bytes that it takes are there for libraries that are loaded later as well. */
#define IN_REACH __attribute__((tls_model("initial-exec")))

unsigned gate_thread_number(void)
{
    static atomic_uint threads_seen;
    static _Thread_local IN_REACH unsigned number; /* plus one; 0: not asked yet */
    if (number == 0) number = atomic_fetch_add_explicit(&threads_seen, 1, memory_order_relaxed) + 1;
    return number - 1;
}
