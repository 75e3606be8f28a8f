#include "fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/* Sanitizers keep books on the stack in use: they are told before a jump, AddressSanitizer also on the other side. */
static _Thread_local fiber *jumped_from, *jumped_to;

static void arrived(void)
{
#ifdef __SANITIZE_ADDRESS__
    const void *bottom;
    size_t bytes;
    __sanitizer_finish_switch_fiber(jumped_to->fake_stack, &bottom, &bytes);
    if (jumped_from->stack) return;
    jumped_from->own_stack = bottom;
    jumped_from->own_stack_bytes = bytes;
#endif
}

static void begin(void)
{
    arrived();
    jumped_to->entry();
}

enum { GUARD = 1 << 16 }; /* the largest page size in use */

bool fiber_create(fiber *f, size_t stack_bytes)
{
    *f = (fiber){.stack_bytes = stack_bytes};
    char *mapping = mmap(NULL, GUARD + stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return false;
    mprotect(mapping, GUARD, PROT_NONE);
    f->stack = mapping + GUARD;
    return true;
}

/* Sanitizers think that what an abandoned fiber called is still going on. ThreadSanitizer gets a new one. For
 * AddressSanitizer the surroundings of its variables are no memory, wherever on the stack they were, and functions that
 * come to lie there do not make it such again. */
static void forget_calls(fiber *f)
{
#ifdef __SANITIZE_ADDRESS__
    if (f->stack) __asan_unpoison_memory_region(f->stack, f->stack_bytes);
#endif
#ifdef __SANITIZE_THREAD__
    if (f->tsan) __tsan_destroy_fiber(f->tsan);
#endif
    f->tsan = NULL;
}

static void unmap_stack(fiber *f)
{
    forget_calls(f);
    if (f->stack) munmap(f->stack - GUARD, GUARD + f->stack_bytes);
    f->stack = NULL;
}

#if defined(__x86_64__)

void fiber_destroy(fiber *f) { unmap_stack(f); }

/* Saves what a call must preserve, swaps stacks, restores. A context is the stack pointer after the saving. */
void pleach_fiber_swap(void **save, void *load);
__asm__(".text\n"
        ".globl pleach_fiber_swap\n"
        ".hidden pleach_fiber_swap\n"
        ".type pleach_fiber_swap, @function\n"
        "pleach_fiber_swap:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size pleach_fiber_swap, . - pleach_fiber_swap\n");

void fiber_aim(fiber *f, void (*entry)(void))
{
    f->entry = entry;
    forget_calls(f);
    /* As if `begin` had been called from nowhere: six saved registers, its address to return to, and an empty word that
     * leaves the stack as aligned as a call does. */
    uintptr_t *top = (uintptr_t *)(f->stack + f->stack_bytes);
    *--top = 0;
    *--top = (uintptr_t)begin;
    for (int i = 0; i < 6; i++) *--top = 0;
    f->context = top;
    f->fake_stack = NULL;
}

static void swap_contexts(fiber *from, fiber *to) { pleach_fiber_swap(&from->context, to->context); }

#else

#include <ucontext.h>

void fiber_destroy(fiber *f)
{
    unmap_stack(f);
    free(f->context);
    f->context = NULL;
}

static ucontext_t *context_of(fiber *f)
{
    if (!f->context && !(f->context = calloc(1, sizeof(ucontext_t)))) abort();
    return f->context;
}

void fiber_aim(fiber *f, void (*entry)(void))
{
    ucontext_t *context = context_of(f);
    getcontext(context);
    context->uc_stack.ss_sp = f->stack;
    context->uc_stack.ss_size = f->stack_bytes;
    context->uc_link = NULL;
    f->entry = entry;
    f->fake_stack = NULL;
    forget_calls(f);
    makecontext(context, begin, 0);
}

static void swap_contexts(fiber *from, fiber *to) { swapcontext(context_of(from), context_of(to)); }

#endif

/* Where the sanitizers keep what they know of `from`: nowhere, if it is left for good. */
static void jump(fiber *from, fiber *to, void **kept)
{
    jumped_from = from;
    jumped_to = to;
    (void)kept;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(kept, to->stack ? to->stack : to->own_stack,
                                   to->stack ? to->stack_bytes : to->own_stack_bytes);
#endif
#ifdef __SANITIZE_THREAD__
    if (!from->stack) from->tsan = __tsan_get_current_fiber();
    if (!to->tsan) to->tsan = __tsan_create_fiber(0);
#ifdef FIBER_IS_A_THREAD /* what one does before another is in no order */
    __tsan_switch_to_fiber(to->tsan, __tsan_switch_to_fiber_no_sync);
#else
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
#endif
    swap_contexts(from, to);
    arrived();
}

void fiber_jump(fiber *from, fiber *to) { jump(from, to, &from->fake_stack); }

void fiber_leave(fiber *from, fiber *to)
{
    jump(from, to, NULL);
    abort();
}
