/* SPDX-License-Identifier: MIT */
/* The functions of own.h, inlined: for calls that a program makes often. */
#ifndef WSFJ_WORKER_OWN_INLINE_H
#define WSFJ_WORKER_OWN_INLINE_H

#include "task/mode.h"
#include "task/stack.h"

static inline struct wsfj_stack *wsfj_own_stack_inline(void)
{
    struct wsfj_deque *deque = wsfj_self();

    return deque && deque->wsfj_mode != WSFJ_MODE_PRIVATE ? wsfj_stack_of(deque) : NULL;
}

static inline struct wsfj_stack *wsfj_own_served_inline(void)
{
    struct wsfj_stack *own = wsfj_own_stack_inline();

    return own && !own->blocking.lender ? own : NULL;
}

#endif
