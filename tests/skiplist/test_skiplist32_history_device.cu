/* tests/test_skiplist32_history_device.cu - tests/test_skiplist_history_device.cu with chunks of 32. */
#define PLEACH_CHUNK 32
#include "test_skiplist_history_device.cu"
