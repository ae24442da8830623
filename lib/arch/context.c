/* SPDX-License-Identifier: MIT */
#include "arch/context.h"

#include <string.h>

#ifdef HAVE_VALGRIND_VALGRIND_H
#include <valgrind/valgrind.h>
#endif
#if WSFJ_ASAN
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
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
#if WSFJ_ASAN
    context->fake_stack = NULL;
    __asan_unpoison_memory_region(low, size);
#endif
#ifdef HAVE_VALGRIND_VALGRIND_H
    VALGRIND_STACK_REGISTER(low, (char *)low + size);
#endif
    wsfj_arch_make(context, entry, argument);
}

void wsfj_context_renew(struct wsfj_context *context, void (*entry)(void *), void *argument)
{
    wsfj_arch_make(context, entry, argument);
}

void wsfj_context_drop(struct wsfj_context *context)
{
#if WSFJ_TSAN
    if (context->fiber)
        __tsan_destroy_fiber(context->fiber);
    context->fiber = NULL;
#endif
    (void)context;
}

#if WSFJ_ASAN || WSFJ_TSAN
void wsfj_context_here(struct wsfj_context *context)
{
    memset(context, 0, sizeof *context);
#if WSFJ_TSAN
    context->fiber = __tsan_get_current_fiber();
#endif
#if WSFJ_ASAN
    pthread_attr_t attributes;

    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &context->stack_low, &context->stack_size);
        pthread_attr_destroy(&attributes);
    }
#endif
}
#endif

#if WSFJ_TSAN
/* __tsan_switch_to_fiber() is the last call before the real switch. This function is not instrumented, because its
 * entry and its exit would belong to two of ThreadSanitizer's fibers. */
__attribute__((no_sanitize("thread"), noinline))
#endif
void wsfj_context_switch(struct wsfj_context *from, struct wsfj_context *to)
{
#if WSFJ_ASAN
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack_low, to->stack_size);
#endif
#if WSFJ_TSAN
    __tsan_switch_to_fiber(to->fiber, __tsan_switch_to_fiber_no_sync);
#endif
    wsfj_arch_switch(from, to);
#if WSFJ_ASAN
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#endif
}

void wsfj_context_entered(struct wsfj_context *context)
{
#if WSFJ_ASAN
    __sanitizer_finish_switch_fiber(context->fake_stack, NULL, NULL);
#endif
    (void)context;
}
