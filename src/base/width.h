/* base/width.h - one source for all key widths.
 *
 * A file that is written once for all of them is included with PLEACH_KEY_BITS set, and names what it defines W(name):
 * name32, name64 or, on the CPU only, name128. This header may be included again after PLEACH_KEY_BITS changed.
 */
#include <stdint.h>

#undef W
#undef WIDTH_SYMBOL
#undef KEY_MAX
#if PLEACH_KEY_BITS == 32
#define W(name) name##32
#define WIDTH_SYMBOL(name) name##_32
#define KEY_MAX UINT32_MAX
#elif PLEACH_KEY_BITS == 64
#define W(name) name##64
#define WIDTH_SYMBOL(name) name##_64
#define KEY_MAX UINT64_MAX
#elif PLEACH_KEY_BITS == 128
#include "key128.h"
#define W(name) name##128
#define WIDTH_SYMBOL(name) name##_128
#define KEY_MAX (~(key128)0)
#else
#error "PLEACH_KEY_BITS must be 32, 64 or 128"
#endif

#ifndef PLEACH_BASE_WIDTH_H
#define PLEACH_BASE_WIDTH_H
typedef uint32_t key32;
typedef uint64_t key64;
#endif
