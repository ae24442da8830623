/* SPDX-License-Identifier: MIT */
#include "sched/team.h"

#include "base/atomic.h"
#include "base/debug.h"
#include "base/futex.h"
#include "blocking/spare.h"
#include "config/settings.h"
#include "idle/allowed.h"
#include "idle/idle_counts.h"
#include "idle/park.h"
#include "sched/serve.h"
#include "task/event.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <string.h>

static unsigned num_threads; /* as many as workers; or 0, with one worker on which nothing runs */

bool wsfj_team_make(const struct wsfj_topology *t, const struct wsfj_placement *l)
{
    if (!wsfj_workers_make(t, l))
        return false;
    wsfj_serve_begin();
    return true;
}

unsigned wsfj_team_recruit(void)
{
    unsigned wanted = wsfj_num_workers;
    int error = 0;

    wsfj_spare_start(wanted + wsfj_settings.max_spares, wsfj_serve);
    num_threads = wsfj_spare_recruit(wsfj_workers, wanted, &error);
    if (num_threads < wanted)
        wsfj_say("WSFJ_NUM_WORKERS: only %u of %u threads could be started (%s)%s", num_threads, wanted,
                 strerror(error), num_threads ? "; going on with those" : "; tasks run on the calling threads only");
    return num_threads;
}

void wsfj_team_start(unsigned num_cpus)
{
    unsigned awake = num_cpus < wsfj_num_workers ? num_cpus : wsfj_num_workers;

    wsfj_allowed_cpus = num_cpus;
    /* These workers count as searching before any of them runs, so that none of the first spawns wakes a worker. */
    wsfj_idle_counts_start(num_threads ? awake : 0);
    /* PARK-4: done before any worker runs; at least one worker begins as a searcher and rechecks before it sleeps. The
     * thread of a sleeper waits at the park word. It needs no wake-up unless it must bind itself. */
    for (unsigned i = awake; i < wsfj_num_workers; i++) {
        WSFJ_COUNT(&wsfj_workers[i], park);
        wsfj_park_lie_down(&wsfj_workers[i], false);
        if (wsfj_workers[i].num_cpus)
            wsfj_futex_wake(&wsfj_workers[i].park);
    }
    for (unsigned i = 0; i < awake; i++) {
        store_release(&wsfj_workers[i].park, (uint32_t)WSFJ_PARK_AWAKE); /* with all that the start has made */
        wsfj_futex_wake(&wsfj_workers[i].park);
    }
}

/* Workers search to the end. If they stayed counted, a short loop would trust the clock that they kept. */
static void forget_counts(void)
{
    wsfj_idle_counts_start(0);
}

void wsfj_team_free(void)
{
    wsfj_workers_free();
    forget_counts();
}

void wsfj_team_join(void)
{
    wsfj_park_stop();
    wsfj_spare_stop();
    wsfj_spare_join();
}

bool wsfj_team_has_threads(void)
{
    return num_threads > 0;
}

void wsfj_team_forget(void)
{
    wsfj_workers_forget();
    forget_counts();
}
