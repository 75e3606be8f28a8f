/* limits_cuda.cu - how fast a GPU's memory is: random lines and sectors, read and changed, a copy, a sort; and
 * how fast its second cache. */
#include "limit.h"

#include <cuda_runtime_api.h>
#include <stdint.h>
#include <string.h>

#include "cuda/sort_cuda.h"
#include "verify/sized.cuh"

enum { THREADS = 256, ROUNDS = 16, REPEATS = 3, PARTS_OF_FREE = 2 };
enum { LINE_WORDS = 8, SECTOR_WORDS = 2 }; /* of 16 bytes */
enum { SORT_PAIRS = 1 << SIZED(24, 10), CACHED_BYTES = 1 << SIZED(24, 12) };

static const size_t most_bytes = (size_t)1 << SIZED(33, 20), quick_bytes = (size_t)1 << SIZED(30, 20);
static const size_t reads = (size_t)1 << SIZED(27, 13);

static __device__ uint64_t scrambled(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 29;
    x *= 0xa0761d6478bd642fu;
    return x ^ x >> 32;
}

/* As many lanes as there are words in a line or sector read one together, ROUNDS times; all places are known ahead.
 * `count` is a power of two. */
static __global__ void read_random(const uint4 *memory, uint64_t count, unsigned words, unsigned *sink)
{
    const uint64_t thread = (uint64_t)blockIdx.x * THREADS + threadIdx.x, group = thread / words;
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint64_t at = scrambled(group * ROUNDS + i) & (count - 1);
        const uint4 word = memory[at * words + thread % words];
        sum += word.x ^ word.y ^ word.z ^ word.w;
    }
    if (sum == 0x12345678u) *sink = sum; /* never so, and the compiler does not know */
}

/* The same, and one lane writes a word back. */
static __global__ void change_random(uint4 *memory, uint64_t count, unsigned words, unsigned *sink)
{
    const uint64_t thread = (uint64_t)blockIdx.x * THREADS + threadIdx.x, group = thread / words;
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint64_t at = scrambled(group * ROUNDS + i) & (count - 1);
        uint4 *word = &memory[at * words + thread % words];
        const uint4 old = *word;
        sum += old.x ^ old.y ^ old.z ^ old.w;
        if (thread % words == 0) word->x = old.x + 1;
    }
    if (sum == 0x12345678u) *sink = sum;
}

/* A lane a sector, past L1. */
static __global__ void read_cached(const uint4 *memory, uint64_t count, unsigned *sink)
{
    const uint64_t thread = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint4 word = __ldcg(&memory[(scrambled(thread * ROUNDS + i) & (count - 1)) * SECTOR_WORDS]);
        sum += word.x ^ word.y ^ word.z ^ word.w;
    }
    if (sum == 0x12345678u) *sink = sum;
}

/* What all of it needs; kept while the limits are measured. */
typedef struct meter {
    uint4 *memory;
    size_t bytes, scratch_bytes;
    unsigned *sink;
    uint32_t *pairs; /* keys, sorted keys, values, sorted values */
    void *scratch;
    cudaEvent_t begin, end;
} meter;

typedef struct errand {
    enum bench_resource resource;
    double amount; /* done by one call */
} errand;

static cudaError_t carry_out(const meter *m, enum bench_resource resource)
{
    const bool lines = resource == BENCH_LINES || resource == BENCH_CHANGED_LINES;
    const unsigned words = lines ? LINE_WORDS : SECTOR_WORDS;
    const uint64_t count = m->bytes / (16u * words);
    const unsigned blocks = (unsigned)(reads * words / ROUNDS / THREADS);
    size_t scratch_bytes = m->scratch_bytes;
    switch (resource) {
    case BENCH_LINES:
    case BENCH_SECTORS: read_random<<<blocks, THREADS>>>(m->memory, count, words, m->sink); break;
    case BENCH_CHANGED_LINES:
    case BENCH_CHANGED_SECTORS: change_random<<<blocks, THREADS>>>(m->memory, count, words, m->sink); break;
    case BENCH_L2:
        read_cached<<<(unsigned)(reads / ROUNDS / THREADS), THREADS>>>(m->memory, CACHED_BYTES / 32, m->sink);
        break;
    case BENCH_BYTES:
        return cudaMemcpyAsync(m->memory, (const char *)m->memory + m->bytes / 2, m->bytes / 2,
                               cudaMemcpyDeviceToDevice, 0);
    case BENCH_SORTED:
        return sort_cuda_pairs(m->scratch, &scratch_bytes, 32, 32, m->pairs, m->pairs + SORT_PAIRS,
                               m->pairs + 2 * SORT_PAIRS, m->pairs + 3 * SORT_PAIRS, SORT_PAIRS, 0);
    case BENCH_DEPENDENT:
    case BENCH_RESOURCES: return cudaErrorInvalidValue;
    }
    return cudaGetLastError();
}

/* Millions a second, the best of a few: nobody else is on the GPU, so the others were disturbed by something. */
static double measure(const meter *m, errand what)
{
    double best = 0;
    for (int i = 0; i < REPEATS; i++) {
        float milliseconds = 0;
        if (cudaEventRecord(m->begin, 0) != cudaSuccess || carry_out(m, what.resource) != cudaSuccess ||
            cudaEventRecord(m->end, 0) != cudaSuccess || cudaEventSynchronize(m->end) != cudaSuccess ||
            cudaEventElapsedTime(&milliseconds, m->begin, m->end) != cudaSuccess)
            return 0;
        const double rate = what.amount / milliseconds / 1e3;
        best = rate > best ? rate : best;
    }
    return best;
}

static __global__ void fill_pairs(uint32_t *pairs)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    pairs[i] = (uint32_t)scrambled(i);
    pairs[2 * SORT_PAIRS + i] = i;
}

static bool meter_open(meter *m, bool quick)
{
    size_t unused = 0, free_bytes = 0;
    if (cudaMemGetInfo(&free_bytes, &unused) != cudaSuccess) return false;
    m->bytes = quick ? quick_bytes : most_bytes;
    while (m->bytes > free_bytes / PARTS_OF_FREE) m->bytes /= 2;
    if (sort_cuda_pairs(NULL, &m->scratch_bytes, 32, 32, m->pairs, m->pairs, m->pairs, m->pairs, SORT_PAIRS, 0) !=
            cudaSuccess ||
        cudaMalloc(&m->memory, m->bytes) != cudaSuccess || cudaMalloc(&m->sink, sizeof *m->sink) != cudaSuccess ||
        cudaMalloc(&m->pairs, 4 * sizeof *m->pairs * SORT_PAIRS) != cudaSuccess ||
        cudaMalloc(&m->scratch, m->scratch_bytes) != cudaSuccess || cudaEventCreate(&m->begin) != cudaSuccess ||
        cudaEventCreate(&m->end) != cudaSuccess || cudaMemset(m->memory, 1, m->bytes) != cudaSuccess)
        return false;
    fill_pairs<<<SORT_PAIRS / THREADS, THREADS>>>(m->pairs);
    return cudaDeviceSynchronize() == cudaSuccess;
}

static void meter_close(meter *m)
{
    cudaFree(m->memory);
    cudaFree(m->sink);
    cudaFree(m->pairs);
    cudaFree(m->scratch);
    if (m->begin != NULL) cudaEventDestroy(m->begin);
    if (m->end != NULL) cudaEventDestroy(m->end);
    (void)cudaGetLastError(); /* so that it is not taken for a later call's error */
}

static struct bench_limits measure_all(bool quick)
{
    struct bench_limits limits;
    meter m;
    memset(&m, 0, sizeof m);
    for (int i = 0; i < BENCH_RESOURCES; i++) limits.rate[i] = 0;
    if (meter_open(&m, quick)) {
        for (int i = 0; i < BENCH_RESOURCES; i++) {
            errand what;
            if (i == BENCH_DEPENDENT) continue; /* nobody waits for one line alone */
            what.resource = (enum bench_resource)i;
            what.amount = i == BENCH_BYTES ? (double)m.bytes : i == BENCH_SORTED ? (double)SORT_PAIRS : (double)reads;
            limits.rate[i] = measure(&m, what);
        }
    }
    meter_close(&m);
    return limits;
}

struct bench_limits bench_limits_cuda(bool quick)
{
    static struct bench_limits measured[2];
    static bool known[2];
    if (!known[quick]) measured[quick] = measure_all(quick);
    known[quick] = true;
    return measured[quick];
}
