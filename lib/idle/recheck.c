/* SPDX-License-Identifier: MIT */
#include "idle/recheck.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/fence.h"
#include "base/policy.h"
#include "idle/waiting.h"
#include "queue/root.h"
#include "task/deque.h"
#include "task/suspended.h"
#include "worker/awake.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <time.h>

/* Whether `is` holds for any stack that runs. Calls it for all of them. */
static inline bool any_running(bool is(struct wsfj_stack *))
{
    bool found = false;

    for (unsigned first = 0; first < wsfj_num_workers; first += WSFJ_BITS) {
        for (uint64_t awake = wsfj_awake_members(first); awake; awake &= awake - 1) {
            struct wsfj_stack *s = load_seq(&wsfj_workers[wsfj_awake_lowest(first, awake)].stack);

            if (s && is(s))
                found = true;
        }
    }
    return found;
}

bool wsfj_recheck(void)
{
    bool asked = any_running(wsfj_deque_request);

    asked = wsfj_suspended_ask() || asked; /* BLOCK-2: both walks visit the list after the stacks that run */
    wsfj_chaos();
    /* PARK-2: the store of the limit comes before the load of the tail here, and the owner's store of the tail before
     * its load of the limit (PARK-1). Without the barrier a spawn and a recheck can miss each other. Where a request
     * stands, the recheck that left it executes the barrier, then looks at the tail, too (PARK-10). */
    if (asked && wsfj_heavy_works() && !wsfj_heavy_barrier()) /* refused: after a while the store is visible */
        nanosleep(&(struct timespec){0, wsfj_policy.recheck_blind_ns}, NULL);
    return any_running(wsfj_deque_has_work) || wsfj_suspended_have_work() || wsfj_root_pending() ||
           wsfj_waiting_any(); /* PARK-5 */
}

static bool runs(struct wsfj_stack *s)
{
    return s;
}

bool wsfj_recheck_anything_runs(void)
{
    return any_running(runs);
}

bool wsfj_recheck_anything_spawns(void)
{
    return wsfj_recheck_anything_runs() || wsfj_suspended_count() > 0;
}
