/* SPDX-License-Identifier: MIT */
/*
 * fork() inside a task: in the child its fiber is an orphan. It goes on as a task outside any region does, serially.
 * It can neither wait for a child that a thief has, nor come to its end, which nobody awaits. Neighbours: runtime.c,
 * whose handler of fork() makes it one; fiber.c, where it would leave its stack.
 */
#ifndef WSFJ_API_FORK_CHILD_H
#define WSFJ_API_FORK_CHILD_H

#include "task/stack.h"

/* In the child: from now on `own`, on which the caller runs, is nobody else's. */
void wsfj_fork_child_make(struct wsfj_stack *own);

static inline bool wsfj_fork_child_is(const struct wsfj_stack *s)
{
    return s->deque.mode == WSFJ_MODE_PRIVATE && s->memory.size > 0; /* deques outside regions have no call stack */
}

/* One line on stderr and abort(). `ends`: the fiber is done, else it wants to wait. */
_Noreturn void wsfj_fork_child_stop(bool ends);

#endif
