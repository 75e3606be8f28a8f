/* graph/ids/dictionary.c - the dictionary of a sparse graph, on CPU threads. */
#define PLEACH_KEY_BITS 32
#define SLAB_VALUES 1
#include "dictionary.h"

#include "../../hash/slabhash.h"
#include "../../hash/slabhash_blocking.h"
#include "dictionary_kind.h"
