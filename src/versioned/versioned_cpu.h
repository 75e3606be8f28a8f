/* versioned/versioned_cpu.h - the CPU's loops over the operations of a map with versions (versioned_cpu.c). */
#ifndef PLEACH_VERSIONED_CPU_H
#define PLEACH_VERSIONED_CPU_H

#include "../blink/blink_cpu.h"

extern const blink_run_ops versioned_run_32_plain, versioned_run_64_plain, versioned_run_128_plain;
extern const blink_run_ops versioned_run_32_avx2, versioned_run_64_avx2;
extern const blink_run_ops versioned_run_32_avx512, versioned_run_64_avx512;

#endif
