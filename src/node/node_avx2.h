/* node/node_avx2.h - the node verbs with AVX2; see node_avx512.h for why a pair is loaded again after the search.
 * AVX2 compares signed numbers only: flipping the top bit turns unsigned order into signed order. */
#include "node_x86.h"

#if PLEACH_KEY_BITS == 32
PORT_FN __m256i flip32(__m256i v) { return _mm256_xor_si256(v, _mm256_set1_epi32(INT32_MIN)); }
#else
PORT_FN __m256i flip64(__m256i v) { return _mm256_xor_si256(v, _mm256_set1_epi64x(INT64_MIN)); }
#endif

PORT_FN unsigned W(slots_at_or_below)(const W(node) *node, W(key) key)
{
    uint64_t above = 0;
#if PLEACH_KEY_BITS == 32
    __m256i wanted = flip32(_mm256_set1_epi32((int)key));
    for (unsigned part = 0; part < NODE_SLOTS / 4; part++) {
        __m256i keys = flip32(_mm256_load_si256((const __m256i *)&node->word[4 * part]));
        unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(keys, wanted)));
        above |= (uint64_t)mask << (8 * part);
    }
#else
    __m256i wanted = flip64(_mm256_set1_epi64x((long long)key));
    for (unsigned part = 0; part < NODE_SLOTS / 2; part++) {
        __m256i keys = flip64(_mm256_load_si256((const __m256i *)&node->word[4 * part]));
        unsigned mask = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(keys, wanted)));
        above |= (uint64_t)mask << (4 * part);
    }
#endif
    return ~(unsigned)_pext_u64(above, 0x5555555555555555u) & W(EVERY_SLOT);
}

PORT_FN unsigned W(slots_equal)(const W(node) *node, W(key) key)
{
    uint64_t equal = 0;
#if PLEACH_KEY_BITS == 32
    __m256i wanted = _mm256_set1_epi32((int)key);
    for (unsigned part = 0; part < NODE_SLOTS / 4; part++) {
        __m256i keys = _mm256_load_si256((const __m256i *)&node->word[4 * part]);
        unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(keys, wanted)));
        equal |= (uint64_t)mask << (8 * part);
    }
#else
    __m256i wanted = _mm256_set1_epi64x((long long)key);
    for (unsigned part = 0; part < NODE_SLOTS / 2; part++) {
        __m256i keys = _mm256_load_si256((const __m256i *)&node->word[4 * part]);
        unsigned mask = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(keys, wanted)));
        equal |= (uint64_t)mask << (4 * part);
    }
#endif
    return (unsigned)_pext_u64(equal, 0x5555555555555555u) & W(EVERY_PAIR);
}

#include "node_search_x86.h"
