/* skiplist/skiplist16.cu - the skiplist's kernels for chunks of 16 slots. */
#define PLEACH_NODE_SLOTS 16
#define SKIPLIST_CUDA_OPS skiplist16_cuda
#include "skiplist_launch.h"
