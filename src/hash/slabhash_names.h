/* hash/slabhash_names.h - S(name) is name_map32 and so on, and how many slots a slab has, by PLEACH_KEY_BITS
 * and SLAB_VALUES. Included whenever these have changed. */
#undef S
#undef SLAB_SLOTS
#if SLAB_VALUES && PLEACH_KEY_BITS == 32
#define S(name) name##_map32
#define SLAB_SLOTS SLAB_PAYLOAD
#elif SLAB_VALUES && PLEACH_KEY_BITS == 64
#define S(name) name##_map64
#define SLAB_SLOTS (SLAB_PAYLOAD / 2)
#elif PLEACH_KEY_BITS == 32
#define S(name) name##_set32
#define SLAB_SLOTS (2 * SLAB_PAYLOAD)
#else
#define S(name) name##_set64
#define SLAB_SLOTS SLAB_PAYLOAD
#endif
#define SLAB_ALL (((uint32_t)1 << SLAB_SLOTS) - 1)
