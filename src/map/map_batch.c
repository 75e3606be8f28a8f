/* map/map_batch.c - batches on a map: check the arguments, enter the gate exclusively, call the backend. */
#include "../../include/pleach/batch.h"

#include <string.h>

#include "../base/device_pointer.h"
#include "map_object.h"

static pleach_status check_batch(const pleach_map *map, const pleach_batch *batch)
{
    if (!map || !batch || map->structure != PLEACH_BLINK) return PLEACH_E_ARGUMENT;
    if (batch->n == 0) return PLEACH_OK;
    if (!batch->kinds || !batch->keys) return PLEACH_E_ARGUMENT;
    if (batch->n > MAP_MOST_OPERATIONS) return PLEACH_E_SIZE;
    if (map->device != PLEACH_CPU) return PLEACH_OK; /* the GPU backend checks each pointer itself */
    const void *pointers[] = {batch->kinds,    batch->keys,   batch->values,     batch->flags,       batch->out_keys,
                              batch->out_values, batch->counts, batch->range_keys, batch->range_values, batch->offsets};
    return any_device_pointer(pointers, sizeof pointers / sizeof *pointers) ? PLEACH_E_POINTER : PLEACH_OK;
}

pleach_status pleach_map_apply(pleach_map *map, pleach_batch *batch)
{
    pleach_status status = check_batch(map, batch);
    if (status != PLEACH_OK) return status;
    batch->total = 0;
    if (batch->times) memset(batch->times, 0, sizeof *batch->times);
    if (batch->n == 0) return PLEACH_OK;
    status = map_enter_batch(map);
    if (status != PLEACH_OK) return status;
    status = map->ops->apply(map->exec, batch);
    map_leave_exclusive(map);
    return status;
}
