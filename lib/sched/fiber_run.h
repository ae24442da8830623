/* SPDX-License-Identifier: MIT */
/* Inlined where the thread that serves a worker runs a fiber: what comes before the switch to the fiber and after the
 * switch back, for serve.c and guest_root.c. And the fiber's own switch to the thread's loop, for fiber.c and leave.c. */
#ifndef WSFJ_SCHED_FIBER_RUN_H
#define WSFJ_SCHED_FIBER_RUN_H

#include "task/stack.h"
#include "worker/worker.h"

/* The calling thread serves the worker from now on. `thread`: it is the runtime's; NULL: it is a guest's, which runs
 * `first`. */
static inline void wsfj_fiber_run_begin(struct wsfj_server *self, struct wsfj_worker *w, struct wsfj_thread *thread,
                                        struct wsfj_stack *first)
{
    wsfj_context_here(&self->loop);
    self->exceptions = wsfj_exceptions_here();
    self->worker = w;
    self->thread = thread;
    self->tid = 0;
    self->last = first;
    self->lent = false;
    store_relaxed(&w->server, self);
}

/* All threads see from now on that the worker runs the stack. */
static inline void wsfj_fiber_run_show(struct wsfj_worker *w, struct wsfj_stack *s)
{
    store_relaxed(&s->worker, w); /* the store of `stack` publishes it */
    store_seq(&w->stack, s);      /* PARK-3: before the counts are read; BLOCK-2: before its deque leaves the list */
}

/* The worker runs the stack from now on. */
static inline void wsfj_fiber_run_publish(struct wsfj_server *self, struct wsfj_worker *w, struct wsfj_stack *s)
{
    s->wait.alone = self->last == s;
    self->last = s;
    wsfj_fiber_run_show(w, s);
}

/* Runs the fiber until it leaves its stack. Another thread may run it soon after. */
static inline void wsfj_fiber_run_switch(struct wsfj_server *self, struct wsfj_stack *s)
{
    wsfj_tls = &s->deque;
    if (WSFJ_UNLIKELY(self->exceptions)) {
        self->loop_exceptions = wsfj_exceptions_swap(self->exceptions, s->exceptions);
        wsfj_context_switch(&self->loop, &s->context);
        s->exceptions = wsfj_exceptions_swap(self->exceptions, self->loop_exceptions);
    } else {
        wsfj_context_switch(&self->loop, &s->context);
    }
    wsfj_tls = NULL;
}

/* The task is done: the stack may have another one. */
static inline void wsfj_fiber_run_end(struct wsfj_stack *s)
{
    store_relaxed(&s->job.runs, 0u);
    s->exceptions = (struct wsfj_exceptions){NULL, 0}; /* the task may have left a handler by longjmp() */
}

/* Switches to the loop of the thread that serves the fiber's worker. */
static inline void wsfj_fiber_run_leave(struct wsfj_stack *own, wsfj_after_switch *after)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);
    struct wsfj_server *server = load_relaxed(&w->server);

    store_relaxed(&w->after_switch, after);
    wsfj_context_switch(&own->context, &server->loop);
}

#endif
