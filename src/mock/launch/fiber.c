/* SPDX-License-Identifier: MIT */
#include "mock/launch/fiber.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define ADDRESS_SANITIZER 1
#else
#define ADDRESS_SANITIZER 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define THREAD_SANITIZER 1
#else
#define THREAD_SANITIZER 0
#endif

#include "base/valgrind.h"

/* The page below the stack cannot be accessed, so a stack overflow faults. */
#define GUARD_BYTES ((size_t) 4096)
#define STACK_BYTES ((size_t) 256 << 10)

/* One side of a switch: a stack, and the data that tools have for it. */
struct side {
    ucontext_t context;
    const void *stack;
    size_t bytes;
    void *fake_stack; /* for the address sanitizer */
    void *tsan;       /* for the thread sanitizer */
};

struct mock__fiber {
    void (*run)(void *user);
    void *user;
    struct side inside, outside;
    struct mock__fiber *before; /* the fiber that the thread ran when this one was entered */
    unsigned char *mapping;
    unsigned valgrind;
};

static _Thread_local struct mock__fiber *current;

struct mock__fiber *mock__fiber_current(void)
{
    return current;
}

/* Tells the sanitizer, after a switch, from which side it came. */
static void arrive(struct side *here, struct side *from)
{
#if ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(here->fake_stack, &from->stack, &from->bytes);
#endif
    (void) here;
    (void) from;
}

static void switch_to(struct side *from, struct side *to)
{
#if ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->bytes);
#endif
#if THREAD_SANITIZER
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
    swapcontext(&from->context, &to->context);
    arrive(from, to);
}

static void begin(void)
{
    struct mock__fiber *fiber = current;

    arrive(&fiber->inside, &fiber->outside);
    fiber->run(fiber->user);
    /* A fiber that has ended must not be entered again; it is freed. */
    for (;;)
        mock__fiber_leave();
}

static bool map_stack(struct mock__fiber *fiber)
{
    void *mapping = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (mapping == MAP_FAILED)
        return false;
    fiber->mapping = mapping;
    fiber->inside.stack = fiber->mapping + GUARD_BYTES;
    fiber->inside.bytes = STACK_BYTES;
    fiber->valgrind = VALGRIND_STACK_REGISTER(fiber->mapping + GUARD_BYTES,
                                              fiber->mapping + GUARD_BYTES + STACK_BYTES - 1);
    return !mprotect(fiber->mapping, GUARD_BYTES, PROT_NONE);
}

/*
 * This is a function of its own, because compilers treat getcontext() as a function that may return
 * twice.
 */
static bool make_context(ucontext_t *context, void *stack, size_t bytes)
{
    if (getcontext(context))
        return false;
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = bytes;
    makecontext(context, begin, 0);
    return true;
}

struct mock__fiber *mock__fiber_new(void (*run)(void *user), void *user)
{
    struct mock__fiber *fiber = calloc(1, sizeof(*fiber));

    if (!fiber || !map_stack(fiber) ||
        !make_context(&fiber->inside.context, fiber->mapping + GUARD_BYTES, STACK_BYTES)) {
        mock__fiber_free(fiber);
        return NULL;
    }
    fiber->run = run;
    fiber->user = user;
#if THREAD_SANITIZER
    fiber->inside.tsan = __tsan_create_fiber(0);
#endif
    return fiber;
}

void mock__fiber_free(struct mock__fiber *fiber)
{
    if (!fiber)
        return;
#if THREAD_SANITIZER
    if (fiber->inside.tsan)
        __tsan_destroy_fiber(fiber->inside.tsan);
#endif
    if (fiber->mapping) {
#if ADDRESS_SANITIZER
        __asan_unpoison_memory_region(fiber->mapping, GUARD_BYTES + STACK_BYTES);
#endif
        VALGRIND_STACK_DEREGISTER(fiber->valgrind);
        munmap(fiber->mapping, GUARD_BYTES + STACK_BYTES);
    }
    free(fiber);
}

void mock__fiber_enter(struct mock__fiber *fiber)
{
#if THREAD_SANITIZER
    fiber->outside.tsan = __tsan_get_current_fiber();
#endif
    fiber->before = current;
    current = fiber;
    switch_to(&fiber->outside, &fiber->inside);
}

void mock__fiber_leave(void)
{
    struct mock__fiber *fiber = current;

    current = fiber->before;
    switch_to(&fiber->inside, &fiber->outside);
}
