/* sort_host.c - src/cuda/sort_cuda.h without CUB: small radix sorts and scans that wait for their stream, and are
 * then done at once. Too little scratch memory is an error, as with CUB. */
#include <stdlib.h>
#include <string.h>

#include "../../src/cuda/sort_cuda.h"
#include "gpu.h"

enum { SCRATCH_BYTES = 1024 };

/* True if the caller asked for the size only. */
static bool asked(void *scratch, size_t *scratch_bytes)
{
    if (!scratch) {
        *scratch_bytes = SCRATCH_BYTES;
        return true;
    }
    size_t left;
    if (*scratch_bytes < SCRATCH_BYTES || memory_find(scratch, &left) == MEMORY_NONE || left < SCRATCH_BYTES)
        gpu_fatal("scratch memory of %zu bytes, where %d are needed", *scratch_bytes, SCRATCH_BYTES);
    memory_spoil(scratch, SCRATCH_BYTES); /* what was there is lost */
    return false;
}

static uint64_t word_at(const void *array, unsigned bits, size_t i)
{
    return bits == 32 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

static void set_word(void *array, unsigned bits, size_t i, uint64_t word)
{
    if (bits == 32)
        ((uint32_t *)array)[i] = (uint32_t)word;
    else
        ((uint64_t *)array)[i] = word;
}

/* ---- the work, as a kernel of one thread: so it takes its turn in the stream ---- */

typedef struct job {
    enum { JOB_SORT, JOB_SELECT, JOB_SCAN } kind;
    unsigned key_bits, value_bits;
    sort_bits by;
    const void *keys, *values;
    void *sorted_keys, *sorted_values;
    const uint8_t *keep;
    uint64_t *kept;
    size_t n;
} job;

typedef struct pair { uint64_t key, value; } pair;

static void sort(const job *j)
{
    enum { DIGIT = 8, DIGITS = 1 << DIGIT };
    pair *from = malloc((j->n + 1) * sizeof *from), *to = malloc((j->n + 1) * sizeof *to);
    if (!from || !to) gpu_fatal("no memory to sort %zu pairs", j->n);
    for (size_t i = 0; i < j->n; i++)
        from[i] = (pair){word_at(j->keys, j->key_bits, i), j->value_bits ? word_at(j->values, j->value_bits, i) : 0};
    for (int low = j->by.low; low < j->by.high; low += DIGIT) {
        uint64_t mask = j->by.high - low < DIGIT ? (1u << (j->by.high - low)) - 1 : DIGITS - 1;
        size_t first[DIGITS + 1] = {0};
        for (size_t i = 0; i < j->n; i++) first[(from[i].key >> low & mask) + 1]++;
        for (unsigned d = 0; d < DIGITS; d++) first[d + 1] += first[d];
        for (size_t i = 0; i < j->n; i++) to[first[from[i].key >> low & mask]++] = from[i];
        pair *swap = from;
        from = to;
        to = swap;
    }
    for (size_t i = 0; i < j->n; i++) {
        set_word(j->sorted_keys, j->key_bits, i, from[i].key);
        if (j->value_bits) set_word(j->sorted_values, j->value_bits, i, from[i].value);
    }
    free(from);
    free(to);
}

static void run_job(void *closure)
{
    const job *j = closure;
    uint64_t sum = 0;
    switch (j->kind) {
    case JOB_SORT: sort(j); break;
    case JOB_SELECT:
        for (size_t i = 0; i < j->n; i++)
            if (j->keep[i]) set_word(j->sorted_keys, j->key_bits, sum++, word_at(j->keys, j->key_bits, i));
        *j->kept = sum;
        break;
    case JOB_SCAN:
        for (size_t i = 0; i < j->n; i++) {
            uint64_t one = word_at(j->keys, 64, i);
            set_word(j->sorted_keys, 64, i, sum);
            sum += one;
        }
        break;
    }
}

static cudaError_t give_job(const job *wanted, cudaStream_t stream)
{
    job *j = malloc(sizeof *j);
    if (!j) return cudaErrorMemoryAllocation;
    *j = *wanted;
    const hostgpu_size one = {1, 1, 1};
    return hostgpu_launch(one, one, stream, false, "of a sort, selection or scan", run_job, free, j);
}

cudaError_t sort_cuda_pairs_by(void *scratch, size_t *scratch_bytes, unsigned key_bits, unsigned value_bits,
                               sort_bits by, const void *keys, void *sorted_keys, const void *values,
                               void *sorted_values, size_t n, cudaStream_t stream)
{
    if (asked(scratch, scratch_bytes)) return cudaSuccess;
    return give_job(&(job){.kind = JOB_SORT, .key_bits = key_bits, .value_bits = value_bits, .by = by, .keys = keys,
                           .values = values, .sorted_keys = sorted_keys, .sorted_values = sorted_values, .n = n}, stream);
}

cudaError_t sort_cuda_pairs(void *scratch, size_t *scratch_bytes, unsigned key_bits, unsigned value_bits,
                            const void *keys, void *sorted_keys, const void *values, void *sorted_values, size_t n,
                            cudaStream_t stream)
{
    return sort_cuda_pairs_by(scratch, scratch_bytes, key_bits, value_bits, (sort_bits){0, (int)key_bits}, keys,
                              sorted_keys, values, sorted_values, n, stream);
}

cudaError_t sort_cuda_select(void *scratch, size_t *scratch_bytes, unsigned bits, const void *in, const uint8_t *keep,
                             void *out, uint64_t *kept, size_t n, cudaStream_t stream)
{
    if (asked(scratch, scratch_bytes)) return cudaSuccess;
    return give_job(&(job){.kind = JOB_SELECT, .key_bits = bits, .keys = in, .sorted_keys = out, .keep = keep,
                           .kept = kept, .n = n}, stream);
}

cudaError_t sort_cuda_scan(void *scratch, size_t *scratch_bytes, const uint64_t *in, uint64_t *out, size_t n,
                           cudaStream_t stream)
{
    if (asked(scratch, scratch_bytes)) return cudaSuccess;
    return give_job(&(job){.kind = JOB_SCAN, .keys = in, .sorted_keys = out, .n = n}, stream);
}
