/* SPDX-License-Identifier: MIT */
/*
 * The border around a task that another one calls on its own stack, but is not the parent of: a task that waits and
 * gets no stack (group_wait.c), or a submitter without workers (submit.c). The called task is no member of the caller's
 * scopes, but of its own group's, and sees none of the caller's exceptions. A child that its parent calls has no border.
 */
#ifndef WSFJ_TASK_BORDER_H
#define WSFJ_TASK_BORDER_H

#include "arch/exceptions.h"
#include "task/scope.h"

struct wsfj_border {
    ws_scope scope;
    struct wsfj_exceptions exceptions; /* the caller's, meanwhile */
};

static inline void wsfj_border_begin(struct wsfj_deque *own, struct wsfj_border *border, ws_group *group)
{
    wsfj_scope_border_begin(own, &border->scope, group ? &group->wsfj_scope : NULL);
    border->exceptions = wsfj_exceptions_begin();
}

/* On the thread that runs the caller now, perhaps another one. */
static inline void wsfj_border_end(struct wsfj_deque *own, struct wsfj_border *border)
{
    wsfj_exceptions_end(border->exceptions);
    wsfj_scope_border_end(own, &border->scope);
}

#endif
