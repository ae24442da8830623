/* SPDX-License-Identifier: MIT */
#include "idle/resume.h"

#include "base/atomic.h"
#include "idle/queued.h"
#include "queue/global_queue.h"
#include "queue/run_queue.h"
#include "task/event.h"
#include "task/stack.h"
#include "worker/mailbox.h"
#include "worker/own.h"
#include "worker/worker.h"

void wsfj_resume_last(struct wsfj_stack *s, struct wsfj_worker *self)
{
    wsfj_global_queue_put_fiber(s);
    wsfj_queued(self);
}

/* The worker whose run queue the caller may fill: it serves the calling task by a thread of the runtime. Else NULL: a guest
 * leaves what lies in the run queue to others, and itself takes fibers of the global queue. */
static struct wsfj_worker *own_worker(void)
{
    const struct wsfj_stack *own = wsfj_own_served();
    struct wsfj_worker *w = own ? load_relaxed(&own->worker) : NULL;

    return w && load_relaxed(&w->server)->thread ? w : NULL;
}

void wsfj_resume(struct wsfj_stack *s)
{
    struct wsfj_worker *w = own_worker();

    if (!w) {
        WSFJ_FOREIGN(runnable, 0, load_relaxed(&s->number), 0, load_relaxed(&s->job.runs));
        wsfj_resume_last(s, NULL);
        return;
    }
    WSFJ_EVENT(w, runnable, 0, load_relaxed(&s->number), 0, load_relaxed(&s->job.runs));
    if (load_relaxed(&s->worker) != w && wsfj_mailbox_send(s))
        return;
    if (wsfj_run_queue_is_full(&w->detached.queue)) {
        wsfj_resume_last(s, w);
        return;
    }
    wsfj_run_queue_put_next(&w->detached.queue, NULL, s, WSFJ_ITEM_FIBER);
    if (wsfj_queued_must_tell())
        wsfj_queued(w);
}

void wsfj_resume_all(struct wsfj_stack *first)
{
    while (first) {
        struct wsfj_stack *next = first->pool.next; /* the fiber may run at once */

        wsfj_resume(first);
        first = next;
    }
}

struct wsfj_stack *wsfj_resume_others(struct wsfj_stack *first)
{
    if (first)
        wsfj_resume_all(first->pool.next);
    return first;
}
