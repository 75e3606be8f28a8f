/* pleach/hash_device.cuh - the hash table, called from user kernels.
 *
 * Open a view on the host (pleach_hash_view_open), pass it to the kernel by value (preferably as a __grid_constant__),
 * and call these functions from any number of threads, concurrently with array calls and single calls on the same
 * table. Each thread executes its operation independently: threads of a warp may call different functions, and no
 * thread needs its neighbours.
 *
 * The guarantees are those of pleach/hash.h: all functions are linearizable, and finds never wait.
 *
 * MEMORY   A kernel cannot allocate memory. A table grows by itself here too, as long as its pool has free memory;
 * after that its chains become longer; an insert that finds no memory at all returns PLEACH_NOT_APPLIED and changes
 * nothing. Remedy: call pleach_hash_reserve for the expected number of keys before opening the view, so that they need
 * no growth. Elements that were not applied can be inserted by an array call, which can allocate, even while the view
 * is open.
 *
 * For a map, with keys and values of K = 32 or 64 bits. K must be the table's width, otherwise the behaviour is
 * undefined.
 *   pleach_outcome pleach_hash_mapK_put(view, key, value, *old)       insert or assign;  old may be NULL
 *   pleach_outcome pleach_hash_mapK_add(view, key, value, *old)       insert if absent
 *   pleach_outcome pleach_hash_mapK_erase(view, key, *old)
 *   bool pleach_hash_mapK_find(view, key, *value)                     value may be NULL
 *   bool pleach_hash_mapK_contains(view, key)
 * For a set:
 *   pleach_outcome pleach_hash_setK_put(view, key)                    INSERTED, or REPLACED if it was present
 *   pleach_outcome pleach_hash_setK_add(view, key)                    INSERTED, or EXISTS
 *   pleach_outcome pleach_hash_setK_erase(view, key)
 *   bool pleach_hash_setK_contains(view, key)
 */
#ifndef PLEACH_HASH_DEVICE_CUH
#define PLEACH_HASH_DEVICE_CUH

#include "hash.h"

#include "detail/hash/slabhash_device.h"

#endif
