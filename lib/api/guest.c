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
#include "idle/retire.h"
#include "queue/global_queue.h"
#include "task/event.h"

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
    wsfj_park_found(w);              /* PARK-8 */
    return w;
}

/* A surplus worker may sleep or offer its slot for a moment before it retires. */
static struct wsfj_worker *take_allowed(struct wsfj_worker *w, struct wsfj_worker *take(struct wsfj_worker *))
{
    return wsfj_cpu_limit_allows(w->id) ? take(w) : NULL;
}

/* A sleeper outside the awake set, at one of these positions. */
static struct wsfj_worker *take_outside(unsigned from, unsigned to)
{
    for (unsigned base = wsfj_bits_base(from); base < to; base += WSFJ_BITS) {
        for (uint64_t outside = wsfj_awake_outside(base, from, to); outside; outside &= outside - 1) {
            struct wsfj_worker *w = take_allowed(&wsfj_workers[wsfj_awake_lowest(base, outside)], take_asleep);

            if (w)
                return w;
        }
    }
    return NULL;
}

/* A sleeper from that position on. The counts may miss one for a moment; then the region's root is queued. */
static struct wsfj_worker *take_any_asleep(unsigned start)
{
    struct wsfj_worker *w = NULL;

    if (wsfj_idle_counts().sleeping <= 0)
        return NULL;
    w = take_outside(start, wsfj_num_workers);
    if (!w)
        w = take_outside(0, start);
    for (unsigned i = 0; i < wsfj_num_workers && !w; i++) /* a sleeper with tasks is in the set */
        w = take_allowed(&wsfj_workers[i], take_asleep);
    return w;
}

static struct wsfj_worker *take_any_offered(void)
{
    struct wsfj_worker *w = NULL;

    if (wsfj_idle_counts().searching == 0)
        return NULL;
    for (unsigned i = 0; i < wsfj_num_workers && !w; i++)
        w = take_allowed(&wsfj_workers[i], take_offered);
    return w;
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
    struct wsfj_worker *w = take_asleep(&wsfj_workers[0]);

    if (!w)
        w = take_any_asleep(0);
    return w ? w : take_any_offered();
}

/* The worker on the caller's processor does not sleep. */
static __attribute__((noinline)) struct wsfj_worker *enter_beside(struct wsfj_worker *here)
{
    /* As a guest of another worker the caller would share its processor with the thread that searches here for some
     * milliseconds, until the kernel moves one of them. */
    return searches(here) ? take_offered(here) : take_any_asleep(here->victims.position);
}

struct wsfj_worker *wsfj_guest_enter(void)
{
    struct wsfj_worker *here = wsfj_team_here(), *w;

    if (!here || !wsfj_cpu_limit_allows(here->id))
        return enter_anywhere();
    w = take_asleep(here);
    return WSFJ_UNLIKELY(!w) ? enter_beside(here) : w;
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

/* `now`: the counts at the moment when the guest's worker was counted. */
static __attribute__((noinline)) void leave_with_recheck(struct wsfj_worker *w, struct wsfj_idle_counts now)
{
    wsfj_park_settle_down(w, now);
    wsfj_park_recheck(); /* PARK-4. PARK-7: by counts that are read after the worker may have been recalled */
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
    if (has_tasks || wsfj_root_pending() || wsfj_global_queue_has_items() || wsfj_global_queue_has_fibers())
        wsfj_park_notify(NULL);
}
