/* bench_mixed_plain.cu - updates beside queries on a map without versions: ranges are not linearizable as a whole. */
#include <pleach/map_device.cuh>

#define VIEW pleach_map_view
#define MIXED_RUN mixed_run_plain
#define LIST_RUN mixed_list_plain
#define PUT(bits, view, key, value) pleach_map##bits##_put(view, key, value, NULL)
#define ERASE(bits, view, key) pleach_map##bits##_erase(view, key, NULL)
#define FIND(bits, view, key, value) pleach_map##bits##_find(view, key, value)
#define SUCC(bits, view, key, above, value) pleach_map##bits##_succ(view, key, above, value)
#define RANGE(bits, view, lo, hi, limit, keys, values) pleach_map##bits##_warp_range(view, lo, hi, limit, keys, values)
#define UPDATES_BEGIN(view)
#define UPDATES_END(view)
#define QUERIES_BEGIN(view)
#define QUERIES_END(view)
#define LIST_BEGIN(view)
#define LIST_END(view)
#include "bench_mixed_kernel.h"
