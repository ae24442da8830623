/* SPDX-License-Identifier: MIT */
#include "sched/search.h"

#include "arch/ticks.h"
#include "base/atomic.h"
#include "base/policy.h"
#include "idle/allowed.h"
#include "idle/cpu_limit.h"
#include "idle/idle_counts.h"
#include "idle/loop_clock.h"
#include "idle/lookout.h"
#include "idle/outside.h"
#include "idle/park.h"
#include "idle/phase.h"
#include "idle/source.h"
#include "idle/waiting.h"
#include "queue/global_queue.h"
#include "sched/dispatch.h"
#include "sched/steal.h"
#include "task/pool.h"
#include "task/region.h"
#include "worker/mailbox.h"
#include "worker/reach.h"
#include "worker/stopping.h"
#include "worker/use.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <sched.h>

/* Between two rounds a thief pauses 2^this times at most (policy.h says why). */
static unsigned longest_pause(void)
{
    unsigned longest = wsfj_policy.pause_least;

    while (longest < wsfj_policy.pause_most && 2u << (longest - wsfj_policy.pause_least) < wsfj_num_workers)
        longest++;
    return longest;
}

/* A poll source is to be asked in each round, and no other worker searches. This one goes on: to fall asleep, to ask as the
 * lookout and to wake up would take longer than many a wait. */
static bool asks_alone(uint64_t now)
{
    return wsfj_source_first() <= now && wsfj_idle_counts().searching == 1;
}

struct wsfj_stack *wsfj_search(struct wsfj_server *self, struct wsfj_region *guest, uint64_t patience)
{
    struct wsfj_worker *w = self->worker;
    uint64_t start = 0; /* 0: this is the first round */
    unsigned longest = longest_pause();
    const unsigned polite = wsfj_policy.polite_rounds;

    WSFJ_EVENT(w, search, 0, 0, 0, 0);

    for (unsigned round = 0;; round++) {
        struct wsfj_stack *s;
        uint64_t now;

        if (round % polite == 0)
            wsfj_cpu_limit_check();
        if (!guest && !wsfj_allowed_to_run(w->id))
            return NULL;
        /* A guest may not run what waits in the queues, and its own region may wait for it. So the guest leaves the
         * slot to the worker's own thread, which also runs fibers of the region that have yielded. */
        if (guest && wsfj_waiting_others(guest))
            return NULL;
        s = guest ? wsfj_global_queue_take_fiber(guest) : wsfj_dispatch(w, false);
        if (!s)
            s = wsfj_steal(w, guest);
        if (s) {
            if (!guest && w->reach.look_at)
                wsfj_reach_check(w, wsfj_coarse_now());
            return s;
        }
        if (wsfj_lookout_has_to() && wsfj_outside_try_look(w)) {
            store_relaxed(&w->outside, 0u);
            continue;
        }
        now = wsfj_now(); /* behind the look for work, which need not wait for the clock */
        wsfj_loop_show_time(now);
        if (!guest && w->reach.look_at)
            wsfj_reach_check(w, now);
        if (start == 0)
            start = now - 1; /* the first round took some time: without patience it is the only one */
        if (guest ? load_acquire(&guest->state) != WSFJ_REGION_RUNS : wsfj_stopping())
            return NULL;
        if (wsfj_phase_hot() ? !wsfj_use_any() : now - start > patience) {
            if (guest || (!wsfj_source_poll() && !asks_alone(now)))
                return NULL;
            round = 0;
            start = wsfj_now();
        }
        if (round >= polite && round % wsfj_policy.offer_every == 0) {
            wsfj_pool_flush(&w->cache); /* others may need the stacks, and a patience may be without end */
            if (guest) {
                sched_yield(); /* its region runs on: no other guest may have the slot */
            } else if (wsfj_park_offer(w)) {
                store_relaxed(&w->server, self);
                round = 0;
                start = wsfj_now();
            }
        }
        s = wsfj_mailbox_pause(w, guest, 1u << (round < longest ? round : longest));
        if (s)
            return s;
    }
}
