/* map/map_choose_isa.c - selects the fastest node verbs available. Keys of 16 bytes have only plain ones. */
#include "map_choose_isa.h"

#include <stdlib.h>
#include <string.h>

#include "../skiplist/skiplist_cpu.h"
#include "../versioned/versioned_cpu.h"

typedef struct choice {
    const char *name;
    const blink_run_ops *width32, *width64, *versioned32, *versioned64;
    const batch_run_ops *batch32, *batch64;
} choice;

static int has_avx2(void)
{
#ifdef PLEACH_HAVE_AVX2
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
    return 0;
#endif
}

static int has_avx512(void)
{
#ifdef PLEACH_EMULATE_AVX512
    return has_avx2(); /* testkit/avx512_in_c.h */
#elif defined(PLEACH_HAVE_AVX512)
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    return 0;
#endif
}

static const choice *choose(void)
{
    static const choice plain = {"plain", &blink_run_32_plain, &blink_run_64_plain, &versioned_run_32_plain,
                                  &versioned_run_64_plain, &batch_run_32_plain, &batch_run_64_plain};
    const char *wanted = getenv("PLEACH_SIMD");
    if (wanted && strcmp(wanted, "plain") == 0) return &plain;
#ifdef PLEACH_HAVE_AVX512
    static const choice avx512 = {"avx512", &blink_run_32_avx512, &blink_run_64_avx512, &versioned_run_32_avx512,
                                   &versioned_run_64_avx512, &batch_run_32_avx512, &batch_run_64_avx512};
    if (has_avx512() && !(wanted && strcmp(wanted, "avx2") == 0)) return &avx512;
#endif
#ifdef PLEACH_HAVE_AVX2
    static const choice avx2 = {"avx2", &blink_run_32_avx2, &blink_run_64_avx2, &versioned_run_32_avx2,
                                   &versioned_run_64_avx2, &batch_run_32_avx2, &batch_run_64_avx2};
    if (has_avx2()) return &avx2;
#endif
    (void)has_avx512, (void)has_avx2;
    return &plain;
}

const blink_run_ops *blink_run_choose(unsigned key_bits, bool versioned)
{
    const choice *best = choose();
    if (key_bits == 128) return versioned ? &versioned_run_128_plain : &blink_run_128_plain;
    if (versioned) return key_bits == 32 ? best->versioned32 : best->versioned64;
    return key_bits == 32 ? best->width32 : best->width64;
}

/* The vector verbs are those of AVX2, even on machines with AVX-512. */
const blink_run_ops *skiplist_run_choose(unsigned key_bits, unsigned slots)
{
#ifdef PLEACH_HAVE_AVX2
    const char *wanted = getenv("PLEACH_SIMD");
    if (has_avx2() && !(wanted && strcmp(wanted, "plain") == 0)) {
        if (slots == 16) return key_bits == 32 ? &skiplist16_run_32_avx2 : &skiplist16_run_64_avx2;
        return key_bits == 32 ? &skiplist32_run_32_avx2 : &skiplist32_run_64_avx2;
    }
#endif
    if (slots == 16) return key_bits == 32 ? &skiplist16_run_32_plain : &skiplist16_run_64_plain;
    return key_bits == 32 ? &skiplist32_run_32_plain : &skiplist32_run_64_plain;
}

const batch_run_ops *batch_run_choose(unsigned key_bits)
{
    const choice *best = choose();
    if (key_bits == 128) return &batch_run_128_plain;
    return key_bits == 32 ? best->batch32 : best->batch64;
}

const char *blink_run_simd(void) { return choose()->name; }
