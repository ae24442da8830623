/* SPDX-License-Identifier: MIT */
#include "api/guest.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/fence.h"
#include "base/futex.h"
#include "idle/allowed.h"
#include "idle/idle_counts.h"
#include "idle/lookout.h"
#include "idle/park.h"
#include "idle/preempt.h"
#include "idle/recheck.h"
#include "idle/retire.h"
#include "idle/wake.h"
#include "idle/wake_choice.h"
#include "queue/global_queue.h"
#include "queue/root.h"
#include "task/event.h"
#include "task/suspended.h"
#include "worker/awake.h"
#include "worker/reach.h"
#include "worker/worker.h"
#include "worker/workers.h"

static WSFJ_COLD struct wsfj_worker *left_none_idle(struct wsfj_worker *w)
{
    wsfj_preempt_none_idle();
    return w;
}

/* Takes the worker's slot if it sleeps, and returns it; else NULL. Written so that the usual case saves no registers. */
static inline struct wsfj_worker *take_asleep(struct wsfj_worker *w)
{
    uint32_t park = WSFJ_PARK_ASLEEP;

    if (load_relaxed(&w->park) != park || !cas_seq(&w->park, &park, WSFJ_PARK_GUEST))
        return NULL;
    wsfj_chaos();
    wsfj_awake_enter(w->victims.position); /* PARK-11 */
    /* PREEMPT-2, as wsfj_preempt_fewer_idle(). */
    return WSFJ_UNLIKELY(wsfj_idle_counts_none(wsfj_idle_counts_take_sleeper())) ? left_none_idle(w) : w;
}

/* The same if its thread offers it. */
static struct wsfj_worker *take_offered(struct wsfj_worker *w)
{
    uint32_t park = WSFJ_PARK_OFFERED;

    if (load_relaxed(&w->park) != park || !cas_seq(&w->park, &park, WSFJ_PARK_GUEST))
        return NULL;
    wsfj_chaos();
    WSFJ_EVENT(w, park, 0, 0, 0, 0); /* its thread sleeps when it runs again */
    wsfj_wake_found(w);              /* PARK-8 */
    return w;
}

/* A sleeper near the worker. The counts may not show one yet whose thread has lost its processor: then the region's root is
 * queued, and that thread finds it in its recheck. */
static struct wsfj_worker *take_near(const struct wsfj_worker *near)
{
    struct wsfj_worker *w;

    if (wsfj_idle_counts().sleeping <= 0)
        return NULL;
    while ((w = wsfj_wake_choice(near)) && !take_asleep(w))
        ; /* another thread was faster */
    return w;
}

/* A searcher that offers its slot is in the awake set. A surplus one may offer it for a moment before it retires. */
static struct wsfj_worker *take_any_offered(void)
{
    for (unsigned first = 0; first < wsfj_num_workers; first += WSFJ_BITS) {
        for (uint64_t awake = wsfj_awake_members(first); awake; awake &= awake - 1) {
            struct wsfj_worker *w = &wsfj_workers[wsfj_awake_lowest(first, awake)];

            if (wsfj_allowed_to_run(w->id) && take_offered(w))
                return w;
        }
    }
    return NULL;
}

/* Whether the worker's thread is awake and has nothing to run. A hint. */
static bool searches(const struct wsfj_worker *w)
{
    uint32_t park = load_relaxed(&w->park);

    return (park == WSFJ_PARK_AWAKE || park == WSFJ_PARK_OFFERED) && !load_relaxed(&w->stack);
}

/* No worker may run on the caller's processor. */
static __attribute__((noinline)) struct wsfj_worker *enter_anywhere(void)
{
    struct wsfj_worker *w = take_asleep(&wsfj_workers[0]); /* most often free, and never surplus */

    if (!w)
        w = take_near(&wsfj_workers[0]);
    return w ? w : take_any_offered();
}

/* The worker on the caller's processor does not sleep. */
static __attribute__((noinline)) struct wsfj_worker *enter_beside(struct wsfj_worker *here)
{
    /* As a guest of another worker the caller would share its processor with the thread that searches here for some
     * milliseconds, until the kernel moves one of them. */
    return searches(here) && !wsfj_reach_is_wide(here) ? take_offered(here) : take_near(here);
}

struct wsfj_worker *wsfj_guest_enter(void)
{
    struct wsfj_worker *here = wsfj_worker_here(), *w;

    if (!here || !wsfj_allowed_to_run(here->id))
        return enter_anywhere();
    w = take_asleep(here);
    return WSFJ_UNLIKELY(!w) ? enter_beside(here) : w;
}

/* Whether every worker sleeps, the guest's included, and no fiber is suspended with children. */
static bool all_sleep(struct wsfj_idle_counts now)
{
    return now.searching == 0 && now.sleeping == (int64_t)wsfj_num_workers && wsfj_suspended_count() == 0;
}

/* `now`: the counts at the moment when the guest's worker was counted. */
static __attribute__((noinline)) void leave_with_recheck(struct wsfj_worker *w, struct wsfj_idle_counts now)
{
    wsfj_park_settle_down(w, now);
    wsfj_wake_recheck(); /* PARK-4. PARK-7: reads the counts anew, since the worker may have been retired and recalled */
    if (wsfj_lookout_is_missing())
        wsfj_wake_notify(NULL); /* the same */
    if (!wsfj_heavy_works() && wsfj_recheck_anything_spawns())
        wsfj_futex_wake(&w->park); /* so that its thread sleeps with a time limit from now on */
}

/* Written so that the usual case saves no registers. */
void wsfj_guest_leave(struct wsfj_worker *w)
{
    bool has_tasks = wsfj_awake_leave(w->victims.position, &w->detached.queue); /* PARK-11 */
    struct wsfj_idle_counts now = wsfj_park_fall_asleep(&w->park, false);       /* PARK-4 */

    if (!all_sleep(now) || wsfj_retire_is_due(w->id, &w->park)) {
        leave_with_recheck(w, now);
        return;
    }
    /* PARK-9: only these queues can have tasks that no other thread knows of. */
    if (has_tasks || wsfj_root_pending() || wsfj_global_queue_has_items() || wsfj_global_queue_has_fibers() ||
        wsfj_lookout_is_missing()) /* the worker's thread becomes the lookout when it sleeps again */
        wsfj_wake_notify(NULL);
}
