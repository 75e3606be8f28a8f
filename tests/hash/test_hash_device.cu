/* tests/test_hash_device.cu - hash tables from inside kernels, every function of every kind, from many threads.
 *
 * Phase 1: thread i owns keys 8 i .. 8 i + 7, so it knows each answer about them while all others are at work.
 * Phase 2: all threads fight over the same few keys with add and erase; what they were told must add up.
 * Growth: a table of one bucket gets keys from a kernel, and is one of many afterwards.
 * Limits: a table at its limit says which keys it did not take, and has all others.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pleach/hash_device.cuh>
#include <pleach/graph_device.cuh> /* not used: both may be in one file, in either order */
#include <pleach/pleach.h>

enum { THREADS = 1 << 16, BLOCK = 256, SHARED_KEYS = 64, ROUNDS = 40, GROWN = 20000, TOO_MANY = 1 << 18 };

/* What failed first is kept in c->wrong, as a line number; c->checks counts. */
#define EXPECT(condition)                                                                                        \
    do {                                                                                                         \
        mine++;                                                                                                  \
        if (!(condition)) atomicCAS(&c->wrong, 0u, (unsigned)__LINE__);                                          \
    } while (0)

typedef struct counters {
    unsigned wrong;
    unsigned long long checks, inserted, not_applied;
    int balance[SHARED_KEYS];
} counters;

/* Maps and sets take different arguments: the same names for both. PUT, ADD and ERASE tell the old value, of a set 0;
 * VALUE(x) is x, of a set 0. */
#define MAP_PUT(kind, key, value) pleach_hash_##kind##_put(view, key, value, &old)
#define MAP_ADD(kind, key, value) pleach_hash_##kind##_add(view, key, value, &old)
#define MAP_ERASE(kind, key) pleach_hash_##kind##_erase(view, key, &old)
#define MAP_ONLY_ADD(kind, key, value) pleach_hash_##kind##_add(view, key, value, NULL)
#define MAP_ONLY_ERASE(kind, key) pleach_hash_##kind##_erase(view, key, NULL)
#define MAP_FIND(kind, key) pleach_hash_##kind##_find(view, key, &old)
#define MAP_VALUE(x) (x)
#define SET_PUT(kind, key, value) ((void)(value), pleach_hash_##kind##_put(view, key))
#define SET_ADD(kind, key, value) ((void)(value), pleach_hash_##kind##_add(view, key))
#define SET_ERASE(kind, key) pleach_hash_##kind##_erase(view, key)
#define SET_ONLY_ADD SET_ADD
#define SET_ONLY_ERASE SET_ERASE
#define SET_FIND(kind, key) pleach_hash_##kind##_contains(view, key)
#define SET_VALUE(x) 0

/* A key that spreads over the whole range; different ones for different numbers. */
#define SPREAD32(i) ((uint32_t)(i) * 2654435761u)
#define SPREAD64(i) ((uint64_t)(i) * 0x9e3779b97f4a7c15u)

#define DEFINE_KERNELS(kind, key_type, OF, base, SPREAD)                                                         \
    __global__ void own_keys_##kind(const __grid_constant__ pleach_hash_view view, counters *c)                  \
    {                                                                                                            \
        key_type i = blockIdx.x * blockDim.x + threadIdx.x, first = (base) + 8 * i, old = 0;                     \
        unsigned long long mine = 0;                                                                             \
        EXPECT(!pleach_hash_##kind##_contains(view, first + 3));                                                 \
        EXPECT(OF##_PUT(kind, first + 3, i) == PLEACH_INSERTED);                                                 \
        EXPECT(OF##_PUT(kind, first + 3, i + 1) == PLEACH_REPLACED && old == OF##_VALUE(i));                     \
        EXPECT(OF##_ADD(kind, first + 3, 7) == PLEACH_EXISTS && old == OF##_VALUE(i + 1));                       \
        old = 0;                                                                                                 \
        EXPECT(OF##_ADD(kind, first + 5, 55) == PLEACH_INSERTED && old == 0);                                    \
        EXPECT(OF##_ADD(kind, first + 7, 77) == PLEACH_INSERTED && old == 0);                                    \
        EXPECT(OF##_FIND(kind, first + 3) && old == OF##_VALUE(i + 1));                                          \
        old = 9;                                                                                                 \
        EXPECT(!OF##_FIND(kind, first + 4) && old == 9);                                                         \
        old = 0;                                                                                                 \
        EXPECT(OF##_ERASE(kind, first + 5) == PLEACH_ERASED && old == OF##_VALUE(55));                           \
        old = 9;                                                                                                 \
        EXPECT(OF##_ERASE(kind, first + 5) == PLEACH_ABSENT && old == 9);                                        \
        EXPECT(!pleach_hash_##kind##_contains(view, first + 5));                                                 \
        EXPECT(pleach_hash_##kind##_contains(view, first + 7));                                                  \
        atomicAdd(&c->checks, mine);                                                                             \
    }                                                                                                            \
    __global__ void fight_##kind(const __grid_constant__ pleach_hash_view view, counters *c)                     \
    {                                                                                                            \
        unsigned long long mine = 0;                                                                             \
        for (unsigned round = 0; round < ROUNDS; round++) {                                                      \
            unsigned which = (threadIdx.x * 7 + blockIdx.x * 13 + round) % SHARED_KEYS;                          \
            pleach_outcome outcome = round % 2 ? OF##_ONLY_ERASE(kind, which) : OF##_ONLY_ADD(kind, which, round); \
            EXPECT(outcome != PLEACH_NOT_APPLIED && outcome != PLEACH_REPLACED);                                 \
            if (outcome == PLEACH_INSERTED) atomicAdd(&c->balance[which], 1);                                    \
            if (outcome == PLEACH_ERASED) atomicAdd(&c->balance[which], -1);                                     \
        }                                                                                                        \
        atomicAdd(&c->checks, mine);                                                                             \
    }                                                                                                            \
    __global__ void settle_##kind(const __grid_constant__ pleach_hash_view view, counters *c)                    \
    {                                                                                                            \
        unsigned long long mine = 0;                                                                             \
        bool there = pleach_hash_##kind##_contains(view, threadIdx.x);                                           \
        EXPECT(c->balance[threadIdx.x] == (there ? 1 : 0));                                                      \
        atomicAdd(&c->checks, mine);                                                                             \
    }                                                                                                            \
    /* Each key is put by two threads, of which exactly one may have inserted it; told[i] are their outcomes. */  \
    __global__ void fill_##kind(const __grid_constant__ pleach_hash_view view, unsigned n, unsigned *told,       \
                                counters *c)                                                                     \
    {                                                                                                            \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                      \
        key_type key = SPREAD(i >> 1);                                                                           \
        if (i >> 1 >= n) return;                                                                                 \
        pleach_outcome outcome = OF##_ONLY_ADD(kind, key, i >> 1);                                               \
        if (outcome == PLEACH_INSERTED) atomicAdd(&c->inserted, 1ull), atomicAdd(&told[i >> 1], 1u);             \
        if (outcome == PLEACH_NOT_APPLIED) atomicAdd(&c->not_applied, 1ull), atomicAdd(&told[i >> 1], 16u);      \
        if (outcome != PLEACH_INSERTED && outcome != PLEACH_NOT_APPLIED && outcome != PLEACH_EXISTS)             \
            atomicCAS(&c->wrong, 0u, (unsigned)__LINE__);                                                        \
    }                                                                                                            \
    /* One insert, or none, if it was refused both times. */                                                     \
    __global__ void look_##kind(const __grid_constant__ pleach_hash_view view, unsigned n, const unsigned *told, \
                                counters *c)                                                                     \
    {                                                                                                            \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                      \
        unsigned long long mine = 0;                                                                             \
        key_type old = OF##_VALUE(i + 1), key = SPREAD(i);                                                       \
        if (i >= n) return;                                                                                      \
        bool found = OF##_FIND(kind, key);                                                                       \
        EXPECT(found ? (told[i] & 15) == 1 && old == OF##_VALUE(i) : told[i] == 32);                             \
        atomicAdd(&c->checks, mine);                                                                             \
    }

DEFINE_KERNELS(map32, uint32_t, MAP, 1000u, SPREAD32)
DEFINE_KERNELS(set32, uint32_t, SET, 1000u, SPREAD32)
DEFINE_KERNELS(map64, uint64_t, MAP, (uint64_t)1 << 40, SPREAD64)
DEFINE_KERNELS(set64, uint64_t, SET, (uint64_t)1 << 40, SPREAD64)

static int passed, failed;
static const char *kind_name;

static void expect(bool good, const char *what)
{
    good ? passed++ : failed++;
    printf("%s  %s: %s\n", good ? "ok    " : "FAILED", kind_name, what);
}

/* The kernel of a table's kind; leaves the arguments to the launch. */
#define CALL(bits, set, kernel, blocks, threads, ...)                                                            \
    do {                                                                                                         \
        if ((bits) == 32 && !(set)) kernel##_map32<<<blocks, threads>>>(__VA_ARGS__);                            \
        if ((bits) == 32 && (set)) kernel##_set32<<<blocks, threads>>>(__VA_ARGS__);                             \
        if ((bits) == 64 && !(set)) kernel##_map64<<<blocks, threads>>>(__VA_ARGS__);                            \
        if ((bits) == 64 && (set)) kernel##_set64<<<blocks, threads>>>(__VA_ARGS__);                             \
    } while (0)

static pleach_hash *open_table(unsigned bits, unsigned set, uint64_t reserve, uint64_t max_bytes)
{
    pleach_hash *hash = NULL;
    pleach_hash_config config = {};
    config.device = PLEACH_CUDA;
    config.key_bits = bits;
    config.set = set;
    config.seed = 99;
    config.reserve_keys = reserve;
    config.max_bytes = max_bytes;
    pleach_status status = pleach_hash_create(&hash, &config);
    expect(status == PLEACH_OK, pleach_strerror(status));
    return hash;
}

static counters *zeros(size_t bytes)
{
    void *there = NULL;
    bool good = cudaMalloc(&there, bytes) == cudaSuccess && cudaMemset(there, 0, bytes) == cudaSuccess;
    expect(good, "memory");
    if (!good) exit(EXIT_FAILURE);
    return (counters *)there;
}

/* Takes the counters back, and looks at what was found. */
static counters collect(counters *there)
{
    counters here = {};
    char text[96];
    expect(cudaMemcpy(&here, there, sizeof here, cudaMemcpyDeviceToHost) == cudaSuccess, "the kernels end");
    snprintf(text, sizeof text, "%llu answers are right (first wrong one in line %u)", here.checks, here.wrong);
    expect(here.wrong == 0 && here.checks > 0, text);
    cudaFree(there);
    return here;
}

static void expect_sound(pleach_hash *hash, uint64_t expected)
{
    char text[96];
    uint64_t size = 0;
    expect(pleach_hash_size(hash, &size) == PLEACH_OK && size == expected, "the size is what was told");
    pleach_status valid = pleach_hash_validate(hash, text, sizeof text);
    expect(valid == PLEACH_OK, valid == PLEACH_OK ? "the table is valid" : text);
}

static void test_answers(unsigned bits, unsigned set)
{
    pleach_hash *hash = open_table(bits, set, 0, 0);
    if (!hash) return;
    pleach_hash_view view;
    counters *there = zeros(sizeof *there);
    expect(pleach_hash_reserve(hash, 4 * THREADS) == PLEACH_OK, "reserve");
    expect(pleach_hash_view_open(hash, &view) == PLEACH_OK && view.key_bits == bits && view.set == set, "a view");
    CALL(bits, set, own_keys, THREADS / BLOCK, BLOCK, view, there);
    CALL(bits, set, fight, 64, BLOCK, view, there);
    CALL(bits, set, settle, 1, SHARED_KEYS, view, there);
    expect(pleach_hash_validate(hash, NULL, 0) == PLEACH_E_BUSY, "exclusive calls are refused meanwhile");
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    expect(pleach_hash_put_one(hash, 500, 1, &outcome, NULL) == PLEACH_OK && outcome == PLEACH_INSERTED,
           "single calls are not");
    counters here = collect(there);
    expect(pleach_hash_view_close(hash, &view) == PLEACH_OK, "the view closes");
    uint64_t expected = 2 * THREADS + 1;
    for (int i = 0; i < SHARED_KEYS; i++) expected += (uint64_t)here.balance[i];
    expect_sound(hash, expected);
    pleach_hash_destroy(hash);
}

/* n keys into a table that begins with one bucket. */
static void test_filling(unsigned bits, unsigned set, unsigned n, uint64_t max_bytes)
{
    pleach_hash *hash = open_table(bits, set, 0, max_bytes);
    if (!hash) return;
    pleach_hash_view view;
    pleach_hash_stats stats = {};
    counters *there = zeros(sizeof *there);
    unsigned *told = (unsigned *)zeros(n * sizeof *told), blocks = (2 * n + BLOCK - 1) / BLOCK;
    expect(pleach_hash_view_open(hash, &view) == PLEACH_OK, "a view opens");
    CALL(bits, set, fill, blocks, BLOCK, view, n, told, there);
    CALL(bits, set, look, blocks, BLOCK, view, n, told, there);
    counters here = collect(there);
    cudaFree(told);
    expect(pleach_hash_view_close(hash, &view) == PLEACH_OK, "the view closes");
    expect((here.not_applied > 0) == (max_bytes > 0), max_bytes ? "some are refused at the limit" : "none was refused");
    if (!max_bytes) expect(here.inserted == n, "every key has come once");
    expect_sound(hash, here.inserted);
    expect(pleach_hash_get_stats(hash, &stats) == PLEACH_OK && stats.buckets > 1, "the table has grown in the kernel");
    uint64_t size = 0;
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    pleach_status put = pleach_hash_put_one(hash, 3, 3, &outcome, NULL); /* the host looks at what kernels have left */
    expect(max_bytes || (put == PLEACH_OK && pleach_hash_size(hash, &size) == PLEACH_OK && size == n + 1),
           "calls of the host go on");
    pleach_hash_destroy(hash);
}

static void test_refusals(void)
{
    kind_name = "refusals";
    pleach_hash *host = NULL, *gpu = open_table(32, 0, 0, 0);
    pleach_hash_view view = {};
    expect(pleach_hash_create(&host, NULL) == PLEACH_OK, "a table on the CPU");
    expect(pleach_hash_view_open(host, &view) == PLEACH_E_ARGUMENT, "no view of that");
    expect(pleach_hash_view_open(gpu, NULL) == PLEACH_E_ARGUMENT && pleach_hash_view_open(NULL, &view) ==
               PLEACH_E_ARGUMENT, "no view of or to NULL");
    expect(pleach_hash_view_close(gpu, &view) == PLEACH_E_ARGUMENT, "none is open");
    pleach_hash_destroy(host);
    pleach_hash_destroy(gpu);
}

int main(void)
{
    static const char *const names[] = {"map32", "set32", "map64", "set64"};
    for (unsigned kind = 0; kind < 4; kind++) {
        unsigned bits = kind < 2 ? 32 : 64, set = kind % 2;
        kind_name = names[kind];
        test_answers(bits, set);
        test_filling(bits, set, GROWN, 0);
        test_filling(bits, set, TOO_MANY, 1 << 19);
    }
    test_refusals();
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
