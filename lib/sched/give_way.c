/* SPDX-License-Identifier: MIT */
#include "sched/give_way.h"

#include "base/atomic.h"
#include "idle/resume.h"
#include "sched/dispatch.h"
#include "sched/leave.h"
#include "task/stack.h"
#include "worker/worker.h"

/* After the switch: the worker runs what waits, or the fiber again if nothing does. */
static struct wsfj_stack *run_instead(struct wsfj_stack *s)
{
    struct wsfj_worker *w = load_relaxed(&s->worker);
    bool free = !s->pin.count && load_relaxed(&w->server)->thread; /* neither pinned nor a guest's: may run others */
    struct wsfj_stack *instead = free ? wsfj_dispatch_anything(w) : NULL;

    if (free && !instead)
        return s;
    wsfj_resume_last(s, NULL);
    return instead;
}

void wsfj_give_way(struct wsfj_stack *own)
{
    wsfj_leave_yield(own, run_instead);
}
