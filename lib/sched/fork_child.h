/* SPDX-License-Identifier: MIT */
/*
 * fork() inside a task: the task's fiber goes on in the child process, serially, like a task outside any region. It can
 * neither wait for a task that a thief has, nor end, because no worker is there to continue. Neighbours: runtime.c,
 * whose handler of fork() calls this; leave.c, where the fiber would wait; fiber.c, where it would end.
 */
#ifndef WSFJ_SCHED_FORK_CHILD_H
#define WSFJ_SCHED_FORK_CHILD_H

#include "base/base.h"

struct wsfj_stack;

/* In the child: `own`, on which the caller runs, becomes a private stack that no thief knows. */
void wsfj_fork_child_make(struct wsfj_stack *own);

/* One line on stderr and abort(). `ends`: the fiber has ended; else it would have to wait. */
_Noreturn void wsfj_fork_child_stop(bool ends);

#endif
