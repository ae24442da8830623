/* SPDX-License-Identifier: MIT */
#include "busy.h"

#include "base/atomic.h"
#include "config/settings.h"
#include "idle/cpu_limit.h"
#include "idle/idle_counts.h"
#include "idle/source.h"
#include "idle/preempt.h"
#include "idle/queued.h"
#include "queue/global_queue.h"
#include "queue/root.h"
#include "sched/dispatch.h"
#include "sched/serve.h"
#include "task/pool.h"
#include "task/suspended.h"
#include "worker/awake.h"
#include "worker/workers.h"

#include <string.h>

struct wsfj_worker busy[BUSY];
static struct wsfj_entry entries[BUSY][WSFJ_RUN_QUEUE_SIZE];
struct wsfj_stack *busy_stack, *busy_fresh;
size_t busy_roots;
static void *(*preempter_main)(void *);
static unsigned preempter, ran, wanted;
static bool runs, ends;

int wsfj_thread_make(pthread_t *id, size_t stack, void *(*function_of_it)(void *), void *argument)
{
    (void)stack;
    (void)argument;
    explore_must(!preempter_main, "a second thread is made");
    *id = preempter;
    preempter_main = function_of_it;
    (void)explore_wake(&preempter_main);
    return 0;
}

size_t wsfj_root_length(void)
{
    return busy_roots;
}

struct wsfj_stack *wsfj_pool_take(struct wsfj_cache *cache)
{
    struct wsfj_stack *s = cache == &busy[1].cache ? busy_fresh : NULL;

    busy_fresh = NULL;
    return s;
}

void wsfj_pool_give(struct wsfj_cache *cache, struct wsfj_stack *s)
{
    (void)cache;
    busy_fresh = s;
}

void busy_look(void)
{
    if (runs)
        (void)explore_wake(&runs);
}

/* For programs without poll sources. */
__attribute__((weak)) bool wsfj_source_poll(void)
{
    busy_look();
    return false;
}

void busy_start(unsigned searching, unsigned tasks, unsigned threads)
{
    static unsigned near[BUSY] = {0, 1}, position[BUSY] = {0, 1};
    static struct wsfj_victim_range range[BUSY][WSFJ_TIER_COUNT + 1];
    static const struct wsfj_victim_order order = {
        .n = BUSY, .awake = wsfj_awake_set, .near = near, .position = position, .range = range};

    memset(busy, 0, sizeof busy);
    memset(entries, 0, sizeof entries);
    wsfj_workers = busy;
    wsfj_num_workers = BUSY;
    wsfj_awake_start(near);
    for (unsigned i = 0; i < BUSY; i++) {
        busy[i].id = i;
        busy[i].detached.queue.entries = entries[i];
        busy[i].random = 1;
        range[i][0] = (struct wsfj_victim_range){i, i + 1};
        for (unsigned tier = 1; tier <= WSFJ_TIER_COUNT; tier++)
            range[i][tier] = (struct wsfj_victim_range){0, BUSY};
        busy[i].victims =
            (struct wsfj_victims){.order = &order, .range = range[i], .position = i, .tiers = 1, .last = BUSY};
        wsfj_awake_enter(busy[i].victims.position);
    }
    explore_shared(busy, sizeof busy);
    explore_shared(entries, sizeof entries);
    explore_tick = 1;
    wsfj_settings.poll = NULL;
    busy_stack = explore_stack(0, WSFJ_MODE_NORMAL);
    busy_fresh = explore_stack(1, WSFJ_MODE_NORMAL);
    busy_roots = wsfj_roots = 0;
    preempter_main = NULL;
    preempter = threads - 1;
    ran = 0;
    wanted = tasks;
    runs = ends = false;
    wsfj_serve_begin();
    wsfj_cpu_limit_start(BUSY);
    wsfj_idle_counts_start(searching);
    wsfj_suspended_forget();
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE), "no memory");
    wsfj_preempt_start();
}

void busy_start_preempter(void)
{
    unsigned searching = wsfj_idle_counts().searching;

    wsfj_idle_counts_start(0);
    wsfj_queued(NULL);
    wsfj_idle_counts_start(searching);
}

void busy_has_run(void)
{
    ran++;
    (void)explore_wake(&ran);
}

void busy_wait(unsigned n)
{
    while (ran < n)
        explore_sleep(&ran);
}

void busy_end(void)
{
    ends = true;
    (void)explore_wake(&preempter_main);
    wsfj_preempt_stop();
}

void busy_preempter(void)
{
    while (!preempter_main && !ends)
        explore_sleep(&preempter_main);
    if (preempter_main)
        (void)preempter_main(NULL);
}

void busy_run_queued(struct wsfj_worker *w)
{
    struct wsfj_item it;

    while (wsfj_dispatch_item(w, &it) || wsfj_global_queue_take_fiber(NULL))
        busy_has_run();
}

void busy_work(struct wsfj_worker *w)
{
    wsfj_stack_lives(busy_stack, WSFJ_LIFE_RUNS);
    store_seq(&w->stack, busy_stack);
    while (ran < wanted) {
        if (wsfj_stack_is_asked(busy_stack)) {
            busy_run_queued(w);
            wsfj_stack_lives(busy_stack, WSFJ_LIFE_RUNS);
        }
        engine_pause();
    }
}

void busy_wait_for_poll(void)
{
    runs = true;
    explore_sleep(&runs);
    runs = false;
}
