/* SPDX-License-Identifier: MIT */
#include "idle/waiting.h"

#include "queue/global_queue.h"
#include "queue/root.h"
#include "worker/awake.h"
#include "worker/worker.h"
#include "worker/workers.h"

bool wsfj_waiting_any(void)
{
    return wsfj_global_queue_has_fibers() || wsfj_waiting_items();
}

bool wsfj_waiting_items(void)
{
    if (wsfj_global_queue_has_items())
        return true;
    for (unsigned first = 0; first < wsfj_num_workers; first += WSFJ_BITS) {
        for (uint64_t awake = wsfj_awake_members(first); awake; awake &= awake - 1)
            if (wsfj_run_queue_pending(&wsfj_workers[wsfj_awake_lowest(first, awake)].detached.queue))
                return true;
    }
    return false;
}

bool wsfj_waiting_others(const struct wsfj_region *guest)
{
    return wsfj_waiting_items() || wsfj_root_pending() || wsfj_global_queue_has_others(guest);
}
