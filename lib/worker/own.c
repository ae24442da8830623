/* SPDX-License-Identifier: MIT */
#include "worker/own.h"

#include "worker/own_inline.h"

/* The deque of the stack this thread runs on; NULL outside. One pointer: initial-exec thread-local memory is scarce. */
WSFJ_EXPORT __attribute__((tls_model("initial-exec"), used)) __thread struct wsfj_deque *wsfj_tls;

WSFJ_EXPORT __attribute__((noinline)) struct wsfj_deque *wsfj_self_slow(void)
{
    return wsfj_tls;
}

/* Not inlined: a task may resume on another thread. */
__attribute__((noinline)) struct wsfj_stack *wsfj_own_stack(void)
{
    return wsfj_own_stack_inline();
}

/* Not inlined, for the same reason. */
__attribute__((noinline)) struct wsfj_stack *wsfj_own_served(void)
{
    return wsfj_own_served_inline();
}

bool wsfj_own_is_between_tasks(void)
{
    const struct wsfj_deque *deque = wsfj_self();

    return !deque || deque->wsfj_mode == WSFJ_MODE_PRIVATE;
}
