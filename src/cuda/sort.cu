/* cuda/sort.cu - the functions of sort_cuda.h. The only file that uses C++, because CUB is a template library. */
#include "sort_cuda.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

template <typename Key, typename Value>
static cudaError_t sort_pairs(void *scratch, size_t *scratch_bytes, sort_bits by, const void *keys, void *sorted_keys,
                              const void *values, void *sorted_values, size_t n, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortPairs(scratch, *scratch_bytes, (const Key *)keys, (Key *)sorted_keys,
                                           (const Value *)values, (Value *)sorted_values, n, by.low, by.high, stream);
}

template <typename Key>
static cudaError_t sort_keys(void *scratch, size_t *scratch_bytes, sort_bits by, const void *keys, void *sorted_keys,
                             size_t n, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortKeys(scratch, *scratch_bytes, (const Key *)keys, (Key *)sorted_keys, n, by.low,
                                          by.high, stream);
}

cudaError_t sort_cuda_pairs_by(void *scratch, size_t *scratch_bytes, unsigned key_bits, unsigned value_bits,
                               sort_bits by, const void *keys, void *sorted_keys, const void *values,
                               void *sorted_values, size_t n, cudaStream_t stream)
{
    if (value_bits == 0)
        return key_bits == 32 ? sort_keys<uint32_t>(scratch, scratch_bytes, by, keys, sorted_keys, n, stream)
                              : sort_keys<uint64_t>(scratch, scratch_bytes, by, keys, sorted_keys, n, stream);
    auto *sort = key_bits == 32 ? (value_bits == 32 ? sort_pairs<uint32_t, uint32_t> : sort_pairs<uint32_t, uint64_t>)
                                : (value_bits == 32 ? sort_pairs<uint64_t, uint32_t> : sort_pairs<uint64_t, uint64_t>);
    return sort(scratch, scratch_bytes, by, keys, sorted_keys, values, sorted_values, n, stream);
}

cudaError_t sort_cuda_pairs(void *scratch, size_t *scratch_bytes, unsigned key_bits, unsigned value_bits,
                            const void *keys, void *sorted_keys, const void *values, void *sorted_values, size_t n,
                            cudaStream_t stream)
{
    sort_bits all = {0, (int)key_bits};
    return sort_cuda_pairs_by(scratch, scratch_bytes, key_bits, value_bits, all, keys, sorted_keys, values,
                              sorted_values, n, stream);
}

cudaError_t sort_cuda_select(void *scratch, size_t *scratch_bytes, unsigned bits, const void *in, const uint8_t *keep,
                             void *out, uint64_t *kept, size_t n, cudaStream_t stream)
{
    if (bits == 32)
        return cub::DeviceSelect::Flagged(scratch, *scratch_bytes, (const uint32_t *)in, keep, (uint32_t *)out, kept,
                                          (int64_t)n, stream);
    return cub::DeviceSelect::Flagged(scratch, *scratch_bytes, (const uint64_t *)in, keep, (uint64_t *)out, kept,
                                      (int64_t)n, stream);
}

cudaError_t sort_cuda_scan(void *scratch, size_t *scratch_bytes, const uint64_t *in, uint64_t *out, size_t n,
                           cudaStream_t stream)
{
    return cub::DeviceScan::ExclusiveSum(scratch, *scratch_bytes, in, out, (int64_t)n, stream);
}
