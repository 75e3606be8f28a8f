#include "pool_cuda.h"

#include <cuda.h>
#include <string.h>

#include "../base/memory.h"

typedef struct piece {
    CUmemGenericAllocationHandle handle;
    uint64_t bytes;
} piece;

enum { MOST_PIECES = 4096 };

/* The driver's functions for mapping memory, looked up through the runtime. */
typedef struct driver_calls {
    CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
    CUresult (*release_range)(CUdeviceptr, size_t);
    CUresult (*create)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long);
    CUresult (*release)(CUmemGenericAllocationHandle);
    CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
    CUresult (*unmap)(CUdeviceptr, size_t);
    CUresult (*set_access)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
    CUresult (*granularity)(size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags);
} driver_calls;

struct pool_cuda {
    driver_calls driver;
    CUmemAllocationProp kind;
    CUmemAccessDesc access;
    CUdeviceptr base;
    uint64_t reserved; /* bytes of address space */
    /* the limit is the GPU's memory, not set by the caller */
    bool by_machine;
    uint64_t limit;    /* bytes of it that may be used */
    uint64_t mapped;
    size_t granularity;
    unsigned pieces;
    piece piece[MOST_PIECES];
};

static pleach_status find_call(const char *name, void *call)
{
    enum cudaDriverEntryPointQueryResult result;
    void *found = NULL;
    CUDA_TRY(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
    if (!found || result != cudaDriverEntryPointSuccess) return cuda_status(cudaErrorNotSupported);
    memcpy(call, &found, sizeof found);
    return PLEACH_OK;
}

static pleach_status find_calls(driver_calls *driver)
{
    const struct {
        const char *name;
        void *call;
    } wanted[] = {
        {"cuMemAddressReserve", &driver->reserve}, {"cuMemAddressFree", &driver->release_range},
        {"cuMemCreate", &driver->create},          {"cuMemRelease", &driver->release},
        {"cuMemMap", &driver->map},                {"cuMemUnmap", &driver->unmap},
        {"cuMemSetAccess", &driver->set_access},   {"cuMemGetAllocationGranularity", &driver->granularity},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        pleach_status status = find_call(wanted[i].name, wanted[i].call);
        if (status != PLEACH_OK) return status;
    }
    return PLEACH_OK;
}

static uint64_t round_up(uint64_t bytes, uint64_t granularity)
{
    return (bytes + granularity - 1) / granularity * granularity;
}

static pleach_status reserve_range(pool_cuda *pool, uint64_t max_bytes, size_t node_bytes)
{
    size_t free_bytes = 0, total_bytes = 0;
    CUDA_TRY(cudaMemGetInfo(&free_bytes, &total_bytes));
    uint64_t most = ((uint64_t)1 << 31) * node_bytes;
    uint64_t limit = max_bytes ? max_bytes : total_bytes;
    if (limit > most) limit = most;
    pool->limit = limit / node_bytes * node_bytes;
    pool->by_machine = max_bytes == 0;
    pleach_status status = cuda_driver_status(
        pool->driver.granularity(&pool->granularity, &pool->kind, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    if (status != PLEACH_OK) return status;
    pool->reserved = round_up(pool->limit, pool->granularity);
    if (base_allocation_fails()) return PLEACH_E_MEMORY;
    return cuda_driver_status(pool->driver.reserve(&pool->base, pool->reserved, 0, 0, 0));
}

pleach_status pool_cuda_open(pool_cuda **out, int gpu, uint64_t max_bytes, size_t node_bytes)
{
    pool_cuda *pool = base_alloc(1, sizeof *pool);
    if (!pool) return PLEACH_E_MEMORY;
    pool->kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    pool->kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    pool->kind.location.id = gpu;
    pool->access.location = pool->kind.location;
    pool->access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    pleach_status status = find_calls(&pool->driver);
    if (status == PLEACH_OK) status = reserve_range(pool, max_bytes, node_bytes);
    if (status != PLEACH_OK) {
        base_free(pool);
        return status;
    }
    *out = pool;
    return PLEACH_OK;
}

void pool_cuda_close(pool_cuda *pool)
{
    pool_cuda_trim(pool, 0);
    pool->driver.release_range(pool->base, pool->reserved);
    base_free(pool);
}

void *pool_cuda_nodes(const pool_cuda *pool) { return (void *)(uintptr_t)pool->base; }
uint64_t pool_cuda_limit(const pool_cuda *pool) { return pool->limit; }
pleach_status pool_cuda_beyond(const pool_cuda *pool) { return pool->by_machine ? PLEACH_E_MEMORY : PLEACH_E_FULL; }
uint64_t pool_cuda_mapped(const pool_cuda *pool) { return pool->mapped < pool->limit ? pool->mapped : pool->limit; }

static pleach_status map_piece(pool_cuda *pool, uint64_t bytes)
{
    piece *p = &pool->piece[pool->pieces];
    if (pool->pieces == MOST_PIECES || base_allocation_fails()) return PLEACH_E_MEMORY;
    pleach_status status = cuda_driver_status(pool->driver.create(&p->handle, bytes, &pool->kind, 0));
    if (status != PLEACH_OK) return status;
    CUdeviceptr at = pool->base + pool->mapped;
    status = base_allocation_fails() ? PLEACH_E_MEMORY
                                     : cuda_driver_status(pool->driver.map(at, bytes, 0, p->handle, 0));
    if (status == PLEACH_OK) {
        status = base_allocation_fails() ? PLEACH_E_MEMORY
                                         : cuda_driver_status(pool->driver.set_access(at, bytes, &pool->access, 1));
        if (status != PLEACH_OK) pool->driver.unmap(at, bytes);
    }
    if (status != PLEACH_OK) {
        pool->driver.release(p->handle);
        return status;
    }
    p->bytes = bytes;
    pool->pieces++;
    pool->mapped += bytes;
    return PLEACH_OK;
}

pleach_status pool_cuda_grow(pool_cuda *pool, uint64_t bytes, cudaStream_t stream)
{
    if (bytes > pool->limit) return PLEACH_E_FULL;
    uint64_t before = pool->mapped;
    if (bytes <= before) return PLEACH_OK;
    /* Grow by half of the mapped size, so that the pieces stay few; if that much is not available, by the minimum. */
    uint64_t least = round_up(bytes, pool->granularity) - before;
    uint64_t more = round_up(before / 2, pool->granularity);
    if (more > pool->reserved - before) more = pool->reserved - before;
    pleach_status status = more > least ? map_piece(pool, more) : PLEACH_E_MEMORY;
    if (status != PLEACH_OK) status = map_piece(pool, least);
    if (status != PLEACH_OK) return status;
    cudaError_t zeroed = cudaMemsetAsync((char *)pool_cuda_nodes(pool) + before, 0, pool->mapped - before, stream);
    if (zeroed != cudaSuccess) pool_cuda_trim(pool, before); /* because the next call takes it for zeroed */
    CUDA_TRY(zeroed);
    return PLEACH_OK;
}

pleach_status pool_cuda_trim(pool_cuda *pool, uint64_t keep)
{
    pleach_status status = PLEACH_OK;
    while (pool->pieces > 0 && status == PLEACH_OK) {
        piece *last = &pool->piece[pool->pieces - 1];
        if (pool->mapped - last->bytes < keep) break;
        CUdeviceptr at = pool->base + pool->mapped - last->bytes;
        status = cuda_driver_status(pool->driver.unmap(at, last->bytes));
        if (status == PLEACH_OK) status = cuda_driver_status(pool->driver.release(last->handle));
        pool->mapped -= last->bytes;
        pool->pieces--;
    }
    return status;
}
