/* SPDX-License-Identifier: MIT */
#include "sched/leave.h"

#include "arch/fpenv.h"
#include "base/hooks.h"
#include "blocking/blocking.h"
#include "blocking/pin.h"
#include "sched/fiber_run.h"
#include "sched/fork_child.h"
#include "task/deque.h"
#include "task/event.h"
#include "task/region.h"
#include "task/suspended.h"

void wsfj_leave_stack(struct wsfj_stack *own, wsfj_after_switch *after)
{
    if (wsfj_stack_is_fork_child(own))
        wsfj_fork_child_stop(false);
    if (wsfj_deque_has_work(own))
        wsfj_suspended_add(own); /* the fiber waits for a group, yields or gives way */
    wsfj_fiber_run_leave(own, after);
    wsfj_stack_lives(own, WSFJ_LIFE_RUNS);
    wsfj_fpenv_set(load_relaxed(&own->job.region)->fpenv); /* swapcontext() restores another one */
}

static struct wsfj_stack *committed(struct wsfj_stack *s)
{
    return s->wait.commit(s, s->wait.arg) ? NULL : s;
}

void wsfj_suspend(struct wsfj_stack *own, bool (*commit)(struct wsfj_stack *, void *), void *arg)
{
    own->wait.commit = commit;
    own->wait.arg = arg;
    wsfj_leave_stack(own, committed);
}

void wsfj_leave_yield(struct wsfj_stack *own, wsfj_after_switch *after)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);

    WSFJ_EVENT(w, yield, 0, load_relaxed(&own->number), 0, load_relaxed(&own->job.runs));
    wsfj_stack_lives(own, WSFJ_LIFE_YIELDED);
    wsfj_leave_stack(own, after);
}

WSFJ_COLD void wsfj_leave_close_open(struct wsfj_stack *own)
{
    if (own->blocking.sections) {
        own->blocking.sections = 0;
        wsfj_blocking_return(own);
    }
    if (own->pin.count)
        wsfj_pin_end(own);
    if (own->blocking.mutexes) {
        wsfj_hooks.ends_locked(own);
        own->blocking.mutexes = 0;
        memset(own->held, 0, sizeof own->held); /* the next task here is not to blame */
    }
}
