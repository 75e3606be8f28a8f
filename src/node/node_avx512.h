/* node/node_avx512.h - the node verbs with AVX-512: all keys of a node compared at once.
 *
 * A pair is one access (port_load_two). The wide loads that find the slot are not: they only choose a slot, and the
 * pair that is answered is loaded again, in one access, and compared again.
 */
#include "node_x86.h"

/* Bit s set: slot s has a key at or below key (slots 0..14). */
PORT_FN unsigned W(slots_at_or_below)(const W(node) *node, W(key) key)
{
#if PLEACH_KEY_BITS == 32
    __m512i wanted = _mm512_set1_epi32((int)key);
    unsigned low = _mm512_mask_cmple_epu32_mask(0x5555, _mm512_load_si512(&node->word[0]), wanted);
    unsigned high = _mm512_mask_cmple_epu32_mask(0x1555, _mm512_load_si512(&node->word[8]), wanted);
    return _pext_u32(low | high << 16, 0x55555555u);
#else
    __m512i wanted = _mm512_set1_epi64((long long)key);
    unsigned mask = 0;
    for (unsigned part = 0; part < 4; part++)
        mask |= (unsigned)_mm512_mask_cmple_epu64_mask(0x55, _mm512_load_si512(&node->word[8 * part]), wanted)
                << (8 * part);
    return _pext_u32(mask, 0x15555555u);
#endif
}

/* Bit s set: slot s has this key (slots 0..13). */
PORT_FN unsigned W(slots_equal)(const W(node) *node, W(key) key)
{
#if PLEACH_KEY_BITS == 32
    __m512i wanted = _mm512_set1_epi32((int)key);
    unsigned low = _mm512_mask_cmpeq_epi32_mask(0x5555, _mm512_load_si512(&node->word[0]), wanted);
    unsigned high = _mm512_mask_cmpeq_epi32_mask(0x0555, _mm512_load_si512(&node->word[8]), wanted);
    return _pext_u32(low | high << 16, 0x55555555u);
#else
    __m512i wanted = _mm512_set1_epi64((long long)key);
    unsigned mask = 0;
    for (unsigned part = 0; part < 4; part++)
        mask |= (unsigned)_mm512_mask_cmpeq_epi64_mask(0x55, _mm512_load_si512(&node->word[8 * part]), wanted)
                << (8 * part);
    return _pext_u32(mask, 0x05555555u);
#endif
}

/* Slots at .. count-1 move up by one, or down; nobody else may be in the node. */
enum { W(PAIR_WORDS) = sizeof(W(pair)) / sizeof(uint64_t) };

PORT_FN uint32_t W(slot_words)(unsigned from, unsigned to)
{
    return (1u << W(PAIR_WORDS) * to) - (1u << W(PAIR_WORDS) * from);
}

/* From whole lines only: a load that began in the neighbour's last line would wait for it, masked or not. */
PORT_FN void W(slots_up_alone)(W(node) *node, unsigned at, unsigned count)
{
    uint32_t mask = W(slot_words)(at + 1, count + 1);
    __m512i line = _mm512_load_si512(&node->word[0]), before = line;
    PORT_UNROLL for (unsigned part = 0; part < sizeof(W(node)) / 64; part++) {
        if (part > 0) line = _mm512_load_si512(&node->word[8 * part]);
        _mm512_mask_store_epi64(&node->word[8 * part], (__mmask8)(mask >> 8 * part),
                                _mm512_alignr_epi64(line, before, 8 - W(PAIR_WORDS)));
        before = line;
    }
}

PORT_FN void W(slots_down_alone)(W(node) *node, unsigned at, unsigned count)
{
    uint32_t mask = W(slot_words)(at - 1, count - 1);
    __m512i line = _mm512_load_si512(&node->word[0]), after = line;
    PORT_UNROLL for (unsigned part = 0; part < sizeof(W(node)) / 64; part++) {
        if (part + 1 < sizeof(W(node)) / 64) after = _mm512_load_si512(&node->word[8 * (part + 1)]);
        _mm512_mask_store_epi64(&node->word[8 * part], (__mmask8)(mask >> 8 * part),
                                _mm512_alignr_epi64(after, line, W(PAIR_WORDS)));
        line = after;
    }
}

#include "node_search_x86.h"
