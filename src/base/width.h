/* base/width.h - the key width that a translation unit is compiled for: PLEACH_KEY_BITS is 32, 64 or, on the CPU only,
 * 128. What depends on it has plain names and no external linkage, but for tables of functions: WIDTH_SYMBOL(name) is
 * name_32, name_64 or name_128, so that a linker tells them apart.
 *
 * The public device headers hold two widths: there this header, and all that depend on it, are included once for each,
 * in a namespace of its own.
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
#include "key128.h" /* of which this is another name */
__extension__ typedef unsigned __int128 map_key __attribute__((aligned(8), may_alias));
#define WIDTH_SYMBOL(name) name##_128
#else
#error "PLEACH_KEY_BITS must be 32, 64 or 128"
#endif

#define KEY_MAX (~(map_key)0)
