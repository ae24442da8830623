/* SPDX-License-Identifier: MIT */
#include "blocking/pin.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/debug.h"
#include "base/futex.h"
#include "blocking/blocking.h"
#include "blocking/spare.h"
#include "config/settings.h"
#include "idle/resume.h"
#include "task/stack.h"
#include "worker/own.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <errno.h>

/* Records which thread waits for a slot to run the fiber, for the thread that will find the fiber runnable. */
static void expect_slot(struct wsfj_server *self, struct wsfj_stack *s)
{
    s->pin.server = self;
    store_relaxed(&self->has_slot, 0u);
}

/* Waits until another thread has handed its slot over (PIN-1). */
static void await_slot(struct wsfj_server *self)
{
    /* Acquire: the worker, as its last thread left it. */
    while (!load_acquire(&self->has_slot))
        wsfj_futex_wait(&self->has_slot, 0, NULL);
    self->lent = false;
    if (self->thread)
        wsfj_worker_bind(self->worker);
    else
        store_relaxed(&self->worker->guest, self->tid);
    store_relaxed(&self->worker->server, self);
}

struct wsfj_stack *wsfj_pin_after_switch(struct wsfj_server *self, struct wsfj_stack *s, wsfj_after_switch *after)
{
    struct wsfj_worker *w = self->worker;
    struct wsfj_thread *reserve = s->pin.reserve;

    s->pin.reserve = NULL; /* the thread that hands its slot over will be the next reserve */
    expect_slot(self, s);
    if (after(s)) {
        s->pin.server = NULL;
        s->pin.reserve = reserve;
        return s;
    }
    wsfj_chaos();
    /* Another thread may have handed a slot over already. This thread still has to give its own slot away. */
    wsfj_blocking_give(w, reserve, s);
    await_slot(self);
    return s;
}

void wsfj_pin_return(struct wsfj_server *self, struct wsfj_stack *s)
{
    expect_slot(self, s);
    wsfj_resume_last(s, NULL);
    await_slot(self);
}

enum wsfj_served wsfj_pin_hand_over(struct wsfj_server *self, struct wsfj_stack *s)
{
    struct wsfj_server *to = s->pin.server;
    enum wsfj_served served = WSFJ_SERVED_LENT;

    if (!self->thread) {
        wsfj_resume_last(s, NULL);
        return WSFJ_SERVED_IDLE;
    }
    if (!to->thread) {
        store_seq(&self->worker->park, WSFJ_PARK_GUEST); /* before the guest may leave */
        served = WSFJ_SERVED_BEHIND;
    } else if (!s->pin.reserve) {
        s->pin.reserve = self->thread;
        served = WSFJ_SERVED_KEPT;
    }
    s->pin.server = NULL;
    to->worker = self->worker;
    wsfj_chaos();
    /* PIN-1: this thread's last touch of the worker, the fiber and the fiber's thread. */
    store_release(&to->has_slot, 1u);
    wsfj_futex_wake(&to->has_slot);
    return served;
}

void wsfj_pin_end(struct wsfj_stack *own)
{
    store_relaxed(&own->pin.count, 0u); /* a dump may look */
    if (own->pin.reserve)
        wsfj_spare_give(own->pin.reserve);
    own->pin.reserve = NULL;
}

static int pin(struct wsfj_stack *own)
{
    static uint32_t told;
    struct wsfj_worker *w = load_relaxed(&own->worker);
    const struct wsfj_server *server = own->blocking.lender ? own->blocking.lender : load_relaxed(&w->server);

    own->pin.reserve = server->thread ? wsfj_spare_take() : NULL;
    if (!server->thread || own->pin.reserve)
        return 0; /* a guest needs no spare: the worker's own thread sleeps and can serve it */
    if (!swap_acq_rel(&told, 1u))
        wsfj_say("ws_pin(): no spare thread (WSFJ_SPARES=%zu): the task may resume on another thread",
                 wsfj_settings.max_spares);
    return EAGAIN;
}

WSFJ_EXPORT int ws_pin(void)
{
    struct wsfj_stack *own = wsfj_own_stack();
    int error = 0;

    if (!own)
        return 0; /* a task outside the workers' loops keeps its thread anyway */
    if (own->pin.count == 0)
        error = pin(own);
    if (!error)
        store_relaxed(&own->pin.count, own->pin.count + 1);
    return error;
}

WSFJ_EXPORT void ws_unpin(void)
{
    struct wsfj_stack *own = wsfj_own_stack();

    if (!own)
        return;
    if (own->pin.count == 1)
        wsfj_pin_end(own);
    else if (own->pin.count > 1)
        store_relaxed(&own->pin.count, own->pin.count - 1);
}
