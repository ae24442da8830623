/* SPDX-License-Identifier: MIT */
#include "runtime/runtime.h"

#include "base/chaos.h"
#include "base/failpoint.h"
#include "base/thread.h"
#include "blocking/spare.h"
#include "config/settings.h"
#include "idle/phase.h"
#include "idle/outside.h"
#include "idle/source.h"
#include "idle/preempt.h"
#include "idle/wake.h"
#include "observe/busy.h"
#include "observe/monitor.h"
#include "observe/stats.h"
#include "observe/trace.h"
#include "profile/profile.h"
#include "queue/global_queue.h"
#include "queue/root.h"
#include "runtime/callers.h"
#include "runtime/init_lock.h"
#include "runtime/start.h"
#include "sched/fork_child.h"
#include "sched/team.h"
#include "signals/stack_overflow.h"
#include "task/pool.h"
#include "task/suspended.h"
#include "wait/descriptor.h"
#include "worker/between_tasks.h"
#include "worker/items.h"
#include "worker/own.h"
#include "worker/team_cpus.h"
#include "worker/use.h"

#include <errno.h>
#include <string.h>

static void unload(void), leave_quickly(void);
static void forget_in_child(void);

static int start(const ws_config *config)
{
    int error;

    wsfj_failpoint_start();
    /* Without the fork handler, the child of a fork would wait for workers that it does not have. */
    if (!wsfj_init_at_fork(wsfj_pool_hold, wsfj_pool_release, forget_in_child) ||
        !wsfj_init_at_exit(unload, leave_quickly))
        return ENOMEM;
    error = wsfj_start(config);
    if (error)
        return error;
    wsfj_use_become(WSFJ_UP);
    if (wsfj_settings.poll)
        wsfj_wake_rouse(); /* a worker must begin to poll */
    return 0;
}

static void stop_locked(void)
{
    wsfj_monitor_stop();
    wsfj_team_join();
    wsfj_preempt_stop();
    (void)wsfj_source_poll(); /* rests: the runtime is not up */
    wsfj_trace_stop();
    if (wsfj_settings.stats)
        wsfj_stats_print();
    wsfj_overflow_stop();
    wsfj_descriptor_close();
    wsfj_global_queue_stop();
    wsfj_pool_stop();
    wsfj_team_free();
}

int wsfj_runtime_enter(void)
{
    int error = 0;

    if (wsfj_between_tasks())
        return EDEADLK;
    wsfj_init_lock();
    if (wsfj_use_state() == WSFJ_DOWN)
        error = start(NULL);
    if (!error)
        wsfj_use_add();
    wsfj_init_unlock();
    return error;
}

WSFJ_EXPORT int ws_init(const ws_config *config)
{
    int error;

    if (wsfj_self() || wsfj_between_tasks())
        return EDEADLK;
    wsfj_use_call();
    wsfj_init_lock();
    error = wsfj_use_state() != WSFJ_DOWN ? EALREADY : start(config);
    wsfj_init_unlock();
    return error;
}

WSFJ_EXPORT int ws_fini(void)
{
    int error = 0;

    if (wsfj_between_tasks())
        return EDEADLK;
    if (wsfj_self() && ws_worker_id() >= 0) {
        wsfj_busy_say_caller();
        return EBUSY;
    }
    wsfj_init_lock();
    if (wsfj_use_state() != WSFJ_DOWN) {
        wsfj_use_become(WSFJ_CLOSING);
        wsfj_chaos();
        if (wsfj_use_any() || wsfj_items_busy()) {
            wsfj_use_become(WSFJ_UP);
            error = EBUSY;
            wsfj_busy_say();
        } else {
            wsfj_use_become(WSFJ_DOWN);
            stop_locked();
        }
    }
    wsfj_init_unlock();
    return error;
}

/* If exit() is called inside a task or on a thread of the runtime, or while other threads run tasks, nothing is stopped
 * or freed. */
static void unload(void)
{
    if (ws_fini() != 0) {
        wsfj_trace_flush(false);
        if (wsfj_settings.stats)
            wsfj_stats_print();
    } else {
        wsfj_callers_unload();
    }
    wsfj_overflow_unload();
}

/* quick_exit() may be called from a signal handler: takes no lock, allocates nothing, stops no thread. */
static void leave_quickly(void)
{
    wsfj_trace_flush(false);
    if (wsfj_use_try_enter()) { /* if it fails, there are no workers, or ws_fini() prints their counters */
        if (wsfj_settings.stats)
            wsfj_stats_print();
        wsfj_use_leave();
    }
}

/* The child of a fork has none of the threads: its next use starts the runtime anew. */
static void forget_in_child(void)
{
    struct wsfj_stack *own = wsfj_own_stack();

    wsfj_team_unbind_child();
    wsfj_root_reset();
    wsfj_outside_forget();
    wsfj_thread_forget();
    wsfj_global_queue_forget();
    wsfj_pool_forget(own);
    wsfj_spare_forget();
    wsfj_suspended_forget();
    wsfj_phase_forget();
    wsfj_profile_forget();
    wsfj_failpoint_forget();
    wsfj_trace_forget();
    wsfj_stats_reset();
    wsfj_monitor_forget();
    if (own) {
        wsfj_fork_child_make(own);
        wsfj_team_forget(); /* its worker is kept: the fiber still counts into its log */
    } else if (wsfj_use_state() != WSFJ_DOWN) {
        wsfj_team_free();
    }
    wsfj_use_forget();
    wsfj_start_restore_signals();
    wsfj_callers_forget(); /* last: the thread counts as the library's no longer */
}

/* The counters of one worker, or (NULL) of all. */
static int get_stats(const size_t *worker, struct ws_stats *stats)
{
    int error = 0;

    if (!stats || stats->size < sizeof *stats)
        return EINVAL;

    bool lock = !wsfj_between_tasks(); /* a stop waits for such a thread, and frees no worker before its end */
    size_t size = stats->size;

    memset(stats, 0, sizeof *stats);
    stats->size = size;
    if (lock)
        wsfj_init_lock();
    if (!worker)
        wsfj_stats_sum(stats);
    else if (!wsfj_stats_of(*worker, stats))
        error = ERANGE;
    if (lock)
        wsfj_init_unlock();
    return error;
}

WSFJ_EXPORT int ws_stats_get(struct ws_stats *stats)
{
    return get_stats(NULL, stats);
}

WSFJ_EXPORT int ws_stats_worker(size_t worker, struct ws_stats *stats)
{
    return get_stats(&worker, stats);
}
