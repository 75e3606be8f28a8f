/* level/level_thread.h - makes a thread's handle on a map from a reference to the map. Include after the algorithm. */
#ifndef PLEACH_LEVEL_THREAD_H
#define PLEACH_LEVEL_THREAD_H

#include "map_ref.h"

/* With versions, the handle points into `ref`, which must outlive it. The thread is no participant yet. */
HEADER_FN map_thread map_thread_of(const map_ref *ref, unsigned stripe)
{
    map_thread thread = {
        ref->tree, ref->nodes, stripe,
#if defined(BLINK_VERSIONED)
        &ref->versions, NULL,
#elif defined(BLINK_SKIPLIST)
        NULL, ref->raise,
#endif
    };
    return thread;
}

#endif
