#include "fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifdef WITH_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

/* AddressSanitizer keeps books on the stack in use: it is told before a jump, and after it on the other side. */
static _Thread_local fiber *jumped_from, *jumped_to;

static void arrived(void)
{
#ifdef WITH_ASAN
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

#if defined(__x86_64__)

void fiber_destroy(fiber *f)
{
    if (f->stack) munmap(f->stack - GUARD, GUARD + f->stack_bytes);
    f->stack = NULL;
}

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
    if (f->stack) munmap(f->stack - GUARD, GUARD + f->stack_bytes);
    f->stack = NULL;
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
    makecontext(context, begin, 0);
}

static void swap_contexts(fiber *from, fiber *to) { swapcontext(context_of(from), context_of(to)); }

#endif

void fiber_jump(fiber *from, fiber *to)
{
    jumped_from = from;
    jumped_to = to;
#ifdef WITH_ASAN
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack ? to->stack : to->own_stack,
                                   to->stack ? to->stack_bytes : to->own_stack_bytes);
#endif
    swap_contexts(from, to);
    arrived();
}
