/* blink/blink_places.cu - kernels that compute the offsets and counts of a call's results, and their launchers; the
 * same for all key widths. */
#include "blink_launch.h"

static __global__ void misfits_kernel(const uint64_t *places, const uint64_t *found, size_t n, uint64_t *misfits)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    int here = __syncthreads_count(i < n && found[i] > places[i + 1] - places[i]);
    if (threadIdx.x == 0 && here) port_fetch_add(misfits, (uint64_t)here);
}

static __global__ void spare_kernel(const uint64_t *found, uint64_t *places, size_t n, uint64_t spare)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i <= n) places[i] = i < n ? found[i] + spare : 0;
}

static __global__ void pick_kernel(const uint64_t *from, const uint64_t *first, uint64_t *to, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i <= n) to[i] = from[first[i]];
}

static __global__ void ones_kernel(uint64_t *first, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i <= n) first[i] = i < n;
}

static __global__ void parts_kernel(const long_work *work, uint64_t noted, uint64_t each, uint64_t *first)
{
    uint64_t q = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (q < noted) first[work->notes.query[q]] = each;
}

cudaError_t blink_cuda_count_misfits(const uint64_t *places, const uint64_t *found, size_t n, uint64_t *misfits,
                                     cudaStream_t stream)
{
    cudaGetLastError();
    misfits_kernel<<<blocks_for(n), BLOCK_THREADS, 0, stream>>>(places, found, n, misfits);
    return cudaGetLastError();
}

cudaError_t blink_cuda_add_spare(const uint64_t *found, uint64_t *places, size_t n, uint64_t spare, cudaStream_t stream)
{
    cudaGetLastError();
    spare_kernel<<<blocks_for(n + 1), BLOCK_THREADS, 0, stream>>>(found, places, n, spare);
    return cudaGetLastError();
}

cudaError_t blink_cuda_pick(const uint64_t *from, const uint64_t *first, uint64_t *to, size_t n, cudaStream_t stream)
{
    cudaGetLastError();
    pick_kernel<<<blocks_for(n + 1), BLOCK_THREADS, 0, stream>>>(from, first, to, n);
    return cudaGetLastError();
}

cudaError_t blink_cuda_count_pieces(const long_work *work, const long_pieces *pieces, size_t n, cudaStream_t stream)
{
    cudaGetLastError();
    ones_kernel<<<blocks_for(n + 1), BLOCK_THREADS, 0, stream>>>(pieces->first, n);
    parts_kernel<<<blocks_for(pieces->noted), BLOCK_THREADS, 0, stream>>>(work, pieces->noted,
                                                                         long_parts_each(pieces->noted), pieces->first);
    return cudaGetLastError();
}
