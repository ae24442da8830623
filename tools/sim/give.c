/* SPDX-License-Identifier: MIT */
/*
 * sim_give(): a detached task for a run queue, from a thread that does not own it. The queue has one producer, its owner.
 * While this thread runs, the owner stands still at a point, so this thread may act in its place, unless the owner is in the
 * middle of a queue operation. Then the owner's point is an atomic access, a mutex or a delay (--enable-chaos): a queue
 * operation has no other points.
 */
#include "api.h"
#include "engine.h"

#include "base/atomic.h"
#include "idle/wake.h"
#include "queue/global_queue.h"
#include "queue/run_queue.h"
#include "sched/team.h"
#include "task/item.h"
#include "worker/awake.h"
#include "worker/items.h"
#include "worker/worker.h"

#include <errno.h>
#include <limits.h>

#include <wsfj.h>

static bool stands_inside(pid_t tid)
{
    unsigned number = (unsigned)(tid - SIM_PID);

    return tid >= SIM_PID && number < sim_num_threads && sim_threads[number] != sim_self && sim_threads[number]->inside;
}

/* The thread that serves the worker, or the program's own as its guest. Not yet known (0): it does not run yet. */
static bool is_in_the_middle(const struct wsfj_worker *w)
{
    return stands_inside(load_relaxed(&w->tid)) || stands_inside(SIM_PID);
}

/* At one moment: no access is a point, and there is no delay. */
static bool push(struct wsfj_worker *w, struct wsfj_item item)
{
    unsigned most = engine_atomics_most;
    bool done;

    engine_atomics_most = UINT_MAX;
    wsfj_awake_enter(w->victims.position); /* it has a task, also if it sleeps (PARK-11) */
    done = wsfj_run_queue_push(&w->detached.queue, item);
    if (done)
        wsfj_items_foreign();
    engine_atomics_most = most;
    return done;
}

int sim_give(unsigned worker, void (*fn)(void *arg), void *arg)
{
    struct wsfj_item item = {fn, arg, NULL};
    struct wsfj_worker *w;
    unsigned moved;

    if (!fn || !sim_self || worker >= ws_num_workers() || !wsfj_team_has_threads())
        return EINVAL;
    w = &wsfj_workers[worker];
    for (;;) {
        /* The owner may wait for this CPU. Time must go on even if a yield costs nothing. */
        while (is_in_the_middle(w))
            (void)engine_yield(), sim_point(1);
        if (push(w, item))
            break;
        if (!wsfj_global_queue_overflow(&w->detached.queue, &moved)) /* a consumer's step: any thread may take it */
            return EAGAIN;
    }
    wsfj_wake_notify(w);
    return 0;
}
