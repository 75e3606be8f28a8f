/* triangles_merge_cuda.cu - vertices are numbered by falling degree, each keeps its neighbours with smaller numbers, in
 * order; and for each edge two such lists are merged. An edge from c to b, the b-th in order, needs the list of c only
 * up to b. Once by a thread for each edge, which stops where a list ends; once by eight, with equal parts of the merge.
 */
#include "triangles_merge_cuda.h"

#include <string.h>

#include "cuda/sort_cuda.h"

enum { THREADS = 256, LONG_ROW = 1024, LANES = 8 };

/* All is device memory. */
typedef struct merged {
    uint64_t n, edges;
    const uint64_t *offsets;
    const uint32_t *targets;
    uint32_t *strangers, *sorted_strangers; /* of a vertex, how many are no neighbours: more for a lower degree */
    uint32_t *ids, *id, *number;            /* id by number, number by id */
    uint64_t *size, *first, *cursor;                      /* by number: of the list; n + 1 */
    uint64_t *keys, *sorted_keys;                         /* edges: the larger number above the smaller */
    uint32_t *list;
    unsigned long long *total; /* two */
    void *scratch;
    size_t scratch_bytes;
    int bits; /* of a number */
} merged;

static __global__ void count_strangers(merged m)
{
    uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= m.n) return;
    m.strangers[i] = (uint32_t)(m.n - 1 - (m.offsets[i + 1] - m.offsets[i]));
    m.ids[i] = (uint32_t)i;
}

static __global__ void numbers(merged m)
{
    uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < m.n) m.number[m.id[i]] = (uint32_t)i;
}

/* A block has a row for each warp, unless they are long: then all warps go through each. With `keys`, edges are
 * written, else counted. */
static __global__ void orient(merged m, bool keys)
{
    uint64_t block = (uint64_t)blockIdx.x * (THREADS / 32);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (block >= m.n) return;
    bool all = m.n - 1 - m.sorted_strangers[block] >= LONG_ROW;
    for (uint64_t number = block + (all ? 0 : warp); number < m.n && number < block + THREADS / 32;
         number += all ? 1 : THREADS / 32) {
        uint64_t from = m.offsets[m.id[number]], to = m.offsets[(uint64_t)m.id[number] + 1];
        for (uint64_t i = from + (all ? 32 * warp : 0); i < to; i += all ? THREADS : 32) {
            uint32_t other = i + lane < to ? m.number[m.targets[i + lane]] : UINT32_MAX;
            unsigned kept = __ballot_sync(0xffffffffu, other < number);
            unsigned long long at = 0;
            if (lane == 0 && kept)
                at = atomicAdd((unsigned long long *)(keys ? &m.cursor[number] : &m.size[number]),
                               (unsigned long long)__popc(kept));
            at = __shfl_sync(0xffffffffu, at, 0);
            if (keys && other < number)
                m.keys[at + __popc(kept & ((1u << lane) - 1))] = number << m.bits | other;
        }
    }
}

static __global__ void lists(merged m)
{
    uint64_t e = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (e < m.edges) m.list[e] = (uint32_t)(m.sorted_keys[e] & (((uint64_t)1 << m.bits) - 1));
}

static __device__ void add_total(unsigned long long *total, unsigned long long found)
{
    for (unsigned step = 16; step > 0; step /= 2) found += __shfl_down_sync(0xffffffffu, found, step);
    if (threadIdx.x % 32 == 0 && found) atomicAdd(total, found);
}

static __global__ void merge_by_thread(merged m)
{
    uint64_t e = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    unsigned long long found = 0;
    if (e < m.edges) {
        uint32_t b = m.list[e];
        uint64_t i = m.first[m.sorted_keys[e] >> m.bits], k = m.first[b], end = m.first[(uint64_t)b + 1];
        while (i < e && k < end) {
            uint32_t one = m.list[i], other = m.list[k];
            found += one == other;
            i += one <= other;
            k += other <= one;
        }
    }
    add_total(&m.total[0], found);
}

/* How many of `one` are among the first `steps` of the merge, in which it goes first if both are equal. */
static __device__ uint64_t split(const uint32_t *one, uint64_t ones, const uint32_t *other, uint64_t others,
                                 uint64_t steps)
{
    uint64_t low = steps > others ? steps - others : 0, high = steps < ones ? steps : ones;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (one[middle] <= other[steps - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What is in both is found where `other` steps, so that a part's end between the two does no harm. */
static __global__ void merge_by_lanes(merged m)
{
    uint64_t e = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) / LANES;
    unsigned part = threadIdx.x % LANES;
    unsigned long long found = 0;
    if (e < m.edges) {
        uint32_t b = m.list[e];
        const uint32_t *one = m.list + m.first[m.sorted_keys[e] >> m.bits], *other = m.list + m.first[b];
        uint64_t ones = (uint64_t)(m.list + e - one), others = m.first[(uint64_t)b + 1] - m.first[b];
        uint64_t step = (ones + others) * part / LANES, end = (ones + others) * (part + 1) / LANES;
        uint64_t i = split(one, ones, other, others, step), k = step - i;
        for (; step < end; step++) {
            if (i < ones && (k == others || one[i] <= other[k])) {
                i++;
            } else {
                found += i > 0 && one[i - 1] == other[k];
                k++;
            }
        }
    }
    add_total(&m.total[1], found);
}

static unsigned blocks(uint64_t threads) { return (unsigned)((threads + THREADS - 1) / THREADS); }

static cudaError_t sort_vertices(const merged *m, void *scratch, size_t *scratch_bytes)
{
    const sort_bits by = {0, m->bits};
    return sort_cuda_pairs_by(scratch, scratch_bytes, 32, 32, by, m->strangers, m->sorted_strangers, m->ids, m->id,
                              m->n, NULL);
}

static cudaError_t sort_edges(const merged *m, void *scratch, size_t *scratch_bytes)
{
    const sort_bits by = {0, 2 * m->bits};
    return sort_cuda_pairs_by(scratch, scratch_bytes, 64, 0, by, m->keys, m->sorted_keys, NULL, NULL, m->edges, NULL);
}

static cudaError_t add_up_sizes(const merged *m, void *scratch, size_t *scratch_bytes)
{
    return sort_cuda_scan(scratch, scratch_bytes, m->size, m->first, m->n + 1, NULL);
}

/* Up to sorted lists; then the merges. Events stand before, between and after. */
static cudaError_t run(merged *m, cudaEvent_t *event)
{
    cudaEventRecord(event[0]);
    cudaMemsetAsync(m->size, 0, (m->n + 1) * sizeof *m->size);
    cudaMemsetAsync(m->total, 0, 2 * sizeof *m->total);
    count_strangers<<<blocks(m->n), THREADS>>>(*m);
    cudaError_t error = sort_vertices(m, m->scratch, &m->scratch_bytes);
    if (error != cudaSuccess) return error;
    numbers<<<blocks(m->n), THREADS>>>(*m);
    orient<<<blocks(m->n * 32), THREADS>>>(*m, false);
    if ((error = add_up_sizes(m, m->scratch, &m->scratch_bytes)) != cudaSuccess) return error;
    cudaMemcpyAsync(m->cursor, m->first, m->n * sizeof *m->first, cudaMemcpyDeviceToDevice);
    orient<<<blocks(m->n * 32), THREADS>>>(*m, true);
    if ((error = sort_edges(m, m->scratch, &m->scratch_bytes)) != cudaSuccess) return error;
    lists<<<blocks(m->edges), THREADS>>>(*m);
    cudaEventRecord(event[1]);
    merge_by_thread<<<blocks(m->edges), THREADS>>>(*m);
    cudaEventRecord(event[2]);
    merge_by_lanes<<<blocks(m->edges * LANES), THREADS>>>(*m);
    cudaEventRecord(event[3]);
    return cudaDeviceSynchronize();
}

/* One allocation for all arrays: the first time only for its size. */
static size_t lay_out(merged *m, char *memory)
{
    size_t used = 0, sort[3] = {0, 0, 0};
    sort_vertices(m, NULL, &sort[0]);
    sort_edges(m, NULL, &sort[1]);
    add_up_sizes(m, NULL, &sort[2]);
    m->scratch_bytes = sort[0] > sort[1] ? sort[0] : sort[1];
    if (sort[2] > m->scratch_bytes) m->scratch_bytes = sort[2];
    const struct {
        void *array;
        size_t bytes;
    } part[] = {{&m->strangers, m->n * 4},   {&m->sorted_strangers, m->n * 4}, {&m->ids, m->n * 4},
                {&m->id, m->n * 4},          {&m->number, m->n * 4},        {&m->size, (m->n + 1) * 8},
                {&m->first, (m->n + 1) * 8}, {&m->cursor, (m->n + 1) * 8},  {&m->keys, m->edges * 8},
                {&m->sorted_keys, m->edges * 8}, {&m->list, m->edges * 4},  {&m->total, 2 * sizeof *m->total},
                {&m->scratch, m->scratch_bytes}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        char *place = memory + used;
        if (memory) memcpy(part[i].array, &place, sizeof place);
        used += (part[i].bytes + 255) / 256 * 256;
    }
    return used;
}

int triangles_merge_cuda(uint64_t n, const uint64_t *offsets, const uint32_t *targets, uint64_t *total,
                         double *seconds)
{
    merged m;
    memset(&m, 0, sizeof m);
    uint64_t entries = 0, found[2] = {0, 0};
    void *memory = NULL;
    cudaEvent_t event[4];
    float sorted = 0, merge[2] = {0, 0};
    *total = 0;
    *seconds = 0;
    if (n && cudaMemcpy(&entries, offsets + n, sizeof entries, cudaMemcpyDeviceToHost) != cudaSuccess) return -1;
    if (entries == 0) return 0;
    m.n = n;
    m.edges = entries / 2;
    m.offsets = offsets;
    m.targets = targets;
    for (m.bits = 1; n > (uint64_t)1 << m.bits;) m.bits++;
    if (cudaMalloc(&memory, lay_out(&m, NULL)) != cudaSuccess) return -1;
    lay_out(&m, (char *)memory);
    for (unsigned i = 0; i < 4; i++) cudaEventCreate(&event[i]);
    cudaError_t error = run(&m, event);
    if (error == cudaSuccess) error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaMemcpy(found, m.total, sizeof found, cudaMemcpyDeviceToHost);
    if (error == cudaSuccess) error = cudaEventElapsedTime(&sorted, event[0], event[1]);
    for (unsigned i = 0; i < 2 && error == cudaSuccess; i++)
        error = cudaEventElapsedTime(&merge[i], event[1 + i], event[2 + i]);
    for (unsigned i = 0; i < 4; i++) cudaEventDestroy(event[i]);
    cudaFree(memory);
    *total = found[0];
    *seconds = (sorted + (merge[0] < merge[1] ? merge[0] : merge[1])) / 1e3;
    return error == cudaSuccess && found[0] == found[1] ? 0 : -1;
}
