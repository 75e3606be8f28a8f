/* bench_keys.c - the keys of the benchmarks: computed from an index, so that nothing has to be remembered. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"

enum { ORDER_SEED = 20, ZIPF_SEED = 21 };

/* The i-th of all keys: those below n are in the map, those from n on are not. Both mappings are one to one. */
static uint64_t key_at(const struct bench_keys *keys, size_t i)
{
    return keys->dist == DIST_DENSE ? i : mix_key(keys->bits, i);
}

bool bench_keys_create(struct bench_keys *keys, unsigned bits, size_t n, enum bench_dist dist)
{
    *keys = (struct bench_keys){.bits = bits, .n = n, .dist = dist, .order = mix_order_make(n, ORDER_SEED)};
    keys->sorted = malloc(n * word_bytes(bits));
    if (keys->sorted == NULL) return false;
    for (size_t i = 0; i < n; i++) bench_set_word(keys->sorted, bits, i, key_at(keys, i));
    if (bench_sort(keys->sorted, bits, n)) return true;
    bench_keys_destroy(keys);
    return false;
}

void bench_keys_destroy(struct bench_keys *keys)
{
    free(keys->sorted);
    *keys = (struct bench_keys){0};
}

/* Zipf's law: the k-th most popular of n is drawn with a probability in proportion to k^-s. By rejection and
 * inversion: draw under the integral of x^-s, round, and draw again where rounding would distort (Hoermann and
 * Derflinger, 1996). */
static const double zipf_s = 0.99;

static double zipf_integral(double x) { return (pow(x, 1 - zipf_s) - 1) / (1 - zipf_s); }
static double zipf_inverse(double y) { return pow(1 + y * (1 - zipf_s), 1 / (1 - zipf_s)); }

static size_t zipf_rank(size_t n, size_t i)
{
    struct mix_random random = {mix64(i + ((uint64_t)ZIPF_SEED << 48))};
    const double low = zipf_integral(1.5) - 1, high = zipf_integral((double)n + 0.5);
    for (;;) {
        const double u = high + (double)(mix_next(&random) >> 11) * 0x1p-53 * (low - high);
        const double x = zipf_inverse(u);
        double k = floor(x + 0.5);
        k = k < 1 ? 1 : k > (double)n ? (double)n : k;
        if (u >= zipf_integral(k + 0.5) - pow(k, -zipf_s)) return (size_t)k - 1;
    }
}

size_t bench_keys_rank(const struct bench_keys *keys, size_t i, size_t queries)
{
    if (keys->dist == DIST_SORTED) return i * keys->n / queries; /* both are at most 2^31 */
    if (keys->dist == DIST_ZIPF) return (size_t)mix_order_at(&keys->order, zipf_rank(keys->n, i));
    return (size_t)mix_order_at(&keys->order, i % keys->n);
}

uint64_t bench_keys_absent(const struct bench_keys *keys, size_t i) { return key_at(keys, keys->n + i); }

uint64_t bench_value(unsigned bits, uint64_t key) { return mix64(key ^ 0x5bd1e9955bd1e995u) & word_max(bits); }
