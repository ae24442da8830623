/* SPDX-License-Identifier: MIT */
#include "api/guest.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/fence.h"
#include "base/futex.h"
#include "core/preempt.h"
#include "core/team.h"
#include "core/worker.h"
#include "idle/idle_counts.h"
#include "idle/park.h"
#include "idle/recheck.h"

struct wsfj_worker *wsfj_guest_enter(const struct wsfj_worker *here)
{
    unsigned start = here ? here->id : 0, n = wsfj_num_workers;

    for (unsigned i = 0; i < n; i++) {
        struct wsfj_worker *w = &wsfj_workers[(start + i) % n];
        uint32_t asleep = WSFJ_PARK_ASLEEP;

        if (load_relaxed(&w->park) == WSFJ_PARK_ASLEEP && cas_seq(&w->park, &asleep, WSFJ_PARK_GUEST)) {
            wsfj_chaos();
            wsfj_preempt_fewer_idle(wsfj_idle_counts_take_sleeper());
            return w;
        }
    }
    return NULL;
}

void wsfj_guest_lend(struct wsfj_worker *w)
{
    wsfj_idle_counts_add_searcher();
    store_seq(&w->park, WSFJ_PARK_AWAKE);
    wsfj_futex_wake(&w->park);
}

void wsfj_guest_leave(struct wsfj_worker *w)
{
    wsfj_park_lie_down(w, false);
    wsfj_park_recheck(); /* PARK-4 */
    if (!wsfj_heavy_works() && wsfj_recheck_anything_spawns())
        wsfj_futex_wake(&w->park); /* so that its thread sleeps with a time limit from now on */
}
