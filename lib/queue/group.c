/* SPDX-License-Identifier: MIT */
#include "queue/group.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "task/stack.h"
#include "wait/table.h"

#define WAITING 1u
#define ONE WSFJ_GROUP_ONE

WSFJ_EXPORT void ws_group_init(ws_group *group)
{
    *group = (ws_group)WS_GROUP_INIT;
}

uint32_t wsfj_group_watched;

WSFJ_EXPORT void wsfj_group_watch(void)
{
    store_relaxed(&wsfj_group_watched, 1u); /* relaxed: a queue, or the scope's code, orders this before a task's look */
}

struct wsfj_stack *wsfj_group_finish(ws_group *group, unsigned tasks)
{
    const uint64_t done = (uint64_t)tasks * ONE;
    uint64_t state, next;

    if (!group)
        return NULL;
    state = load_relaxed(&group->wsfj_state);
    /* GROUP-1: this is the last access: the group may be gone afterwards. GROUP-2: the last task takes WAITING away in the same
     * step. Release: what this task did; a waiter acquires it when it tests again. Acquire: the waiter that has set WAITING has
     * locked its bucket before, so the lock below comes after. */
    do {
        wsfj_chaos();
        next = state == (done | WAITING) ? 0 : state - done;
    } while (!cas_acq_rel(&group->wsfj_state, &state, next));
    return state == (done | WAITING) ? wsfj_table_take(group, UINT32_MAX) : NULL;
}

/* GROUP-3: the last task will look into the table, unless all are done. */
static bool must_wait(struct wsfj_node *node)
{
    ws_group *group = (ws_group *)(uintptr_t)node->key;
    uint64_t state = load_acquire(&group->wsfj_state);

    do {
        wsfj_chaos();
        if (state < ONE)
            return false;
    } while (!(state & WAITING) && !cas_acq_rel(&group->wsfj_state, &state, state | WAITING));
    return true;
}

struct wsfj_node wsfj_group_node(const ws_group *group)
{
    return (struct wsfj_node){.key = group, .must_wait = must_wait, .number = WSFJ_WAIT_FIRST};
}

void wsfj_group_wait_outside(const ws_group *group)
{
    while (!wsfj_group_done(group)) {
        struct wsfj_node node = wsfj_group_node(group);
        struct wsfj_waiter waiter = {.state = WSFJ_WAIT_ARMING, .nodes = &node};

        if (wsfj_waiter_arm(&waiter))
            wsfj_waiter_sleep(&waiter, WSFJ_FOREVER);
    }
}
