/* SPDX-License-Identifier: MIT */
#include "core/scope.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/debug.h"
#include "task/deque.h"
#include "task/stack.h"

#include <stdlib.h>

/* Puts a scope in front of the chain. SCOPE-1, release: a thief that reads the chain sees the scope as it is here; so
 * does one that has got a task spawned later. */
static void push(struct wsfj_stack *own, ws_scope *scope, bool border)
{
    uint32_t depth = load_relaxed(&own->deque.wsfj_scopes) + 1;

    store_relaxed(&scope->wsfj_code, 0);
    scope->wsfj_depth = depth;
    scope->wsfj_border = border;
    scope->wsfj_outer = load_relaxed(&own->scope);
    scope->wsfj_deque = &own->deque;
    scope->wsfj_first = wsfj_tail(&own->deque);
    wsfj_chaos();
    store_release(&own->scope, scope);
    store_relaxed(&own->deque.wsfj_scopes, depth);
}

/* Takes scopes off the chain until its depth is `depth`. All of them are this stack's, and their members are done. */
static void pop(struct wsfj_stack *own, uint32_t depth)
{
    ws_scope *inner = load_relaxed(&own->scope), *outer = inner;

    while (outer && outer->wsfj_deque == &own->deque && outer->wsfj_depth > depth)
        outer = outer->wsfj_outer;
    wsfj_deque_set_scope(own, outer);
    store_relaxed(&own->deque.wsfj_scopes, depth);
    while (inner != outer) {
        ws_scope *next = inner->wsfj_outer;

        (void)ws_scope_cancel(inner, wsfj_scope_code(inner)); /* from now on the code is its own */
        inner->wsfj_outer = NULL;
        inner = next;
    }
}

/* Whether the running code may end the scope: it is open on this stack, and not behind a border. */
static bool is_own(const struct wsfj_stack *own, const ws_scope *scope)
{
    const ws_scope *open = load_relaxed(&own->scope);

    while (open && open != scope && open->wsfj_deque == &own->deque && !open->wsfj_border)
        open = open->wsfj_outer;
    return open && open == scope && open->wsfj_deque == &own->deque;
}

WSFJ_EXPORT void wsfj_scope_begin(struct wsfj_deque *deque, ws_scope *scope)
{
    struct wsfj_stack *own = wsfj_stack_of(deque);

    if (load_relaxed(&own->scope) == scope) {
        wsfj_say("ws_scope_begin(): the scope %p has begun already and has not ended", (void *)scope);
        abort();
    }
    push(own, scope, false);
}

WSFJ_EXPORT int wsfj_scope_end(struct wsfj_deque *deque, ws_scope *scope)
{
    struct wsfj_stack *own = wsfj_stack_of(deque);

    if (!is_own(own, scope))
        wsfj_say("ws_scope_end(): the calling task has not begun the scope %p, or it has ended", (void *)scope);
    else if (wsfj_tail(deque) != scope->wsfj_first)
        wsfj_say("ws_scope_end(): the scope %p has begun in another block, whose children are not done", (void *)scope);
    else
        pop(own, scope->wsfj_depth - 1);
    return wsfj_scope_code(scope);
}

WSFJ_EXPORT void wsfj_scope_left(struct wsfj_deque *deque, uint32_t depth, int says)
{
    if (says)
        wsfj_say("a block was left without ws_scope_end() of its scope");
    pop(wsfj_stack_of(deque), depth);
}

WSFJ_EXPORT int wsfj_scope_dropped(const struct wsfj_deque *deque)
{
    const struct wsfj_stack *own = WSFJ_CONTAINER(deque, struct wsfj_stack, deque);

    return wsfj_scope_code(load_relaxed(&own->scope)) != 0;
}

void wsfj_scope_border_begin(struct wsfj_stack *own, ws_scope *border)
{
    push(own, border, true);
}

void wsfj_scope_border_end(struct wsfj_stack *own, ws_scope *border)
{
    pop(own, border->wsfj_depth - 1);
}

void wsfj_scope_inherit(struct wsfj_stack *fresh, const struct wsfj_stolen *stolen)
{
    store_relaxed(&fresh->scope, stolen->scope);
    store_relaxed(&fresh->deque.wsfj_scopes, stolen->scope ? 1u : 0u);
}

bool wsfj_scope_drops(const struct wsfj_stolen *stolen)
{
    return WSFJ_UNLIKELY(stolen->scope != NULL) && !stolen->kind->wsfj_kept && wsfj_scope_code(stolen->scope);
}
