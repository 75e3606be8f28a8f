/* device_side.cu - user kernels that work on a map.
 *
 * The first kernel counts words by their hash: thread i processes word i % WORDS and increments its count. The map has
 * no increment operation, so the counts are in a separate array, and the map's value of a word is its index there; add
 * either claims the word or reports the index that another thread claimed. The other kernels query every word in every
 * way, and erase half of the words.
 */
#include <stdio.h>

#include <cuda_runtime.h>
#include <pleach/map_device.cuh>
#include <pleach/pleach.h>

enum { WORDS = 1000, THREADS = 64 * WORDS, BLOCK = 128 };

#define TRY(call)                                                                                                \
    do {                                                                                                         \
        pleach_status status = (call);                                                                           \
        if (status != PLEACH_OK) {                                                                               \
            fprintf(stderr, "%s: %s %s\n", #call, pleach_strerror(status), pleach_cuda_error());                 \
            return 1;                                                                                            \
        }                                                                                                        \
    } while (0)

#define TRY_CUDA(call)                                                                                           \
    do {                                                                                                         \
        cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) {                                                                              \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                                       \
            return 1;                                                                                            \
        }                                                                                                        \
    } while (0)

/* Results of the kernels, counted over all threads. */
struct findings {
    unsigned counts[WORDS];
    unsigned inserted, not_applied, wrong;
};

/* Hashes are spread over the whole key range, including 0 and the largest key. */
__host__ __device__ static uint32_t hash_of_word(uint32_t word)
{
    return word == 0 ? 0 : word == 1 ? UINT32_MAX : word * 2654435761u;
}

__global__ void count_words(pleach_map_view view, struct findings *f)
{
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, word = thread % WORDS, place = word;
    if (thread >= THREADS)
        return;
    pleach_outcome outcome = pleach_map32_add(view, hash_of_word(word), word, &place);
    if (outcome == PLEACH_INSERTED)
        atomicAdd(&f->inserted, 1);
    if (outcome == PLEACH_NOT_APPLIED)
        atomicAdd(&f->not_applied, 1);
    else
        atomicAdd(&f->counts[place], 1);
}

/* Each thread checks one word with every kind of query, and changes its value back and forth. */
__global__ void look_around(pleach_map_view view, struct findings *f)
{
    uint32_t word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word >= WORDS)
        return;
    uint32_t key = hash_of_word(word), value = 0, next = 0, before = 0, keys[4], old = 0;
    bool right = pleach_map32_find(view, key, &value) && value == word && pleach_map32_contains(view, key);
    if (key < UINT32_MAX)
        right = right && pleach_map32_succ(view, key, &next, NULL) && next > key;
    else
        right = right && !pleach_map32_succ(view, key, NULL, NULL);
    if (key > 0)
        right = right && pleach_map32_pred(view, key, &before, NULL) && before < key;
    right = right && pleach_map32_range_count(view, key, key) == 1;
    right = right && pleach_map32_range(view, key, UINT32_MAX, 4, keys, NULL) >= 1 && keys[0] == key;
    right = right && pleach_map32_put(view, key, word + WORDS, &old) == PLEACH_REPLACED && old == word;
    right = right && pleach_map32_put(view, key, word, &old) == PLEACH_REPLACED && old == word + WORDS;
    if (!right)
        atomicAdd(&f->wrong, 1);
}

__global__ void erase_odd_words(pleach_map_view view, struct findings *f)
{
    uint32_t word = blockIdx.x * blockDim.x + threadIdx.x, old = 0;
    if (word >= WORDS || word % 2 == 0)
        return;
    if (pleach_map32_erase(view, hash_of_word(word), &old) != PLEACH_ERASED || old != word)
        atomicAdd(&f->wrong, 1);
}

static int run_kernels(pleach_map *map, struct findings *f)
{
    pleach_map_view view;
    TRY(pleach_map_view_open(map, &view));
    count_words<<<(THREADS + BLOCK - 1) / BLOCK, BLOCK>>>(view, f);
    look_around<<<(WORDS + BLOCK - 1) / BLOCK, BLOCK>>>(view, f);
    erase_odd_words<<<(WORDS + BLOCK - 1) / BLOCK, BLOCK>>>(view, f);
    TRY_CUDA(cudaGetLastError());
    TRY_CUDA(cudaDeviceSynchronize()); /* the view must not be closed while a kernel uses it */
    TRY(pleach_map_view_close(map, &view));
    return 0;
}

/* Every word was claimed once and counted THREADS / WORDS times, and every second word is left. */
static int check(pleach_map *map, const struct findings *f)
{
    uint64_t size = 0;
    int wrong = f->inserted != WORDS || f->not_applied != 0 || f->wrong != 0;
    for (int word = 0; word < WORDS; word++)
        wrong |= f->counts[word] != THREADS / WORDS;
    TRY(pleach_map_size(map, &size));
    TRY(pleach_map_validate(map, NULL, 0));
    printf("%d threads counted %u words; %llu are left after erasing every second one\n", THREADS, f->inserted,
           (unsigned long long)size);
    if (wrong || size != WORDS / 2) {
        fprintf(stderr, "the results are wrong: %u not applied, %u wrong\n", f->not_applied, f->wrong);
        return 1;
    }
    return 0;
}

int main(void)
{
    char line[256];
    if (pleach_gpu_info(0, line, sizeof line) != PLEACH_OK) {
        printf("no GPU to run this example on: %s\n", line);
        return 0;
    }
    pleach_map_config config = {};
    config.device = PLEACH_CUDA;
    config.key_bits = 32;
    config.reserve_keys = WORDS; /* kernels cannot allocate memory, so reserve it */
    pleach_map *map;
    struct findings *f;
    TRY(pleach_map_create(&map, &config));
    TRY_CUDA(cudaMallocManaged(&f, sizeof *f));
    *f = {};
    int failed = run_kernels(map, f) || check(map, f);
    cudaFree(f);
    pleach_map_destroy(map);
    return failed;
}
