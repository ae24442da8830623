/* SPDX-License-Identifier: MIT */
#include "idle/retire.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "idle/allowed.h"
#include "idle/idle_counts.h"
#include "idle/phase.h"
#include "idle/preempt.h"
#include "idle/wake.h"
#include "worker/worker.h"

/* PARK-7: reads the number, changes the park word, and reads the number again. A thread that changes the number does
 * that before it reads the park words. */
static WSFJ_COLD bool adjust(struct wsfj_worker *w)
{
    bool changed = true, recalled = false;

    while (changed) {
        bool may = wsfj_allowed_to_run(w->id);
        uint32_t wrong = wsfj_retire_wrong(may);

        wsfj_chaos();
        changed = load_seq(&w->park) == wrong && cas_seq(&w->park, &wrong, may ? WSFJ_PARK_ASLEEP : WSFJ_PARK_RETIRED);
        recalled |= changed && may;
        if (changed && may)
            (void)wsfj_idle_counts_fall_asleep(false);
        else if (changed)
            wsfj_preempt_fewer_idle(wsfj_idle_counts_take_sleeper());
    }
    return recalled;
}

bool wsfj_retire_update(struct wsfj_worker *w)
{
    return wsfj_retire_is_due(w->id, &w->park) && adjust(w);
}

void wsfj_retire_change(unsigned from, unsigned to)
{
    bool recalled = false;

    for (unsigned i = from; i < to; i++)
        recalled |= wsfj_retire_update(&wsfj_workers[i]);
    if (recalled && wsfj_phase_on())
        wsfj_wake_rouse();
    else if (recalled)
        wsfj_wake_recheck(); /* PARK-4, PARK-7 */
}
