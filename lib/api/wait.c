/* SPDX-License-Identifier: MIT */
#include "api/wait.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "blocking/blocking.h"
#include "idle/lookout.h"
#include "idle/resume.h"
#include "sched/leave.h"
#include "task/deque.h"
#include "task/event.h"
#include "task/stack.h"
#include "wait/sleep.h"
#include "wait/table.h"
#include "worker/own.h"
#include "worker/worker.h"

#include <errno.h>
#include <wsfj/inline/scope_chain.h>

/* The coarse clock, with the stores, takes 9 ns of 129; wsfj_now() took 22. */
void wsfj_wait_show(struct wsfj_stack *own, const struct wsfj_waiter *waiter, enum wsfj_wait_kind kind, const void *on)
{
    WSFJ_EVENT(load_relaxed(&own->worker), wait, kind, load_relaxed(&own->number), 0, 0);
    store_relaxed(&own->wait.kind, (uint32_t)kind);
    store_relaxed(&own->wait.detail, waiter->detail);
    store_relaxed(&own->wait.on, on);
    store_relaxed(&own->wait.since, wsfj_coarse_now());
    store_relaxed(&own->wait.until, waiter->timer.at);
    wsfj_stack_lives(own, WSFJ_LIFE_WAIT);
}

static bool arm(struct wsfj_stack *own, void *waiter)
{
    const struct wsfj_waiter *w = waiter;
    uint64_t until = w->timed ? w->timer.at : WSFJ_FOREVER;
    bool waits = wsfj_waiter_arm(waiter);

    (void)own;
    if (waits && until != WSFJ_FOREVER) /* the waiter may be gone by now */
        wsfj_lookout_sooner(until);
    return waits;
}

/* The numbers of nodes that wait for cancellations begin here. */
#define CANCELLATIONS UINT32_C(0x80000000)

/* SCOPE-3, SCOPE-4: says that somebody waits, then looks for a code, and for a deadline that it does not know yet. */
static bool is_not_cancelled(struct wsfj_node *node)
{
    ws_scope *scope = (ws_scope *)(uintptr_t)node->key;
    uint64_t until;

    store_seq(&scope->wsfj_waited, 1u);
    wsfj_chaos();
    until = load_seq(&scope->wsfj_until);
    return load_seq(&scope->wsfj_code) == 0 && (until == 0 || until >= node->waiter->timer.at);
}

/* The scopes that the caller is a member of. They last until it has waited. */
struct scopes {
    const ws_scope *innermost;
    unsigned count;
    uint64_t until; /* the first of their deadlines */
};

static const ws_scope *innermost_scope(void)
{
    const struct wsfj_deque *deque = wsfj_self();

    return deque ? wsfj_deque_scope(deque) : wsfj_scope_chain;
}

static struct scopes open_scopes(void)
{
    struct scopes open = {innermost_scope(), 0, WSFJ_FOREVER};

    for (const ws_scope *scope = open.innermost; scope; scope = scope->wsfj_around) {
        uint64_t until = load_relaxed(&scope->wsfj_until);

        open.count++;
        if (until && until < open.until)
            open.until = until;
    }
    if (open.until != WSFJ_FOREVER)
        (void)wsfj_scope_code(open.innermost); /* a deadline that has passed has cancelled its scope before the wait */
    return open;
}

/* Puts a node for each scope before the waiter's own. */
static void add_scopes(struct wsfj_waiter *waiter, struct wsfj_node *nodes, const ws_scope *scope, unsigned count)
{
    for (unsigned i = 0; i < count; i++, scope = scope->wsfj_around) {
        nodes[i] = (struct wsfj_node){.key = scope,
                                      .must_wait = is_not_cancelled,
                                      .other = waiter->nodes,
                                      .number = CANCELLATIONS + i,
                                      .waiter = waiter};
        waiter->nodes = &nodes[i];
    }
}

uint64_t wsfj_wait_scopes(uint64_t until)
{
    const struct scopes open = open_scopes();

    return open.until < until ? open.until : until;
}

struct wsfj_waiter wsfj_waiter_here(struct wsfj_node *nodes)
{
    return (struct wsfj_waiter){.stack = wsfj_own_served(), .state = WSFJ_WAIT_ARMING, .nodes = nodes};
}

/* What has ended the wait. A scope's node and a scope's deadline are the same: the scope is cancelled, or its deadline has been
 * moved meanwhile. */
static uint32_t ended_by(uint32_t state, bool by_scope, const ws_scope *innermost)
{
    if (!by_scope)
        return state;
    return wsfj_scope_code(innermost) ? WSFJ_WAIT_CANCELLED : WSFJ_WAIT_AGAIN;
}

uint32_t wsfj_wait(struct wsfj_waiter *waiter, enum wsfj_wait_kind kind, const void *on, uint64_t until)
{
    struct wsfj_stack *own = waiter->stack;
    struct wsfj_node *nodes = waiter->nodes;
    bool cancellable = kind != WSFJ_WAIT_MUTEX || until != WSFJ_FOREVER;
    const struct scopes open = cancellable ? open_scopes() : (struct scopes){NULL, 0, WSFJ_FOREVER};
    uint64_t end = open.until < until ? open.until : until;
    bool outside = own && (end != WSFJ_FOREVER || kind == WSFJ_WAIT_DESCRIPTOR);
    uint32_t state;

    waiter->timed = end != WSFJ_FOREVER;
    waiter->timer.at = end;
    waiter->timer.queued = false;
    if (open.count)
        add_scopes(waiter, __builtin_alloca(open.count * sizeof *nodes), open.innermost, open.count);
    if (outside)
        wsfj_lookout_begin();
    if (own) {
        wsfj_wait_show(own, waiter, kind, on);
        wsfj_suspend(own, arm, waiter);
        wsfj_blocking_again(own);
    } else if (wsfj_waiter_arm(waiter)) {
        wsfj_waiter_sleep(waiter, end);
    }
    if (outside)
        wsfj_lookout_end();
    state = wsfj_waiter_disarm(waiter);
    waiter->nodes = nodes;
    return ended_by(state, state >= CANCELLATIONS || (state == WSFJ_WAIT_TIME && end < until), open.innermost);
}

int wsfj_wait_error(enum wsfj_wait_kind kind, uint32_t state)
{
    struct wsfj_stack *own;
    struct wsfj_worker *w;

    if (state != WSFJ_WAIT_TIME && state != WSFJ_WAIT_CANCELLED)
        return 0;
    own = wsfj_own_served();
    w = own ? load_relaxed(&own->worker) : NULL;
    if (state == WSFJ_WAIT_TIME) {
        WSFJ_EVENT_OF(w, timeout, kind, own ? load_relaxed(&own->number) : 0, 0, 0);
        return ETIMEDOUT;
    }
    WSFJ_EVENT_OF(w, wait_cut, kind, own ? load_relaxed(&own->number) : 0, 0, 0);
    return ECANCELED;
}

/* SCOPE-3, SCOPE-4: the caller has stored the code or a deadline, and has read then that somebody waits. */
WSFJ_EXPORT void wsfj_scope_wake(ws_scope *scope)
{
    wsfj_resume_all(wsfj_table_take(scope, UINT32_MAX));
}

WSFJ_EXPORT int ws_cancelled(void)
{
    return wsfj_scope_code(innermost_scope());
}
