/* SPDX-License-Identifier: MIT */
#include "idle/queued.h"

#include "idle/wake.h"

void wsfj_queued(struct wsfj_worker *self)
{
    struct wsfj_idle_counts now;

    wsfj_preempt_get_ready(); /* before the counts are read: the last idle worker changes the counts, then reads the state */
    now = wsfj_idle_counts(); /* PARK-5 */
    if (now.sleeping > 0)
        wsfj_wake_notify(self);
    else if (now.searching == 0)
        wsfj_preempt_begin();
}
