/* hash/hash_run.c - operations of hash tables on CPU threads. Compiled once per kind of table (cmake/kinds.cmake). */
#include "hash_run.h"
#include "hash_run_kind.h"

const hash_run_ops SLAB_EXPORT(hash_run) = {run_elements, copy_buckets, list_pairs, slab_check, slab_count};
