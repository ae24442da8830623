/* SPDX-License-Identifier: MIT */
#include "idle/outside.h"

#include "arch/arch.h"
#include "base/chaos.h"
#include "base/futex.h"
#include "idle/idle_counts.h"
#include "idle/lookout.h"
#include "idle/preempt.h"
#include "idle/resume.h"
#include "idle/source.h"
#include "idle/wake.h"
#include "queue/global_queue.h"
#include "task/event.h"
#include "task/stack.h"
#include "wait/descriptor.h"
#include "wait/table.h"
#include "wait/timer.h"
#include "worker/park_word.h"
#include "worker/worker.h"

/* Without epoll the lookout sleeps no longer. */
#define BLIND_NS 1000000

static uint32_t searcher_looks; /* 1: a searcher looks */

static void note(struct wsfj_worker *w, const struct wsfj_stack *first, unsigned fd_events)
{
    for (const struct wsfj_stack *s = first; s; s = s->pool.next)
        WSFJ_EVENT_OF(w, runnable, 0, load_relaxed(&s->number), 0, load_relaxed(&s->job.runs));
    while (fd_events--)
        WSFJ_EVENT_OF(w, fd_event, 0, 0, 0, 0);
}

/* The fibers whose waits have ended. `any`: also if only threads have been woken. `w`: in whose log it is noted; NULL: the
 * thread serves no worker. */
static struct wsfj_stack *look(struct wsfj_worker *w, bool *any)
{
    struct wsfj_woken woken = {NULL, NULL, 0, NULL};
    uint64_t now = wsfj_now();
    unsigned others;

    wsfj_table_expire(now, &woken);
    wsfj_source_ask(now);
    others = woken.count;
    wsfj_descriptor_look(&woken);
    note(w, woken.first, woken.count - others);
    *any = woken.count > 0;
    return wsfj_table_wake(&woken);
}

static bool look_as(struct wsfj_worker *w)
{
    bool any;

    for (struct wsfj_stack *s = look(w, &any), *next; s; s = next) {
        next = s->pool.next;
        wsfj_resume_last(s, NULL);
    }
    return any;
}

bool wsfj_outside_look_and_poll(void)
{
    if (wsfj_lookout_has_to())
        (void)look_as(NULL);
    return wsfj_source_poll();
}

bool wsfj_outside_try_look(struct wsfj_worker *self)
{
    uint32_t none = 0;
    bool any;

    if (load_relaxed(&searcher_looks) || !cas_acq_rel(&searcher_looks, &none, 1u))
        return false;
    any = look_as(self);
    store_release(&searcher_looks, 0u);
    return any;
}

/* How long the lookout may sleep; false: not at all. */
static bool may_sleep(uint64_t until, const struct timespec *most, struct timespec *left)
{
    uint64_t now = wsfj_now(), ns = until > now ? until - now : 0;

    if (most && (uint64_t)most->tv_nsec < ns)
        ns = (uint64_t)most->tv_nsec;
    if (!wsfj_descriptor_is_open() && ns > BLIND_NS)
        ns = BLIND_NS;
    *left = wsfj_timespec(ns);
    return ns > 0;
}

/* When something is due next, without descriptors. */
static uint64_t first_due(void)
{
    uint64_t timer = load_seq(&wsfj_timer_first), source = wsfj_source_first();

    return timer < source ? timer : source;
}

static void sleep_as_lookout(uint32_t *park, const struct timespec *most)
{
    uint32_t now = load_seq(park); /* PARK-13: after the lookout is stored */
    struct timespec left;
    uint64_t until, again;

    if (now == WSFJ_PARK_AWAKE)
        return;
    wsfj_descriptor_open(); /* a poll source may be older than this start */
    until = first_due();
    store_seq(&wsfj_lookout_until, until);
    wsfj_chaos();
    again = first_due();
    until = again < until ? again : until; /* no longer than it has said, for then nobody wakes it */
    if (!may_sleep(until, most, &left))
        return;
    if (wsfj_descriptor_is_open())
        wsfj_descriptor_sleep(until == WSFJ_FOREVER && !most ? NULL : &left);
    else
        wsfj_futex_wait(park, now, &left);
}

/* As wsfj_queued(), for a thread that sleeps itself, and first of all wakes itself. It makes all fibers known at once. */
static void hand_on(struct wsfj_worker *self, struct wsfj_stack *s)
{
    struct wsfj_idle_counts now;

    if (!s)
        return;
    for (struct wsfj_stack *next; s; s = next) {
        next = s->pool.next;
        wsfj_global_queue_put_fiber(s);
    }
    wsfj_preempt_get_ready();
    now = wsfj_idle_counts();
    if (now.sleeping > 0)
        (void)wsfj_wake_one(self, 1);
    else if (now.searching == 0)
        wsfj_preempt_begin();
}

bool wsfj_outside_sleep(struct wsfj_worker *self, const struct timespec *most)
{
    struct wsfj_stack *found;
    uint32_t *none = NULL;
    bool any;

    if (load_relaxed(&wsfj_lookout_park) || !cas_seq(&wsfj_lookout_park, &none, &self->park))
        return false;
    sleep_as_lookout(&self->park, most);
    store_relaxed(&wsfj_lookout_until, (uint64_t)0); /* awake: looks when the next thing is due before it sleeps again */
    found = look(NULL, &any);                        /* the worker's log may be a guest's now */
    if (found)
        store_relaxed(&self->outside, load_relaxed(&self->outside) + 1); /* a guest may serve the worker now */
    /* Later is no harm: a wake-up in vain, or the caller sleeps again as the lookout. */
    store_release(&wsfj_lookout_park, NULL);
    hand_on(self, found);
    return true;
}

void wsfj_outside_forget(void)
{
    wsfj_table_forget();
    wsfj_timer_forget();
    wsfj_source_forget();
    wsfj_lookout_forget();
    store_relaxed(&searcher_looks, 0u);
}
