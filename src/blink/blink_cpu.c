/* blink/blink_cpu.c - the CPU's loops over a B-link tree, compiled once per key width and instruction set. */
#include "blink.h"

#define RUN_TABLE WIDTH_SYMBOL(blink_run)
#include "blink_loop_cpu.h"
