/* SPDX-License-Identifier: MIT */
/*
 * A searcher offers its slot while it lets other threads run, and guests take the slot (PARK-8). One thread at a time
 * has the slot, with all that the last one has left there, and no work waits while a worker sleeps.
 */
#include "crew.h"

#include "api/guest.h"
#include "base/atomic.h"
#include "idle/idle_counts.h"
#include "idle/park.h"
#include "idle/wake.h"
#include "queue/global_queue.h"
#include "worker/awake.h"
#include "worker/stopping.h"
#include "worker/worker.h"
#include "worker/workers.h"

static void function(void *arg)
{
    (void)arg;
}

static const struct wsfj_item item = {function, NULL, NULL};

static size_t guests; /* the runtime stops after so many have left */

/* All threads run on the processor of worker 1. */
struct wsfj_worker *wsfj_worker_here(void)
{
    return &crew[1];
}

/* Worker 1 searches. Worker 0 is a guest's all the time. */
static void start_two(void)
{
    crew_start(2, 1);
    crew[0].park = WSFJ_PARK_GUEST;
    guests = 2;
}

/* The same, and worker 2 sleeps. There is work; the thread that has made it known has seen that worker 1 searches. */
static void start_late(void)
{
    crew_start(3, 2);
    crew[0].park = WSFJ_PARK_GUEST;
    guests = 1;
    wsfj_idle_counts_fall_asleep(true);
    crew[2].park = WSFJ_PARK_ASLEEP;
    (void)wsfj_awake_leave(crew[2].victims.position, &crew[2].detached.queue);
    (void)wsfj_global_queue_put(item, false);
}

/* The caller has the slot: a plain access, which is a race if another thread has it, too. */
static void use(struct wsfj_worker *w)
{
    w->random++;
}

/* A guest leaves. */
static void leave(struct wsfj_worker *w)
{
    if (w) {
        use(w);
        wsfj_guest_leave(w);
    }
    if (sub_acq_rel(&guests, 1) == 1)
        wsfj_park_stop();
}

static void guest(void)
{
    struct wsfj_worker *w = wsfj_guest_enter();

    if (w)
        use(w);
    engine_pause();
    leave(w);
}

/* Its region ends when another thread has taken the work. */
static void long_guest(void)
{
    struct wsfj_worker *w = wsfj_guest_enter();

    crew_wait(1);
    leave(w);
}

/* Searches, offers and sleeps until it has taken the work or the runtime stops. */
static void search(struct wsfj_worker *w, bool offers)
{
    struct wsfj_item taken;

    while (!wsfj_stopping()) {
        if (offers) {
            use(w);
            (void)wsfj_park_offer(w);
            use(w);
        }
        if (wsfj_global_queue_take(&taken, 1, 1)) {
            wsfj_wake_found(w);
            crew_take();
            return;
        }
        wsfj_park_sleep(w, true);
        offers = false;
        engine_pause();
    }
}

static void offerer(void)
{
    search(&crew[1], true);
}

static void sleeper(void)
{
    wsfj_park_sleep_on(&crew[2]);
    search(&crew[2], false);
}

static void submitter(void)
{
    (void)wsfj_global_queue_put(item, false);
    wsfj_wake_notify(NULL);
    crew_wait(1);
}

/* Worker 1 has taken the task: it has ended its last search and sleep. */
static void counts_are_right(void)
{
    struct wsfj_idle_counts now = wsfj_idle_counts();

    explore_must(now.searching == 0 && now.sleeping == 0, "wrong counts");
}

static const struct explore_mutant offers[] = {
    {"a guest takes an offered slot in two steps (PARK-8)", "take_offered", "cas", "&w->park", EXPLORE_SPLIT, 0},
    {"an offer ends in two steps (PARK-8)", "wsfj_park_offer", "cas", "&self->park", EXPLORE_SPLIT, 0},
    {"an offer is published relaxed (PARK-8)", "wsfj_park_offer", "store", "&self->park", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"a guest takes an offered slot relaxed (PARK-8)", "take_offered", "cas", "&w->park", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"a worker goes on without its slot (PARK-8)", "wsfj_park_sleep_on", "load", "&self->park", EXPLORE_VALUE,
     WSFJ_PARK_AWAKE},
    {NULL}};

static const struct explore_mutant submits[] = {{"a searcher whose slot is taken stays counted (PARK-8)",
                                                 "wsfj_idle_counts_remove_searcher", "add", "&wsfj_idle_state",
                                                 EXPLORE_SKIP, 0},
                                                {NULL}};

static const struct explore_mutant late[] = {{"a guest wakes no worker in place of the searcher (PARK-8)",
                                              "wsfj_idle_counts_claim_searcher", "load", "&wsfj_idle_state",
                                              EXPLORE_VALUE, 0},
                                             {NULL}};

static const struct explore_program programs[] = {
    {"an offer and two guests", start_two, {offerer, guest, guest}, NULL, {2, 1}, {3, 2}, offers},
    {"a submit, an offer and a guest", start_two, {submitter, offerer, guest}, counts_are_right, {1, 1}, {3, 2}, submits},
    {"an offer that a submitter has relied on", start_late, {long_guest, offerer, sleeper}, NULL, {1, 1}, {3, 2}, late},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
