/* SPDX-License-Identifier: MIT */
#include "groups.h"

#include "base/atomic.h"
#include "idle/park.h"
#include "queue/global_queue.h"
#include "queue/group.h"
#include "sched/load.h"
#include "sched/steal.h"
#include "task/item.h"
#include "task/pool.h"
#include "wait/table.h"
#include "worker/items.h"
#include "worker/own.h"
#include "worker/use.h"
#include "worker/workers.h"

#include <string.h>

ws_group groups_outer, groups_inner;
unsigned groups_results[TASKS], groups_waiters;
unsigned groups_counted;
static unsigned went_on;
bool groups_again, groups_stays, groups_told;

/* As try_run_queue() in steal.c: what waits in another worker's queue. */
struct wsfj_stack *wsfj_steal(struct wsfj_worker *w, const struct wsfj_region *only)
{
    struct wsfj_run_queue *queue = &awake[w->id != 1].detached.queue;
    struct wsfj_stack *fresh = wsfj_pool_take(&w->cache), *stolen_fiber = NULL;
    struct wsfj_item item;

    (void)only;
    if (!fresh)
        return NULL;
    if (wsfj_run_queue_steal(queue, &w->detached.queue, &item)) {
        if (!wsfj_item_fiber(item)) {
            wsfj_load_item(fresh, item);
            return fresh;
        }
        stolen_fiber = wsfj_item_fiber(item);
    }
    wsfj_pool_give(&w->cache, fresh);
    return stolen_fiber;
}

void groups_work(void *arg)
{
    groups_results[(uintptr_t)arg]++;
}

/* All tasks have ended. From here on the memory of the group is something else. */
static void go_on(void)
{
    for (unsigned i = 0; i < groups_counted; i++)
        explore_must(groups_results[i] == 1, "the waiter goes on before a task has ended");
    if (!groups_stays)
        groups_outer.wsfj_state = 0;
    went_on++;
}

void groups_wait_outside(void)
{
    explore_must(ws_group_wait(&groups_outer) == 0, "a waiter is refused");
    go_on();
}

/* The waiter as a fiber. The workers end when it has gone on. */
void groups_wait_inside(void *arg)
{
    (void)arg;
    explore_must(ws_group_wait(&groups_outer) == 0, "a waiter is refused");
    if (groups_again) {
        groups_counted = 2;
        (void)ws_group_submit(&groups_outer, groups_work, (void *)1);
        explore_must(ws_group_wait(&groups_outer) == 0, "a waiter is refused");
    }
    go_on();
    store_release(&groups_told, true);
    if (went_on == groups_waiters)
        wsfj_park_stop();
}

void groups_push(unsigned worker, ws_function *fn, uintptr_t arg, ws_group *of)
{
    (void)wsfj_run_queue_push(&awake[worker].detached.queue, (struct wsfj_item){fn, (void *)arg, of});
}

static void share_bucket(const ws_group *of)
{
    struct wsfj_bucket *bucket = wsfj_table_lock(of);

    wsfj_table_unlock(bucket);
    explore_shared(bucket, WSFJ_CACHE_LINE / 2);
}

void groups_start(unsigned workers, unsigned tasks)
{
    awake_start(workers);
    explore_thread_local(&wsfj_tls);
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE), "no memory");
    wsfj_table_forget();
    share_bucket(&groups_outer);
    share_bucket(&groups_inner);
    wsfj_load_start();
    wsfj_items_start();
    wsfj_use_forget();
    wsfj_use_become(WSFJ_UP);
    ws_group_init(&groups_outer);
    ws_group_init(&groups_inner);
    memset(groups_results, 0, sizeof groups_results);
    went_on = 0;
    groups_waiters = 1;
    groups_again = groups_stays = groups_told = false;
    groups_counted = tasks;
    explore_shared(&groups_outer, sizeof groups_outer);
    explore_shared(groups_results, sizeof groups_results);
    explore_shared(&groups_told, sizeof groups_told);
}

/* Worker 0 has the waiter, worker 1 the only task. */
void groups_start_fiber(unsigned stacks)
{
    groups_start(2, 1);
    for (unsigned i = 0; i < stacks; i++)
        pools_give(0, i);
    pools_give(1, 3);
    groups_push(0, groups_wait_inside, 0, NULL);
    wsfj_group_add(&groups_outer);
    groups_push(1, groups_work, 0, &groups_outer);
}

/* Worker 0 waits in a fiber for worker 1's `task`. */
void groups_start_inside(ws_function *task)
{
    groups_start(2, 2);
    pools_give(0, 0);
    pools_give(0, 1);
    pools_give(1, 3);
    groups_push(0, groups_wait_inside, 0, NULL);
    wsfj_group_add(&groups_outer);
    groups_push(1, task, 0, &groups_outer);
}

void groups_check(void)
{
    explore_must(went_on == groups_waiters, "a waiter does not go on exactly once");
}
