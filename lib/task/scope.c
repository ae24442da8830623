/* SPDX-License-Identifier: MIT */
#include "task/scope.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/debug.h"
#include "task/deque.h"

#include <errno.h>
#include <stdlib.h>
#include <wsfj/inline/scope_chain.h>

/* The scopes of a thread that runs profiled tasks. */
WSFJ_EXPORT __attribute__((tls_model("initial-exec"), used)) __thread ws_scope *wsfj_scope_chain;

static void push(struct wsfj_deque *own, ws_scope *scope, ws_scope *around)
{
    uint32_t depth = load_relaxed(&own->wsfj_scopes) + 1;

    store_relaxed(&scope->wsfj_code, 0);
    store_relaxed(&scope->wsfj_waited, 0u);
    store_relaxed(&scope->wsfj_until, 0u);
    scope->wsfj_depth = depth;
    scope->wsfj_outer = wsfj_deque_scope(own);
    scope->wsfj_around = around;
    scope->wsfj_deque = own;
    scope->wsfj_first = wsfj_tail(own);
    wsfj_deque_open_scope(own, scope);
    store_relaxed(&own->wsfj_scopes, depth);
}

/* Takes scopes off the chain until its depth is `depth`. All of them are this stack's, and their members are done. */
static void pop(struct wsfj_deque *own, uint32_t depth)
{
    ws_scope *inner = wsfj_deque_scope(own), *outer = inner;

    while (outer && outer->wsfj_deque == own && outer->wsfj_depth > depth)
        outer = outer->wsfj_outer;
    wsfj_deque_close_scopes(own, outer);
    store_relaxed(&own->wsfj_scopes, depth);
    while (inner != outer) {
        ws_scope *next = inner->wsfj_outer;
        int none = 0;

        (void)cas_acq_rel(&inner->wsfj_code, &none, wsfj_scope_code(inner)); /* from now on the code is its own */
        store_relaxed(&inner->wsfj_until, 0u);
        inner->wsfj_outer = inner->wsfj_around = NULL;
        inner = next;
    }
}

/* Whether the running code may end the scope: it is open on this stack, and not behind a border. */
static bool is_own(const struct wsfj_deque *own, const ws_scope *scope)
{
    const ws_scope *open = wsfj_deque_scope(own);

    while (open && open != scope && open->wsfj_deque == own)
        open = open->wsfj_around;
    return open && open == scope && open->wsfj_deque == own;
}

WSFJ_EXPORT void wsfj_scope_begin(struct wsfj_deque *own, ws_scope *scope)
{
    if (wsfj_deque_scope(own) == scope) {
        wsfj_say("ws_scope_begin(): the scope %p has begun already and has not ended", (void *)scope);
        abort();
    }
    push(own, scope, wsfj_deque_scope(own));
}

WSFJ_EXPORT int wsfj_scope_end(struct wsfj_deque *own, ws_scope *scope)
{
    if (!is_own(own, scope))
        wsfj_say("ws_scope_end(): the calling task has not begun the scope %p, or it has ended", (void *)scope);
    else if (wsfj_tail(own) != scope->wsfj_first)
        wsfj_say("ws_scope_end(): the scope %p has begun in another block, whose children are not done", (void *)scope);
    else
        pop(own, scope->wsfj_depth - 1);
    return wsfj_scope_code(scope);
}

WSFJ_EXPORT void wsfj_scope_left(struct wsfj_deque *own, uint32_t depth, int says)
{
    if (says)
        wsfj_say("a block was left without ws_scope_end() of its scope");
    pop(own, depth);
}

WSFJ_EXPORT int wsfj_scope_dropped(const struct wsfj_deque *own)
{
    return wsfj_scope_code(wsfj_deque_scope(own)) != 0;
}

void wsfj_scope_border_begin(struct wsfj_deque *own, ws_scope *border, ws_scope *around)
{
    push(own, border, around);
}

void wsfj_scope_border_end(struct wsfj_deque *own, ws_scope *border)
{
    pop(own, border->wsfj_depth - 1);
}

WSFJ_EXPORT int wsfj_scope_expire(const ws_scope *scope)
{
    int none = 0;

    if (wsfj_now() < load_relaxed(&scope->wsfj_until))
        return 0;
    /* Members that wait have timers of their own. */
    (void)cas_acq_rel((int *)(uintptr_t)&scope->wsfj_code, &none, ETIMEDOUT);
    return none ? none : ETIMEDOUT;
}

bool wsfj_scope_drops(const struct wsfj_stolen *stolen)
{
    return WSFJ_UNLIKELY(stolen->scope != NULL) && !stolen->kind->wsfj_kept && wsfj_scope_code(stolen->scope);
}
