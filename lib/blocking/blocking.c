/* SPDX-License-Identifier: MIT */
#include "blocking/blocking.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/debug.h"
#include "blocking/spare.h"
#include "config/settings.h"
#include "idle/idle_counts.h"
#include "idle/park.h"
#include "idle/preempt.h"
#include "idle/wake.h"
#include "task/deque.h"
#include "task/region.h"
#include "task/stack.h"
#include "task/suspended.h"
#include "worker/own.h"
#include "worker/worker.h"

#include <errno.h>

/* Not inlined: compilers keep the address of errno, which is another thread's afterwards. Not checked: a sanitizer that
 * knows fibers sees two of them at one thread's errno. */
static __attribute__((noinline, no_sanitize("thread"))) int get_errno(void)
{
    return errno;
}

static __attribute__((noinline, no_sanitize("thread"))) void set_errno(int error)
{
    errno = error;
}

/* Says once that there is no spare thread: the worker waits with its task and runs nothing else. */
static void say_once(void)
{
    static uint32_t told;

    if (!swap_acq_rel(&told, 1u))
        wsfj_say("ws_blocking_begin(): no spare thread (WSFJ_SPARES=%zu): the worker waits with its task",
                 wsfj_settings.max_spares);
}

static void lend(struct wsfj_stack *own)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);
    struct wsfj_server *server = load_relaxed(&w->server);
    struct wsfj_thread *spare = NULL;

    if (server->thread && !(spare = wsfj_spare_take())) { /* a guest's slot needs no spare: the worker has a thread */
        say_once();
        return;
    }
    /* BLOCK-2: a deque with tasks is listed before worker.stack changes; an empty one is listed by its next spawn. */
    if (wsfj_deque_has_work(own))
        wsfj_suspended_add(own);
    else
        store_release(&own->deque.wsfj_limit, NULL);
    (void)add_relaxed(&w->lent, 1u);
    store_relaxed(&own->blocking.lender, server); /* a dump may look */
    own->blocking.spare = spare;
    WSFJ_EVENT(w, block_begin, 0, load_relaxed(&own->number), 0, 0);
    store_relaxed(&own->blocking.thread, server->thread ? load_relaxed(&w->tid) : server->tid);
    wsfj_stack_lives(own, WSFJ_LIFE_RUNS);
    store_relaxed(&server->lent, true);
    wsfj_context_share_slot(&own->context);
    wsfj_chaos();
    store_seq(&w->stack, NULL);
    wsfj_blocking_give(w, spare, own); /* BLOCK-1: the last touch of the worker */
}

static void go_back(struct wsfj_stack *own)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);
    struct wsfj_server *server = own->blocking.lender;

    store_relaxed(&own->blocking.lender, NULL);
    (void)add_relaxed(&w->lent, 0u - 1);
    if (own->blocking.spare && wsfj_spare_recall(own->blocking.spare, own)) {
        store_relaxed(&server->lent, false);
        wsfj_stack_lives(own, WSFJ_LIFE_RUNS);
        store_seq(&w->stack, own); /* PARK-3, BLOCK-2 */
        wsfj_suspended_remove(own);
        wsfj_wake_found(w);
        wsfj_wake_carry_over(own);
        wsfj_preempt_runs();
        WSFJ_EVENT(w, block_end, 1, load_relaxed(&own->number), load_relaxed(&own->job.name),
                   load_relaxed(&own->job.runs));
    } else {
        wsfj_stack_lives(own, WSFJ_LIFE_SLOT);
        wsfj_context_switch(&own->context, &server->loop);
        w = load_relaxed(&own->worker);
        WSFJ_EVENT(w, block_end, 0, load_relaxed(&own->number), 0, 0);
        wsfj_stack_lives(own, WSFJ_LIFE_RUNS);
        wsfj_fpenv_set(load_relaxed(&own->job.region)->fpenv);
    }
}

void wsfj_blocking_return(struct wsfj_stack *own)
{
    if (own->blocking.lender) {
        int error = get_errno();

        go_back(own);
        set_errno(error);
    }
}

void wsfj_blocking_again(struct wsfj_stack *own)
{
    if (own->blocking.sections && !own->blocking.lender) {
        int error = get_errno();

        lend(own);
        set_errno(error);
    }
}

void wsfj_blocking_give(struct wsfj_worker *w, struct wsfj_thread *spare, const struct wsfj_stack *sender)
{
    if (spare) {
        wsfj_idle_counts_add_searcher();
        wsfj_spare_send(spare, w, sender);
    } else {
        wsfj_park_lend(w);
    }
}

WSFJ_EXPORT void ws_blocking_begin(void)
{
    struct wsfj_stack *own = wsfj_own_stack();

    if (own && own->blocking.sections++ == 0)
        wsfj_blocking_again(own);
}

WSFJ_EXPORT void ws_blocking_end(void)
{
    struct wsfj_stack *own = wsfj_own_stack();

    if (own && own->blocking.sections > 0 && --own->blocking.sections == 0)
        wsfj_blocking_return(own);
}
