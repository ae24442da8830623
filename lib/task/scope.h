/* SPDX-License-Identifier: MIT */
/*
 * Scopes: how a stack's chain of open scopes changes. The user's side is include/wsfj/scope.h; task/deque.c finds the
 * scope of a stolen task, steal.c drops the task if that is cancelled. Labels SCOPE-n: doc/protocols.md.
 *
 * A fresh stack begins with the innermost scope that its stolen task is a member of. This scope lies on the stack of an
 * ancestor, which waits for the task before the scope ends.
 */
#ifndef WSFJ_TASK_SCOPE_H
#define WSFJ_TASK_SCOPE_H

#include "base/base.h"
#include "task/stack.h"

struct wsfj_stolen;

/* A task begins on `fresh` as a member of this scope, or of none (NULL). Release: as in wsfj_deque_open_scope(). */
static inline void wsfj_scope_inherit(struct wsfj_stack *fresh, ws_scope *scope)
{
    store_release(&fresh->scope, scope);
    store_relaxed(&fresh->deque.wsfj_scopes, scope ? 1u : 0u);
}

/* Whether the thief must drop the task (join.h). */
bool wsfj_scope_drops(const struct wsfj_stolen *stolen);

/* Owner: from here to wsfj_scope_border_end() the running code is no member of the scopes that are open, but of `around`, which
 * may be NULL. */
void wsfj_scope_border_begin(struct wsfj_deque *own, ws_scope *border, ws_scope *around);
void wsfj_scope_border_end(struct wsfj_deque *own, ws_scope *border);

#endif
