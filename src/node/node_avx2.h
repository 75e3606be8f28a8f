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
    unsigned above = 0;
#if PLEACH_KEY_BITS == 32
    __m256i wanted = flip32(_mm256_set1_epi32((int)key));
    for (unsigned part = 0; part < 4; part++) {
        __m256i keys = flip32(_mm256_load_si256((const __m256i *)&node->word[4 * part]));
        unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(keys, wanted)));
        above |= mask << (8 * part);
    }
    return ~_pext_u32(above, 0x55555555u) & 0x7fff;
#else
    __m256i wanted = flip64(_mm256_set1_epi64x((long long)key));
    for (unsigned part = 0; part < 8; part++) {
        __m256i keys = flip64(_mm256_load_si256((const __m256i *)&node->word[4 * part]));
        unsigned mask = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(keys, wanted)));
        above |= mask << (4 * part);
    }
    return ~_pext_u32(above, 0x55555555u) & 0x7fff;
#endif
}

PORT_FN unsigned W(slots_equal)(const W(node) *node, W(key) key)
{
    unsigned equal = 0;
#if PLEACH_KEY_BITS == 32
    __m256i wanted = _mm256_set1_epi32((int)key);
    for (unsigned part = 0; part < 4; part++) {
        __m256i keys = _mm256_load_si256((const __m256i *)&node->word[4 * part]);
        unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(keys, wanted)));
        equal |= mask << (8 * part);
    }
#else
    __m256i wanted = _mm256_set1_epi64x((long long)key);
    for (unsigned part = 0; part < 8; part++) {
        __m256i keys = _mm256_load_si256((const __m256i *)&node->word[4 * part]);
        unsigned mask = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(keys, wanted)));
        equal |= mask << (4 * part);
    }
#endif
    return _pext_u32(equal, 0x55555555u) & 0x3fff;
}

#include "node_search_x86.h"
