/* SPDX-License-Identifier: MIT */
#include "owner.h"

#include "idle/wake.h"
#include "sched/leave.h"
#include "task/deque.h"
#include "task/join.h"
#include "worker/worker.h"

#include <string.h>

#define TASKS 2
#define THIEVES 2

struct wsfj_stack *owner;
unsigned owner_spawned;
static struct wsfj_stack *fresh[THIEVES];
static struct wsfj_worker worker;
static unsigned runs[TASKS];

/* WS_TASK makes a function that may also be called outside any region; that call reads one of these two. */
__thread struct wsfj_deque *wsfj_tls;

struct wsfj_deque *wsfj_self_slow(void)
{
    return wsfj_tls;
}

void wsfj_leave_stack(struct wsfj_stack *own, wsfj_after_switch *after_switch)
{
    if (!after_switch(own))
        explore_sleep(own);
}

void wsfj_wake_notify(struct wsfj_worker *self)
{
    (void)self;
}

WS_TASK(long, owner_task, unsigned, id, long, value)
{
    (void)wsfj_f;
    explore_must(id < TASKS && runs[id]++ == 0, "a task runs twice");
    return value;
}

const struct wsfj_kind *owner_kind = &wsfj_kind_owner_task;

void owner_start(enum wsfj_mode mode)
{
    owner = explore_stack(0, mode);
    for (unsigned i = 0; i < THIEVES; i++)
        fresh[i] = explore_stack(1 + i, mode);
    memset(&worker, 0, sizeof worker);
    owner->worker = &worker;
    memset(runs, 0, sizeof runs);
    owner_spawned = 0;
}

void owner_spawn_one(void)
{
    long x = 0;
    EXPLORE_FRAME(owner);

    ws_spawn(owner_task, &x, 0, 10);
    owner_spawned = 1;
    ws_sync();
    explore_must(x == 10, "a result is missing");
}

void owner_spawn_two(void)
{
    long x = 0, y = 0;
    EXPLORE_FRAME(owner);

    ws_spawn(owner_task, &x, 0, 10);
    ws_spawn(owner_task, &y, 1, 11);
    owner_spawned = 2;
    ws_sync();
    explore_must(x == 10 && y == 11, "a result is missing");
}

void owner_steal(bool force)
{
    struct wsfj_stack *own = fresh[explore_self() - 1];
    struct wsfj_stolen stolen;

    if (wsfj_deque_steal(owner, force, NULL, &stolen) != WSFJ_STEAL_GOT)
        return;
    explore_must(stolen.kind == owner_kind, "a stolen descriptor holds no task");
    stolen.kind->wsfj_exec(&own->deque, own->bottom, stolen.desc, stolen.desc->wsfj_args);
    if (wsfj_join_finish(stolen.desc, stolen.kind))
        explore_must(explore_wake(owner), "a parent that does not wait is resumed");
}

void owner_force(void)
{
    owner_steal(true);
}

void owner_force_twice(void)
{
    owner_steal(true);
    owner_steal(true);
}

void owner_steal_twice(void)
{
    owner_steal(false);
    owner_steal(false);
}

void owner_check_one(void)
{
    explore_must(runs[0] == 1, "a task is lost");
}

void owner_check_two(void)
{
    explore_must(runs[0] == 1 && runs[1] == 1, "a task is lost");
}
