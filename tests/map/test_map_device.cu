/* tests/test_map_device.cu - the device-side API, every function at both key widths, from many threads of one kernel.
 *
 * Phase 1: thread i owns keys 10 i .. 10 i + 9, so it knows each answer about them while all others are at work.
 * Phase 2: all threads fight over the same few keys with add and erase; what they were told must add up.
 */
#include <pleach/map_device.cuh>
#include <pleach/pleach.h>

#include "testkit/device/device_checks.cuh"

enum { THREADS = 1 << 16, SHARED_KEYS = 64, ROUNDS = 40 };

/* What failed first is kept in *wrong, as a line number; *checks counts. */
#define EXPECT(condition)                                                                                        \
    do {                                                                                                         \
        mine++;                                                                                                  \
        if (!(condition)) atomicCAS(wrong, 0u, (unsigned)__LINE__);                                              \
    } while (0)

#define DEFINE_KERNELS(bits, key_type, base)                                                                     \
    __global__ void own_keys##bits(pleach_map_view view, unsigned *wrong, unsigned long long *checks)            \
    {                                                                                                            \
        key_type i = blockIdx.x * blockDim.x + threadIdx.x, first = (base) + 10 * i, old = 0, key = 0, value = 0; \
        key_type keys[4], values[4];                                                                             \
        unsigned long long mine = 0;                                                                             \
        EXPECT(!pleach_map##bits##_contains(view, first + 3));                                                   \
        EXPECT(pleach_map##bits##_put(view, first + 3, i, &old) == PLEACH_INSERTED);                             \
        EXPECT(pleach_map##bits##_put(view, first + 3, i + 1, &old) == PLEACH_REPLACED && old == i);             \
        EXPECT(pleach_map##bits##_add(view, first + 3, 7, &old) == PLEACH_EXISTS && old == i + 1);               \
        EXPECT(pleach_map##bits##_add(view, first + 5, 55, NULL) == PLEACH_INSERTED);                            \
        EXPECT(pleach_map##bits##_add(view, first + 7, 77, NULL) == PLEACH_INSERTED);                            \
        EXPECT(pleach_map##bits##_find(view, first + 3, &value) && value == i + 1);                              \
        EXPECT(!pleach_map##bits##_find(view, first + 4, &value));                                               \
        EXPECT(pleach_map##bits##_succ(view, first + 3, &key, &value) && key == first + 5 && value == 55);       \
        EXPECT(pleach_map##bits##_pred(view, first + 7, &key, &value) && key == first + 5 && value == 55);       \
        EXPECT(pleach_map##bits##_range_count(view, first, first + 9) == 3);                                     \
        EXPECT(pleach_map##bits##_range_count(view, first + 9, first) == 0);                                     \
        EXPECT(pleach_map##bits##_range(view, first, first + 9, 2, keys, values) == 2);                          \
        EXPECT(keys[0] == first + 3 && values[0] == i + 1 && keys[1] == first + 5 && values[1] == 55);           \
        EXPECT(pleach_map##bits##_erase(view, first + 5, &old) == PLEACH_ERASED && old == 55);                   \
        EXPECT(pleach_map##bits##_erase(view, first + 5, &old) == PLEACH_ABSENT);                                \
        EXPECT(pleach_map##bits##_succ(view, first + 3, &key, NULL) && key == first + 7);                        \
        EXPECT(pleach_map##bits##_min(view, &key, NULL) && key <= first + 3);                                    \
        EXPECT(pleach_map##bits##_max(view, &key, NULL) && key >= first + 7);                                    \
        EXPECT(!pleach_map##bits##_succ(view, (key_type)-1, &key, &value));                                      \
        EXPECT(!pleach_map##bits##_pred(view, 0, &key, &value));                                                 \
        atomicAdd(checks, mine);                                                                                 \
    }                                                                                                            \
    __global__ void fight##bits(pleach_map_view view, int *balance, unsigned *wrong, unsigned long long *checks) \
    {                                                                                                            \
        unsigned long long mine = 0;                                                                             \
        for (unsigned round = 0; round < ROUNDS; round++) {                                                      \
            unsigned which = (threadIdx.x * 7 + blockIdx.x * 13 + round) % SHARED_KEYS;                          \
            pleach_outcome outcome = round % 2 ? pleach_map##bits##_erase(view, which, NULL)                     \
                                               : pleach_map##bits##_add(view, which, round, NULL);               \
            EXPECT(outcome != PLEACH_NOT_APPLIED && outcome != PLEACH_REPLACED);                                 \
            if (outcome == PLEACH_INSERTED) atomicAdd(&balance[which], 1);                                       \
            if (outcome == PLEACH_ERASED) atomicAdd(&balance[which], -1);                                        \
        }                                                                                                        \
        atomicAdd(checks, mine);                                                                                 \
    }                                                                                                            \
    __global__ void settle##bits(pleach_map_view view, const int *balance, unsigned *wrong,                      \
                                 unsigned long long *checks)                                                     \
    {                                                                                                            \
        unsigned long long mine = 0;                                                                             \
        bool there = pleach_map##bits##_contains(view, threadIdx.x);                                             \
        EXPECT(balance[threadIdx.x] == (there ? 1 : 0));                                                         \
        atomicAdd(checks, mine);                                                                                 \
    }

DEFINE_KERNELS(32, uint32_t, 1000u)
DEFINE_KERNELS(64, uint64_t, (uint64_t)1 << 40)

typedef struct counters {
    unsigned wrong;
    unsigned long long checks;
    int balance[SHARED_KEYS];
} counters;

static void run_kernels(unsigned bits, pleach_map_view view, counters *c)
{
    if (bits == 32) {
        own_keys32<<<THREADS / 256, 256>>>(view, &c->wrong, &c->checks);
        fight32<<<64, 256>>>(view, c->balance, &c->wrong, &c->checks);
        settle32<<<1, SHARED_KEYS>>>(view, c->balance, &c->wrong, &c->checks);
    } else {
        own_keys64<<<THREADS / 256, 256>>>(view, &c->wrong, &c->checks);
        fight64<<<64, 256>>>(view, c->balance, &c->wrong, &c->checks);
        settle64<<<1, SHARED_KEYS>>>(view, c->balance, &c->wrong, &c->checks);
    }
}

static void test_width(unsigned bits)
{
    pleach_map *map;
    pleach_map_view view;
    pleach_map_config config = {};
    config.device = PLEACH_CUDA;
    config.key_bits = bits;
    config.reserve_keys = 4 * THREADS;
    pleach_status status = pleach_map_create(&map, &config);
    expect(status == PLEACH_OK, bits, pleach_strerror(status));
    if (status != PLEACH_OK) return;
    counters *there, here = {};
    expect(cudaMalloc(&there, sizeof here) == cudaSuccess && cudaMemset(there, 0, sizeof here) == cudaSuccess &&
               pleach_map_view_open(map, &view) == PLEACH_OK, bits, "a view opens");
    run_kernels(bits, view, there);
    expect(pleach_map_validate(map, NULL, 0) == PLEACH_E_BUSY, bits, "exclusive calls are refused meanwhile");
    expect(cudaMemcpy(&here, there, sizeof here, cudaMemcpyDeviceToHost) == cudaSuccess, bits, "the kernels end");
    char text[96];
    snprintf(text, sizeof text, "%llu answers are right (first wrong one in line %u)", here.checks, here.wrong);
    expect(here.wrong == 0 && here.checks > THREADS, bits, text);
    expect(pleach_map_view_close(map, &view) == PLEACH_OK, bits, "the view closes");
    uint64_t size = 0, expected = 2 * THREADS;
    for (int i = 0; i < SHARED_KEYS; i++) expected += (uint64_t)here.balance[i];
    expect(pleach_map_size(map, &size) == PLEACH_OK && size == expected, bits, "the size is what was told");
    expect_valid(bits, map);
    cudaFree(there);
    pleach_map_destroy(map);
}

int main(void)
{
    test_width(32);
    test_width(64);
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
