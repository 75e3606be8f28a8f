/* blink/blink_cpu.c - the CPU's loops over the operations of a B-link tree. Compiled once per key width and instruction
 * set. */
#include "blink.h"

#define RUN_TABLE WIDTH_SYMBOL(blink_run)
#include "blink_loop_cpu.h"
