/* exec/cpu/versioned_run.c - blink_run.c for maps with versions. Compiled once per key width and instruction set. */
#define RUN_VERSIONED 1
#include "blink_run.c"
