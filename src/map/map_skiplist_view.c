/* map/map_skiplist_view.c - views of skiplists. */
#include "../../include/pleach/skiplist.h"

#include <string.h>

#include "map_object.h"

_Static_assert(sizeof(epoch) == sizeof ((pleach_skiplist_view *)0)->epoch, "a view has all of it");

pleach_status pleach_skiplist_view_open(pleach_map *map, pleach_skiplist_view *view)
{
    if (!map || !view) return PLEACH_E_ARGUMENT;
    memset(view, 0, sizeof *view);
    map_ref found;
    pleach_status status = map_view_open(map, PLEACH_SKIPLIST, false, &found);
    if (status != PLEACH_OK) return status;
    view->tree = found.tree;
    view->nodes = found.nodes;
    view->raise = found.raise;
    view->key_bits = map->key_bits;
    view->chunk = map->slots;
    memcpy(view->epoch, &found.versions.epoch, sizeof found.versions.epoch);
    return PLEACH_OK;
}

pleach_status pleach_skiplist_view_close(pleach_map *map, pleach_skiplist_view *view)
{
    if (!map || !view || !view->tree) return PLEACH_E_ARGUMENT;
    pleach_status status = map_view_close(map);
    if (status == PLEACH_OK) memset(view, 0, sizeof *view);
    return status;
}
