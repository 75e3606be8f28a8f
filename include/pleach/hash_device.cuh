/* pleach/hash_device.cuh - the hash table from inside your own kernels.
 *
 * Open a view on the host (pleach_hash_view_open), pass it to the kernel by value (best as a __grid_constant__), and
 * call these functions from any number of threads, beside array calls and single calls on the same table. Each thread
 * runs its operation by itself; threads of a warp may call different functions, and no thread needs its neighbours.
 *
 * The guarantees are those of pleach/hash.h: everything here is linearizable, and finds wait for nobody.
 *
 * MEMORY   A kernel cannot get any. A table grows by itself also here, for as long as its pool has free memory; without
 * that its chains become longer; and an insert that finds no memory at all answers PLEACH_NOT_APPLIED, and has changed
 * nothing. So call pleach_hash_reserve, for as many keys as there will be, before you open the view: these come without
 * growth. What was not applied can be put by an array call, which gets memory, also while the view is open.
 *
 * Of a map, for K = 32 or 64, with keys and values of that width (the table's, else the behaviour is undefined):
 *   pleach_outcome pleach_hash_mapK_put(view, key, value, *old)       insert or assign;  old may be NULL
 *   pleach_outcome pleach_hash_mapK_add(view, key, value, *old)       insert if absent
 *   pleach_outcome pleach_hash_mapK_erase(view, key, *old)
 *   bool pleach_hash_mapK_find(view, key, *value)                     value may be NULL
 *   bool pleach_hash_mapK_contains(view, key)
 * Of a set:
 *   pleach_outcome pleach_hash_setK_put(view, key)                    INSERTED, or REPLACED: it was there
 *   pleach_outcome pleach_hash_setK_add(view, key)                    INSERTED, or EXISTS
 *   pleach_outcome pleach_hash_setK_erase(view, key)
 *   bool pleach_hash_setK_contains(view, key)
 */
#ifndef PLEACH_HASH_DEVICE_CUH
#define PLEACH_HASH_DEVICE_CUH

#include "hash.h"

#include "detail/hash/slabhash_device.h"

#endif
