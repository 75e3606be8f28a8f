/* versioned/versioned_cpu.c - the CPU's loops over a map with versions, once per key width and instruction set. */
#include "versioned.h"
#include "versioned_cpu.h"

#define RUN_TABLE WIDTH_SYMBOL(versioned_run)
#include "../blink/blink_loop_cpu.h"
