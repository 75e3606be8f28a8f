/* node/node_avx2.h - the node functions with AVX2; node_avx512.h states why a pair is loaded again after the search.
 * AVX2 compares signed numbers only: flipping the top bit turns unsigned order into signed order. */
#include "node_lines.h"
#include "node_x86.h"

#if PLEACH_KEY_BITS == 32
PORT_FN __m256i flip(__m256i v) { return _mm256_xor_si256(v, _mm256_set1_epi32(INT32_MIN)); }
#else
PORT_FN __m256i flip(__m256i v) { return _mm256_xor_si256(v, _mm256_set1_epi64x(INT64_MIN)); }
#endif

PORT_FN unsigned slots_at_or_below(const map_node *node, map_key key)
{
    uint64_t above = 0;
#if PLEACH_KEY_BITS == 32
    __m256i wanted = flip(_mm256_set1_epi32((int)key));
    for (unsigned part = 0; part < NODE_SLOTS / 4; part++) {
        __m256i keys = flip(_mm256_loadu_si256((const __m256i *)&node->word[4 * part]));
        unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(keys, wanted)));
        above |= (uint64_t)mask << (8 * part);
    }
#else
    __m256i wanted = flip(_mm256_set1_epi64x((long long)key));
    for (unsigned part = 0; part < NODE_SLOTS / 2; part++) {
        __m256i keys = flip(_mm256_loadu_si256((const __m256i *)&node->word[4 * part]));
        unsigned mask = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(keys, wanted)));
        above |= (uint64_t)mask << (4 * part);
    }
#endif
    return ~(unsigned)_pext_u64(above, 0x5555555555555555u) & EVERY_SLOT;
}

PORT_FN unsigned slots_below(const map_node *node, map_key key)
{
    uint64_t below = 0;
#if PLEACH_KEY_BITS == 32
    __m256i wanted = flip(_mm256_set1_epi32((int)key));
    for (unsigned part = 0; part < NODE_SLOTS / 4; part++) {
        __m256i keys = flip(_mm256_loadu_si256((const __m256i *)&node->word[4 * part]));
        unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(wanted, keys)));
        below |= (uint64_t)mask << (8 * part);
    }
#else
    __m256i wanted = flip(_mm256_set1_epi64x((long long)key));
    for (unsigned part = 0; part < NODE_SLOTS / 2; part++) {
        __m256i keys = flip(_mm256_loadu_si256((const __m256i *)&node->word[4 * part]));
        unsigned mask = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(wanted, keys)));
        below |= (uint64_t)mask << (4 * part);
    }
#endif
    return (unsigned)_pext_u64(below, 0x5555555555555555u) & EVERY_SLOT;
}

PORT_FN unsigned slots_equal(const map_node *node, map_key key)
{
    uint64_t equal = 0;
#if PLEACH_KEY_BITS == 32
    __m256i wanted = _mm256_set1_epi32((int)key);
    for (unsigned part = 0; part < NODE_SLOTS / 4; part++) {
        __m256i keys = _mm256_loadu_si256((const __m256i *)&node->word[4 * part]);
        unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(keys, wanted)));
        equal |= (uint64_t)mask << (8 * part);
    }
#else
    __m256i wanted = _mm256_set1_epi64x((long long)key);
    for (unsigned part = 0; part < NODE_SLOTS / 2; part++) {
        __m256i keys = _mm256_loadu_si256((const __m256i *)&node->word[4 * part]);
        unsigned mask = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(keys, wanted)));
        equal |= (uint64_t)mask << (4 * part);
    }
#endif
    return (unsigned)_pext_u64(equal, 0x5555555555555555u) & EVERY_PAIR;
}

PORT_FN void node_read(const map_node *node, node_image *image)
{
    __m256i *to = IMAGE_POINTER(image);
    for (unsigned part = 0; part < sizeof(map_node) / 32; part++)
        _mm256_storeu_si256(to + part, _mm256_loadu_si256((const __m256i *)node + part));
}

#include "node_lines_rank.h"
#include "node_search_x86.h"

/* Copies `n` numbers, up to a node's. The last store may overlap the one before it. */
PORT_FN void copy_few(map_key *to, const map_key *from, unsigned n)
{
    enum { WIDE = 32 / sizeof(map_key) };
    if (n >= WIDE) {
        __m256i last = _mm256_loadu_si256((const __m256i *)(from + n - WIDE));
        for (unsigned i = 0; i + WIDE < n; i += WIDE)
            _mm256_storeu_si256((__m256i *)(to + i), _mm256_loadu_si256((const __m256i *)(from + i)));
        _mm256_storeu_si256((__m256i *)(to + n - WIDE), last);
    } else if (n >= WIDE / 2) {
        __m128i first = _mm_loadu_si128((const __m128i *)from);
        __m128i last = _mm_loadu_si128((const __m128i *)(from + n - WIDE / 2));
        _mm_storeu_si128((__m128i *)to, first);
        _mm_storeu_si128((__m128i *)(to + n - WIDE / 2), last);
    } else {
        for (unsigned i = 0; i < n; i++) to[i] = from[i];
    }
}

/* Separate the keys and values of two times 32 bytes of pairs. */
#if PLEACH_KEY_BITS == 32
PORT_FN __m256i keys_apart(__m256i a, __m256i b)
{
    __m256 keys = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(keys), 0xd8);
}
PORT_FN __m256i values_apart(__m256i a, __m256i b)
{
    __m256 values = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xdd);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(values), 0xd8);
}
#else
PORT_FN __m256i keys_apart(__m256i a, __m256i b)
{
    return _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(a, b), 0xd8);
}
PORT_FN __m256i values_apart(__m256i a, __m256i b)
{
    return _mm256_permute4x64_epi64(_mm256_unpackhi_epi64(a, b), 0xd8);
}
#endif

PORT_FN void sink_run(pair_sink *sink, uint64_t place, const node_image *image, unsigned from, unsigned n)
{
    map_key keys[NODE_SLOTS], values[NODE_SLOTS];
    const __m256i *pairs = IMAGE_POINTER(image);
    for (unsigned part = 0; part < sizeof keys / 32; part++) {
        __m256i a = _mm256_loadu_si256(pairs + 2 * part), b = _mm256_loadu_si256(pairs + 2 * part + 1);
        _mm256_storeu_si256((__m256i *)keys + part, keys_apart(a, b));
        _mm256_storeu_si256((__m256i *)values + part, values_apart(a, b));
    }
    if (sink->keys) copy_few(sink->keys + place, keys + from, n);
    if (sink->values) copy_few(sink->values + place, values + from, n);
}
