/* skiplist/skiplist16.cu - the skiplist's kernels for chunks of 16 slots. Compiled once per key width. */
#define PLEACH_NODE_SLOTS 16
#define SKIPLIST_CUDA WIDTH_SYMBOL(skiplist16_cuda)
#include "skiplist_launch.h"
