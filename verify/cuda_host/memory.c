/* memory.c - all memory that the emulated GPU knows, in one range of addresses that are used again only when all have
 * been used: whatever is behind an allocation, or was freed, is no memory, and a copy or a kernel that goes there ends
 * with a fault. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define POISON(at, bytes) __asan_poison_memory_region((at), (bytes))
#define UNPOISON(at, bytes) __asan_unpoison_memory_region((at), (bytes))
#else
#define POISON(at, bytes) ((void)0)
#define UNPOISON(at, bytes) ((void)0)
#endif

#include "gpu.h"
#include "include/cuda.h"

#ifdef __SANITIZE_THREAD__ /* which leaves a program few addresses */
#define RANGE_BYTES ((size_t)1 << 39)
#else
#define RANGE_BYTES ((size_t)1 << 42)
#endif
enum { PAGE = 4096, ALIGNMENT = 256, PIECE = 2 << 20, RUBBISH_BYTES = 64 << 10, SLACK = 0xfb };

/* One allocation, or one reservation of the driver's, of which any part may be mapped. */
typedef struct region {
    char *first, *end; /* what was asked for */
    char *pages;       /* whole pages around it */
    size_t page_bytes;
    memory_kind kind;
    bool reserved;
} region;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *range, *unused;
static region *regions; /* the live ones, in the order of addresses */
static size_t count, room;
static size_t used_bytes; /* of the device's memory */
static uint64_t changes;  /* of what memory_find says */

/* What is mapped of the driver's reservations. */
static struct piece { char *at; size_t bytes; } *pieces;
static size_t piece_count, piece_room;
static bool shut; /* the device's memory is: PLEACH_CUDA_HOST_PROTECT, and the GPU does nothing */

static void *whole_range(void)
{
    if (!range) {
        range = mmap(NULL, RANGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED) gpu_fatal("no addresses for the device's memory");
        unused = range + PAGE;
    }
    return range;
}

/* A place in the list, for what becomes its element i. */
static region *insert_region(size_t i)
{
    if (count == room) {
        room = room ? 2 * room : 256;
        regions = realloc(regions, room * sizeof *regions);
        if (!regions) gpu_fatal("no memory for a list of %zu allocations", room);
    }
    memmove(&regions[i + 1], &regions[i], (count++ - i) * sizeof *regions);
    return &regions[i];
}

static void remove_region(region *r)
{
    memmove(r, r + 1, (size_t)(&regions[--count] - r) * sizeof *r);
    __atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED);
}

/* The live region that begins at or before `p`. */
static region *region_at(const volatile void *p)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (regions[middle].pages <= (const char *)p)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &regions[low - 1] : NULL;
}

static char *aligned_up(char *p, size_t alignment) { return p + (alignment - (uintptr_t)p % alignment) % alignment; }

/* The first gap of so many bytes at or behind *at, and the place in the list of what lies there. */
static bool find_gap(char **at, size_t *i, size_t bytes, size_t alignment)
{
    const region *before = region_at(*at);
    *i = before ? (size_t)(before - regions) + 1 : 0;
    if (before && before->pages + before->page_bytes + PAGE > *at) *at = before->pages + before->page_bytes + PAGE;
    for (;; ++*i) {
        *at = aligned_up(*at, alignment);
        const char *end = *i < count ? regions[*i].pages : range + RANGE_BYTES;
        if (*at + bytes + PAGE <= end) return true;
        if (*i == count) return false;
        *at = regions[*i].pages + regions[*i].page_bytes + PAGE;
    }
}

static region *take_pages(size_t bytes, size_t alignment)
{
    whole_range();
    size_t page_bytes = (bytes + PAGE - 1) / PAGE * PAGE, i;
    char *at = unused;
    if (page_bytes > RANGE_BYTES) return NULL;
    if (!find_gap(&at, &i, page_bytes, alignment)) {
        at = range + PAGE;
        if (!find_gap(&at, &i, page_bytes, alignment)) return NULL;
    }
    region *r = insert_region(i);
    *r = (region){.pages = at, .page_bytes = page_bytes};
    unused = at + page_bytes + PAGE; /* a page between any two stays without access */
    __atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED);
    return r;
}

static void set_protection(void *at, size_t bytes, int protection)
{
    if (mprotect(at, bytes, protection) != 0) gpu_fatal("%zu bytes at %p cannot be protected", bytes, at);
}

/* Before and after what a call does to the device's memory itself; with the mutex. */
static void open_for_call(char *at, size_t bytes, memory_kind kind)
{
    if (shut && kind == MEMORY_DEVICE) set_protection(at, bytes, PROT_READ | PROT_WRITE);
}

static void shut_after_call(char *at, size_t bytes, memory_kind kind)
{
    if (shut && kind == MEMORY_DEVICE) set_protection(at, bytes, PROT_NONE);
}

void memory_open(bool open)
{
    if (!gpu.protect) return;
    pthread_mutex_lock(&mutex);
    if (shut == open) {
        const int protection = open ? PROT_READ | PROT_WRITE : PROT_NONE;
        for (size_t i = 0; i < count; i++)
            if (regions[i].kind == MEMORY_DEVICE && !regions[i].reserved)
                set_protection(regions[i].pages, regions[i].page_bytes, protection);
        for (size_t i = 0; i < piece_count; i++) set_protection(pieces[i].at, pieces[i].bytes, protection);
        shut = !open;
    }
    pthread_mutex_unlock(&mutex);
}

void memory_spoil(void *at, size_t bytes)
{
    pthread_mutex_lock(&mutex);
    const region *r = region_at(at);
    open_for_call(r->pages, r->page_bytes, r->kind);
    memset(at, 0xab, bytes);
    shut_after_call(r->pages, r->page_bytes, r->kind);
    pthread_mutex_unlock(&mutex);
}

cudaError_t memory_take(void **memory, size_t bytes, memory_kind kind)
{
    *memory = NULL;
    if (bytes == 0) return cudaSuccess;
    size_t aligned = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    cudaError_t error = cudaErrorMemoryAllocation;
    pthread_mutex_lock(&mutex);
    bool device = kind != MEMORY_PINNED;
    region *r = aligned < bytes || (device && bytes > gpu.memory - used_bytes) ? NULL : take_pages(aligned, PAGE);
    if (r && mprotect(r->pages, r->page_bytes, PROT_READ | PROT_WRITE) != 0) {
        remove_region(r);
        r = NULL;
    }
    if (r) {
        r->kind = kind;
        r->first = r->pages + r->page_bytes - aligned; /* so that its end is close to the page without access */
        r->end = r->first + bytes;
        if (device) used_bytes += bytes;
        memset(r->first, 0xcd, bytes < RUBBISH_BYTES ? bytes : RUBBISH_BYTES);
        memset(r->end, SLACK, aligned - bytes);
        POISON(r->end, aligned - bytes);
        shut_after_call(r->pages, r->page_bytes, kind);
        *memory = r->first;
        error = cudaSuccess;
    }
    pthread_mutex_unlock(&mutex);
    return error;
}

static void look_behind(const region *r)
{
    UNPOISON(r->end, (size_t)(r->pages + r->page_bytes - r->end));
    for (const char *at = r->end; at < r->pages + r->page_bytes; at++)
        if ((unsigned char)*at != SLACK)
            gpu_fatal("%zu bytes at %p: something was written %zu bytes behind them", (size_t)(r->end - r->first),
                      (void *)r->first, (size_t)(at - r->end));
}

static void drop_pages(char *at, size_t bytes)
{
    if (mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        gpu_fatal("memory cannot be given back");
}

bool memory_give(void *memory)
{
    pthread_mutex_lock(&mutex);
    region *r = region_at(memory);
    bool found = r && !r->reserved && r->first == memory;
    if (found) {
        open_for_call(r->pages, r->page_bytes, r->kind);
        look_behind(r);
        if (r->kind != MEMORY_PINNED) used_bytes -= (size_t)(r->end - r->first);
        drop_pages(r->pages, r->page_bytes);
        remove_region(r);
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

memory_kind memory_find(const volatile void *p, size_t *left)
{
    *left = 0;
    if (!range || (const char *)p < range || (const char *)p >= range + RANGE_BYTES) return MEMORY_NONE;
    pthread_mutex_lock(&mutex);
    const region *r = region_at(p);
    memory_kind kind = MEMORY_NONE;
    if (r && (const char *)p >= r->first && (const char *)p < r->end) {
        kind = r->kind;
        *left = (size_t)(r->end - (const char *)p);
    }
    pthread_mutex_unlock(&mutex);
    return kind;
}

size_t memory_left(void)
{
    pthread_mutex_lock(&mutex);
    size_t left = gpu.memory - used_bytes;
    pthread_mutex_unlock(&mutex);
    return left;
}

/* Only the GPU's thread asks, so what it found last is remembered. */
void hostgpu_check_address(const volatile void *p, unsigned bytes)
{
    static const char *first, *end;
    static uint64_t seen;
    uint64_t now = __atomic_load_n(&changes, __ATOMIC_RELAXED);
    const char *at = (const char *)p;
    if ((uintptr_t)at % bytes) gpu_fatal("an access of %u bytes at %p, which is not aligned", bytes, (void *)at);
    if (seen == now && at >= first && at + bytes <= end) return;
    size_t left;
    if (grid_owns(p, bytes)) return;
    if (memory_find(p, &left) == MEMORY_NONE || left < bytes)
        gpu_fatal("a kernel's access of %u bytes at %p, which is no memory of the GPU", bytes, (void *)at);
    first = at;
    end = at + left;
    seen = now;
}

void memory_report_leaks(void)
{
    size_t leaks = 0, bytes = 0;
    if (gpu_is_lost()) return; /* frees have failed too */
    for (size_t i = 0; i < count; i++)
        if (!regions[i].reserved) {
            leaks++;
            bytes += (size_t)(regions[i].end - regions[i].first);
        }
    if (leaks) fprintf(stderr, "emulated GPU: %zu allocations with %zu bytes were not freed\n", leaks, bytes);
    if (piece_count) fprintf(stderr, "emulated GPU: %zu pieces of memory are still mapped\n", piece_count);
}

/* ---- the driver's calls ---- */

static CUresult reserve(CUdeviceptr *at, size_t bytes, size_t alignment, CUdeviceptr wish, unsigned long long flags)
{
    if (gpu_is_lost()) return CUDA_ERROR_ILLEGAL_ADDRESS;
    (void)alignment, (void)wish, (void)flags;
    pthread_mutex_lock(&mutex);
    region *r = take_pages(bytes, PIECE);
    if (r) {
        r->kind = MEMORY_DEVICE;
        r->reserved = true;
        r->first = r->pages;
        r->end = r->pages + bytes;
        *at = (CUdeviceptr)(uintptr_t)r->pages;
    }
    pthread_mutex_unlock(&mutex);
    return r ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult release_range(CUdeviceptr at, size_t bytes)
{
    if (gpu_is_lost()) return CUDA_ERROR_ILLEGAL_ADDRESS;
    pthread_mutex_lock(&mutex);
    region *r = region_at((void *)(uintptr_t)at);
    bool good = r && r->reserved && (CUdeviceptr)(uintptr_t)r->first == at && r->page_bytes >= bytes;
    if (good) {
        drop_pages(r->pages, r->page_bytes);
        remove_region(r);
    }
    pthread_mutex_unlock(&mutex);
    return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* A handle is the number of bytes: nothing else of it matters before it is mapped. */
static CUresult create(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *kind,
                       unsigned long long flags)
{
    if (gpu_is_lost()) return CUDA_ERROR_ILLEGAL_ADDRESS;
    (void)kind, (void)flags;
    if (bytes == 0 || bytes % PIECE) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&mutex);
    bool fits = bytes <= gpu.memory - used_bytes;
    if (fits) used_bytes += bytes;
    pthread_mutex_unlock(&mutex);
    *handle = bytes;
    return fits ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult release(CUmemGenericAllocationHandle handle)
{
    if (gpu_is_lost()) return CUDA_ERROR_ILLEGAL_ADDRESS;
    pthread_mutex_lock(&mutex);
    used_bytes -= handle;
    pthread_mutex_unlock(&mutex);
    return CUDA_SUCCESS;
}

static CUresult map(CUdeviceptr at, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                    unsigned long long flags)
{
    if (gpu_is_lost()) return CUDA_ERROR_ILLEGAL_ADDRESS;
    (void)at, (void)offset, (void)flags;
    return bytes == handle ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult set_access(CUdeviceptr at, size_t bytes, const CUmemAccessDesc *who, size_t n)
{
    if (gpu_is_lost()) return CUDA_ERROR_ILLEGAL_ADDRESS;
    (void)who, (void)n;
    void *pages = (void *)(uintptr_t)at;
    if (mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
    memset(pages, 0xcd, RUBBISH_BYTES);
    pthread_mutex_lock(&mutex);
    if (piece_count == piece_room) {
        piece_room = piece_room ? 2 * piece_room : 64;
        pieces = realloc(pieces, piece_room * sizeof *pieces);
        if (!pieces) gpu_fatal("no memory for a list of %zu pieces", piece_room);
    }
    pieces[piece_count++] = (struct piece){pages, bytes};
    shut_after_call(pages, bytes, MEMORY_DEVICE);
    pthread_mutex_unlock(&mutex);
    return CUDA_SUCCESS;
}

static CUresult unmap(CUdeviceptr at, size_t bytes)
{
    if (gpu_is_lost()) return CUDA_ERROR_ILLEGAL_ADDRESS;
    char *first = (char *)(uintptr_t)at;
    pthread_mutex_lock(&mutex);
    drop_pages(first, bytes);
    for (size_t i = 0; i < piece_count;)
        if (pieces[i].at >= first && pieces[i].at < first + bytes)
            pieces[i] = pieces[--piece_count];
        else
            i++;
    pthread_mutex_unlock(&mutex);
    return CUDA_SUCCESS;
}

static CUresult granularity(size_t *bytes, const CUmemAllocationProp *kind, CUmemAllocationGranularity_flags flags)
{
    (void)kind, (void)flags;
    *bytes = PIECE;
    return CUDA_SUCCESS;
}

static CUresult memory_info(size_t *free_bytes, size_t *total_bytes)
{
    return (CUresult)cudaMemGetInfo(free_bytes, total_bytes);
}

/* Looked up in the driver by src/base/device_pointer.c, and by the tests. */
__attribute__((visibility("default"))) CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr pointer)
{
    size_t left;
    memory_kind kind = memory_find((void *)(uintptr_t)pointer, &left);
    if (kind == MEMORY_NONE) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(unsigned *)data = kind == MEMORY_PINNED ? 1 : CU_MEMORYTYPE_DEVICE; break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)data = kind == MEMORY_MANAGED; break;
    default: gpu_fatal("cuPointerGetAttribute: attribute %d is not emulated", attribute);
    }
    return CUDA_SUCCESS;
}

__attribute__((visibility("default"))) CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    return memory_info(free_bytes, total_bytes);
}

void *memory_driver_call(const char *name)
{
    const struct {
        const char *name;
        void (*call)(void);
    } calls[] = {
        {"cuMemAddressReserve", (void (*)(void))reserve}, {"cuMemAddressFree", (void (*)(void))release_range},
        {"cuMemCreate", (void (*)(void))create},          {"cuMemRelease", (void (*)(void))release},
        {"cuMemMap", (void (*)(void))map},                {"cuMemUnmap", (void (*)(void))unmap},
        {"cuMemSetAccess", (void (*)(void))set_access},   {"cuMemGetInfo", (void (*)(void))memory_info},
        {"cuMemGetAllocationGranularity", (void (*)(void))granularity},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(name, calls[i].name)) {
            void *found;
            memcpy(&found, &calls[i].call, sizeof found);
            return found;
        }
    return NULL;
}
