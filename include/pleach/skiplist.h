/* pleach/skiplist.h - what maps that are skiplists (PLEACH_SKIPLIST in pleach_map_config) have beside the calls of
 * pleach/map.h: views for your own kernels. */
#ifndef PLEACH_SKIPLIST_H
#define PLEACH_SKIPLIST_H

#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As pleach_map_view of a B-link tree (map.h), for kernels that use pleach/skiplist_device.cuh. ARGUMENT for a map of
 * another kind, or on the CPU. */
typedef struct pleach_skiplist_view {
    void *tree, *nodes;
    uint64_t epoch[6]; /* who is inside */
    uint64_t raise;
    unsigned key_bits;
    unsigned chunk;    /* slots; PLEACH_CHUNK of the kernel must be the same */
} pleach_skiplist_view;

PLEACH_API pleach_status pleach_skiplist_view_open(pleach_map *map, pleach_skiplist_view *view);
PLEACH_API pleach_status pleach_skiplist_view_close(pleach_map *map, pleach_skiplist_view *view);

#ifdef __cplusplus
}
#endif
#endif
