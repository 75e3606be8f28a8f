/* base/width.h - the key width that a translation unit is compiled for: PLEACH_KEY_BITS is 32, 64 or, on the CPU only,
 * 128. Width-dependent code has plain names and no external linkage, except for function tables: their names are
 * WIDTH_SYMBOL(name), which is name_32, name_64 or name_128, so that the linker can tell them apart.
 *
 * The public device headers hold two widths: they include this header, and everything that depends on it, once per
 * width, each time in a namespace of its own.
 */
#include <stdint.h>

#undef WIDTH_SYMBOL
#if PLEACH_KEY_BITS == 32
typedef uint32_t map_key;
#define WIDTH_SYMBOL(name) name##_32
#elif PLEACH_KEY_BITS == 64
typedef uint64_t map_key;
#define WIDTH_SYMBOL(name) name##_64
#elif PLEACH_KEY_BITS == 128
#include "key128.h" /* map_key is another name for key128 */
__extension__ typedef unsigned __int128 map_key __attribute__((aligned(8), may_alias));
#define WIDTH_SYMBOL(name) name##_128
#else
#error "PLEACH_KEY_BITS must be 32, 64 or 128"
#endif

#define KEY_MAX (~(map_key)0)
