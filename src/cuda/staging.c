#include "staging.h"

#include <stdint.h>
#include <string.h>

#include "../base/memory.h"

pleach_status staging_open_pool(int gpu, cudaMemPool_t *pool)
{
    struct cudaMemPoolProps kind;
    memset(&kind, 0, sizeof kind);
    kind.allocType = cudaMemAllocationTypePinned;
    kind.location.type = cudaMemLocationTypeDevice;
    kind.location.id = gpu;
    uint64_t keep_all = UINT64_MAX;
    if (base_allocation_fails()) return PLEACH_E_MEMORY;
    CUDA_TRY(cudaMemPoolCreate(pool, &kind));
    CUDA_TRY(cudaMemPoolSetAttribute(*pool, cudaMemPoolAttrReleaseThreshold, &keep_all));
    return PLEACH_OK;
}

typedef enum memory_kind { MEMORY_HOST, MEMORY_DEVICE, MEMORY_FOREIGN } memory_kind;

static memory_kind kind_of(const staging *s, const void *array)
{
    struct cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, array) != cudaSuccess) {
        cudaGetLastError();
        return MEMORY_HOST;
    }
    switch (attributes.type) {
    case cudaMemoryTypeManaged: return MEMORY_DEVICE;
    case cudaMemoryTypeDevice: return attributes.device == s->gpu ? MEMORY_DEVICE : MEMORY_FOREIGN;
    case cudaMemoryTypeHost:
    case cudaMemoryTypeUnregistered: break;
    }
    return MEMORY_HOST;
}

bool staging_is_host(const staging *s, const void *array) { return !array || kind_of(s, array) == MEMORY_HOST; }

pleach_status staging_scratch(staging *s, size_t bytes, void **device)
{
    *device = NULL;
    if (base_allocation_fails()) return PLEACH_E_MEMORY;
    if (s->buffers == STAGING_MOST) return PLEACH_E_MEMORY;
    CUDA_TRY(cudaMallocFromPoolAsync(device, bytes ? bytes : 1, s->pool, s->stream));
    s->buffer[s->buffers++] = *device;
    return PLEACH_OK;
}

/* Returns a device copy of a host array, filled if requested, or the array itself if the GPU can use it. */
static pleach_status stage(staging *s, void *array, size_t bytes, bool fill, void **device)
{
    *device = array;
    if (!array || bytes == 0) return PLEACH_OK;
    memory_kind kind = kind_of(s, array);
    if (kind == MEMORY_FOREIGN) return PLEACH_E_POINTER;
    if (kind == MEMORY_DEVICE) return PLEACH_OK;
    pleach_status status = staging_scratch(s, bytes, device);
    if (status != PLEACH_OK || !fill) return status;
    CUDA_TRY(cudaMemcpyAsync(*device, array, bytes, cudaMemcpyHostToDevice, s->stream));
    return PLEACH_OK;
}

pleach_status staging_input(staging *s, const void *array, size_t bytes, const void **device)
{
    void *staged;
    pleach_status status = stage(s, (void *)array, bytes, true, &staged);
    *device = staged;
    return status;
}

pleach_status staging_output(staging *s, void *array, size_t bytes, bool sparse, void **device)
{
    pleach_status status = stage(s, array, bytes, sparse, device);
    if (status != PLEACH_OK || *device == array) return status;
    s->result[s->results].host = array;
    s->result[s->results].device = *device;
    s->result[s->results++].bytes = bytes;
    return PLEACH_OK;
}

static pleach_status return_result(staging *s, unsigned i)
{
    void *host = s->result[i].host, *device = s->result[i].device;
    size_t bytes = s->result[i].bytes;
    if (s->transfer && transfer_pays(host, bytes)) return transfer_to_host(s->transfer, host, device, bytes, s->stream);
    CUDA_TRY(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, s->stream));
    return PLEACH_OK;
}

pleach_status staging_return_results(staging *s)
{
    pleach_status status = PLEACH_OK;
    for (unsigned i = 0; i < s->results && status == PLEACH_OK; i++) status = return_result(s, i);
    return status;
}

void staging_free(staging *s)
{
    for (unsigned i = 0; i < s->buffers; i++) cudaFreeAsync(s->buffer[i], s->stream);
    s->buffers = s->results = 0;
}
