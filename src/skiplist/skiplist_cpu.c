/* skiplist/skiplist_cpu.c - the CPU's loops over the operations of a skiplist. Compiled once per key width, chunk size
 * and instruction set. */
#include "skiplist.h"
#include "skiplist_cpu.h"
#include "skiplist_reclaim.h"

#if PLEACH_NODE_SLOTS == 16
#define RUN_TABLE WIDTH_SYMBOL(skiplist16_run)
#else
#define RUN_TABLE WIDTH_SYMBOL(skiplist32_run)
#endif
#include "../blink/blink_loop_cpu.h"
