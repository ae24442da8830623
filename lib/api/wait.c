/* SPDX-License-Identifier: MIT */
#include "api/wait.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "arch/arch.h"
#include "base/tsan.h"
#include "blocking/blocking.h"
#include "idle/lookout.h"
#include "idle/queued.h"
#include "idle/resume.h"
#include "queue/group.h"
#include "sched/dispatch.h"
#include "sched/leave.h"
#include "sched/load.h"
#include "task/border.h"
#include "task/deque.h"
#include "task/pool.h"
#include "task/region.h"
#include "task/stack.h"
#include "wait/table.h"
#include "worker/between_tasks.h"
#include "worker/items_count.h"
#include "worker/own.h"
#include "worker/worker.h"

#include <errno.h>
#include <sched.h>
#include <time.h>
#include <wsfj/inline/scope_chain.h>

/* So many times in a row there was no stack for a task: the pool stays empty, so a waiter runs the task on its own stack. A
 * single failure says little, because another task may end in a moment. */
#define NO_STACK_MOST 64
/* A waiter that must keep its stack and has nothing to do on it checks its group this often. */
#define NO_STACK_NAP_NS 1000000

/* Calls a task on the stack of a task that waits, and gives that one its group back. The called task begins outside the
 * waiter's blocking sections, scopes and exceptions, and leaves the waiter's pins as they are. */
static void call_on(struct wsfj_stack *own, struct wsfj_item item)
{
    unsigned sections = own->blocking.sections, pins = own->pin.count;
    ws_group *group = load_relaxed(&own->job.item.group);
    struct wsfj_border border;

    own->blocking.sections = 0;
    store_relaxed(&own->job.item.group, item.group);
    wsfj_border_begin(&own->deque, &border, item.group);
    if (!wsfj_group_drops(item.group))
        wsfj_load_call(item);
    wsfj_border_end(&own->deque, &border);
    own->blocking.sections = 0;
    wsfj_blocking_return(own); /* takes a slot again if the called task has left a blocking section open */
    own->blocking.sections = sections;
    store_relaxed(&own->job.item.group, group);
    while (own->pin.count > pins)
        ws_unpin();
}

/* No stack is to be had for the tasks in the queues: calls one of them here. False if there is none. */
static bool help(struct wsfj_stack *own)
{
    struct wsfj_item item;

    if (!wsfj_dispatch_item(load_relaxed(&own->worker), &item))
        return false;
    if (wsfj_item_fiber(item)) {
        wsfj_resume_last(wsfj_item_fiber(item), load_relaxed(&own->worker)); /* runs when the caller yields */
        return false;
    }
    wsfj_queued(load_relaxed(&own->worker)); /* the items that came along are in the worker's run queue */
    wsfj_item_acquire(&item);
    call_on(own, item);
    wsfj_fpenv_set(load_relaxed(&own->job.region)->fpenv);
    wsfj_group_release(item.group);
    wsfj_items_finished(load_relaxed(&own->worker));
    wsfj_resume_all(wsfj_group_finish(item.group, 1));
    return true;
}

static struct wsfj_stack *put_last(struct wsfj_stack *s)
{
    wsfj_resume_last(s, NULL);
    return NULL;
}

/* Lets other tasks run; true if none did. */
static bool let_others_run(struct wsfj_stack *own)
{
    wsfj_leave_yield(own, put_last);
    return own->wait.alone;
}

/* True if a waiting task gets no stack: all stacks may belong to tasks like this one, which wait for that task. A task
 * that is called here may yield, too: half of the stack is kept for that. */
static bool is_wanted(const struct wsfj_stack *own)
{
    return load_relaxed(&load_relaxed(&own->worker)->no_stack) >= NO_STACK_MOST &&
           (size_t)((const char *)__builtin_frame_address(0) - own->memory.low) > own->memory.size / 2;
}

void wsfj_wait_yield(struct wsfj_stack *own)
{
    bool alone = let_others_run(own);

    if (!(is_wanted(own) && help(own)) && alone)
        sched_yield(); /* there is no other task: lets other threads have the processor */
}

WSFJ_EXPORT void ws_yield(void)
{
    struct wsfj_stack *own = wsfj_own_served();

    if (own)
        wsfj_wait_yield(own);
    else
        sched_yield();
}

/* True if another stack could be had now. In the scheduler's loop only. */
static bool has_stack_left(struct wsfj_cache *cache)
{
    struct wsfj_stack *s = wsfj_pool_take(cache);

    if (s)
        wsfj_pool_give(cache, s);
    return s != NULL;
}

/* GROUP-3: queues the waiter. If all stacks are in use, it must not leave its own stack idle, even if the group is done at
 * this moment: a task of the group may come later, from a foreign thread, and need a stack. */
static bool wait_unless_wanted(struct wsfj_stack *own, void *waiter)
{
    bool enough = has_stack_left(&load_relaxed(&own->worker)->cache);

    store_relaxed(&own->wait.must_help, !enough);
    return enough && wsfj_waiter_arm(waiter);
}

/* Shows what the fiber is about to wait for. The coarse clock, with the stores, takes 9 ns of 129; wsfj_now() took 22. */
static void begin_wait(struct wsfj_stack *own, const struct wsfj_waiter *waiter, enum wsfj_wait_kind kind,
                       const void *on)
{
    WSFJ_EVENT(load_relaxed(&own->worker), wait, kind, load_relaxed(&own->number), 0, 0);
    store_relaxed(&own->wait.kind, (uint32_t)kind);
    store_relaxed(&own->wait.detail, waiter->detail);
    store_relaxed(&own->wait.on, on);
    store_relaxed(&own->wait.since, wsfj_coarse_now());
    store_relaxed(&own->wait.until, waiter->timer.at);
    wsfj_stack_lives(own, WSFJ_LIFE_WAIT);
}

static void wait_inside(struct wsfj_stack *own, ws_group *group)
{
    wsfj_blocking_return(own);
    do {
        struct wsfj_node node = wsfj_group_node(group);
        struct wsfj_waiter waiter = {.stack = own, .state = WSFJ_WAIT_ARMING, .nodes = &node, .timer.at = WSFJ_FOREVER};

        begin_wait(own, &waiter, WSFJ_WAIT_GROUP, group); /* each time: a task that help() called may have waited, too */
        wsfj_suspend(own, wait_unless_wanted, &waiter);
        if (load_relaxed(&own->wait.must_help) && !wsfj_group_done(group) && !help(own) && let_others_run(own))
            nanosleep(&(struct timespec){0, NO_STACK_NAP_NS}, NULL);
    } while (!wsfj_group_done(group));
    store_relaxed(&own->wait.must_help, false);
    wsfj_blocking_again(own);
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

bool wsfj_wait_scopes(uint64_t *until)
{
    const struct scopes open = open_scopes();

    *until = open.until < *until ? open.until : *until;
    return open.count != 0;
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
        begin_wait(own, waiter, kind, on);
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

WSFJ_EXPORT int ws_group_wait(ws_group *group)
{
    struct wsfj_stack *own = wsfj_own_stack();

    if (!own && wsfj_between_tasks())
        return EDEADLK;
    if (!wsfj_group_done(group)) {
        if (own && load_relaxed(&own->job.item.group) == group)
            return EDEADLK; /* the group counts this task until it ends */
        if (own)
            wait_inside(own, group);
        else
            wsfj_group_wait_outside(group);
    }
    wsfj_tsan_acquire(&group->wsfj_state); /* what all tasks of the group did */
    return wsfj_scope_code(&group->wsfj_scope);
}
