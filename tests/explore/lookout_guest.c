/* SPDX-License-Identifier: MIT */
/*
 * A guest takes the lookout's slot: before the time comes, or between the moment when the lookout has found something and the
 * moment when it wakes a worker for that. Its thread stays the lookout. No other worker sleeps or searches, so the preempter
 * makes the guest give way (PREEMPT-2). Neighbour: lookout.c.
 */
#include "busy.h"
#include "outside.h"

#include "api/guest.h"
#include "base/atomic.h"
#include "base/hooks.h"
#include "idle/outside.h"
#include "idle/park.h"
#include "idle/preempt.h"
#include "worker/awake.h"
#include "worker/stopping.h"
#include "worker/worker.h"
#include "worker/workers.h"

const struct wsfj_hooks wsfj_hooks = {.look_outside = wsfj_outside_look_and_poll};

/* The only worker sleeps; a fiber sleeps until a time that comes. */
static void start(void)
{
    busy_start(0, 1, 3);
    wsfj_num_workers = 1;
    busy[0].park = WSFJ_PARK_ASLEEP;
    for (unsigned i = 0; i < BUSY; i++)
        (void)wsfj_awake_leave(busy[i].victims.position, &busy[i].detached.queue);
    (void)wsfj_idle_counts_fall_asleep(false);
    outside_start();
    (void)outside_sleep(0, OUTSIDE_SOON);
}

static void end(void)
{
    wsfj_park_stop();
    busy_end();
}

/* The worker's own thread. */
static void lookout(void)
{
    wsfj_park_sleep_on(&busy[0]);
    while (!wsfj_stopping()) {
        busy_run_queued(&busy[0]);
        wsfj_park_sleep(&busy[0], true);
    }
}

/* Its root ends when what the lookout has found has run. */
static void guest(void)
{
    struct wsfj_worker *w = wsfj_guest_enter();

    if (w) {
        busy_work(w);
        store_release(&w->stack, NULL);
        wsfj_guest_leave(w);
    } else {
        busy_wait(1);
    }
    end();
}

static const struct explore_mutant guests[] = {
    {"the preempter is not made ready (PREEMPT-2)", "wsfj_preempt_get_ready", "cas", "&wsfj_preempt_state",
     EXPLORE_SKIP, 0},
    {"nobody tells the preempter (PREEMPT-2)", "wsfj_preempt_begin", "cas", "&wsfj_preempt_state", EXPLORE_SKIP, 0},
    {"the lookout hands on what it has found to nobody", "append_fiber_locked", "store", "&wsfj_global_fibers",
     EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"a guest on the lookout's worker", start, {lookout, guest, busy_preempter}, NULL, {1, 0}, {2, 0}, guests},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
