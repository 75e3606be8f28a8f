/* tests/test_versioned_device.cu - maps with versions from inside kernels: blocks and warps take snapshots beside
 * blocks that update, in grids larger than what the GPU holds at a time, and in several kernels at once.
 *
 * 1  Every function, by threads that own their keys and so know each answer.
 * 2  Prefixes: a writer inserts its keys in ascending order, then erases them in ascending order. Whatever a snapshot
 *    shows of them is a run without a gap, and a later snapshot of the same reader shows no earlier state.
 * 3  Two ranges, two inserts: if one snapshot shows the first of two concurrent inserts and not the second, no other
 *    one shows the second and not the first.
 * 4  Handles that the host holds, beside it all: what they show does not change.
 * 5  No memory for copies: updates are refused, and nothing hangs.
 */
#include <pleach/pleach.h>
#include <pleach/versioned_device.cuh>

#include "testkit/device/device_checks.cuh"

enum { BLOCK = 128, OWNERS = 1 << 15, RUN = 32, WRITERS = 1 << 15, READER_BLOCKS = 3000, PAIRS = 1 << 14 };

/* What failed first is kept in *wrong: the number of the check among its thread's; *checks counts. */
#define EXPECT(condition)                                                                                        \
    do {                                                                                                         \
        mine++;                                                                                                  \
        if (!(condition)) atomicCAS(wrong, 0u, (unsigned)mine);                                                  \
    } while (0)

typedef struct counters {
    unsigned wrong;
    unsigned long long checks;
    unsigned progress;    /* of the writers of pairs */
    unsigned seen[PAIRS]; /* 1: some snapshot has shown the first alone; 2: the second alone */
} counters;

#define DEFINE_KERNELS(bits, key_type)                                                                           \
    __global__ void own_keys##bits(pleach_versioned_view view, counters *c)                                      \
    {                                                                                                            \
        __shared__ pleach_versioned_agent agent, reader;                                                         \
        __shared__ key_type all_keys[4 * BLOCK], all_values[4 * BLOCK];                                          \
        key_type i = blockIdx.x * blockDim.x + threadIdx.x, first = 10000000 + 10 * i, old = 0, key = 0, value = 0; \
        key_type *keys = all_keys + 4 * threadIdx.x, *values = all_values + 4 * threadIdx.x;                     \
        unsigned long long mine = 0;                                                                             \
        unsigned *wrong = &c->wrong;                                                                             \
        pleach_versioned_updates_begin(view, &agent, blockDim.x);                                                \
        EXPECT(pleach_versioned##bits##_put(view, &agent, first + 3, i, &old) == PLEACH_INSERTED);               \
        EXPECT(pleach_versioned##bits##_put(view, NULL, first + 3, i + 1, &old) == PLEACH_REPLACED && old == i); \
        EXPECT(pleach_versioned##bits##_add(view, &agent, first + 3, 7, &old) == PLEACH_EXISTS && old == i + 1); \
        EXPECT(pleach_versioned##bits##_add(view, &agent, first + 5, 55, NULL) == PLEACH_INSERTED);              \
        uint64_t at = pleach_versioned_snapshot_begin(view, &reader, blockDim.x);                                \
        EXPECT(pleach_versioned##bits##_erase(view, &agent, first + 5, &old) == PLEACH_ERASED && old == 55);     \
        EXPECT(pleach_versioned##bits##_put(view, &agent, first + 3, 9, NULL) == PLEACH_REPLACED);               \
        EXPECT(pleach_versioned##bits##_put(view, &agent, first + 7, 77, NULL) == PLEACH_INSERTED);              \
        EXPECT(!pleach_versioned##bits##_find(view, first + 5, &value));                                         \
        EXPECT(pleach_versioned##bits##_find(view, first + 3, &value) && value == 9);                            \
        EXPECT(pleach_versioned##bits##_find_at(view, at, first + 3, &value) && value == i + 1);                 \
        EXPECT(pleach_versioned##bits##_find_at(view, at, first + 5, &value) && value == 55);                    \
        EXPECT(!pleach_versioned##bits##_find_at(view, at, first + 7, &value));                                  \
        EXPECT(pleach_versioned##bits##_succ_at(view, at, first + 3, &key, &value) && key == first + 5);         \
        EXPECT(pleach_versioned##bits##_pred_at(view, at, first + 9, &key, &value) && key == first + 5);         \
        EXPECT(pleach_versioned##bits##_count_at(view, at, first, first + 9) == 2);                              \
        EXPECT(pleach_versioned##bits##_range_at(view, at, first, first + 9, 4, keys, values) == 2);             \
        EXPECT(keys[0] == first + 3 && values[0] == i + 1 && keys[1] == first + 5 && values[1] == 55);           \
        __syncwarp();                                                                                            \
        keys[1] = 0;                                                                                             \
        EXPECT(pleach_versioned##bits##_warp_range_at(view, at, first, first + 9, 4, keys, values) == 2);        \
        EXPECT(keys[0] == first + 3 && values[0] == i + 1 && keys[1] == first + 5 && values[1] == 55);           \
        pleach_versioned_snapshot_end(view, &reader, at);                                                        \
        pleach_versioned_updates_end(view, &agent);                                                              \
        atomicAdd(&c->checks, mine);                                                                             \
    }                                                                                                            \
                                                                                                                 \
    /* The keys of writer w are (w * RUN + i) * 3. */                                                            \
    __global__ void write_runs##bits(pleach_versioned_view view, counters *c)                                    \
    {                                                                                                            \
        __shared__ pleach_versioned_agent agent;                                                                 \
        key_type w = blockIdx.x * blockDim.x + threadIdx.x;                                                      \
        unsigned long long mine = 0;                                                                             \
        unsigned *wrong = &c->wrong;                                                                             \
        for (unsigned i = 0; i < 2 * RUN; i++) {                                                                 \
            key_type key = (w * RUN + i % RUN) * 3;                                                              \
            pleach_versioned_updates_begin(view, &agent, blockDim.x);                                            \
            if (i < RUN)                                                                                         \
                EXPECT(pleach_versioned##bits##_put(view, &agent, key, i, NULL) == PLEACH_INSERTED);             \
            else                                                                                                 \
                EXPECT(pleach_versioned##bits##_erase(view, &agent, key, NULL) == PLEACH_ERASED);                \
            pleach_versioned_updates_end(view, &agent);                                                          \
        }                                                                                                        \
        atomicAdd(&c->checks, mine);                                                                             \
    }                                                                                                            \
                                                                                                                 \
    /* How far the run has come: keys inserted, and, when some were erased, these too. */                        \
    __device__ unsigned state_of_run##bits(key_type base, unsigned n, const key_type *keys, unsigned *gap)       \
    {                                                                                                            \
        for (unsigned i = 1; i < n; i++) *gap |= keys[i] != keys[i - 1] + 3;                                     \
        if (n == 0) return 0; /* before the first, or after the last: not known which */                         \
        unsigned first = (unsigned)((keys[0] - base) / 3);                                                       \
        *gap |= first > 0 && first + n != RUN;                                                                   \
        return first == 0 ? n : RUN + first;                                                                     \
    }                                                                                                            \
                                                                                                                 \
    __global__ void read_runs##bits(pleach_versioned_view view, counters *c, bool by_warp, void *room)           \
    {                                                                                                            \
        __shared__ pleach_versioned_agent agents[BLOCK / 32];                                                    \
        pleach_versioned_agent *agent = by_warp ? &agents[threadIdx.x / 32] : &agents[0];                        \
        key_type w = (blockIdx.x * 131 + threadIdx.x * 7) % WRITERS, base = w * RUN * 3;                         \
        key_type *keys = (key_type *)room + ((uint64_t)blockIdx.x * BLOCK + threadIdx.x) * RUN;                  \
        unsigned long long mine = 0;                                                                             \
        unsigned *wrong = &c->wrong, before = 0;                                                                 \
        for (unsigned round = 0; round < 3; round++) {                                                           \
            unsigned gap = 0;                                                                                    \
            uint64_t at = pleach_versioned_snapshot_begin(view, agent, by_warp ? 32 : blockDim.x);               \
            unsigned n = round % 2 ? pleach_versioned##bits##_range_at(view, at, base, base + RUN * 3 - 1, RUN,  \
                                                                       keys, NULL)                               \
                                   : pleach_versioned##bits##_warp_range_at(view, at, base, base + RUN * 3 - 1,  \
                                                                            RUN, keys, NULL);                    \
            EXPECT(pleach_versioned##bits##_count_at(view, at, base, base + RUN * 3 - 1) == n);                  \
            pleach_versioned_snapshot_end(view, agent, at);                                                      \
            unsigned now = state_of_run##bits(base, n, keys, &gap);                                              \
            EXPECT(gap == 0);                                                                                    \
            EXPECT(n == 0 || now >= before);                                                                     \
            if (n) before = now;                                                                                 \
        }                                                                                                        \
        atomicAdd(&c->checks, mine);                                                                             \
    }                                                                                                            \
                                                                                                                 \
    /* Threads 0 and 32 of some blocks write the pairs, first and second; the others look. */                    \
    __global__ void pairs##bits(pleach_versioned_view view, counters *c, unsigned pairs)                         \
    {                                                                                                            \
        __shared__ pleach_versioned_agent agents[BLOCK / 32];                                                    \
        const key_type far = (key_type)1 << 30, base = (key_type)1 << 28;                                        \
        unsigned long long mine = 0;                                                                             \
        unsigned *wrong = &c->wrong;                                                                             \
        for (unsigned r = blockIdx.x; r < pairs; r += gridDim.x) {                                               \
            unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;                                           \
            __syncthreads();                                                                                     \
            if (warp < 2) {                                                                                      \
                if (lane == 0)                                                                                   \
                    EXPECT(pleach_versioned##bits##_put(view, NULL, base + r + (warp ? far : 0), r, NULL) ==     \
                           PLEACH_INSERTED);                                                                     \
                continue;                                                                                        \
            }                                                                                                    \
            for (unsigned look = 0; look < 6; look++) {                                                          \
                uint64_t at = pleach_versioned_snapshot_begin(view, &agents[warp], 32);                          \
                bool first = false, second = false;                                                              \
                if (lane == 0) {                                                                                 \
                    second = pleach_versioned##bits##_find_at(view, at, base + r + far, NULL);                   \
                    first = pleach_versioned##bits##_find_at(view, at, base + r, NULL);                          \
                }                                                                                                \
                pleach_versioned_snapshot_end(view, &agents[warp], at);                                          \
                if (first != second) atomicOr(&c->seen[r], first ? 1u : 2u);                                     \
                mine++;                                                                                          \
            }                                                                                                    \
        }                                                                                                        \
        atomicAdd(&c->checks, mine);                                                                             \
    }                                                                                                            \
                                                                                                                 \
    /* Far more updates than there is memory for copies, while every snapshot makes new ones necessary. */       \
    __global__ void crowd##bits(pleach_versioned_view view, counters *c, unsigned keys)                          \
    {                                                                                                            \
        __shared__ pleach_versioned_agent agent, reader;                                                         \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x, refused = 0;                                         \
        for (unsigned round = 0; round < RUN; round++) {                                                         \
            uint64_t at = pleach_versioned_snapshot_begin(view, &reader, blockDim.x);                            \
            pleach_versioned_updates_begin(view, &agent, blockDim.x);                                            \
            refused += pleach_versioned##bits##_put(view, &agent, (i + round * 977) % keys, i, NULL) ==          \
                       PLEACH_NOT_APPLIED;                                                                       \
            pleach_versioned_updates_end(view, &agent);                                                          \
            pleach_versioned_snapshot_end(view, &reader, at);                                                    \
        }                                                                                                        \
        atomicAdd(&c->checks, refused);                                                                          \
    }

DEFINE_KERNELS(32, uint32_t)
DEFINE_KERNELS(64, uint64_t)

#define LAUNCH(kernel, bits, grid, stream, ...)                                                                  \
    do {                                                                                                         \
        if (bits == 32)                                                                                          \
            kernel##32<<<grid, BLOCK, 0, stream>>>(__VA_ARGS__);                                                 \
        else                                                                                                     \
            kernel##64<<<grid, BLOCK, 0, stream>>>(__VA_ARGS__);                                                 \
    } while (0)

/* PLEACH_TEST_SCALE, in percent: for tools that make everything slow. */
static unsigned scaled(unsigned n)
{
    const char *scale = getenv("PLEACH_TEST_SCALE");
    unsigned percent = scale ? (unsigned)atoi(scale) : 100;
    return n * percent / 100 > 0 ? n * percent / 100 : 1;
}

/* Waits for the kernels, and judges what they have counted. */
static void judge(unsigned bits, counters *there, const char *what)
{
    counters *here = (counters *)calloc(1, sizeof *here);
    bool ended = cudaDeviceSynchronize() == cudaSuccess &&
                 cudaMemcpy(here, there, sizeof *here, cudaMemcpyDeviceToHost) == cudaSuccess;
    unsigned crossed = 0, lone = 0;
    for (unsigned r = 0; r < PAIRS; r++) {
        crossed += here->seen[r] == 3;
        lone += here->seen[r] != 0;
    }
    char text[160];
    snprintf(text, sizeof text,
             "%s: %llu answers, first wrong one the %uth of its thread; %u pairs seen halfway, %u crossed", what,
             here->checks, here->wrong, lone, crossed);
    expect(ended && here->wrong == 0 && here->checks > 0 && crossed == 0, bits, text);
    cudaMemset(there, 0, sizeof *there);
    free(here);
}

static void run_kernels(unsigned bits, pleach_versioned_view view, counters *c, cudaStream_t *stream)
{
    void *room, *more_room;
    const size_t bytes = (size_t)READER_BLOCKS * BLOCK * RUN * (bits / 8);
    if (cudaMalloc(&room, bytes) != cudaSuccess || cudaMalloc(&more_room, bytes) != cudaSuccess) exit(EXIT_FAILURE);
    LAUNCH(own_keys, bits, scaled(OWNERS / BLOCK), stream[0], view, c);
    judge(bits, c, "own keys");
    for (unsigned by_warp = 0; by_warp < 2; by_warp++) {
        LAUNCH(write_runs, bits, scaled(WRITERS / BLOCK), stream[0], view, c);
        LAUNCH(read_runs, bits, scaled(READER_BLOCKS), stream[1], view, c, by_warp, room);
        LAUNCH(read_runs, bits, scaled(READER_BLOCKS), stream[2], view, c, !by_warp, more_room);
        judge(bits, c, by_warp ? "runs, snapshots by warps" : "runs, snapshots by blocks");
    }
    LAUNCH(pairs, bits, 500, stream[0], view, c, scaled(PAIRS));
    judge(bits, c, "two inserts, many snapshots");
    cudaFree(room);
    cudaFree(more_room);
}

/* A handle of the host's shows the same before and after everything. */
static uint64_t count_of(pleach_snapshot *snapshot)
{
    uint64_t size = UINT64_MAX;
    return pleach_snapshot_size(snapshot, &size) == PLEACH_OK ? size : UINT64_MAX;
}

static void test_width(unsigned bits)
{
    pleach_map *map;
    pleach_versioned_view view;
    pleach_snapshot *snapshot = NULL;
    pleach_map_config config = {};
    config.device = PLEACH_CUDA;
    config.key_bits = bits;
    config.versioned = 1;
    config.reserve_keys = 1 << 26; /* a handle is live throughout: every copy of a leaf stays */
    pleach_status status = pleach_map_create(&map, &config);
    expect(status == PLEACH_OK, bits, pleach_strerror(status));
    if (status != PLEACH_OK) return;
    counters *c;
    cudaStream_t stream[3];
    for (unsigned i = 0; i < 3; i++) cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
    expect(cudaMalloc(&c, sizeof *c) == cudaSuccess && cudaMemset(c, 0, sizeof *c) == cudaSuccess &&
               pleach_versioned_view_open(map, &view) == PLEACH_OK, bits, "a view opens");
    expect(pleach_snapshot_take(map, &snapshot, stream[1]) == PLEACH_OK, bits, "a snapshot is taken on a stream");
    run_kernels(bits, view, c, stream);
    expect(count_of(snapshot) == 0, bits, "the snapshot of before is still empty");
    pleach_snapshot_release(snapshot);
    expect(pleach_versioned_view_close(map, &view) == PLEACH_OK, bits, "the view closes");
    pleach_map_stats stats;
    expect(pleach_map_get_stats(map, &stats) == PLEACH_OK && stats.old_images == 0 && stats.reclaimed_bytes > 0, bits,
           "no old image is left");
    expect(stats.keys == 2 * BLOCK * scaled(OWNERS / BLOCK) + 2 * scaled(PAIRS), bits, "all keys are there");
    expect_valid(bits, map);
    for (unsigned i = 0; i < 3; i++) cudaStreamDestroy(stream[i]);
    cudaFree(c);
    pleach_map_destroy(map);
}

/* Bytes in nodes of a map with these keys. */
static uint64_t node_bytes_of(const pleach_map_config *config, size_t n, const void *keys)
{
    pleach_map *map;
    pleach_map_stats stats = {};
    expect(pleach_map_create(&map, config) == PLEACH_OK && pleach_map_load(map, n, keys, keys, 0) == PLEACH_OK &&
               pleach_map_get_stats(map, &stats) == PLEACH_OK, config->key_bits, "a map to measure");
    pleach_map_destroy(map);
    return stats.node_bytes;
}

/* A map with room for its keys and copies of an eighth of its nodes, and a handle for which each leaf is copied. */
static void test_crowd(unsigned bits)
{
    enum { CROWD_KEYS = 1 << 16 };
    pleach_map *map;
    pleach_versioned_view view;
    pleach_snapshot *snapshot = NULL;
    pleach_map_config config = {};
    counters *c, *here = (counters *)calloc(1, sizeof *here);
    uint64_t keys[CROWD_KEYS];
    config.device = PLEACH_CUDA;
    config.key_bits = bits;
    config.versioned = 1;
    for (unsigned i = 0; i < CROWD_KEYS; i++)
        if (bits == 32)
            ((uint32_t *)keys)[i] = i;
        else
            keys[i] = i;
    config.max_bytes = node_bytes_of(&config, CROWD_KEYS, keys) / 8 * 9;
    expect(pleach_map_create(&map, &config) == PLEACH_OK &&
               pleach_map_load(map, CROWD_KEYS, keys, keys, 0) == PLEACH_OK &&
               cudaMalloc(&c, sizeof *c) == cudaSuccess && cudaMemset(c, 0, sizeof *c) == cudaSuccess &&
               pleach_versioned_view_open(map, &view) == PLEACH_OK &&
               pleach_snapshot_take(map, &snapshot, PLEACH_SYNC) == PLEACH_OK, bits, "a crowded map");
    LAUNCH(crowd, bits, scaled(3000), 0, view, c, CROWD_KEYS);
    expect(cudaDeviceSynchronize() == cudaSuccess &&
               cudaMemcpy(here, c, sizeof *here, cudaMemcpyDeviceToHost) == cudaSuccess, bits, "nothing hangs");
    char text[200];
    snprintf(text, sizeof text, "%llu of %u updates were refused", here->checks, scaled(3000) * BLOCK * RUN);
    expect(here->checks > 0, bits, text);
    expect(count_of(snapshot) == CROWD_KEYS, bits, "the snapshot has all keys");
    pleach_snapshot_release(snapshot);
    expect(pleach_versioned_view_close(map, &view) == PLEACH_OK &&
               pleach_map_validate(map, text, sizeof text) == PLEACH_OK, bits, "the map is valid");
    cudaFree(c);
    free(here);
    pleach_map_destroy(map);
}

int main(void)
{
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        test_width(bits);
        test_crowd(bits);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
