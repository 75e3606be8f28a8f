/* skiplist/skiplist_cpu.h - the CPU's loops over the operations of a skiplist (skiplist_cpu.c), once per chunk size. */
#ifndef PLEACH_SKIPLIST_CPU_H
#define PLEACH_SKIPLIST_CPU_H

#include "../blink/blink_cpu.h"

extern const blink_run_ops skiplist16_run_32_plain, skiplist16_run_64_plain;
extern const blink_run_ops skiplist16_run_32_avx2, skiplist16_run_64_avx2;
extern const blink_run_ops skiplist32_run_32_plain, skiplist32_run_64_plain;
extern const blink_run_ops skiplist32_run_32_avx2, skiplist32_run_64_avx2;

#endif
