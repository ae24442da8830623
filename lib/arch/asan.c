/* SPDX-License-Identifier: MIT */
/*
 * What AddressSanitizer and LeakSanitizer must know of contexts. References to them are weak, so the loader decides:
 * the same library serves programs with and without them, and may be compiled with them itself.
 *
 * AddressSanitizer keeps the bounds of the stack that a thread runs on. When an exception or a longjmp() leaves
 * functions, it clears their marks between these bounds, and LeakSanitizer reads no other stack of the thread. With
 * detect_stack_use_after_return it also keeps a second, "fake" stack with the variables of functions; each fiber has
 * its own.
 */
#include "arch/context.h"
#include "base/leaks.h"

/* Below the frame of wsfj_asan_switch(): what the stack switch saves, at most 160 bytes, and a part of the frame. The
 * calls there have used as much. */
#define SAVED 256

extern void __sanitizer_start_switch_fiber(void **fake_stack, const void *low, size_t size) __attribute__((weak));
extern void __sanitizer_finish_switch_fiber(void *fake_stack, const void **old_low, size_t *old_size)
    __attribute__((weak));
extern void __asan_unpoison_memory_region(const volatile void *, size_t) __attribute__((weak));

bool wsfj_asan_is_here(void)
{
    return __sanitizer_start_switch_fiber;
}

/* Asks for the bounds of the stack that the thread runs on, by a switch to itself that is only told. Frees
 * `fake_stack`, which belongs to a fiber that is not resumed again, unless it is NULL. */
static void tell_nothing(void *fake_stack, const void **low, size_t *size)
{
    void *own = NULL;

    __sanitizer_start_switch_fiber(&own, NULL, 0);
    __sanitizer_finish_switch_fiber(fake_stack, low, size);
    __sanitizer_start_switch_fiber(NULL, *low, *size); /* NULL: the present fake stack is not needed again */
    __sanitizer_finish_switch_fiber(own, NULL, NULL);
}

static void learn_bounds(struct wsfj_context *context)
{
    const void *low = NULL;
    size_t size = 0;

    tell_nothing(NULL, &low, &size);
    context->stack_low = (void *)(uintptr_t)low;
    context->stack_size = size;
}

static size_t shown_size(const struct wsfj_context *context)
{
    return (size_t)((char *)context->stack_low + context->stack_size - context->shown);
}

static void hide(struct wsfj_context *context)
{
    if (context->shown)
        wsfj_leaks_hide(context->shown, shown_size(context));
    context->shown = NULL;
}

/* LeakSanitizer reads the context's stack from `from` on. */
static void show(struct wsfj_context *context, char *from)
{
    if (context->stack_size == 0)
        return;
    context->shown = from;
    wsfj_leaks_show(from, shown_size(context));
}

static void unpoison(const struct wsfj_context *context)
{
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(context->stack_low, context->stack_size);
}

void wsfj_asan_make(struct wsfj_context *context)
{
    context->fake_stack = NULL;
    context->shown = NULL;
    unpoison(context);
}

void wsfj_asan_renew(struct wsfj_context *context)
{
    hide(context);
    unpoison(context);
}

void wsfj_asan_drop(struct wsfj_context *context)
{
    const void *low = NULL;
    size_t size = 0;

    wsfj_asan_renew(context);
    if (context->fake_stack)
        tell_nothing(context->fake_stack, &low, &size);
    context->fake_stack = NULL;
}

/* LeakSanitizer may stop all threads at any moment. So it reads the stack that is left from before the switch to it
 * until after the switch back. */
void wsfj_asan_switch(struct wsfj_context *from, struct wsfj_context *to)
{
    if (!from->stack_size)
        learn_bounds(from); /* a thread's own stack */
    show(from, (char *)__builtin_frame_address(0) - SAVED);
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack_low, to->stack_size);
    wsfj_arch_switch(from, to);
    wsfj_asan_entered(from);
    hide(from);
}

void wsfj_asan_entered(struct wsfj_context *context)
{
    __sanitizer_finish_switch_fiber(context->fake_stack, NULL, NULL);
}
