/* hash/hash_run.c - operations of the four kinds of hash table on CPU threads. */
#include "hash_run.h"

#define PLEACH_KEY_BITS 32
#define SLAB_VALUES 1
#include "hash_run_kind.h"
#undef SLAB_VALUES
#define SLAB_VALUES 0
#include "hash_run_kind.h"
#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 64
#include "hash_run_kind.h"
#undef SLAB_VALUES
#define SLAB_VALUES 1
#include "hash_run_kind.h"

_Static_assert((int)SLAB_INSERTED == PLEACH_INSERTED && (int)SLAB_REPLACED == PLEACH_REPLACED &&
                   (int)SLAB_EXISTS == PLEACH_EXISTS && (int)SLAB_ERASED == PLEACH_ERASED &&
                   (int)SLAB_ABSENT == PLEACH_ABSENT && (int)SLAB_NOT_APPLIED == PLEACH_NOT_APPLIED,
               "outcomes are handed out as they are");
_Static_assert((int)SLAB_PUT == HASH_PUT && (int)SLAB_ADD == HASH_ADD && (int)SLAB_ERASE == HASH_ERASE,
               "kinds are taken as they are");

const hash_run_ops *hash_run_choose(unsigned key_bits, bool values)
{
    if (key_bits == 32) return values ? &ops_map32 : &ops_set32;
    return values ? &ops_map64 : &ops_set64;
}
