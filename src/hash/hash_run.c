/* hash/hash_run.c - operations of hash tables on CPU threads. Compiled once per kind of table (cmake/kinds.cmake). */
#include "hash_run.h"
#include "hash_run_kind.h"

_Static_assert((int)SLAB_INSERTED == PLEACH_INSERTED && (int)SLAB_REPLACED == PLEACH_REPLACED &&
                   (int)SLAB_EXISTS == PLEACH_EXISTS && (int)SLAB_ERASED == PLEACH_ERASED &&
                   (int)SLAB_ABSENT == PLEACH_ABSENT && (int)SLAB_NOT_APPLIED == PLEACH_NOT_APPLIED,
               "outcomes are handed out as they are");
_Static_assert((int)SLAB_PUT == HASH_PUT && (int)SLAB_ADD == HASH_ADD && (int)SLAB_ERASE == HASH_ERASE,
               "kinds are taken as they are");

const hash_run_ops SLAB_EXPORT(hash_run) = {run_elements, copy_buckets, list_pairs, slab_check, slab_count};
