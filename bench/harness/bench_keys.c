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

/* With at most 2^30 keys in 2^64 words the widest is above 2^33. */
static uint64_t widest_hole(const struct bench_keys *keys)
{
    const uint64_t first = bench_key(keys, 0), last = bench_key(keys, keys->n - 1);
    uint64_t width = UINT64_MAX - last, top = UINT64_MAX;
    if (first > width) {
        width = first;
        top = first - 1;
    }
    for (size_t i = 1; i < keys->n; i++) {
        const uint64_t here = bench_key(keys, i) - bench_key(keys, i - 1) - 1;
        if (here <= width) continue;
        width = here;
        top = bench_key(keys, i) - 1;
    }
    return top;
}

bool bench_keys_create(struct bench_keys *keys, unsigned bits, size_t n, enum bench_dist dist,
                       const struct bench_key_file *file)
{
    *keys = (struct bench_keys){.bits = bits, .n = n, .dist = dist, .order = mix_order_make(n, ORDER_SEED),
                                .of_file = file->keys != NULL};
    keys->sorted = malloc(n * word_bytes(bits));
    if (keys->sorted == NULL) return false;
    if (keys->of_file) {
        for (size_t i = 0; i < n; i++) /* both numbers are at most 2^30 */
            bench_set_word(keys->sorted, bits, i, file->keys[(uint64_t)i * file->count / n]);
        keys->hole = widest_hole(keys);
        return true;
    }
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

/* A number from 0 to below 1, the next of query i. */
static double next_share(struct mix_random *random) { return (double)(mix_next(random) >> 11) * 0x1p-53; }

/* Zipf's law: the k-th most popular of n is drawn with a probability in proportion to k^-s. By rejection and
 * inversion: draw under the integral of x^-s, round, and draw again where rounding would distort (Hoermann and
 * Derflinger, 1996). */
static double zipf_integral(double s, double x) { return s == 1 ? log(x) : (pow(x, 1 - s) - 1) / (1 - s); }
static double zipf_inverse(double s, double y) { return s == 1 ? exp(y) : pow(1 + y * (1 - s), 1 / (1 - s)); }

size_t bench_zipf_rank(double s, size_t n, struct mix_random *random)
{
    const double low = zipf_integral(s, 1.5) - 1, high = zipf_integral(s, (double)n + 0.5);
    for (;;) {
        const double u = high + next_share(random) * (low - high);
        const double x = zipf_inverse(s, u);
        double k = floor(x + 0.5);
        k = k < 1 ? 1 : k > (double)n ? (double)n : k;
        if (u >= zipf_integral(s, k + 0.5) - pow(k, -s)) return (size_t)k - 1;
    }
}

/* Gray and others, 1994: the first 20% of the ranks are drawn with a probability of 80%, and so on among these. */
static size_t self_similar_rank(size_t n, struct mix_random *random)
{
    const double rank = (double)n * pow(next_share(random), log(0.2) / log(0.8));
    return rank < (double)n ? (size_t)rank : n - 1;
}

/* Box and Muller, 1958. */
static size_t gauss_rank(size_t n, struct mix_random *random)
{
    const double middle = (double)n / 2, radius = sqrt(-2 * log(1 - next_share(random)));
    const double rank = middle + 0.005 * middle * radius * cos(6.283185307179586 * next_share(random));
    return rank < 0 ? 0 : rank < (double)n ? (size_t)rank : n - 1;
}

size_t bench_keys_rank(const struct bench_keys *keys, size_t i, size_t queries)
{
    struct mix_random random = {mix64(i + ((uint64_t)ZIPF_SEED << 48))};
    const size_t n = keys->n;
    switch (keys->dist) {
    case DIST_SORTED: return i * n / queries; /* both are at most 2^31 */
    case DIST_ZIPF: return (size_t)mix_order_at(&keys->order, bench_zipf_rank(0.99, n, &random));
    case DIST_ZIPF1: return (size_t)mix_order_at(&keys->order, bench_zipf_rank(1, n, &random));
    case DIST_SELF: return (size_t)mix_order_at(&keys->order, self_similar_rank(n, &random));
    case DIST_GAUSS: return gauss_rank(n, &random);
    case DIST_UNIFORM:
    case DIST_DENSE: break;
    }
    return (size_t)mix_order_at(&keys->order, i % n);
}

/* Beside a file's keys: the first, second ... after each of them, in shuffled order. Where the next key is nearer, one
 * from the top of the widest hole, which those from its bottom do not reach. */
static uint64_t beside_file(const struct bench_keys *keys, size_t i)
{
    const size_t rank = (size_t)mix_order_at(&keys->order, i % keys->n);
    const uint64_t key = bench_key(keys, rank), step = 1 + i / keys->n;
    return rank + 1 < keys->n && step < bench_key(keys, rank + 1) - key ? key + step : keys->hole - i;
}

uint64_t bench_keys_absent(const struct bench_keys *keys, size_t i)
{
    return keys->of_file ? beside_file(keys, i) : key_at(keys, keys->n + i);
}

uint64_t bench_keys_interval(const struct bench_keys *keys, size_t rank, size_t length)
{
    const uint64_t most = word_max(keys->bits), begin = bench_key(keys, rank);
    /* A file's keys lie close together in one place and far apart in another. */
    if (keys->of_file) return bench_key(keys, length - 1 < keys->n - rank ? rank + length - 1 : keys->n - 1);
    const uint64_t gap = keys->dist == DIST_DENSE ? 1 : most / keys->n;
    const uint64_t width = gap * (length - 1);
    return most - begin < width ? most : begin + width;
}

uint64_t bench_value(unsigned bits, uint64_t key) { return mix64(key ^ 0x5bd1e9955bd1e995u) & word_max(bits); }
