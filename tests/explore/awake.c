/* SPDX-License-Identifier: MIT */
#include "awake.h"

#include "api/guest.h"
#include "base/atomic.h"
#include "config/settings.h"
#include "idle/allowed.h"
#include "idle/cpu_limit.h"
#include "idle/park.h"
#include "idle/wake.h"
#include "sched/serve.h"
#include "worker/awake.h"
#include "worker/stopping.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <string.h>

struct wsfj_worker awake[AWAKE];
static struct wsfj_entry entries[AWAKE][WSFJ_RUN_QUEUE_SIZE];
struct wsfj_thread awake_threads[AWAKE];

uint64_t wsfj_cpu_limit_next = WSFJ_CPU_LIMIT_NEVER;

void wsfj_cpu_limit_check_clock(void)
{
}

unsigned wsfj_allowed_workers = AWAKE;
bool awake_may_wait;

bool wsfj_allowed_crowded(void)
{
    return !awake_may_wait;
}

void wsfj_wake_carry_over(struct wsfj_stack *stack)
{
    (void)stack;
}

void wsfj_wake_notify(struct wsfj_worker *self)
{
    (void)self;
}

void wsfj_wake_found(struct wsfj_worker *self)
{
    (void)self;
}

bool wsfj_park_search(void)
{
    return true;
}

void wsfj_park_sleep(struct wsfj_worker *self, bool was_searching)
{
    (void)self;
    (void)was_searching;
    engine_pause();
}

/* Behind a guest. */
void wsfj_park_sleep_on(struct wsfj_worker *self)
{
    while (load_acquire(&self->park) != WSFJ_PARK_AWAKE)
        engine_pause();
}

bool wsfj_park_begin(struct wsfj_worker *w)
{
    (void)w;
    return !wsfj_stopping();
}

bool wsfj_park_offer(struct wsfj_worker *w)
{
    (void)w;
    return false;
}

void wsfj_park_stop(void)
{
    wsfj_stopping_set(true);
}

/* The worker's own thread has the slot again. */
void wsfj_park_lend(struct wsfj_worker *w)
{
    store_seq(&w->park, WSFJ_PARK_AWAKE);
}

void wsfj_guest_leave(struct wsfj_worker *w)
{
    store_seq(&w->park, WSFJ_PARK_AWAKE);
}

void awake_start(unsigned workers)
{
    static const unsigned near[AWAKE] = {0, 1, 2};
    static const struct wsfj_victim_order order = {.n = AWAKE, .awake = wsfj_awake_set};

    memset(awake, 0, sizeof awake);
    memset(entries, 0, sizeof entries);
    wsfj_workers = awake;
    wsfj_num_workers = workers;
    pools_start();
    explore_tick = 1;
    awake_may_wait = false;
    wsfj_settings.spin_ns = 1; /* a round, a pause with an open mailbox, a round */
    wsfj_serve_begin();
    wsfj_awake_start(near);
    for (unsigned i = 0; i < AWAKE; i++) {
        awake[i].id = i;
        awake[i].detached.queue.entries = entries[i];
        awake[i].victims = (struct wsfj_victims){.order = &order, .position = i, .last = AWAKE}; /* none */
        wsfj_awake_enter(awake[i].victims.position);
    }
    explore_shared(awake, sizeof awake);
    explore_shared(entries, sizeof entries);
}

void awake_serve(void)
{
    unsigned i = explore_self();

    explore_must(wsfj_serve(&awake[i], &awake_threads[i]) == WSFJ_SERVED_IDLE, "a worker ends");
}
