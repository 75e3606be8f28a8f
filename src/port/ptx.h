/* port/ptx.h - the PTX instructions that access shared memory: one macro per shape, with order and scope as words. All
 * GPU accesses to shared memory use them, so the simulator can redefine them (port_sim.h) and run the GPU's source.
 *
 * A scalar .b128 load or store of 16 bytes is a single access (relaxed, sm_70 and later); a vector .v2.u64 is not.
 */
#ifndef PLEACH_PTX_H
#define PLEACH_PTX_H

#define PTX_LOAD(v, order, scope, p)                                                                             \
    asm volatile("ld." #order "." #scope ".global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory")

#define PTX_LOAD_TWO(first, second, order, scope, p)                                                             \
    asm volatile("{ .reg .b128 t; ld." #order "." #scope ".global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"         \
                 : "=l"(first), "=l"(second) : "l"(p) : "memory")

#define PTX_STORE(order, scope, p, v)                                                                            \
    asm volatile("st." #order "." #scope ".global.u64 [%0], %1;" : : "l"(p), "l"(v) : "memory")

#define PTX_STORE_TWO(order, scope, p, first, second)                                                            \
    asm volatile("{ .reg .b128 t; mov.b128 t, {%0, %1}; st." #order "." #scope ".global.b128 [%2], t; }"         \
                 : : "l"(first), "l"(second), "l"(p) : "memory")

#define PTX_ADD(old, order, scope, p, v)                                                                         \
    asm volatile("atom." #order "." #scope ".global.add.u64 %0, [%1], %2;"                                       \
                 : "=l"(old) : "l"(p), "l"(v) : "memory")

/* The same without a result, so the thread does not wait for the old value. */
#define PTX_ADD_AWAY(order, scope, p, v)                                                                         \
    asm volatile("red." #order "." #scope ".global.add.u64 [%0], %1;" : : "l"(p), "l"(v) : "memory")

#define PTX_CAS(old, order, scope, p, expected, desired)                                                         \
    asm volatile("atom." #order "." #scope ".global.cas.b64 %0, [%1], %2, %3;"                                   \
                 : "=l"(old) : "l"(p), "l"(expected), "l"(desired) : "memory")

#define PTX_EXCHANGE(old, order, scope, p, v)                                                                    \
    asm volatile("atom." #order "." #scope ".global.exch.b64 %0, [%1], %2;"                                      \
                 : "=l"(old) : "l"(p), "l"(v) : "memory")

#define PTX_EXCHANGE_HALF(old, order, scope, p, high, v)                                                         \
    asm volatile("atom." #order "." #scope ".global.exch.b32 %0, [%1], %2;"                                      \
                 : "=r"(old) : "l"((uint32_t *)(p) + (high)), "r"(v) : "memory")

#define PTX_FENCE(order, scope) asm volatile("fence." #order "." #scope ";" : : : "memory")

/* A load with a hint that the next `bytes` bytes from this address will be needed. */
#define PTX_LOAD_AHEAD(v, order, scope, bytes, p)                                                                \
    asm volatile("ld." #order "." #scope ".global.L2::" #bytes ".u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory")

#define PTX_PREFETCH(p) asm volatile("prefetch.global.L2 [%0];" : : "l"(p))

/* x * x + x is even, which no compiler knows, so the zero depends on x. */
#define PTX_ZERO_AFTER(zero, x)                                                                                  \
    asm volatile("{ .reg .u32 t; mad.lo.u32 t, %1, %1, %1; and.b32 %0, t, 1; }" : "=r"(zero) : "r"(x))

/* No instruction. The code after it is reached by a branch on a value that was loaded before it, and a GPU thread does
 * not run past a branch whose condition it does not have. So loads after it are issued after that load has returned. */
#define PTX_AFTER_BRANCH() ((void)0)

#endif
