/* SPDX-License-Identifier: MIT */
#include "queue/group.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/futex.h"
#include "task/stack.h"

#include <errno.h>

#define WAITING 1u
#define ONE WSFJ_GROUP_ONE

/* wsfj_waiter: a foreign thread's flag, with this bit set, or a stack. */
#define OUTSIDE 1u

WSFJ_EXPORT void ws_group_init(ws_group *group)
{
    store_relaxed(&group->wsfj_waiter, 0);
    store_relaxed(&group->wsfj_state, 0);
}

bool wsfj_group_done(const ws_group *group)
{
    return load_acquire(&group->wsfj_state) < ONE;
}

static void wake(uint32_t *done)
{
    store_release(done, 1); /* from here on the thread may return, and its stack with the flag may be gone */
    wsfj_chaos();
    wsfj_futex_wake(done);
}

struct wsfj_stack *wsfj_group_finish(ws_group *group, unsigned tasks)
{
    const uint64_t done = (uint64_t)tasks * ONE;
    uint64_t state, next;
    uintptr_t waiter;

    if (!group)
        return NULL;
    state = load_relaxed(&group->wsfj_state);
    /* GROUP-1: without a waiter, or with tasks remaining, this is the last access: the group may be gone afterwards.
     * GROUP-2: with a waiter, the last task clears WAITING in the same step, and so gets the right to resume the
     * waiter. Release: what this task did. Acquire: the last task hands on what all did. */
    do {
        wsfj_chaos();
        next = state == (done | WAITING) ? 0 : state - done;
    } while (!cas_acq_rel(&group->wsfj_state, &state, next));
    if (state != (done | WAITING))
        return NULL;
    waiter = load_relaxed(&group->wsfj_waiter);
    store_relaxed(&group->wsfj_waiter, 0);
    if (!(waiter & OUTSIDE))
        return (struct wsfj_stack *)waiter;
    wake((uint32_t *)(waiter & ~(uintptr_t)OUTSIDE));
    return NULL;
}

static bool claim(ws_group *group, uintptr_t waiter)
{
    uintptr_t none = 0;

    return cas_acq_rel(&group->wsfj_waiter, &none, waiter);
}

bool wsfj_group_claim(ws_group *group, struct wsfj_stack *own)
{
    return claim(group, (uintptr_t)own);
}

bool wsfj_group_unclaim(ws_group *group)
{
    bool done = wsfj_group_done(group);

    if (done)
        store_relaxed(&group->wsfj_waiter, 0);
    return done;
}

/* GROUP-3: from now on the last task may resume the waiter. False: all tasks are done, the waiter need not wait. */
static bool begin_waiting(ws_group *group)
{
    uint64_t state = load_acquire(&group->wsfj_state);

    do {
        wsfj_chaos();
        if (state < ONE) {
            store_relaxed(&group->wsfj_waiter, 0);
            return false;
        }
    } while (!cas_acq_rel(&group->wsfj_state, &state, state | WAITING));
    return true;
}

struct wsfj_stack *wsfj_group_left(struct wsfj_stack *s)
{
    return begin_waiting(load_relaxed(&s->wait.group)) ? NULL : s;
}

int wsfj_group_wait_outside(ws_group *group)
{
    uint32_t done = 0;

    if (wsfj_group_done(group))
        return 0;
    if (!claim(group, (uintptr_t)&done | OUTSIDE))
        return EBUSY;
    if (begin_waiting(group)) {
        while (!load_acquire(&done))
            wsfj_futex_wait(&done, 0, NULL);
    }
    return 0;
}
