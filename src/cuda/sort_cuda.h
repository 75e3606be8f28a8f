/* cuda/sort_cuda.h - CUB's sort, select and scan on the GPU as C functions. Each is called twice, as in CUB: with
 * scratch = NULL it only returns the number of scratch bytes that it needs. */
#ifndef PLEACH_SORT_CUDA_H
#define PLEACH_SORT_CUDA_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bits of a key that are compared: from low up to, but not including, high. */
typedef struct sort_bits { int low, high; } sort_bits;

/* Stable sort, ascending by key; values are value_bits wide, 32 or 64, or absent (0). */
cudaError_t sort_cuda_pairs_by(void *scratch, size_t *scratch_bytes, unsigned key_bits, unsigned value_bits,
                               sort_bits by, const void *keys, void *sorted_keys, const void *values,
                               void *sorted_values, size_t n, cudaStream_t stream);

/* Compares all bits of the keys. */
cudaError_t sort_cuda_pairs(void *scratch, size_t *scratch_bytes, unsigned key_bits, unsigned value_bits,
                            const void *keys, void *sorted_keys, const void *values, void *sorted_values, size_t n,
                            cudaStream_t stream);

/* Copies the elements with keep != 0, in order; *kept is device memory. */
cudaError_t sort_cuda_select(void *scratch, size_t *scratch_bytes, unsigned bits, const void *in, const uint8_t *keep,
                             void *out, uint64_t *kept, size_t n, cudaStream_t stream);

/* out[i] = in[0] + ... + in[i-1]; may be in place. */
cudaError_t sort_cuda_scan(void *scratch, size_t *scratch_bytes, const uint64_t *in, uint64_t *out, size_t n,
                           cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
