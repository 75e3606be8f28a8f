/* pleach/skiplist.h - device views of skiplist maps (PLEACH_SKIPLIST in pleach_map_config). All other calls of these
 * maps are those of pleach/map.h. */
#ifndef PLEACH_SKIPLIST_H
#define PLEACH_SKIPLIST_H

#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As pleach_map_view of a B-link tree (map.h), for kernels that use pleach/skiplist_device.cuh.
 * errors         ARGUMENT for a map of another kind or on the CPU. */
typedef struct pleach_skiplist_view {
    void *tree, *nodes;
    uint64_t epoch[6]; /* the epoch module's state: which participants are inside */
    uint64_t raise;
    unsigned key_bits;
    unsigned chunk;    /* slots; must equal the kernel's PLEACH_CHUNK */
} pleach_skiplist_view;

PLEACH_API pleach_status pleach_skiplist_view_open(pleach_map *map, pleach_skiplist_view *view);
PLEACH_API pleach_status pleach_skiplist_view_close(pleach_map *map, pleach_skiplist_view *view);

#ifdef __cplusplus
}
#endif
#endif
