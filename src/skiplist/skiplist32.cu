/* skiplist/skiplist32.cu - the skiplist's kernels for chunks of 32 slots. */
#define PLEACH_NODE_SLOTS 32
#define SKIPLIST_CUDA_OPS skiplist32_cuda
#include "skiplist_launch.h"
