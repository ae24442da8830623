/* SPDX-License-Identifier: MIT */
#include "api/guest.h"

#include "api/run.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "base/fence.h"
#include "base/futex.h"
#include "core/preempt.h"
#include "core/suspended.h"
#include "core/team.h"
#include "core/worker.h"
#include "idle/awake.h"
#include "idle/cpu_limit.h"
#include "idle/idle_counts.h"
#include "idle/park.h"
#include "idle/recheck.h"
#include "queue/global_queue.h"
#include "task/event.h"

/* Takes the worker's slot if its park word says `from`, which is ASLEEP or OFFERED. */
static inline bool take(struct wsfj_worker *w, uint32_t from)
{
    uint32_t park = from;

    if (load_relaxed(&w->park) != from || !cas_seq(&w->park, &park, WSFJ_PARK_GUEST))
        return false;
    wsfj_chaos();
    if (from == WSFJ_PARK_ASLEEP) {
        wsfj_awake_enter(w->id); /* PARK-11 */
        wsfj_preempt_fewer_idle(wsfj_idle_counts_take_sleeper());
    } else {
        WSFJ_EVENT(w, park, 0, 0, 0, 0); /* its thread sleeps when it runs again */
        wsfj_park_found(w);              /* PARK-8 */
    }
    return true;
}

static struct wsfj_worker *take_any(unsigned start, uint32_t from)
{
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        struct wsfj_worker *w = &wsfj_workers[(start + i) % wsfj_num_workers];

        /* A surplus worker may offer its slot for a moment before it retires. */
        if (wsfj_cpu_limit_allows(w->id) && take(w, from))
            return w;
    }
    return NULL;
}

/* Whether the worker's thread is awake and has nothing to run. A hint. */
static bool searches(const struct wsfj_worker *w)
{
    uint32_t park = load_relaxed(&w->park);

    return (park == WSFJ_PARK_AWAKE || park == WSFJ_PARK_OFFERED) && !load_relaxed(&w->stack);
}

struct wsfj_worker *wsfj_guest_enter(void)
{
    struct wsfj_worker *here = wsfj_team_here(), *w;

    if (!here || !wsfj_cpu_limit_allows(here->id)) {
        w = take_any(0, WSFJ_PARK_ASLEEP);
        return w ? w : take_any(0, WSFJ_PARK_OFFERED);
    }
    if (take(here, WSFJ_PARK_ASLEEP))
        return here;
    /* As a guest of another worker the caller would share its processor with the thread that searches here for some
     * milliseconds, until the kernel moves one of them. */
    if (searches(here))
        return take(here, WSFJ_PARK_OFFERED) ? here : NULL;
    return take_any(here->id, WSFJ_PARK_ASLEEP);
}

void wsfj_guest_lend(struct wsfj_worker *w)
{
    wsfj_idle_counts_add_searcher();
    store_seq(&w->park, WSFJ_PARK_AWAKE);
    wsfj_futex_wake(&w->park);
}

/* Whether every worker sleeps, the guest's included, and no fiber is suspended with children. */
static bool all_sleep(struct wsfj_idle_counts now)
{
    return now.searching == 0 && now.sleeping == (int64_t)wsfj_num_workers && wsfj_suspended_count() == 0;
}

void wsfj_guest_leave(struct wsfj_worker *w)
{
    bool has_tasks = wsfj_awake_leave(w->id, &w->detached.queue); /* PARK-11 */
    struct wsfj_idle_counts now = wsfj_park_lie_down(w, false);

    if (all_sleep(now)) { /* PARK-9: only these queues can have tasks that no other thread knows of */
        if (has_tasks || wsfj_root_pending() || wsfj_global_queue_has_items() || wsfj_global_queue_has_fibers())
            wsfj_park_notify(NULL);
        return;
    }
    wsfj_park_recheck(); /* PARK-4 */
    if (!wsfj_heavy_works() && wsfj_recheck_anything_spawns())
        wsfj_futex_wake(&w->park); /* so that its thread sleeps with a time limit from now on */
}
