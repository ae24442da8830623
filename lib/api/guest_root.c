/* SPDX-License-Identifier: MIT */
#include "api/guest_root.h"

#include "api/guest.h"
#include "base/atomic.h"
#include "base/thread.h"
#include "config/settings.h"
#include "idle/wake.h"
#include "sched/fiber_run.h"
#include "sched/serve.h"

static bool watched; /* by a trace, dumps, a poll function or WSFJ_DISPLAY; constant while the runtime runs */

void wsfj_guest_root_begin(void)
{
    watched = wsfj_settings.trace || wsfj_settings.dump_signal || wsfj_settings.poll || wsfj_settings.display;
}

/* Runs the root. True if it has ended, without having left its stack. */
static inline bool run_root(struct wsfj_server *self, struct wsfj_worker *w, struct wsfj_stack *s)
{
    wsfj_fiber_run_show(w, s);
    if (load_relaxed(&s->deque.wsfj_limit))
        wsfj_wake_carry_over(s); /* PARK-3 */
    WSFJ_PROBE(region_begin, w->id, 0, s->number, 0, 0);
    WSFJ_PROBE(task_begin, w->id, 0, s->number, load_relaxed(&s->job.name), 0);
    store_relaxed(&s->job.runs, 1u);
    wsfj_fiber_run_switch(self, s);
    if (load_relaxed(&self->lent) || load_relaxed(&w->after_switch))
        return false;
    store_relaxed(&w->stack, NULL);
    WSFJ_COUNT(w, region_end);
    WSFJ_PROBE(region_end, w->id, 0, s->number, 0, 0);
    WSFJ_PROBE(task_end, w->id, 0, s->number, 0, 0);
    wsfj_fiber_run_end(s);
    wsfj_pool_share(s);
    return true;
}

/* The guest leaves. Until another thread serves the worker, no thread could take the stacks in its cache. */
static inline void leave(struct wsfj_worker *w)
{
    wsfj_pool_flush(&w->cache);
    wsfj_guest_leave(w);
}

/* The root runs in the loop, or goes on there if it `has_left` its stack before its end. */
static __attribute__((noinline)) enum wsfj_served serve_on(struct wsfj_server *self, struct wsfj_stack *root,
                                                           bool has_left)
{
    enum wsfj_served served = wsfj_serve_loop(self, root, has_left, load_relaxed(&root->job.region));

    if (served != WSFJ_SERVED_LENT)
        leave(self->worker);
    return served;
}

static __attribute__((noinline)) enum wsfj_served serve_watched(struct wsfj_server *self, struct wsfj_stack *root)
{
    /* A dump may ask the thread for its frames, and ws_fini() may name it. */
    self->tid = wsfj_settings.dump_signal || wsfj_settings.display ? wsfj_thread_id() : 0;
    store_relaxed(&self->worker->guest, self->tid);
    return serve_on(self, root, false);
}

enum wsfj_served wsfj_guest_root_run(struct wsfj_worker *w, struct wsfj_stack *root)
{
    struct wsfj_server self;

    wsfj_fiber_run_begin(&self, w, NULL, root);
    if (watched)
        return serve_watched(&self, root);
    if (!run_root(&self, w, root))
        return serve_on(&self, root, true);
    leave(w);
    return WSFJ_SERVED_DONE;
}
