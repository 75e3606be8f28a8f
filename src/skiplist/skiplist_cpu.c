/* skiplist/skiplist_cpu.c - the loops of blink_cpu.c over the operations of a skiplist. */
#define RUN_SKIPLIST
#include "../blink/blink_cpu.c"
