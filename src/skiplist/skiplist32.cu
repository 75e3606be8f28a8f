/* skiplist/skiplist32.cu - the skiplist's kernels for chunks of 32 slots. Compiled once per key width. */
#define PLEACH_NODE_SLOTS 32
#define SKIPLIST_CUDA WIDTH_SYMBOL(skiplist32_cuda)
#include "skiplist_launch.h"
