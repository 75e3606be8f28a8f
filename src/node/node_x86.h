/* node/node_x86.h - pairs on x86 with AVX: one access each, 16-byte pairs too. */
#include <immintrin.h>

#undef PAIR_IS_ATOMIC
#define PAIR_IS_ATOMIC 1

PORT_FN W(pair) W(pair_load)(const W(node) *node, unsigned slot)
{
    W(pair) pair;
#if PLEACH_KEY_BITS == 32
    uint64_t word = port_load(&node->word[slot]);
    pair.key = (uint32_t)word;
    pair.value = (uint32_t)(word >> 32);
#else
    __m128i both = *(const volatile __m128i *)&node->word[2 * slot];
    pair.key = (uint64_t)_mm_cvtsi128_si64(both);
    pair.value = (uint64_t)_mm_extract_epi64(both, 1);
#endif
    return pair;
}

PORT_FN void W(pair_store)(W(node) *node, unsigned slot, W(pair) pair)
{
#if PLEACH_KEY_BITS == 32
    port_store(&node->word[slot], (uint64_t)pair.value << 32 | pair.key);
#else
    *(volatile __m128i *)&node->word[2 * slot] = _mm_set_epi64x((long long)pair.value, (long long)pair.key);
#endif
}

#include "node_common.h"
