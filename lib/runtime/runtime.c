/* SPDX-License-Identifier: MIT */
#include "runtime/runtime.h"

#include "base/atomic.h"
#include "api/use.h"
#include "base/chaos.h"
#include "core/dispatch.h"
#include "signals/stack_overflow.h"
#include "runtime/init_lock.h"
#include "queue/global_queue.h"
#include "api/run.h"
#include "base/failpoint.h"
#include "api/fork_child.h"
#include "idle/park.h"
#include "idle/phase.h"
#include "idle/poll.h"
#include "task/pool.h"
#include "core/preempt.h"
#include "profile/profile.h"
#include "config/settings.h"
#include "blocking/spare.h"
#include "runtime/start.h"
#include "observe/stats.h"
#include "core/fiber.h"
#include "core/suspended.h"
#include "core/team.h"
#include "observe/trace.h"
#include "observe/monitor.h"
#include "core/worker.h"

#include <errno.h>
#include <string.h>

/* Written inside the gate. */
static enum {
    DOWN,
    UP,
    CLOSING /* ws_fini() checks whether it may stop the runtime: new users have to wait, all else works as in UP */
} state;
static size_t users; /* threads inside ws_run() */

static void unload(void), leave_quickly(void);
static void forget_in_child(void);

static int start(const ws_config *config)
{
    int error;

    wsfj_mishap_start();
    /* Without the first one the child of a fork would wait for workers that it has not. */
    if (!wsfj_gate_at_fork(forget_in_child) || !wsfj_gate_at_exit(unload, leave_quickly))
        return ENOMEM;
    error = wsfj_start(config);
    if (error)
        return error;
    store_seq(&state, UP);
    if (wsfj_settings.poll)
        wsfj_park_rouse(); /* nobody has asked so far */
    return 0;
}

static void stop_locked(void)
{
    wsfj_watch_stop();
    wsfj_team_join();
    wsfj_preempt_stop();
    wsfj_trace_stop();
    if (wsfj_settings.stats)
        wsfj_stats_print();
    wsfj_fault_stop();
    wsfj_global_stop();
    wsfj_pool_stop();
    wsfj_team_free();
}

bool wsfj_runtime_try_enter(void)
{
    add_seq(&users, 1); /* before the load of the state: ws_fini() stores CLOSING, then loads `users` */
    wsfj_chaos();
    if (load_seq(&state) == UP)
        return true;
    sub_acq_rel(&users, 1);
    return false;
}

int wsfj_runtime_enter(void)
{
    int error = 0;

    if (wsfj_runtime_try_enter())
        return 0;
    if (wsfj_poll_inside())
        return EDEADLK; /* whoever stops or starts the runtime waits for this thread */
    wsfj_gate_lock();
    if (state == DOWN)
        error = start(NULL);
    if (!error)
        add_seq(&users, 1);
    wsfj_gate_unlock();
    return error;
}

void wsfj_runtime_leave(void)
{
    sub_acq_rel(&users, 1);
}

bool wsfj_runtime_is_up(void)
{
    return load_seq(&state) != DOWN;
}

bool wsfj_runtime_active(void)
{
    return load_relaxed(&users) > 0; /* a hint for searchers */
}

WSFJ_EXPORT int ws_init(const ws_config *config)
{
    int error;

    if (wsfj_self() || wsfj_poll_inside())
        return EDEADLK;
    wsfj_gate_lock();
    error = state != DOWN ? EALREADY : start(config);
    wsfj_gate_unlock();
    return error;
}

WSFJ_EXPORT int ws_fini(void)
{
    int error = 0;

    if ((wsfj_self() && ws_worker_id() >= 0) || wsfj_poll_inside())
        return EBUSY;
    wsfj_gate_lock();
    if (state != DOWN) {
        store_seq(&state, CLOSING);
        wsfj_chaos();
        if (load_seq(&users) > 0 || wsfj_dispatch_busy()) {
            store_seq(&state, UP);
            error = EBUSY;
        } else {
            store_seq(&state, DOWN);
            stop_locked();
        }
    }
    wsfj_gate_unlock();
    return error;
}

/* exit() may come from inside a task or while other threads run: then everything stays as it is. */
static void unload(void)
{
    if (ws_fini() == EBUSY) {
        wsfj_trace_flush(false);
        if (wsfj_settings.stats)
            wsfj_stats_print();
    }
    wsfj_fault_unload();
}

/* quick_exit() may come from a signal handler: nothing here takes a lock, allocates or stops a thread. */
static void leave_quickly(void)
{
    wsfj_trace_flush(false);
    if (wsfj_runtime_try_enter()) { /* if not, there are no workers, or ws_fini() prints their counters */
        if (wsfj_settings.stats)
            wsfj_stats_print();
        wsfj_runtime_leave();
    }
}

/* The child of a fork has none of the threads: it starts anew at its next use. */
static void forget_in_child(void)
{
    struct wsfj_stack *own = wsfj_strand_own();

    wsfj_call_forget();
    wsfj_inject_reset();
    wsfj_global_forget();
    wsfj_pool_forget(own);
    wsfj_spare_forget();
    wsfj_suspended_forget();
    wsfj_preempt_forget();
    wsfj_poll_forget();
    wsfj_phase_forget();
    wsfj_profile_forget();
    wsfj_mishap_forget();
    wsfj_trace_forget();
    wsfj_stats_reset();
    wsfj_watch_forget();
    if (own) {
        wsfj_orphan_make(own);
        wsfj_team_forget(); /* its worker stays what it was, for statistics nobody reads */
    } else if (load_relaxed(&state) != DOWN) {
        wsfj_team_free();
    }
    store_seq(&state, DOWN);
    store_seq(&users, 0);
}

WSFJ_EXPORT size_t ws_num_workers(void)
{
    return wsfj_runtime_is_up() ? wsfj_num_workers : 0;
}

WSFJ_EXPORT int ws_worker_id(void)
{
    struct wsfj_stack *own = wsfj_strand_own();

    return own && !own->lender ? (int)load_relaxed(&own->worker)->id : -1;
}

/* Of one worker, or of all (SIZE_MAX). */
static int get_stats(size_t worker, struct ws_stats *stats)
{
    int error = 0;

    if (!stats || stats->size < sizeof *stats)
        return EINVAL;

    bool polled = wsfj_poll_inside(); /* on a worker's thread, whose end a stop waits for inside the gate */
    size_t size = stats->size;

    memset(stats, 0, sizeof *stats);
    stats->size = size;
    if (!polled)
        wsfj_gate_lock();
    if (worker == SIZE_MAX)
        wsfj_stats_sum(stats);
    else if (worker < wsfj_num_workers)
        wsfj_stats_add(stats, &wsfj_workers[worker].log);
    else
        error = ERANGE;
    if (!polled)
        wsfj_gate_unlock();
    return error;
}

WSFJ_EXPORT int ws_stats_get(struct ws_stats *stats)
{
    return get_stats(SIZE_MAX, stats);
}

WSFJ_EXPORT int ws_stats_worker(size_t worker, struct ws_stats *stats)
{
    return worker == SIZE_MAX ? ERANGE : get_stats(worker, stats);
}
