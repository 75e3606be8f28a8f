/* file/file.c - the public functions of pleach/file.h: check the arguments, and say so where there is no xxHash. */
#include "file.h"

#include <string.h>

#include "../api/map_object.h"

#ifdef PLEACH_HAVE_XXHASH
#define IF_BUILT(call) (call)
#else
#define IF_BUILT(call) PLEACH_E_NO_FILES
#endif

pleach_status pleach_snapshot_save(pleach_snapshot *snapshot, const char *path)
{
    if (!snapshot || !path) return PLEACH_E_ARGUMENT;
    return IF_BUILT(file_save(snapshot, path, FILE_BLOCK_PAIRS));
}

pleach_status pleach_map_load_file(pleach_map *map, const char *path, double fill)
{
    if (!map || !path || !map_fill_is_valid(&fill)) return PLEACH_E_ARGUMENT;
    return IF_BUILT(file_load(map, path, fill));
}

pleach_status pleach_file_get_info(const char *path, pleach_file_info *info)
{
    if (!path || !info) return PLEACH_E_ARGUMENT;
    memset(info, 0, sizeof *info);
    return IF_BUILT(file_read_info(path, info));
}
