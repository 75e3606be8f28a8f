/* map/map_file_calls.c - the public functions of pleach/file.h: check the arguments, and report builds without xxHash.
 * Reading and writing files are cancellation points, so cancellation is disabled while they run. */
#include "../file/file.h"

#include <string.h>

#include "../base/cancel.h"
#include "map_object.h"

#ifdef PLEACH_HAVE_XXHASH
#define IF_BUILT(call) (call)
#else
#define IF_BUILT(call) PLEACH_E_NO_FILES
#endif

pleach_status pleach_snapshot_save(pleach_snapshot *snapshot, const char *path)
{
    if (!snapshot || !path) return PLEACH_E_ARGUMENT;
    const int cancel = cancel_disable();
    const pleach_status status = IF_BUILT(file_save(snapshot, path, FILE_BLOCK_PAIRS));
    cancel_restore(cancel);
    return status;
}

pleach_status pleach_map_load_file(pleach_map *map, const char *path, double fill)
{
    if (!map || !path || !map_fill_is_valid(&fill)) return PLEACH_E_ARGUMENT;
    const int cancel = cancel_disable();
    const pleach_status status = IF_BUILT(file_load(map, path, fill));
    cancel_restore(cancel);
    return status;
}

pleach_status pleach_file_get_info(const char *path, pleach_file_info *info)
{
    if (!path || !info) return PLEACH_E_ARGUMENT;
    memset(info, 0, sizeof *info);
    const int cancel = cancel_disable();
    const pleach_status status = IF_BUILT(file_read_info(path, info));
    cancel_restore(cancel);
    return status;
}
