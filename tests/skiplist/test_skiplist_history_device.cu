/* tests/test_skiplist_history_device.cu - what kernels are told by the device-side API of a skiplist, as histories and
 * without any stamps: testkit/history_device.cuh. Threads mostly insert for a while, then mostly erase, so that chunks
 * split and merge all the time. Chunks of 16, or as PLEACH_CHUNK says. */
#include "testkit/device/skiplist_verbs.cuh"

/* Spare keys: merged chunks wait beside the slots of agents that have left. */
enum { WAVE = 8, SPARE_KEYS = 1 << 20, FIGHT_OPS = 200 };

#include "testkit/device/history_device.cuh"

int main(void) { return run_histories(); }
