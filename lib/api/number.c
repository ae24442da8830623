/* SPDX-License-Identifier: MIT */
/* How many workers and slots there are, and which one the calling task has. */
#include "api/local.h"
#include "base/tsan.h"
#include "task/stack.h"
#include "worker/own.h"
#include "worker/use.h"
#include "worker/worker.h"
#include "worker/workers.h"

WSFJ_EXPORT size_t ws_num_workers(void)
{
    return wsfj_use_is_up() ? wsfj_num_workers : 0;
}

WSFJ_EXPORT size_t ws_num_slots(void)
{
    int error = wsfj_use_enter(); /* without a runtime no task has a worker, and the last slot is the only one */
    size_t slots = ws_num_workers() + 1;

    if (!error)
        wsfj_use_leave();
    return slots;
}

WSFJ_EXPORT int ws_worker_id(void)
{
    struct wsfj_stack *own = wsfj_own_served();

    return own ? (int)load_relaxed(&own->worker)->id : -1;
}

/* What the worker's earlier tasks did with its slot comes before what the fiber does with it. */
static WSFJ_COLD void acquire_slot(struct wsfj_stack *own, const struct wsfj_worker *w)
{
    wsfj_tsan_acquire(w);
    own->context.slot = w;
}

/* The fiber is about to use the slot of its worker, which this returns. */
static inline const struct wsfj_worker *takes_slot(struct wsfj_stack *own)
{
    const struct wsfj_worker *w = load_relaxed(&own->worker);

    if (wsfj_tsan_watches())
        acquire_slot(own, w);
    return w;
}

WSFJ_EXPORT size_t ws_slot(void)
{
    struct wsfj_stack *own = wsfj_own_served();

    return own ? takes_slot(own)->id : ws_num_workers();
}

WSFJ_EXPORT void *wsfj_local_here(struct wsfj_local *local)
{
    struct wsfj_stack *own = wsfj_own_served();

    return wsfj_local_of(local, own ? (int)takes_slot(own)->id : -1);
}
