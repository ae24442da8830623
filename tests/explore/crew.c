/* SPDX-License-Identifier: MIT */
#include "crew.h"

#include "base/fence.h"
#include "config/settings.h"
#include "idle/cpu_limit.h"
#include "idle/idle_counts.h"
#include "idle/park.h"
#include "idle/wake.h"
#include "queue/global_queue.h"
#include "sched/fiber.h"
#include "sched/serve.h"
#include "worker/awake.h"
#include "worker/stopping.h"
#include "worker/workers.h"

#include <string.h>

struct wsfj_worker crew[CREW];
static struct wsfj_entry entries[CREW][WSFJ_RUN_QUEUE_SIZE];
struct wsfj_stack *crew_stack;
static unsigned taken;

void crew_start(unsigned n, unsigned searching)
{
    static unsigned near[CREW], position[CREW];
    static struct wsfj_victim_range range[CREW][WSFJ_TIER_COUNT + 1];
    static struct wsfj_victim_order order = {
        .awake = wsfj_awake_set, .near = near, .position = position, .range = range};

    taken = 0;
    memset(crew, 0, sizeof crew);
    memset(entries, 0, sizeof entries);
    wsfj_workers = crew;
    wsfj_num_workers = n;
    explore_tick = 1;
    wsfj_settings.spin_ns = 0; /* each search is one round */
    (void)wsfj_heavy_start(true);
    wsfj_fiber_start();
    wsfj_serve_begin();
    wsfj_cpu_limit_start(n);
    wsfj_idle_counts_start(searching);
    wsfj_awake_start(near);
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE), "no memory");
    order.n = n;
    for (unsigned i = 0; i < n; i++) {
        unsigned at = n - 1 - i; /* so that an id in place of a position is noticed */

        crew[i].id = i;
        crew[i].detached.queue.entries = entries[i];
        near[at] = i;
        position[i] = at;
        range[at][0] = (struct wsfj_victim_range){at, at + 1};
        for (unsigned tier = 1; tier <= WSFJ_TIER_COUNT; tier++)
            range[at][tier] = (struct wsfj_victim_range){0, n};
        crew[i].victims =
            (struct wsfj_victims){.order = &order, .range = range[at], .position = at, .tiers = n > 1, .last = n};
        wsfj_awake_enter(crew[i].victims.position);
    }
    crew_stack = explore_stack(0, WSFJ_MODE_NORMAL);
    crew_stack->worker = &crew[0];
    explore_shared(crew, sizeof crew);
    explore_shared(entries, sizeof entries);
}

void crew_take(void)
{
    taken++;
    (void)explore_wake(&taken);
}

void crew_search(struct wsfj_worker *w, bool (*take)(struct wsfj_worker *))
{
    while (!wsfj_stopping()) {
        if (take(w)) {
            wsfj_wake_found(w);
            crew_take();
            return;
        }
        wsfj_park_sleep(w, true);
        engine_pause();
    }
}

void crew_wait(unsigned n)
{
    while (taken < n)
        explore_sleep(&taken);
}
