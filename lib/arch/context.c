/* SPDX-License-Identifier: MIT */
#include "arch/context.h"

#include <string.h>

#ifdef HAVE_VALGRIND_VALGRIND_H
#include <valgrind/valgrind.h>
#endif
#if WSFJ_TSAN
#include <sanitizer/tsan_interface.h>
#endif

void wsfj_context_make(struct wsfj_context *context, void *low, size_t size, void (*entry)(void *), void *argument)
{
    context->stack_low = low;
    context->stack_size = size;
#if WSFJ_TSAN
    context->fiber = __tsan_create_fiber(0);
#endif
    wsfj_asan_make(context);
    if (wsfj_asan_is_here() && wsfj_context_switch != wsfj_asan_switch)
        wsfj_context_switch = wsfj_asan_switch;
#ifdef HAVE_VALGRIND_VALGRIND_H
    VALGRIND_STACK_REGISTER(low, (char *)low + size);
#endif
    wsfj_arch_make(context, entry, argument);
}

void wsfj_context_renew(struct wsfj_context *context, void (*entry)(void *), void *argument)
{
    wsfj_asan_renew(context);
    wsfj_arch_make(context, entry, argument);
}

void wsfj_context_drop(struct wsfj_context *context)
{
#if WSFJ_TSAN
    if (context->fiber)
        __tsan_destroy_fiber(context->fiber);
    context->fiber = NULL;
#endif
    wsfj_asan_drop(context);
}

#if WSFJ_TSAN
void wsfj_context_here(struct wsfj_context *context)
{
    memset(context, 0, sizeof *context);
    context->fiber = __tsan_get_current_fiber();
}

/* __tsan_switch_to_fiber() is the last call before the real switch. This function is not instrumented, because its
 * entry and its exit would belong to two of ThreadSanitizer's fibers. */
__attribute__((no_sanitize("thread"), noinline)) static void switch_told(struct wsfj_context *from,
                                                                         struct wsfj_context *to)
{
    __tsan_switch_to_fiber(to->fiber, __tsan_switch_to_fiber_no_sync);
    wsfj_arch_switch(from, to);
}
void (*wsfj_context_switch)(struct wsfj_context *, struct wsfj_context *) = switch_told;
#else
void (*wsfj_context_switch)(struct wsfj_context *, struct wsfj_context *) = wsfj_arch_switch;
#endif

void wsfj_context_entered(struct wsfj_context *context)
{
    if (wsfj_asan_is_here())
        wsfj_asan_entered(context);
}
