/* SPDX-License-Identifier: MIT */
#include "sched/brief.h"

#include "arch/ticks.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "base/policy.h"
#include "idle/idle_counts.h"
#include "task/deque.h"
#include "task/event.h"
#include "task/stack.h"
#include "worker/worker.h"

/* Sanitizers and the chaos build add calls. */
#if defined WSFJ_GENERAL_REGS_ONLY && !defined WSFJ_CHAOS && !WSFJ_ASAN && !WSFJ_TSAN
const uint32_t wsfj_brief_works = 1;
#define MAY_CALL false
#else
const uint32_t wsfj_brief_works = 0;
#define MAY_CALL true
#endif

static inline bool has_clock(void)
{
    return MAY_CALL || load_relaxed(&wsfj_rough_counts);
}

/* What wsfj_wake_notify() would do something about. */
static bool must_wake(void)
{
    return wsfj_idle_counts_may_wake(wsfj_idle_counts(), wsfj_policy.wake_below);
}

/* Whether an answer comes to more than exposing tasks, as far as the owner knows now. */
static bool is_long(struct wsfj_stack *own)
{
    return !has_clock() || own->deque.wsfj_mode != WSFJ_MODE_NORMAL || own->blocking.lender ||
           wsfj_stack_is_asked(own) || load_relaxed(&load_relaxed(&own->worker)->log.ring) || must_wake();
}

int wsfj_spawn_brief(struct wsfj_deque *deque, struct wsfj_descriptor *tail)
{
    struct wsfj_stack *own = wsfj_stack_of(deque);
    enum wsfj_expose exposed;

    if (load_relaxed(&deque->wsfj_limit) != NULL)
        return 1; /* merely long: spawns nested this deep come here each time; loops stop in wsfj_spawn_full() */
    /* Thieves watch `answers`: the store fetches its line while the owner waits for those of the limit and the counts. */
    store_relaxed(&own->answering, 1u);
    if (is_long(own))
        return 0;
    wsfj_deque_answer(own);
    wsfj_chaos();
    exposed = wsfj_deque_expose(own, tail);
    if (exposed == WSFJ_EXPOSE_DONE) {
        own->exposed_at = MAY_CALL ? wsfj_rough_now() : wsfj_rough_ticks();
        WSFJ_COUNT(load_relaxed(&own->worker), expose);
        WSFJ_PROBE(expose, load_relaxed(&own->worker)->id, 0, load_relaxed(&own->number),
                   (uint32_t)wsfj_deque_length(own), 0);
        wsfj_chaos();
        /* PARK-1, PREEMPT-1: after the answer the owner looks whether it must wake a worker, or give way. */
        if (!wsfj_stack_is_asked(own) && !must_wake())
            return 1;
    }
    store_release(&deque->wsfj_limit, NULL); /* the request stays: wsfj_spawn_slow() answers it, or the next spawn */
    return exposed == WSFJ_EXPOSE_NOTHING;
}

int wsfj_loop_brief(struct wsfj_deque *deque, struct wsfj_descriptor *tail)
{
    return tail <= wsfj_stack_of(deque)->memory.soft && wsfj_spawn_brief(deque, tail);
}

int wsfj_sync_brief(struct wsfj_deque *deque, struct wsfj_descriptor *desc)
{
    struct wsfj_stack *own = wsfj_stack_of(deque);

    return has_clock() && !wsfj_stack_is_asked(own) && wsfj_deque_reclaim_brief(own, desc);
}
