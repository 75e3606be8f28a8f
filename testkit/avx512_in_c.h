/* testkit/avx512_in_c.h - the AVX-512 intrinsics that src/node uses, in plain C, so that machines without AVX-512 can
 * test node_avx512.h: a build with PLEACH_EMULATE_AVX512 includes this before everything else, and takes these verbs for
 * the machine's best. Memory is touched through memcpy, which AddressSanitizer watches; accesses that must be aligned
 * stop the program if they are not. An intrinsic that is missing here does not compile. */
#ifndef PLEACH_AVX512_IN_C_H
#define PLEACH_AVX512_IN_C_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

typedef union line512 {
    uint32_t d[16];
    uint64_t q[8];
} line512;

#define FN static inline __attribute__((unused))

/* ---- memory ---- */

FN line512 load512(const void *from)
{
    line512 line;
    memcpy(&line, from, sizeof line);
    return line;
}
FN line512 load512_aligned(const void *from)
{
    if ((uintptr_t)from % sizeof(line512) != 0) __builtin_trap();
    return load512(from);
}
FN void store512(void *to, line512 line) { memcpy(to, &line, sizeof line); }
FN void store512_d(void *to, __mmask16 mask, line512 line)
{
    for (unsigned i = 0; i < 16; i++)
        if (mask >> i & 1) memcpy((uint32_t *)to + i, &line.d[i], sizeof line.d[i]);
}
FN void store512_q(void *to, __mmask8 mask, line512 line)
{
    for (unsigned i = 0; i < 8; i++)
        if (mask >> i & 1) memcpy((uint64_t *)to + i, &line.q[i], sizeof line.q[i]);
}
FN void store512_q_aligned(void *to, __mmask8 mask, line512 line)
{
    if ((uintptr_t)to % sizeof(line512) != 0) __builtin_trap();
    store512_q(to, mask, line);
}

/* ---- numbers ---- */

FN line512 all512_d(int number)
{
    line512 line;
    for (unsigned i = 0; i < 16; i++) line.d[i] = (uint32_t)number;
    return line;
}
FN line512 all512_q(long long number)
{
    line512 line;
    for (unsigned i = 0; i < 8; i++) line.q[i] = (uint64_t)number;
    return line;
}
/* The first of the arguments is the last of the line. */
#define LIST512_D(...) list512_d((const int[16]){__VA_ARGS__})
FN line512 list512_d(const int *backwards)
{
    line512 line;
    for (unsigned i = 0; i < 16; i++) line.d[i] = (uint32_t)backwards[15 - i];
    return line;
}
#define LIST512_Q(...) list512_q((const long long[8]){__VA_ARGS__})
FN line512 list512_q(const long long *backwards)
{
    line512 line;
    for (unsigned i = 0; i < 8; i++) line.q[i] = (uint64_t)backwards[7 - i];
    return line;
}
FN line512 add512_d(line512 a, line512 b)
{
    for (unsigned i = 0; i < 16; i++) a.d[i] += b.d[i];
    return a;
}
FN line512 add512_q(line512 a, line512 b)
{
    for (unsigned i = 0; i < 8; i++) a.q[i] += b.q[i];
    return a;
}

/* ---- places ---- */

/* Eight numbers from the n-th on, of b's and then a's. */
FN line512 shift512_q(line512 a, line512 b, int n)
{
    line512 line;
    for (unsigned i = 0; i < 8; i++) {
        unsigned from = i + ((unsigned)n & 7);
        line.q[i] = from < 8 ? b.q[from] : a.q[from - 8];
    }
    return line;
}
FN line512 pick512_d(line512 a, line512 places, line512 b)
{
    line512 line;
    for (unsigned i = 0; i < 16; i++) line.d[i] = places.d[i] & 16 ? b.d[places.d[i] & 15] : a.d[places.d[i] & 15];
    return line;
}
FN line512 pick512_q(line512 a, line512 places, line512 b)
{
    line512 line;
    for (unsigned i = 0; i < 8; i++) line.q[i] = places.q[i] & 8 ? b.q[places.q[i] & 7] : a.q[places.q[i] & 7];
    return line;
}

/* ---- comparisons, of numbers without sign ---- */

#define COMPARE512(name, part, count, mask_type, operator)                                                       \
    FN mask_type name(mask_type wanted, line512 a, line512 b)                                                    \
    {                                                                                                            \
        unsigned mask = 0;                                                                                       \
        for (unsigned i = 0; i < (count); i++)                                                                   \
            if ((wanted >> i & 1) && a.part[i] operator b.part[i]) mask |= 1u << i;                              \
        return (mask_type)mask;                                                                                  \
    }
COMPARE512(equal512_d, d, 16, __mmask16, ==)
COMPARE512(below512_d, d, 16, __mmask16, <)
COMPARE512(not_above512_d, d, 16, __mmask16, <=)
COMPARE512(equal512_q, q, 8, __mmask8, ==)
COMPARE512(below512_q, q, 8, __mmask8, <)
COMPARE512(not_above512_q, q, 8, __mmask8, <=)

#undef FN

#define __m512i line512
#define _mm512_loadu_si512 load512
#define _mm512_load_si512 load512_aligned
#define _mm512_storeu_si512 store512
#define _mm512_mask_storeu_epi32 store512_d
#define _mm512_mask_storeu_epi64 store512_q
#define _mm512_mask_store_epi64 store512_q_aligned
#define _mm512_set1_epi32 all512_d
#define _mm512_set1_epi64 all512_q
#define _mm512_set_epi32 LIST512_D
#define _mm512_set_epi64 LIST512_Q
#define _mm512_add_epi32 add512_d
#define _mm512_add_epi64 add512_q
#define _mm512_alignr_epi64 shift512_q
#define _mm512_permutex2var_epi32 pick512_d
#define _mm512_permutex2var_epi64 pick512_q
#define _mm512_mask_cmpeq_epi32_mask equal512_d
#define _mm512_mask_cmplt_epu32_mask below512_d
#define _mm512_mask_cmple_epu32_mask not_above512_d
#define _mm512_mask_cmpeq_epi64_mask equal512_q
#define _mm512_mask_cmplt_epu64_mask below512_q
#define _mm512_mask_cmple_epu64_mask not_above512_q

#endif
