/* hash/slabhash_kind.h - the algorithm for one kind of table, at most once in a file: pleach/hash_device.cuh
 * and pleach/graph_device.cuh need some of the same kinds, and may be included together; and a graph without values
 * has a table with some. With PLEACH_KEY_BITS and SLAB_VALUES set; afterwards S(name) and SLAB_SLOTS are of that kind,
 * also if it was there before. */
#if SLAB_VALUES && PLEACH_KEY_BITS == 32
#ifndef PLEACH_SLABHASH_MAP32
#define PLEACH_SLABHASH_MAP32
#include "slabhash.h"
#include "slabhash_blocking.h"
#endif
#elif SLAB_VALUES
#ifndef PLEACH_SLABHASH_MAP64
#define PLEACH_SLABHASH_MAP64
#include "slabhash.h"
#include "slabhash_blocking.h"
#endif
#elif PLEACH_KEY_BITS == 32
#ifndef PLEACH_SLABHASH_SET32
#define PLEACH_SLABHASH_SET32
#include "slabhash.h"
#include "slabhash_blocking.h"
#endif
#else
#ifndef PLEACH_SLABHASH_SET64
#define PLEACH_SLABHASH_SET64
#include "slabhash.h"
#include "slabhash_blocking.h"
#endif
#endif
#include "slabhash_names.h"
