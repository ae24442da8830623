/* SPDX-License-Identifier: MIT */
/* What a deque is for. */
#ifndef WSFJ_TASK_MODE_H
#define WSFJ_TASK_MODE_H

/* wsfj_deque.wsfj_mode. Constant for a stack, except in the child of a fork (fork_child.h). */
enum wsfj_mode {
    WSFJ_MODE_NORMAL, /* private tasks above E, public ones below; needs the heavy barrier */
    WSFJ_MODE_LOCKED, /* no heavy barrier: E stays at the end, every sync takes the lock */
    WSFJ_MODE_PRIVATE /* outside any region: no thief ever reads it */
};

#endif
