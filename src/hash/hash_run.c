/* hash/hash_run.c - operations of hash tables on CPU threads. Compiled once per kind of table (cmake/kinds.cmake). */
#include "hash_run.h"
#include "hash_run_kind.h"

_Static_assert((int)PLEACH_INSERTED == PLEACH_INSERTED && (int)PLEACH_REPLACED == PLEACH_REPLACED &&
                   (int)PLEACH_EXISTS == PLEACH_EXISTS && (int)PLEACH_ERASED == PLEACH_ERASED &&
                   (int)PLEACH_ABSENT == PLEACH_ABSENT && (int)PLEACH_NOT_APPLIED == PLEACH_NOT_APPLIED,
               "outcomes are handed out as they are");
_Static_assert((int)OP_PUT == OP_PUT && (int)OP_ADD == OP_ADD && (int)OP_ERASE == OP_ERASE,
               "kinds are taken as they are");

const hash_run_ops SLAB_EXPORT(hash_run) = {run_elements, copy_buckets, list_pairs, slab_check, slab_count};
