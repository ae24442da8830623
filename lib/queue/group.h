/* SPDX-License-Identifier: MIT */
/*
 * Groups of detached tasks. The upper bits of the state count the tasks, also those that have ended and that the next task on
 * their stack takes off (GROUP-4); bit 0 is set while somebody waits. The waiters are in the wait table. Labels GROUP-n:
 * doc/protocols.md.
 */
#ifndef WSFJ_QUEUE_GROUP_H
#define WSFJ_QUEUE_GROUP_H

#include "base/atomic.h"
#include "base/base.h"
#include "base/tsan.h"

struct wsfj_node;
struct wsfj_stack;

/* One task in the state. */
#define WSFJ_GROUP_ONE 2u

/* Counts a task, before it can start. */
static inline void wsfj_group_add(ws_group *group)
{
    (void)add_relaxed(&group->wsfj_state, WSFJ_GROUP_ONE); /* relaxed: the queue orders this before the task */
}

/* 1: a group has been cancelled, or has got a deadline, at some time. Else no task reads the scope of its group. */
extern uint32_t wsfj_group_watched;

/* Whether a task of the group must not begin. `group` may be NULL. */
static inline bool wsfj_group_drops(const ws_group *group)
{
    return WSFJ_UNLIKELY(load_relaxed(&wsfj_group_watched)) && group && !group->wsfj_scope.wsfj_keeps &&
           wsfj_scope_code(&group->wsfj_scope);
}

/* For ThreadSanitizer: what the ended task did comes before what the waiter does next. `group` may be NULL. */
static inline void wsfj_group_release(const ws_group *group)
{
    if (group)
        wsfj_tsan_release(&group->wsfj_state);
}

/* `tasks` tasks of the group are done; the group must not be touched afterwards. Returns the fibers to resume, linked by
 * pool.next, or NULL. `group` may be NULL. */
struct wsfj_stack *wsfj_group_finish(ws_group *group, unsigned tasks);

/* For a waiter: the node that waits for the group's last task. */
struct wsfj_node wsfj_group_node(const ws_group *group);

/* True if no task remains; then all that they did happens before. */
static inline bool wsfj_group_done(const ws_group *group)
{
    return load_acquire(&group->wsfj_state) < WSFJ_GROUP_ONE;
}

/* The calling thread sleeps until no task remains. */
void wsfj_group_wait_outside(const ws_group *group);

#endif
