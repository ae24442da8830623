/* SPDX-License-Identifier: MIT */
#include "arch/context.h"

#include "base/tsan.h"

#ifdef HAVE_VALGRIND_VALGRIND_H
#include <valgrind/valgrind.h>
#endif

void (*wsfj_context_switch)(struct wsfj_context *, struct wsfj_context *) = wsfj_arch_switch;

void wsfj_context_share_slot(struct wsfj_context *context)
{
    if (!context->slot)
        return;
    wsfj_tsan_release(context->slot);
    context->slot = NULL;
}

/* The last call before the real switch tells ThreadSanitizer of it. This function is not instrumented, because its
 * entry and its exit would belong to two of ThreadSanitizer's fibers. Flags 0: what `from` did comes before what `to`
 * does. */
__attribute__((no_sanitize("thread"), noinline)) static void watched_switch(struct wsfj_context *from,
                                                                            struct wsfj_context *to)
{
    wsfj_context_share_slot(from);
    from->fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->fiber, 0);
    wsfj_arch_switch(from, to);
}

static void make_watched(struct wsfj_context *context)
{
    context->fiber = __tsan_create_fiber(0);
    context->slot = NULL;
    if (wsfj_context_switch != watched_switch)
        wsfj_context_switch = watched_switch;
}

void wsfj_context_make(struct wsfj_context *context, void *low, size_t size, void (*entry)(void *), void *argument)
{
    context->stack_low = low;
    context->stack_size = size;
    if (wsfj_tsan_watches())
        make_watched(context);
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
    if (wsfj_tsan_watches() && context->fiber)
        __tsan_destroy_fiber(context->fiber);
    context->fiber = NULL;
    wsfj_asan_drop(context);
}

void wsfj_context_entered(struct wsfj_context *context)
{
    if (wsfj_asan_is_here())
        wsfj_asan_entered(context);
}
