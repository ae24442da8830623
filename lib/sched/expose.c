/* SPDX-License-Identifier: MIT */
/*
 * The cold half of a spawn: a thread has lowered the limit, or the deque is long. Neighbours: fastpath.h, which calls
 * this; brief.c, which is the most frequent part of it; deque.c, which exposes; wake.c, which wakes.
 */
#include "arch/ticks.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "idle/wake.h"
#include "sched/brief.h"
#include "task/deque.h"
#include "task/event.h"
#include "task/stack.h"
#include "task/suspended.h"
#include "worker/worker.h"

WSFJ_EXPORT void wsfj_spawn_slow(struct wsfj_deque *deque, struct wsfj_descriptor *tail)
{
    struct wsfj_stack *own = wsfj_stack_of(deque);

    /* Once more after a thunk's try; first where the exits are C. */
    if (wsfj_spawn_brief(deque, tail) || deque->wsfj_mode == WSFJ_MODE_PRIVATE)
        return;

    wsfj_deque_answer(own);
    wsfj_chaos();
    if (wsfj_stack_is_asked(own))
        wsfj_deque_publish_all(own); /* PREEMPT-1: so the owner's next sync comes out of line */
    if (own->blocking.lender) {
        wsfj_suspended_add(own); /* BLOCK-2: another thread serves the worker now */
        wsfj_wake_notify(NULL);
        return;
    }

    struct wsfj_worker *w = load_relaxed(&own->worker);
    enum wsfj_expose exposed = wsfj_deque_expose(own, tail);

    if (exposed != WSFJ_EXPOSE_DONE)
        store_release(&deque->wsfj_limit, NULL); /* the request stays */
    if (exposed == WSFJ_EXPOSE_NOTHING)
        return;
    if (exposed == WSFJ_EXPOSE_DONE) {
        own->exposed_at = wsfj_rough_now();
        WSFJ_EVENT(w, expose, 0, load_relaxed(&own->number), (uint32_t)wsfj_deque_length(own), 0);
    }
    /* PARK-1: also if a thief has the lock. The counts may not show that thief as a searcher: it may be a guest, or a
     * worker that steals between two tasks of its own. */
    wsfj_wake_notify(w);
}

extern __typeof__(wsfj_spawn_slow) wsfj_spawn_slow_local
    __attribute__((alias("wsfj_spawn_slow"), visibility("hidden"), used));

#ifdef __x86_64__
/* Inlined code names the slow-path exits inside assembly, where the linker does not see them before link-time
 * optimisation: they, and what they call, would come into a static program too late. */
static void (*const exits[])(void) __attribute__((used)) = {wsfj_spawn_thunk, wsfj_loop_thunk, wsfj_sync_thunk};
#endif
