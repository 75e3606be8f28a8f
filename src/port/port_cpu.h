/* port/port_cpu.h - the port contract on C11's memory model. It uses GCC and clang builtins because they operate on
 * plain words, so nodes stay ordinary memory that vector code can read too. */
#ifndef PLEACH_PORT_CPU_H
#define PLEACH_PORT_CPU_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef PLEACH_PORT_SIM_H
#include <time.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <pthread.h>
#endif
#endif

#ifdef __AVX__
#include <immintrin.h>
#endif

#define PORT_FN static inline __attribute__((unused))
#define PORT_COLD static __attribute__((noinline, unused))
#define PORT_UNROLL
#define PORT_LOOP

PORT_FN uint64_t port_load(const uint64_t *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
PORT_FN uint64_t port_load_cached(const uint64_t *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
PORT_FN uint64_t port_load_acquire(const uint64_t *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
PORT_FN void port_store(uint64_t *p, uint64_t v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }
PORT_FN void port_store_release(uint64_t *p, uint64_t v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }

PORT_FN uint64_t port_exchange_owned(uint64_t *p, uint64_t v)
{
    uint64_t old = port_load(p);
    port_store(p, v);
    return old;
}

PORT_FN uint64_t port_exchange_owned_half(uint64_t *p, unsigned high, uint32_t v)
{
    uint64_t other = port_load(p) & (uint64_t)UINT32_MAX << (high ? 0 : 32);
    port_store(p, other | (uint64_t)v << (high ? 32 : 0));
    return other;
}

PORT_FN void port_release_after_exchange(uint64_t *p, uint64_t v, uint64_t old)
{
    (void)old;
    port_store_release(p, v);
}

PORT_FN void port_store_after_loads(uint64_t *p, uint64_t v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }

typedef struct port_two { uint64_t first, second; } port_two;

/* An aligned 16-byte access is a single access on every CPU with AVX (documented by Intel and AMD). */
#if defined(__AVX__) && !defined(PLEACH_SIM)
PORT_FN port_two port_load_two(const uint64_t *p)
{
    __m128i both = *(const volatile __m128i *)p;
    return (port_two){(uint64_t)_mm_cvtsi128_si64(both), (uint64_t)_mm_extract_epi64(both, 1)};
}

PORT_FN void port_store_two(uint64_t *p, uint64_t first, uint64_t second)
{
    *(volatile __m128i *)p = _mm_set_epi64x((long long)second, (long long)first);
}
#endif

PORT_FN uint64_t port_fetch_add(uint64_t *p, uint64_t v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }

#ifndef PLEACH_PORT_SIM_H
PORT_FN void port_mark(uint64_t *p, uint64_t bits)
{
    if (~__atomic_load_n(p, __ATOMIC_RELAXED) & bits) __atomic_fetch_or(p, bits, __ATOMIC_RELAXED);
}
#endif

PORT_FN bool port_compare_swap(uint64_t *p, uint64_t expected, uint64_t desired)
{
    return __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* ThreadSanitizer does not model fences. Every access to shared words here is atomic, so it misses no race because of a
 * fence; docs/memory-model.md argues what the fences are for. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wtsan"
#endif
PORT_FN void port_publish_fence(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }
PORT_FN void port_validate_fence(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
PORT_FN void port_fence_seq_cst(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

PORT_FN bool port_latch(uint64_t *p, uint64_t even, uint64_t odd)
{
    if (!__atomic_compare_exchange_n(p, &even, odd, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return false;
    port_publish_fence(); /* (b): a reader that sees a store made under the latch also sees the odd header */
    return true;
}

PORT_FN void port_fence_after_latch(void)
{
#if (defined(__x86_64__) || defined(__i386__)) && !defined(PLEACH_SIM)
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* the swap was a locked instruction, which no later load passes */
#else
    port_fence_seq_cst();
#endif
}

PORT_FN void port_fence_loads(void) { port_fence_seq_cst(); }

PORT_FN void port_load_in_order(const uint64_t *p, uint64_t *first, uint64_t *second)
{
    *first = port_load(p);
    port_validate_fence();
    *second = port_load(p + 1);
}

enum { PORT_LINE_WORDS = 8 };

PORT_FN uint32_t port_lane(uint32_t lanes) { return (void)lanes, 0; }
PORT_FN void port_group_sync(uint32_t lanes) { (void)lanes; }
PORT_FN uint32_t port_lane_add(uint32_t *p, uint32_t v) { return (*p += v) - v; }
PORT_FN void port_lane_min(uint64_t *p, uint64_t v)
{
    if (v < *p) *p = v;
}

PORT_FN void port_invalidate_cached(void) { port_validate_fence(); }

PORT_FN const uint64_t *port_order_after(const uint64_t *p, uint64_t value)
{
    (void)value;
    port_validate_fence();
    return p;
}

/* A direct system call, because nanosleep is a cancellation point. */
PORT_COLD void port_sleep(unsigned microseconds)
{
#ifdef PLEACH_PORT_SIM_H
    (void)microseconds;
    sched_yield();
#elif defined(__linux__)
    const struct { long seconds, nanoseconds; } time = {0, (long)microseconds * 1000}; /* as the kernel lays it out */
    syscall(SYS_nanosleep, &time, 0);
#else
    const struct timespec time = {.tv_nsec = (long)microseconds * 1000};
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    nanosleep(&time, NULL);
    pthread_setcancelstate(before, &before);
#endif
}

/* The holder of a latch may be descheduled: after some attempts yield the processor to it. A thread of higher real-time
 * priority cannot do so by yielding and must sleep. No thread wakes the sleeper: every writer would have to check for
 * sleepers when it unlocks, and a sleep this long is rare where priorities are equal. */
PORT_COLD void port_give_way(unsigned attempt)
{
    enum { TRIES = 64, YIELDING = 32 * TRIES, SHORTEST = 50, LONGEST = 1000 };
    if (attempt < YIELDING) {
        sched_yield();
        return;
    }
    const unsigned sleeps = (attempt - YIELDING) / TRIES, microseconds = SHORTEST + sleeps * (SHORTEST / 8);
    port_sleep(microseconds < LONGEST ? microseconds : LONGEST);
}

PORT_FN void port_pause(unsigned attempt)
{
    if ((attempt & 63) == 63) {
        port_give_way(attempt);
        return;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Without the empty statement GCC assumes that a mere prefetch has no effect, and drops calls not inlined. */
PORT_FN void port_prefetch(const void *p)
{
    __builtin_prefetch(p, 0, 2);
    __asm__ volatile("");
}

#endif
