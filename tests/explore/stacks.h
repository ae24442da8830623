/* SPDX-License-Identifier: MIT */
/* Stacks of the library for the explored programs: made once, restored to their first state before each execution. */
#ifndef TESTS_EXPLORE_STACKS_H
#define TESTS_EXPLORE_STACKS_H

#include "explore.h"
#include "task/stack.h"

enum { EXPLORE_DESCRIPTORS = 4 }; /* that a program may use */

/* Stack number n, empty. */
struct wsfj_stack *explore_stack(unsigned n, enum wsfj_mode mode);

/* A frame at the stack's first descriptor, as the body of a task has it: for ws_spawn and ws_sync. */
#define EXPLORE_FRAME(stack)                                                                                           \
    struct wsfj_frame frame_ = wsfj_frame_at(&(stack)->deque, (stack)->bottom, 0);                                     \
    struct wsfj_frame *wsfj_f = &frame_

#endif
