/* SPDX-License-Identifier: MIT */
/*
 * The cold half of a spawn: somebody has lowered the limit, or the deque is long. Neighbours: fastpath.h, which comes
 * here; deque.c, which exposes; park.c, which wakes.
 */
#include "atomic.h"
#include "chaos.h"
#include "deque.h"
#include "park.h"
#include "worker.h"

WSFJ_EXPORT void wsfj_spawn_slow(struct wsfj_head *head, struct wsfj_line *tail)
{
    struct wsfj_stack *own = wsfj_stack_of(head);

    if (load_relaxed(&head->limit) != NULL || head->mode == WSFJ_MODE_PRIVATE)
        return; /* merely long: spawns nested this deep pass here each time; loops stop in wsfj_spawn_full() */

    /* Acquire: whoever lowered the limit counted itself asleep before, and we count the sleepers below. */
    (void)swap_acq_rel(&head->limit, own->soft);
    wsfj_chaos();
    if (!wsfj_deque_expose(own, tail)) {
        store_release(&head->limit, NULL); /* nothing to give, or a thief is at it: the request stays */
        return;
    }

    struct wsfj_worker *w = load_relaxed(&own->worker);

    if (own->lender) {
        wsfj_park_notify(NULL); /* the worker is another thread's now */
        return;
    }
    WSFJ_EVENT(w, answer, 0, load_relaxed(&own->number), (uint32_t)wsfj_deque_length(own), 0);
    wsfj_park_notify(w);
}

extern __typeof__(wsfj_spawn_slow) wsfj_spawn_slow_local
    __attribute__((alias("wsfj_spawn_slow"), visibility("hidden"), used));

#ifdef __x86_64__
/* Inlined code names the doors inside assembly, where the linker does not see them before link-time optimisation: they,
 * and what they call, would come into a static program too late. */
static void (*const doors[])(void) __attribute__((used)) = {wsfj_spawn_thunk, wsfj_loop_thunk, wsfj_sync_thunk};
#endif
