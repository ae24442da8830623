/* SPDX-License-Identifier: MIT */
/* What a fiber does that the preempter (preempt.h) has asked. */
#ifndef WSFJ_SCHED_GIVE_WAY_H
#define WSFJ_SCHED_GIVE_WAY_H

struct wsfj_stack;

/* The fiber gives up its worker to what waits, and goes on later, perhaps on another thread. */
void wsfj_give_way(struct wsfj_stack *own);

#endif
