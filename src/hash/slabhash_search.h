/* hash/slabhash_search.h - finds the slot of a key in a slab, or a free slot. Included by slabhash.h.
 *
 * On x86, keys of 32 bits are compared four at a time: SSE2 is part of every x86-64. A wide load reads each of its
 * words in one piece, as far as other threads can tell, and none of them twice, so what it may read concurrently with
 * stores is the same as word by word. It is not used in the simulator and under ThreadSanitizer, which must see each
 * word.
 */
#undef SLAB_WIDE
#if defined(__SSE2__) && PLEACH_KEY_BITS == 32 && !defined(PLEACH_SIM) && !defined(__CUDACC__) && \
    !defined(__SANITIZE_THREAD__)
#define SLAB_WIDE 1
#include <emmintrin.h>
#else
#define SLAB_WIDE 0
#endif
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#undef SLAB_WIDE
#define SLAB_WIDE 0
#endif
#endif

#if SLAB_WIDE
PORT_FN __m128i wide_load(const slab *s, unsigned pair)
{
    return pair < SLAB_PAYLOAD / 2 ? ((const volatile __m128i *)&s->word[SLAB_FIRST])[pair] : _mm_setzero_si128();
}

/* Compares four keys with one; lanes that are equal become all ones. The keys are two words of a set, or the lower
 * halves of four words of a map. */
PORT_FN __m128i wide_equal(const slab *s, unsigned four, __m128i key)
{
#if SLAB_VALUES
    __m128 low = _mm_castsi128_ps(wide_load(s, 2 * four)), high = _mm_castsi128_ps(wide_load(s, 2 * four + 1));
    return _mm_cmpeq_epi32(_mm_castps_si128(_mm_shuffle_ps(low, high, 0x88)), key);
#else
    return _mm_cmpeq_epi32(wide_load(s, four), key);
#endif
}

/* Returns a bit for each of sixteen slots, beginning with group of four `four`. */
PORT_FN uint32_t wide_bits(const slab *s, unsigned four, __m128i key)
{
    __m128i first = _mm_packs_epi32(wide_equal(s, four, key), wide_equal(s, four + 1, key));
    __m128i second = _mm_packs_epi32(wide_equal(s, four + 2, key), wide_equal(s, four + 3, key));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(first, second));
}
#endif

/* Searches two words, beginning with `word`, which is even. `seen` receives a part of every load, for
 * port_order_after. */
PORT_FN unsigned search_two(const slab *s, unsigned word, uint32_t mask, slab_key key, slab_slot *pair, uint64_t *seen)
{
    uint64_t one, two;
    unsigned found = SLAB_SLOTS;
#ifdef __CUDACC__
    port_load_in_order(&s->word[word], &one, &two); /* one access */
    *seen ^= one;
#else
    (void)seen;
    one = port_load(&s->word[word]);
    two = port_load(&s->word[word + 1]);
#endif
#if SLAB_VALUES && PLEACH_KEY_BITS == 64
    unsigned slot = (word - SLAB_FIRST) / 2;
    if (one == key && mask >> slot & 1) found = slot;
    if (found == slot) *pair = (slab_slot){one, two};
#elif !SLAB_VALUES && PLEACH_KEY_BITS == 32
    unsigned slot = (word - SLAB_FIRST) * 2;
    if ((uint32_t)one == key && mask >> slot & 1) found = slot;
    if (one >> 32 == key && mask >> (slot + 1) & 1) found = slot + 1;
    if ((uint32_t)two == key && mask >> (slot + 2) & 1) found = slot + 2;
    if (two >> 32 == key && mask >> (slot + 3) & 1) found = slot + 3;
    *pair = (slab_slot){key, 0};
#else
    unsigned slot = word - SLAB_FIRST;
    uint64_t equal = one;
    if ((slab_key)one == key && mask >> slot & 1) found = slot;
    if ((slab_key)two == key && mask >> (slot + 1) & 1) found = slot + 1, equal = two;
    if (found < SLAB_SLOTS) *pair = (slab_slot){key, SLAB_VALUES ? (slab_key)(equal >> 32) : 0};
#endif
    return found;
}

/* Returns the slot, among those in `mask`, that has the key, or SLAB_SLOTS if there is none. */
PORT_FN unsigned slab_search(const slab *s, uint32_t mask, slab_key key, slab_slot *pair, uint64_t *seen)
{
    unsigned found = SLAB_SLOTS;
#if SLAB_WIDE
    (void)seen;
    __m128i wanted = _mm_set1_epi32((int)key);
    uint32_t equal = wide_bits(s, 0, wanted);
    if (SLAB_SLOTS > 16) equal |= wide_bits(s, 4, wanted) << 16;
    equal &= mask;
    if (equal) found = (unsigned)__builtin_ctz(equal);
    *pair = (slab_slot){key, 0};
    if (SLAB_VALUES && equal) *pair = slot_load(s, found);
#else
    /* All loads at once, with no early exit: on a GPU, the other lanes of the warp wait for a lane that gets here. */
    PORT_UNROLL for (unsigned word = SLAB_FIRST; word < SLAB_FIRST + SLAB_PAYLOAD; word += 2) {
        slab_slot here;
        unsigned slot = search_two(s, word, mask, key, &here, seen);
        if (slot < SLAB_SLOTS) found = slot, *pair = here;
    }
#endif
    return found;
}

/* The mask of a group's slots. */
PORT_FN uint32_t group_slots(unsigned group)
{
#ifdef PLEACH_SIM
    enum { EACH = SLAB_SLOTS > 1 ? SLAB_SLOTS / SLAB_GROUPS : 1 }; /* one word per group; a 64-bit map has one slot */
    return (((uint32_t)1 << EACH) - 1) << (SLAB_SLOTS > 1 ? group * EACH : 0);
#else
    /* Computed as if header and link were slots too. */
    enum { HEAD = SLAB_FIRST * SLAB_SLOTS / SLAB_PAYLOAD, EACH = SLAB_GROUP_WORDS * SLAB_SLOTS / SLAB_PAYLOAD };
    return (((uint32_t)1 << EACH) - 1) << group * EACH >> HEAD;
#endif
}

/* The same for the slots of one group. */
PORT_FN unsigned slab_search_group(const slab *s, uint32_t mask, unsigned group, slab_key key, slab_slot *pair,
                                   uint64_t *seen)
{
    mask &= group_slots(group);
    unsigned found = SLAB_SLOTS;
    if (!mask) return found;
#ifdef PLEACH_SIM
    found = search_two(s, SLAB_FIRST, mask, key, pair, seen);
#else
    slab_slot early;
    found = search_two(s, SLAB_GROUP_WORDS * group + 2, mask, key, pair, seen);
    if (group) {
        unsigned before = search_two(s, SLAB_GROUP_WORDS * group, mask, key, &early, seen);
        if (before < SLAB_SLOTS) found = before, *pair = early;
    }
#endif
    return found;
}

/* Returns a free slot, in the group if it has one. At least one slot of the slab must be free. */
PORT_FN unsigned slab_free_slot(uint32_t mask, unsigned group)
{
    uint32_t in_group = ~mask & group_slots(group);
    return slab_lowest(in_group ? in_group : ~mask);
}

#undef SLAB_WIDE
