/* hostgpu_ptx.h - the macros of src/port/ptx.h, whose include guard this takes. Fibers of one OS thread see each other's
 * accesses in the order in which they were made, so orders and scopes mean nothing here: the simulator has these. */
#ifndef PLEACH_PTX_H
#define PLEACH_PTX_H

static inline uint64_t hostgpu_load(const uint64_t *p)
{
    hostgpu_touch(p, sizeof *p);
    return __atomic_load_n(p, HOSTGPU_LOAD);
}

static inline void hostgpu_store(uint64_t *p, uint64_t v)
{
    hostgpu_touch(p, sizeof *p);
    __atomic_store_n(p, v, HOSTGPU_STORE);
}

/* 16 bytes at once: nothing runs between the two halves. */
static inline void hostgpu_load_two(const uint64_t *p, uint64_t *first, uint64_t *second)
{
    hostgpu_touch(p, 2 * sizeof *p);
    *first = __atomic_load_n(p, HOSTGPU_LOAD);
    *second = __atomic_load_n(p + 1, HOSTGPU_LOAD);
}

static inline void hostgpu_store_two(uint64_t *p, uint64_t first, uint64_t second)
{
    hostgpu_touch(p, 2 * sizeof *p);
    __atomic_store_n(p, first, HOSTGPU_STORE);
    __atomic_store_n(p + 1, second, HOSTGPU_STORE);
}

#define PTX_LOAD(v, order, scope, p) ((v) = hostgpu_load(p))
#define PTX_LOAD_AHEAD(v, order, scope, bytes, p) ((v) = hostgpu_load(p))
#define PTX_LOAD_TWO(first, second, order, scope, p) hostgpu_load_two((p), &(first), &(second))
#define PTX_STORE(order, scope, p, v) hostgpu_store((p), (v))
#define PTX_STORE_TWO(order, scope, p, first, second) hostgpu_store_two((p), (first), (second))
#define PTX_ADD(old, order, scope, p, v) ((old) = atomicAdd((p), (uint64_t)(v)))
#define PTX_ADD_AWAY(order, scope, p, v) ((void)atomicAdd((p), (uint64_t)(v)))
#define PTX_CAS(old, order, scope, p, expected, desired) ((old) = atomicCAS((p), (expected), (desired)))
#define PTX_EXCHANGE(old, order, scope, p, v) ((old) = atomicExch((p), (v)))
#define PTX_EXCHANGE_HALF(old, order, scope, p, high, v) ((old) = atomicExch((uint32_t *)(p) + (high), (v)))
#define PTX_FENCE(order, scope) ((void)0)
#define PTX_ZERO_AFTER(zero, x) ((zero) = 0, (void)(x))
#define PTX_PREFETCH(p) ((void)(p))
#define PTX_AFTER_BRANCH() ((void)0)

#endif
