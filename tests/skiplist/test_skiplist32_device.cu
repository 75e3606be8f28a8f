/* tests/test_skiplist32_device.cu - tests/test_skiplist_device.cu with chunks of 32. */
#define PLEACH_CHUNK 32
#include "test_skiplist_device.cu"
