#include "gate.h"

unsigned gate_thread_number(void)
{
    static atomic_uint threads_seen;
    static _Thread_local unsigned number; /* plus one; 0: not asked yet */
    if (number == 0) number = atomic_fetch_add_explicit(&threads_seen, 1, memory_order_relaxed) + 1;
    return number - 1;
}
