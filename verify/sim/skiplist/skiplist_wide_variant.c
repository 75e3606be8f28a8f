/* verify/sim/skiplist/skiplist_wide_variant.c - the skiplist with chunks of 32 slots, compiled for the simulator. */
#define PLEACH_NODE_SLOTS 32
#include "skiplist_variant.c"
