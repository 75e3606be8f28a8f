/* hash/slabhash_kind.h - the kind of slab hash that a file is compiled for: keys of 32 or 64 bits (PLEACH_KEY_BITS),
 * either a map, with values of the same width, or a set, without values (SLAB_VALUES).
 *
 * A translation unit has one kind. Files that serve several kinds are compiled once for each (cmake/kinds.cmake).
 * Headers that depend on the kind define plain names. They are included once, after those that do not. A CUDA file that
 * needs more kinds includes them in one namespace per kind.
 *
 *     kind    a slot                                              slots per slab
 *     map32   one word: key in the low half, value in the high one           14
 *     set32   half a word                                                    28
 *     map64   two words: key, value                                           7
 *     set64   one word                                                       14
 */
#if PLEACH_KEY_BITS == 32
typedef uint32_t slab_key;
#else
typedef uint64_t slab_key;
#endif

/* The number of slots per slab, and the mask with all of them. */
enum { SLAB_SLOTS = SLAB_PAYLOAD * 64 / PLEACH_KEY_BITS / (SLAB_VALUES ? 2 : 1) };
enum { SLAB_ALL = ((uint32_t)1 << SLAB_SLOTS) - 1 };

/* The exported name of the function table of a file that is compiled once per kind. */
#undef SLAB_EXPORT
#if SLAB_VALUES && PLEACH_KEY_BITS == 32
#define SLAB_EXPORT(name) name##_map32
#elif SLAB_VALUES
#define SLAB_EXPORT(name) name##_map64
#elif PLEACH_KEY_BITS == 32
#define SLAB_EXPORT(name) name##_set32
#else
#define SLAB_EXPORT(name) name##_set64
#endif
