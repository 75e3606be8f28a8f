/* baseline_cuda.c - the primitives of the baselines on the GPU. */
#include "baseline_cuda.h"

#include <string.h>

#include "baseline.h"
#include "cuda/sort_cuda.h"
#include "tools/common/words.h"

static pleach_status status_of(cudaError_t error)
{
    return error == cudaSuccess ? PLEACH_OK : error == cudaErrorMemoryAllocation ? PLEACH_E_MEMORY : PLEACH_E_CUDA;
}

static void *allocate(size_t bytes)
{
    void *memory = NULL;
    if (cudaMalloc(&memory, bytes > 0 ? bytes : 1) == cudaSuccess) return memory;
    (void)cudaGetLastError(); /* so that it is not taken for a later call's error */
    return NULL;
}

static void release(void *memory) { cudaFree(memory); }

static pleach_status copy(struct baseline_machine *m, void *to, const void *from, size_t bytes)
{
    return status_of(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, m->stream));
}

static pleach_status fill(struct baseline_machine *m, void *memory, int byte, size_t bytes)
{
    return status_of(cudaMemsetAsync(memory, byte, bytes, m->stream));
}

static pleach_status wait_for_stream(struct baseline_machine *m) { return status_of(cudaStreamSynchronize(m->stream)); }

static pleach_status read_back(struct baseline_machine *m, void *host, const void *memory, size_t bytes)
{
    const cudaError_t error = cudaMemcpyAsync(host, memory, bytes, cudaMemcpyDeviceToHost, m->stream);
    return error == cudaSuccess ? wait_for_stream(m) : status_of(error);
}

static pleach_status write_there(struct baseline_machine *m, void *memory, const void *host, size_t bytes)
{
    const cudaError_t error = cudaMemcpyAsync(memory, host, bytes, cudaMemcpyHostToDevice, m->stream);
    return error == cudaSuccess ? wait_for_stream(m) : status_of(error);
}

/* ---- scratch memory ---- */

static pleach_status have_scratch(struct baseline_machine *m, size_t bytes)
{
    if (bytes <= m->scratch_bytes) return PLEACH_OK;
    const pleach_status status = wait_for_stream(m);
    if (status != PLEACH_OK) return status;
    release(m->scratch);
    m->scratch = allocate(bytes);
    m->scratch_bytes = m->scratch != NULL ? bytes : 0;
    return m->scratch != NULL ? PLEACH_OK : PLEACH_E_MEMORY;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static pleach_status prepare(struct baseline_machine *m, unsigned bits, size_t n)
{
    size_t sorts = 0, selects = 0;
    cudaError_t error = sort_cuda_pairs(NULL, &sorts, bits, bits, NULL, NULL, NULL, NULL, n, m->stream);
    if (error == cudaSuccess)
        error = sort_cuda_select(NULL, &selects, bits, NULL, NULL, NULL, NULL, n, m->stream);
    if (error != cudaSuccess) return status_of(error);
    return have_scratch(m, larger(larger(sorts, selects), baseline_cuda_merge_bytes(bits, n)));
}

/* ---- sort, merge, select ---- */

static pleach_status sort(struct baseline_machine *m, unsigned bits, size_t n, const void *keys, const void *values,
                          void *sorted_keys, void *sorted_values)
{
    size_t bytes = 0;
    cudaError_t error = sort_cuda_pairs(NULL, &bytes, bits, bits, keys, sorted_keys, values, sorted_values, n,
                                        m->stream);
    const pleach_status status = error == cudaSuccess ? have_scratch(m, bytes) : status_of(error);
    if (status != PLEACH_OK || n == 0) return status;
    return status_of(sort_cuda_pairs(m->scratch, &bytes, bits, bits, keys, sorted_keys, values, sorted_values, n,
                                     m->stream));
}

static pleach_status merge(struct baseline_machine *m, unsigned bits, const baseline_run *older,
                           const baseline_run *newer, const baseline_run *to)
{
    const pleach_status status = have_scratch(m, baseline_cuda_merge_bytes(bits, older->n + newer->n));
    if (status != PLEACH_OK) return status;
    return status_of(baseline_cuda_merge(m->scratch, bits, older, newer, to, m->stream));
}

static pleach_status select_kept(struct baseline_machine *m, unsigned bits, size_t n, const void *from,
                                 const uint8_t *keep, void *to, uint64_t *kept)
{
    size_t bytes = 0;
    const cudaError_t error = sort_cuda_select(NULL, &bytes, bits, from, keep, to, m->total, n, m->stream);
    pleach_status status = error == cudaSuccess ? have_scratch(m, larger(bytes, 1)) : status_of(error);
    if (status == PLEACH_OK)
        status = status_of(sort_cuda_select(m->scratch, &bytes, bits, from, keep, to, m->total, n, m->stream));
    return status == PLEACH_OK ? read_back(m, kept, m->total, sizeof *kept) : status;
}

/* ---- a step for each element ---- */

static pleach_status each(struct baseline_machine *m, const baseline_work *work, uint64_t *total)
{
    if (total == NULL) return status_of(baseline_cuda_each(work, NULL, m->stream));
    pleach_status status = fill(m, m->total, 0, sizeof *m->total);
    if (status == PLEACH_OK) status = status_of(baseline_cuda_each(work, m->total, m->stream));
    return status == PLEACH_OK ? read_back(m, total, m->total, sizeof *total) : status;
}

static const struct baseline_primitives cuda_primitives = {
    .allocate = allocate, .release = release, .copy = copy, .fill = fill, .read = read_back, .write = write_there,
    .prepare = prepare, .sort = sort, .merge = merge, .select = select_kept, .each = each, .wait = wait_for_stream,
};

pleach_status baseline_machine_cuda(struct baseline_machine *m)
{
    memset(m, 0, sizeof *m);
    m->verbs = &cuda_primitives;
    m->total = allocate(sizeof *m->total);
    return m->total != NULL ? PLEACH_OK : PLEACH_E_MEMORY;
}
