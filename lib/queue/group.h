/* SPDX-License-Identifier: MIT */
/*
 * Groups of detached tasks. The upper bits of the state count the tasks, also those that have ended and that the next task on
 * their stack takes off (GROUP-4); bit 0 is set while a waiter waits. One waiter at a time: a suspended fiber or a sleeping
 * foreign thread. Labels GROUP-n: doc/protocols.md.
 */
#ifndef WSFJ_QUEUE_GROUP_H
#define WSFJ_QUEUE_GROUP_H

#include "base/atomic.h"
#include "base/base.h"
#include "base/tsan.h"

struct wsfj_stack;

/* One task in the state. */
#define WSFJ_GROUP_ONE 2u

/* Counts a task, before it can start. */
static inline void wsfj_group_add(ws_group *group)
{
    (void)add_relaxed(&group->wsfj_state, WSFJ_GROUP_ONE); /* relaxed: the queue orders this before the task */
}

/* For ThreadSanitizer: what the ended task did comes before what the waiter does next. `group` may be NULL. */
static inline void wsfj_group_release(const ws_group *group)
{
    if (group)
        wsfj_tsan_release(&group->wsfj_state);
}

/* `tasks` tasks of the group are done; the group must not be touched afterwards. Returns a fiber to resume, or NULL.
 * `group` may be NULL. */
struct wsfj_stack *wsfj_group_finish(ws_group *group, unsigned tasks);

/* Makes the fiber the waiter. False if there is another one. */
bool wsfj_group_claim(ws_group *group, struct wsfj_stack *own);

/* If all tasks are done, the claimed waiter gives up its claim: true, and it need not wait. */
bool wsfj_group_unclaim(ws_group *group);

/* Called after the waiter has left its stack. Returns the stack if all tasks are done and the fiber can resume; else
 * NULL. */
struct wsfj_stack *wsfj_group_left(struct wsfj_stack *stack);

/* True if no task remains; then all that they did happens before. */
bool wsfj_group_done(const ws_group *group);

/* Waits as a foreign thread. Returns 0, or EBUSY if there is another waiter. */
int wsfj_group_wait_outside(ws_group *group);

#endif
