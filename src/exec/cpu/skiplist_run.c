/* exec/cpu/skiplist_run.c - the loops of blink_run.c over the operations of a skiplist. */
#define RUN_SKIPLIST
#include "blink_run.c"
