/* SPDX-License-Identifier: MIT */
#include "base/thread.h"
#include "idle/preempt.h"
#include "task/stack.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/debug.h"
#include "base/failpoint.h"
#include "base/futex.h"
#include "base/hooks.h"
#include "config/settings.h"
#include "idle/recheck.h"
#include "idle/waiting.h"
#include "queue/global_queue.h"
#include "queue/root.h"
#include "worker/team_cpus.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* The time between two inspections, in nanoseconds: a task gives up its worker after one to two such times. An
 * inspection and its consequences take some 5 us of a busy processor. */
#define INSPECT_NS 1000000
/* The thread sleeps after so many inspections that find nothing waiting. Not after the first: each wake-up costs a
 * submitter 2 us. */
#ifndef WSFJ_INSPECTIONS_IN_VAIN
#define WSFJ_INSPECTIONS_IN_VAIN 10
#endif

#define QUIET WSFJ_PREEMPT_QUIET
#define READY WSFJ_PREEMPT_READY
#define INSPECTS WSFJ_PREEMPT_INSPECTS
#define STOPS WSFJ_PREEMPT_STOPS
#define BROKEN WSFJ_PREEMPT_BROKEN

uint32_t wsfj_preempt_state;

/* Written only by the thread that has changed the state from READY to INSPECTS, and by wsfj_preempt_stop() after
 * that. The watchdog reads it. */
static bool has_thread;
static pthread_t thread;

/* Only the preempter: the worker that it asks first. */
static unsigned next;

void wsfj_preempt_start(void)
{
    store_relaxed(&has_thread, false);
    next = 0;
    store_seq(&wsfj_preempt_state, (uint32_t)QUIET);
}

bool wsfj_preempt_has_thread(void)
{
    return load_relaxed(&has_thread);
}

void wsfj_preempt_stop(void)
{
    store_seq(&wsfj_preempt_state, (uint32_t)STOPS);
    wsfj_futex_wake(&wsfj_preempt_state);
    if (has_thread)
        pthread_join(thread, NULL);
    store_relaxed(&has_thread, false);
}

/* PREEMPT-1: asks the fiber to give up its worker in its `run`th run, and in no later one. The owner's next spawn meets
 * the lowered limit. If the owner overwrites the limit, the request is lost, and the next inspection asks again. */
static void ask(struct wsfj_stack *s, uint64_t run)
{
    store_relaxed(&s->preempt, run);
    store_release(&s->deque.wsfj_limit, NULL);
}

/* Whether the worker has run the same fiber without a break since the last inspection. Notes what it runs now. */
static bool has_not_changed(struct wsfj_worker *w)
{
    struct wsfj_stack *s = load_acquire(&w->stack);
    uint64_t run = s ? load_relaxed(&s->shown.runs) : 0;
    bool same = s && s == w->seen.stack && run == w->seen.runs;

    w->seen.stack = s;
    w->seen.runs = run;
    return same;
}

void wsfj_preempt_get_ready(void)
{
    uint32_t quiet = QUIET;

    if (load_seq(&wsfj_preempt_state) == QUIET)
        (void)cas_seq(&wsfj_preempt_state, &quiet, (uint32_t)READY);
}

/* For how many workers there is work. A worker's queue counts as one, because its worker runs those tasks one by
 * one. */
static size_t how_much_waits(void)
{
    struct wsfj_global_queue_length length = wsfj_global_queue_length();
    size_t n = length.items + length.fibers + wsfj_root_length();

    for (unsigned i = 0; i < wsfj_num_workers; i++)
        n += wsfj_run_queue_pending(&wsfj_workers[i].detached.queue);
    return n;
}

/* Asks as many workers as there is work for. Asks one more for each worker whose task has ignored the last request,
 * because it neither spawns nor syncs. So all workers are soon asked if need be. */
static void ask_some(size_t waits)
{
    bool ignored = false;

    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        struct wsfj_worker *w = &wsfj_workers[(next + i) % wsfj_num_workers];

        if (!has_not_changed(w))
            continue;
        if (waits && wsfj_stack_is_asked(w->seen.stack)) {
            ignored = true;
            waits += 2;
        }
        if (waits) {
            ask(w->seen.stack, w->seen.runs);
            waits--;
        }
    }
    next = (next + !ignored) % wsfj_num_workers; /* the next inspection begins with another worker */
}

/* Whether something may come from outside, for which busy workers do not look. */
static bool watches_outside(void)
{
    return wsfj_settings.poll || wsfj_lookout_has_to();
}

/* Inspects all workers once. False if nothing waits. */
static bool inspect(void)
{
    bool busy = wsfj_idle_counts_none(wsfj_idle_counts()); /* else an idle worker finds what waits */
    size_t waits = how_much_waits();
    bool any = waits > 0;

    ask_some(busy ? waits : 0);
    if (!watches_outside())
        return any;
    /* ws_submit() makes known what the program's function submits. A worker that tried to call the function meanwhile
     * found the preempter in it and may sleep now. So if the function has found something, the preempter calls it
     * again. */
    return wsfj_hooks.look_outside() || any || wsfj_recheck_anything_runs();
}

/* PREEMPT-2: stores QUIET, then checks all queues. A submitter publishes its task, then reads the state. One of the two
 * sees the other. The same holds for a worker that publishes its stack if there is something outside to look for, which the
 * preempter does as long as a worker runs something. True: something waits, and the state is READY again. */
static bool must_stay_ready(uint32_t from)
{
    if (!cas_seq(&wsfj_preempt_state, &from, (uint32_t)QUIET))
        return false;
    wsfj_chaos();
    if (!wsfj_root_pending() && !wsfj_waiting_any() && !(watches_outside() && wsfj_recheck_anything_runs()))
        return false;
    wsfj_preempt_get_ready();
    return true;
}

static void *thread_main(void *unused)
{
    static const struct timespec pause = {0, INSPECT_NS};
    unsigned in_vain = 0;
    uint32_t now;

    (void)unused;
    wsfj_thread_begin("wsfj-preempt");
    wsfj_team_spread(); /* not only on the CPU of the worker that made it and that it is to interrupt */
    while ((now = load_seq(&wsfj_preempt_state)) != STOPS) {
        wsfj_futex_wait(&wsfj_preempt_state, now, now == INSPECTS ? &pause : NULL);
        if (load_seq(&wsfj_preempt_state) != INSPECTS)
            continue;
        in_vain = inspect() ? 0 : in_vain + 1;
        if (in_vain == WSFJ_INSPECTIONS_IN_VAIN) {
            uint32_t ready = READY;

            in_vain = 0;
            if (must_stay_ready(INSPECTS))
                (void)cas_seq(&wsfj_preempt_state, &ready, (uint32_t)INSPECTS);
        }
    }
    return NULL;
}

static WSFJ_COLD void make_thread(void)
{
    int error;

    store_relaxed(&has_thread, true);
    error = wsfj_thread_make(&thread, WSFJ_LOOP_STACK, thread_main, NULL);
    if (!error)
        return;
    store_relaxed(&has_thread, false);
    store_seq(&wsfj_preempt_state, (uint32_t)BROKEN);
    wsfj_say(
        "the thread that makes busy workers give way could not be started (%s): queued tasks may wait until a worker "
        "is free",
        strerror(error));
}

void wsfj_preempt_begin(void)
{
    uint32_t ready = READY;

    if (load_seq(&wsfj_preempt_state) != READY || !cas_seq(&wsfj_preempt_state, &ready, (uint32_t)INSPECTS))
        return;
    if (has_thread)
        wsfj_futex_wake(&wsfj_preempt_state);
    else
        make_thread();
}

void wsfj_preempt_none_idle(void)
{
    if (load_seq(&wsfj_preempt_state) == READY && must_stay_ready(READY))
        wsfj_preempt_begin();
}

void wsfj_preempt_polls(void)
{
    wsfj_preempt_get_ready();
    wsfj_preempt_begin();
}
