/* testkit/device_keys.cuh - keys and numbers that the host and its kernels come to in the same way. */
#ifndef PLEACH_TEST_DEVICE_KEYS_CUH
#define PLEACH_TEST_DEVICE_KEYS_CUH

#include <stdint.h>

/* The index-th key: ascending, with gaps; 64-bit ones differ in both halves. */
template <typename word> static __host__ __device__ word key_at(uint32_t index)
{
    return sizeof(word) == 4 ? (word)(5 * index + 3) : (word)(0x0000000300000005u * index + 3);
}

static __host__ __device__ uint32_t scramble(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

#endif
