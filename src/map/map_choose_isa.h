/* map/map_choose_isa.h - selects the fastest tables of CPU loops that this machine supports. Every call reads the
 * environment, in which PLEACH_SIMD=avx2 or plain asks for less. */
#ifndef PLEACH_MAP_CHOOSE_ISA_H
#define PLEACH_MAP_CHOOSE_ISA_H

#include "../batch/batch_cpu.h"

const blink_run_ops *blink_run_choose(unsigned key_bits, bool versioned);
const blink_run_ops *skiplist_run_choose(unsigned key_bits, unsigned slots);
const batch_run_ops *batch_run_choose(unsigned key_bits);
const char *blink_run_simd(void); /* the name of the instruction set selected */

#endif
