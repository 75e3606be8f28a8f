/* node/node_avx512.h - the node functions with AVX-512: all keys of a node are compared at once.
 *
 * A pair is a single access (port_load_two). The wide loads that find the slot are not: they only choose a slot, and
 * the pair that is returned is loaded again, in one access, and compared again.
 */
#include "node_lines.h"
#include "node_x86.h"

/* Bit s is set if the key of slot s is <= key (slots 0..14). */
PORT_FN unsigned slots_at_or_below(const map_node *node, map_key key)
{
#if PLEACH_KEY_BITS == 32
    __m512i wanted = _mm512_set1_epi32((int)key);
    unsigned low = _mm512_mask_cmple_epu32_mask(0x5555, _mm512_loadu_si512(&node->word[0]), wanted);
    unsigned high = _mm512_mask_cmple_epu32_mask(0x1555, _mm512_loadu_si512(&node->word[8]), wanted);
    return _pext_u32(low | high << 16, 0x55555555u);
#else
    __m512i wanted = _mm512_set1_epi64((long long)key);
    unsigned mask = 0;
    for (unsigned part = 0; part < 4; part++)
        mask |= (unsigned)_mm512_mask_cmple_epu64_mask(0x55, _mm512_loadu_si512(&node->word[8 * part]), wanted)
                << (8 * part);
    return _pext_u32(mask, 0x15555555u);
#endif
}

/* Bit s is set if the key of slot s is < key (slots 0..14). */
PORT_FN unsigned slots_below(const map_node *node, map_key key)
{
#if PLEACH_KEY_BITS == 32
    __m512i wanted = _mm512_set1_epi32((int)key);
    unsigned low = _mm512_mask_cmplt_epu32_mask(0x5555, _mm512_loadu_si512(&node->word[0]), wanted);
    unsigned high = _mm512_mask_cmplt_epu32_mask(0x1555, _mm512_loadu_si512(&node->word[8]), wanted);
    return _pext_u32(low | high << 16, 0x55555555u);
#else
    __m512i wanted = _mm512_set1_epi64((long long)key);
    unsigned mask = 0;
    for (unsigned part = 0; part < 4; part++)
        mask |= (unsigned)_mm512_mask_cmplt_epu64_mask(0x55, _mm512_loadu_si512(&node->word[8 * part]), wanted)
                << (8 * part);
    return _pext_u32(mask, 0x15555555u);
#endif
}

/* Bit s is set if slot s has this key (slots 0..13). */
PORT_FN unsigned slots_equal(const map_node *node, map_key key)
{
#if PLEACH_KEY_BITS == 32
    __m512i wanted = _mm512_set1_epi32((int)key);
    unsigned low = _mm512_mask_cmpeq_epi32_mask(0x5555, _mm512_loadu_si512(&node->word[0]), wanted);
    unsigned high = _mm512_mask_cmpeq_epi32_mask(0x0555, _mm512_loadu_si512(&node->word[8]), wanted);
    return _pext_u32(low | high << 16, 0x55555555u);
#else
    __m512i wanted = _mm512_set1_epi64((long long)key);
    unsigned mask = 0;
    for (unsigned part = 0; part < 4; part++)
        mask |= (unsigned)_mm512_mask_cmpeq_epi64_mask(0x55, _mm512_loadu_si512(&node->word[8 * part]), wanted)
                << (8 * part);
    return _pext_u32(mask, 0x05555555u);
#endif
}

/* Returns a mask of the words of slots from .. to-1. */
PORT_FN uint32_t slot_words(unsigned from, unsigned to)
{
    return (1u << PAIR_WORDS * to) - (1u << PAIR_WORDS * from);
}

/* Moves slots at .. count-1 up by one; slots_down_alone moves them down. No other thread may access the node. Only
 * whole lines are loaded: a load that began in the neighbour's last line would wait for it, masked or not. */
PORT_FN void slots_up_alone(map_node *node, unsigned at, unsigned count)
{
    uint32_t mask = slot_words(at + 1, count + 1);
    __m512i line = _mm512_load_si512(&node->word[0]), before = line;
    PORT_UNROLL for (unsigned part = 0; part < sizeof(map_node) / 64; part++) {
        if (part > 0) line = _mm512_load_si512(&node->word[8 * part]);
        _mm512_mask_store_epi64(&node->word[8 * part], (__mmask8)(mask >> 8 * part),
                                _mm512_alignr_epi64(line, before, 8 - PAIR_WORDS));
        before = line;
    }
}

PORT_FN void slots_down_alone(map_node *node, unsigned at, unsigned count)
{
    uint32_t mask = slot_words(at - 1, count - 1);
    __m512i line = _mm512_load_si512(&node->word[0]), after = line;
    PORT_UNROLL for (unsigned part = 0; part < sizeof(map_node) / 64; part++) {
        if (part + 1 < sizeof(map_node) / 64) after = _mm512_load_si512(&node->word[8 * (part + 1)]);
        _mm512_mask_store_epi64(&node->word[8 * part], (__mmask8)(mask >> 8 * part),
                                _mm512_alignr_epi64(after, line, PAIR_WORDS));
        line = after;
    }
}

PORT_FN void node_read(const map_node *node, node_image *image)
{
    char *to = IMAGE_POINTER(image);
    PORT_UNROLL for (unsigned part = 0; part < sizeof(map_node) / 64; part++)
        _mm512_storeu_si512(to + 64 * part, _mm512_loadu_si512(&node->word[8 * part]));
}

#include "node_lines_rank.h"
#include "node_search_x86.h"

/* Separates keys and values by permuting the image's lines from slot `from` on; what wraps around is not stored. */
#if PLEACH_KEY_BITS == 32
PORT_FN void sink_run(pair_sink *sink, uint64_t place, const node_image *image, unsigned from, unsigned n)
{
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const map_pair *pair = IMAGE_POINTER(image);
    __m512i low = _mm512_loadu_si512(&pair[0]), high = _mm512_loadu_si512(&pair[8]);
    __m512i at = _mm512_add_epi32(even, _mm512_set1_epi32((int)(2 * from)));
    __mmask16 wanted = (__mmask16)((1u << n) - 1);
    if (sink->keys)
        _mm512_mask_storeu_epi32(sink->keys + place, wanted, _mm512_permutex2var_epi32(low, at, high));
    at = _mm512_add_epi32(at, _mm512_set1_epi32(1));
    if (sink->values)
        _mm512_mask_storeu_epi32(sink->values + place, wanted, _mm512_permutex2var_epi32(low, at, high));
}
#else
/* Gathers every second word of the four lines from word `first` on, and stores numbers `from` .. from+n-1 of these. */
PORT_FN void column_store(uint64_t *to, const node_image *image, unsigned first, unsigned from, unsigned n)
{
    const __m512i each = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    __m512i at = _mm512_add_epi64(_mm512_add_epi64(each, each), _mm512_set1_epi64(first));
    const map_pair *pair = IMAGE_POINTER(image);
    __m512i low = _mm512_permutex2var_epi64(_mm512_loadu_si512(&pair[0]), at, _mm512_loadu_si512(&pair[4]));
    __m512i high = _mm512_permutex2var_epi64(_mm512_loadu_si512(&pair[8]), at, _mm512_loadu_si512(&pair[12]));
    unsigned wanted = (1u << n) - 1;
    at = _mm512_add_epi64(each, _mm512_set1_epi64(from));
    _mm512_mask_storeu_epi64(to, (__mmask8)wanted, _mm512_permutex2var_epi64(low, at, high));
    if (n <= 8) return;
    at = _mm512_add_epi64(at, _mm512_set1_epi64(8));
    _mm512_mask_storeu_epi64(to + 8, (__mmask8)(wanted >> 8), _mm512_permutex2var_epi64(low, at, high));
}

PORT_FN void sink_run(pair_sink *sink, uint64_t place, const node_image *image, unsigned from, unsigned n)
{
    if (sink->keys) column_store(sink->keys + place, image, 0, from, n);
    if (sink->values) column_store(sink->values + place, image, 1, from, n);
}
#endif
