/* SPDX-License-Identifier: MIT */
/*
 * A thread that has left a task by longjmp(). The thread still counts as inside the task: its deque is set, a guest has
 * the worker's slot, and the call is a user of the runtime. None of that can be put right, because other workers may
 * run the task's children, and the frames of ws_run() are gone.
 */
#ifndef WSFJ_API_LEFT_H
#define WSFJ_API_LEFT_H

#include "task/stack.h"

/* True if the thread has certainly left a task. `own` has the calling thread's deque, `frame` is the frame of ws_run().
 * Says a line, once in each thread. */
bool wsfj_left_surely(const struct wsfj_stack *own, const void *frame);

/* The same. The usual case comes first: the frame is on the task's own stack, or below the ws_run() that has called
 * it. */
static inline bool wsfj_left(struct wsfj_deque *self, const void *frame)
{
    const struct wsfj_stack *own = wsfj_stack_of(self);
    uintptr_t at = (uintptr_t)frame;

    if (own->memory.size ? at - (uintptr_t)own->memory.low < own->memory.size : at < (uintptr_t)own->job.region)
        return false;
    return wsfj_left_surely(own, frame);
}

#endif
