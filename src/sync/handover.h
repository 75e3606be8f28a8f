/* sync/handover.h - memory handed over through a structure: one thread writes it and then inserts a key; another finds
 * the key and then reads it. This is ordered as if the key were stored with release and loaded with acquire:
 *
 *   - A call gives before it stores anything in the structure (a release fence), and takes after it has loaded
 *     everything that it returns (an acquire fence). Words of a structure are accessed atomically, or by vector
 *     accesses that the CPUs treat alike. So if one call finds what another stored, the two fences synchronize: what
 *     the program wrote before the storing call happens before what it reads after the finding call.
 *   - Every call does both, because updates return old values. On x86 neither fence is an instruction.
 *
 * ThreadSanitizer does not model fences, and sees no atomics of a library that was compiled without it. If the
 * program runs under it, its runtime is told about both fences: each call synchronizes with all earlier calls of the
 * structure, at `key`, an address that stands for the structure. That is more than the fences order, so a race of
 * the program can go unseen if calls lie between the two accesses; but no false race is reported. The runtime's
 * functions are weak: NULL in a program without ThreadSanitizer. */
#ifndef PLEACH_HANDOVER_H
#define PLEACH_HANDOVER_H

#ifdef PLEACH_SIM
static inline void handover_give(void *key) { (void)key; }
static inline void handover_take(void *key) { (void)key; }
#else
#include "../port/port.h"

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

/* If the library was compiled without ThreadSanitizer, calls that do not overlap are ordered in both directions:
 * ThreadSanitizer then sees what memcpy and the like access for the library, but not what keeps these accesses apart.
 * If it was compiled with it, the library's own atomics are enough. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { HANDOVER_BOTH_WAYS = 0 };
#else
enum { HANDOVER_BOTH_WAYS = 1 };
#endif

static __attribute__((noinline, cold, unused)) void handover_tell_giving(void *key)
{
    if (HANDOVER_BOTH_WAYS) __tsan_acquire(key);
    __tsan_release(key);
}

static __attribute__((noinline, cold, unused)) void handover_tell_taking(void *key)
{
    if (HANDOVER_BOTH_WAYS) __tsan_release(key);
    __tsan_acquire(key);
}

/* Must be called on entry of a call. */
static inline void handover_give(void *key)
{
    port_publish_fence();
    if (__builtin_expect(!!__tsan_release, 0)) handover_tell_giving(key);
}

/* Must be called before a call returns. */
static inline void handover_take(void *key)
{
    port_validate_fence();
    if (__builtin_expect(!!__tsan_release, 0)) handover_tell_taking(key);
}
#endif

#endif
