/* versioned/versioned_cpu.c - blink_cpu.c for maps with versions. Compiled once per key width and instruction set. */
#define RUN_VERSIONED 1
#include "../blink/blink_cpu.c"
