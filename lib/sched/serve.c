/* SPDX-License-Identifier: MIT */
#include "task/stack.h"
#include "worker/worker.h"

#include "arch/ticks.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "base/hooks.h"
#include "blocking/blocking.h"
#include "blocking/pin.h"
#include "config/settings.h"
#include "idle/allowed.h"
#include "idle/cpu_limit.h"
#include "idle/outside.h"
#include "idle/park.h"
#include "idle/preempt.h"
#include "idle/resume.h"
#include "idle/wake.h"
#include "queue/root.h"
#include "sched/dispatch.h"
#include "sched/fiber.h"
#include "sched/fiber_run.h"
#include "sched/search.h"
#include "sched/serve.h"
#include "sched/shortage.h"
#include "task/region.h"
#include "task/suspended.h"
#include "worker/mailbox.h"
#include "worker/stopping.h"

/* A surplus worker queues the fiber that it could resume at once, for other workers (PARK-7), and gets NULL. Any other
 * worker gets `s`. */
static struct wsfj_stack *unless_surplus(struct wsfj_worker *w, struct wsfj_stack *s, const struct wsfj_region *guest)
{
    if (!s || guest || wsfj_allowed_to_run(w->id))
        return s;
    wsfj_resume_last(s, w);
    return NULL;
}

/* The fiber has left its stack and will be resumed. Returns a stack to run next, or NULL. */
static struct wsfj_stack *after_suspension(struct wsfj_server *self, struct wsfj_stack *s, wsfj_after_switch *after)
{
    struct wsfj_worker *w = self->worker;

    store_release(&w->stack, NULL); /* BLOCK-2: releases the list's count, changed when its deque was listed */
    wsfj_chaos();
    return s->pin.count ? wsfj_pin_after_switch(self, s, after) : after(s); /* JOIN-3, WAIT-2 */
}

/* The task is done, its stack is free. Returns the parent if it has waited for this task only and resumes here, or
 * NULL. */
static struct wsfj_stack *after_task(struct wsfj_worker *w, struct wsfj_stack *s, struct wsfj_region **finished)
{
    struct wsfj_stack *resume;

    *finished = load_relaxed(&w->finished);
    resume = *finished ? NULL : load_relaxed(&w->resume);
    store_relaxed(&w->stack, NULL);
    if (*finished)
        WSFJ_EVENT(w, region_end, 0, s->number, 0, 0);
    WSFJ_SHOW(w, task_end, 0, s->number, 0, 0); /* the fiber itself has counted it */
    wsfj_fiber_run_end(s);
    if (*finished)
        wsfj_pool_share(s); /* the guest leaves now, and would flush the stack out of the cache */
    else
        wsfj_pool_give(&w->cache, s);
    return resume && wsfj_mailbox_send(resume) ? NULL : resume;
}

/* The stack is about to be run. Before a root's first run the thread takes over the region's floating-point modes. Not
 * when it takes the root from the queue: a worker that has become surplus puts the stack back, and another worker runs
 * it. */
static void prepare_run(struct wsfj_worker *w, struct wsfj_stack *s)
{
    uint32_t runs = load_relaxed(&s->job.runs);

    store_relaxed(&s->job.runs, runs + 1);
    if (runs > 0) {
        WSFJ_EVENT(w, resume, 0, s->number, load_relaxed(&s->job.name), runs);
        return;
    }
    if (load_relaxed(&w->log.ring))
        store_relaxed(&s->job.name, wsfj_hooks.name_task(load_relaxed(&w->log.ring), s));
    if (!load_relaxed(&s->job.stolen) && !load_relaxed(&s->job.item.fn)) {
        wsfj_fpenv_set(load_relaxed(&s->job.region)->fpenv);
        WSFJ_SHOW(w, region_begin, 0, s->number, 0, 0);
    }
    WSFJ_SHOW(w, task_begin, 0, s->number, load_relaxed(&s->job.name), 0);
}

static void run_once(struct wsfj_server *self, struct wsfj_worker *w, struct wsfj_stack *s)
{
    wsfj_fiber_run_publish(self, w, s);
    if (load_relaxed(&s->suspended.listed)) /* seldom: saves a call */
        wsfj_suspended_remove(s);           /* BLOCK-2 */
    /* A fresh stack has no children, and most often a request from the beginning (wsfj_stack_refresh). */
    if (load_relaxed(&s->job.runs) > 0 || load_relaxed(&s->deque.wsfj_limit))
        wsfj_wake_carry_over(s); /* PARK-3 */
    wsfj_preempt_runs();
    prepare_run(w, s);
    wsfj_fiber_run_switch(self, s);
}

/* Runs a fiber until it leaves its stack, unless it `has_left`, then each fiber that this makes runnable at once. DONE: a
 * region's root has finished; IDLE: there is nothing more to run; any other value: another thread has the slot. */
static enum wsfj_served run(struct wsfj_server *self, struct wsfj_stack *s, bool has_left,
                            const struct wsfj_region *guest, struct wsfj_region **finished)
{
    *finished = NULL;
    for (; s; has_left = false) {
        struct wsfj_worker *w = self->worker;

        if (!has_left) {
            if (s->pin.server)
                return wsfj_pin_hand_over(self, s); /* its own thread runs it */
            run_once(self, w, s);
        }
        /* Every fiber that suspends passes here, so the fiber that has just left its stack is `s`, on this thread. */
        if (load_relaxed(&self->lent)) {
            if (!s->pin.count) {
                wsfj_resume_last(s, NULL);
                return WSFJ_SERVED_LENT;
            }
            wsfj_pin_return(self, s);
            continue;
        }

        wsfj_after_switch *after = load_relaxed(&w->after_switch);
        struct wsfj_stack *next = after ? after_suspension(self, s, after) : after_task(w, s, finished);

        s = next == s ? s : unless_surplus(self->worker, next, guest);
    }
    return *finished ? WSFJ_SERVED_DONE : WSFJ_SERVED_IDLE;
}

/* Runs a fiber, then what the worker's queues have. IDLE: there is nothing more. */
static enum wsfj_served run_on(struct wsfj_server *self, struct wsfj_stack *s, bool has_left, struct wsfj_region *guest)
{
    for (; s; has_left = false) {
        struct wsfj_region *finished;
        enum wsfj_served served = run(self, s, has_left, guest, &finished);

        if (served > WSFJ_SERVED_IDLE || (finished && finished == guest))
            return served;
        if (finished)
            wsfj_root_finish(finished, WSFJ_REGION_DONE);
        s = NULL;
        if (!guest && wsfj_allowed_to_run(self->worker->id))
            s = wsfj_dispatch(self->worker, wsfj_dispatch_owes_a_steal(self->worker));
    }
    return WSFJ_SERVED_IDLE;
}

/* Sleeps until a waker finds work for the worker, and as long as the worker is surplus. */
static void sleep_until_work(struct wsfj_server *self, bool searching)
{
    struct wsfj_worker *w = self->worker;

    wsfj_pool_flush(&w->cache); /* others may need them meanwhile */
    wsfj_cpu_limit_check();
    wsfj_park_sleep(w, searching);
    store_relaxed(&w->server, self); /* a guest may have had the slot */
}

/* The run that followed a search is over: what comes before the next search. */
static enum wsfj_served after_work(struct wsfj_server *self, const struct wsfj_region *guest, enum wsfj_served served)
{
    if (served == WSFJ_SERVED_BEHIND) {
        wsfj_park_sleep_on(self->worker); /* it searches when it is woken */
        store_relaxed(&self->worker->server, self);
        return WSFJ_SERVED_IDLE;
    }
    if (served == WSFJ_SERVED_IDLE && !guest && !wsfj_park_search())
        sleep_until_work(self, false);
    return served;
}

/* Searches and sleeps until there is something to run, and returns its stack. NULL: the thread leaves the worker. Not
 * inlined: a guest seldom comes here. */
static __attribute__((noinline)) struct wsfj_stack *go_on(struct wsfj_server *self, struct wsfj_region *guest)
{
    uint64_t patience = wsfj_settings.spin_ns / wsfj_outside_haste(self->worker);

    while (guest || !wsfj_stopping()) { /* no last search in vain */
        struct wsfj_stack *s = wsfj_search(self, guest, patience);

        if (s && guest)
            wsfj_wake_notify(self->worker);
        else if (s)
            wsfj_wake_found(self->worker);
        if (s || guest || wsfj_stopping())
            return s;
        sleep_until_work(self, true);
        /* After a wake-up in vain the next search is shorter. */
        patience = wsfj_settings.spin_ns / 4;
    }
    return NULL;
}

enum wsfj_served wsfj_serve_loop(struct wsfj_server *self, struct wsfj_stack *s, bool has_left,
                                 struct wsfj_region *guest)
{
    enum wsfj_served served = run_on(self, s, has_left, guest);

    while (served == WSFJ_SERVED_IDLE && (s = go_on(self, guest)))
        served = after_work(self, guest, run_on(self, s, false, guest));
    if (load_relaxed(&self->worker->log.ring))
        wsfj_hooks.trace_leave(load_relaxed(&self->worker->log.ring));
    return served;
}

enum wsfj_served wsfj_serve(struct wsfj_worker *w, struct wsfj_thread *thread)
{
    struct wsfj_server self;

    wsfj_fiber_run_begin(&self, w, thread, NULL);
    return wsfj_serve_loop(&self, NULL, false, NULL);
}

void wsfj_serve_begin(void)
{
    wsfj_stopping_set(false);
    wsfj_rough_find();
    wsfj_shortage_start();
    wsfj_fiber_start();
}
