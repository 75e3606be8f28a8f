/* calls.c - the calls of CUDA's runtime, and the choices of a run. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

gpu_choices gpu;

static _Thread_local cudaError_t last_error;
static bool lost;

bool gpu_is_lost(void) { return __atomic_load_n(&lost, __ATOMIC_ACQUIRE); }
void gpu_lose(void) { __atomic_store_n(&lost, true, __ATOMIC_RELEASE); }

static cudaError_t say(cudaError_t error)
{
    if (gpu_is_lost()) error = cudaErrorIllegalAddress;
    if (error != cudaSuccess) last_error = error;
    return error;
}

/* Of a query. That something is not ready is no error that is remembered. */
static cudaError_t say_whether(bool done)
{
    return gpu_is_lost() ? say(cudaErrorIllegalAddress) : done ? cudaSuccess : cudaErrorNotReady;
}

static cudaError_t say_if(bool good, cudaError_t error) { return say(good ? cudaSuccess : error); }

/* ---- choices ---- */

uint64_t gpu_random_of(uint64_t *state, uint64_t below)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return below ? x % below : 0;
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* A seed chooses pace and order as well; either can be set on its own. */
void gpu_choose(void)
{
    static const char *const paces[] = {"at-once", "late", "seed", "free"};
    gpu.seed = gpu.random = number_from("PLEACH_CUDA_HOST_SEED", 0);
    gpu.host_random = ~gpu.seed;
    gpu.resident = (unsigned)number_from("PLEACH_CUDA_HOST_THREADS", 512);
    gpu.seconds = (unsigned)number_from("PLEACH_CUDA_HOST_SECONDS", 300);
    gpu.memory = number_from("PLEACH_CUDA_HOST_MEMORY", 8192) << 20;
    gpu.processors = 4;
    gpu.fault = number_from("PLEACH_CUDA_HOST_FAULT", 0);
    gpu.protect = number_from("PLEACH_CUDA_HOST_PROTECT", 0) != 0;
    gpu.pace = PACE_AT_ONCE;
    gpu.order = ORDER_LONG_TURNS;
    if (gpu.seed) {
        static const gpu_pace pace[] = {PACE_BY_SEED, PACE_LATE, PACE_BY_SEED, PACE_AT_ONCE};
        gpu.pace = pace[gpu_random(4)];
        gpu.order = gpu_random(3) ? ORDER_RANDOM : ORDER_LOCK_STEP;
    }
    enum { IN_STEP = 192 }; /* of whom only one may hold a latch, and all others wait for each of its accesses */
    if (gpu.order == ORDER_LOCK_STEP && gpu.resident > IN_STEP) gpu.resident = IN_STEP;
    const char *wish = getenv("PLEACH_CUDA_HOST_STREAMS");
    if (!wish || !*wish) return;
    for (unsigned i = 0; i < sizeof paces / sizeof *paces; i++)
        if (!strcmp(wish, paces[i])) {
            gpu.pace = (gpu_pace)i;
            return;
        }
    gpu_fatal("PLEACH_CUDA_HOST_STREAMS is at-once, late, seed or free, not '%s'", wish);
}

void gpu_fatal(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("emulated GPU: ", stderr);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nemulated GPU: repeat it with PLEACH_CUDA_HOST_SEED=%llu\n", (unsigned long long)gpu.seed);
    va_end(arguments);
    abort();
}

/* ---- errors ---- */

const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidMemcpyDirection: return "cudaErrorInvalidMemcpyDirection";
    case cudaErrorStubLibrary: return "cudaErrorStubLibrary";
    case cudaErrorInsufficientDriver: return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice: return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorNoKernelImageForDevice: return "cudaErrorNoKernelImageForDevice";
    case cudaErrorInvalidResourceHandle: return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady: return "cudaErrorNotReady";
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
    case cudaErrorNotSupported: return "cudaErrorNotSupported";
    case cudaErrorSystemDriverMismatch: return "cudaErrorSystemDriverMismatch";
    }
    return "an unknown error";
}

const char *cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }

cudaError_t cudaPeekAtLastError(void) { return last_error; }

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    if (!gpu_is_lost()) last_error = cudaSuccess;
    return error;
}

/* ---- the device ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return say_if(device == 0, cudaErrorInvalidDevice); }

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    if (device != 0) return say(cudaErrorInvalidDevice);
    gpu_need();
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "emulated GPU (for tests: its figures say nothing of speed)");
    properties->totalGlobalMem = gpu.memory;
    properties->major = 9;
    properties->multiProcessorCount = (int)gpu.processors;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    if (device != 0) return say(cudaErrorInvalidDevice);
    gpu_need();
    *value = 0;
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount: *value = (int)gpu.processors; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = 228 << 10; break;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate: break;
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    stream_wait_all();
    return say(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) { return cudaDriverGetVersion(version); }

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *result)
{
    (void)version, (void)flags;
    gpu_need();
    *function = memory_driver_call(name);
    if (!*function) gpu_fatal("the driver's %s is not emulated", name);
    *result = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

/* ---- streams and events ---- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    (void)priority;
    gpu_need();
    *stream = stream_new(!(flags & cudaStreamNonBlocking));
    return say_if(*stream, cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    gpu_need();
    struct CUstream_st *s = stream_of(stream);
    if (!s || s != stream) return say(cudaErrorInvalidResourceHandle);
    s->magic = 0; /* work that was given is still done */
    return say(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return say_if(stream_wait(stream), cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    gpu_need();
    struct CUstream_st *s = stream_of(stream);
    if (!s) return say(cudaErrorInvalidResourceHandle);
    return say_whether(stream_is_done(s));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    gpu_need();
    struct CUstream_st *s = stream_of(stream);
    if (!s) return say(cudaErrorInvalidResourceHandle);
    *id = s->id;
    return cudaSuccess;
}

static gpu_event *event_of(cudaEvent_t event)
{
    gpu_event *e = (gpu_event *)event;
    return e && e->magic == STREAM_MAGIC ? e : NULL;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    gpu_need();
    gpu_event *e = calloc(1, sizeof *e);
    if (!e) return say(cudaErrorMemoryAllocation);
    e->magic = STREAM_MAGIC;
    static gpu_event *all;
    e->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all, &e->next, e, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    *event = (cudaEvent_t)e;
    return say(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    gpu_event *e = event_of(event);
    if (!e) return say(cudaErrorInvalidResourceHandle);
    e->magic = 0; /* and never freed, like streams: work may still mean it */
    return say(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    gpu_work work = {.kind = WORK_RECORD, .event = event_of(event)};
    return say_if(work.event && stream_give(stream, &work, false), cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    gpu_work work = {.kind = WORK_WAIT, .event = event_of(event)};
    return say_if(work.event && stream_give(stream, &work, false), cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    gpu_event *e = event_of(event);
    if (!e) return say(cudaErrorInvalidResourceHandle);
    return say_whether(event_is_done(e));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    gpu_event *e = event_of(event);
    if (!e) return say(cudaErrorInvalidResourceHandle);
    event_wait(e);
    return say(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    gpu_event *a = event_of(begin), *b = event_of(end);
    if (!a || !b) return say(cudaErrorInvalidResourceHandle);
    if (!event_is_done(a) || !event_is_done(b)) return say(cudaErrorNotReady);
    *milliseconds = (float)(1e3 * (double)(b->at.tv_sec - a->at.tv_sec) + 1e-6 * (double)(b->at.tv_nsec - a->at.tv_nsec));
    return cudaSuccess;
}

/* ---- memory ---- */

static cudaError_t take(void **memory, size_t bytes, memory_kind kind)
{
    gpu_need();
    return say(gpu_is_lost() ? cudaErrorIllegalAddress : memory_take(memory, bytes, kind));
}

cudaError_t cudaMalloc(void **memory, size_t bytes) { return take(memory, bytes, MEMORY_DEVICE); }
cudaError_t cudaMallocHost(void **memory, size_t bytes) { return take(memory, bytes, MEMORY_PINNED); }

cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    return take(memory, bytes, MEMORY_MANAGED);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    return take(memory, bytes, MEMORY_PINNED);
}

cudaError_t cudaFree(void *memory)
{
    stream_wait_all();
    return say_if(!memory || memory_give(memory), cudaErrorInvalidValue);
}

cudaError_t cudaFreeHost(void *memory) { return cudaFree(memory); }

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    gpu_need();
    *free_bytes = memory_left();
    *total_bytes = gpu.memory;
    return say(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    size_t left;
    memset(attributes, 0, sizeof *attributes);
    switch (memory_find(pointer, &left)) {
    case MEMORY_NONE: attributes->type = cudaMemoryTypeUnregistered; break;
    case MEMORY_DEVICE: attributes->type = cudaMemoryTypeDevice; break;
    case MEMORY_MANAGED: attributes->type = cudaMemoryTypeManaged; break;
    case MEMORY_PINNED: attributes->type = cudaMemoryTypeHost; break;
    }
    attributes->devicePointer = attributes->type == cudaMemoryTypeUnregistered ? NULL : (void *)pointer;
    attributes->hostPointer = attributes->type == cudaMemoryTypeDevice ? NULL : (void *)pointer;
    return say(cudaSuccess);
}

/* Whether a pointer can be the host's, or the device's, end of a copy. */
static bool fits(memory_kind kind, bool device)
{
    return device ? kind != MEMORY_NONE : kind != MEMORY_DEVICE;
}

static bool direction_is_right(enum cudaMemcpyKind kind, memory_kind to, memory_kind from)
{
    switch (kind) {
    case cudaMemcpyHostToHost: return fits(to, false) && fits(from, false);
    case cudaMemcpyHostToDevice: return fits(to, true) && fits(from, false);
    case cudaMemcpyDeviceToHost: return fits(to, false) && fits(from, true);
    case cudaMemcpyDeviceToDevice: return fits(to, true) && fits(from, true);
    case cudaMemcpyDefault: return true;
    }
    return false;
}

/* Pageable memory is read before the call returns, and written before it returns; pinned memory when its turn comes. */
static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream,
                        bool wait)
{
    size_t left;
    if (bytes == 0) return cudaSuccess;
    memory_kind to_kind = memory_find(to, &left), from_kind = memory_find(from, &left);
    if (!direction_is_right(kind, to_kind, from_kind)) return say(cudaErrorInvalidValue);
    gpu_work work = {.kind = WORK_COPY, .to = to, .from = from, .bytes = bytes};
    if (!wait && from_kind == MEMORY_NONE) {
        work.kept = malloc(bytes);
        if (!work.kept) return say(cudaErrorMemoryAllocation);
        memcpy(work.kept, from, bytes);
        work.from = work.kept;
    }
    if (stream_give(stream, &work, wait || to_kind == MEMORY_NONE)) return say(cudaSuccess);
    free(work.kept);
    return say(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy(to, from, bytes, kind, stream, false);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return copy(to, from, bytes, kind, cudaStreamLegacy, true);
}

cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream)
{
    size_t left;
    if (bytes == 0) return cudaSuccess;
    if (memory_find(to, &left) == MEMORY_NONE) return say(cudaErrorInvalidValue);
    gpu_work work = {.kind = WORK_FILL, .to = to, .byte = byte, .bytes = bytes};
    return say_if(stream_give(stream, &work, false), cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemset(void *to, int byte, size_t bytes) { return cudaMemsetAsync(to, byte, bytes, cudaStreamLegacy); }

/* ---- pools: all of them are the device's memory ---- */

static char the_pool;

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    (void)properties;
    *pool = (cudaMemPool_t)&the_pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    (void)device;
    return cudaMemPoolCreate(pool, NULL);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    (void)pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    (void)pool, (void)attribute, (void)value;
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    (void)pool, (void)keep;
    return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    (void)pool, (void)stream;
    return take(memory, bytes, MEMORY_DEVICE);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    gpu_work work = {.kind = WORK_FREE, .to = memory};
    return say_if(!memory || stream_give(stream, &work, false), cudaErrorInvalidResourceHandle);
}

/* ---- kernels ---- */

cudaError_t hostgpu_launch(hostgpu_size blocks, hostgpu_size threads, cudaStream_t stream, bool together,
                           const char *name, void (*run)(void *), void (*drop)(void *), void *closure)
{
    uint64_t all_threads = (uint64_t)threads.x * threads.y * threads.z;
    uint64_t all_blocks = (uint64_t)blocks.x * blocks.y * blocks.z;
    gpu_work work = {.kind = WORK_GRID,
                     .grid = {.blocks = blocks, .threads = threads, .name = name, .together = together, .run = run,
                              .drop = drop, .closure = closure, .total = all_blocks}};
    cudaError_t error = cudaSuccess;
    if (all_blocks == 0 || all_threads == 0 || all_threads > 1024 || blocks.x > INT32_MAX || blocks.y > UINT16_MAX ||
        blocks.z > UINT16_MAX)
        error = cudaErrorInvalidConfiguration;
    else if (!stream_give(stream, &work, false))
        error = cudaErrorInvalidResourceHandle;
    if (error != cudaSuccess) drop(closure);
    return say(error);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    (void)kernel;
    *attributes = (struct cudaFuncAttributes){.maxThreadsPerBlock = 1024, .numRegs = 64};
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    (void)kernel, (void)attribute, (void)value;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads, size_t shared)
{
    (void)kernel, (void)threads, (void)shared;
    *blocks = 2;
    return cudaSuccess;
}
