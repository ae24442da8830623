/* SPDX-License-Identifier: MIT */
#include "queue/group.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/futex.h"
#include "task/stack.h"

#include <errno.h>

#define WAITING 1u
#define ONE 2u

/* In wsfj_waiter: a foreign thread's flag has this bit, a stack has not. */
#define OUTSIDE 1u

WSFJ_EXPORT void ws_group_init(ws_group *group)
{
    store_relaxed(&group->wsfj_waiter, 0);
    store_relaxed(&group->wsfj_state, 0);
}

void wsfj_group_add(ws_group *group)
{
    (void)add_relaxed(&group->wsfj_state, ONE); /* the queue orders it before the task */
}

bool wsfj_group_done(const ws_group *group)
{
    return load_acquire(&group->wsfj_state) < ONE;
}

static void wake(uint32_t *done)
{
    store_release(done, 1); /* the thread may go on, and its stack with the flag be gone, from here on */
    wsfj_chaos();
    wsfj_futex_wake(done);
}

struct wsfj_stack *wsfj_group_finish(ws_group *group)
{
    uint64_t state, next;
    uintptr_t waiter;

    if (!group)
        return NULL;
    state = load_relaxed(&group->wsfj_state);
    /* GROUP-1: with nobody waiting, or others left, this is our last touch: the group may be gone. GROUP-2: with somebody
     * waiting the last one takes "waiting" away in the same step, and with it the right to resume. Release: what the task
     * did. Acquire: the last one hands on what all did. */
    do {
        wsfj_chaos();
        next = state == (ONE | WAITING) ? 0 : state - ONE;
    } while (!cas_acq_rel(&group->wsfj_state, &state, next));
    if (state != (ONE | WAITING))
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

/* GROUP-3: says that the claimed waiter may be resumed from now on. False: all is done, it need not wait. */
static bool announce(ws_group *group)
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
    return announce(load_relaxed(&s->wait.group)) ? NULL : s;
}

int wsfj_group_wait_outside(ws_group *group)
{
    uint32_t done = 0;

    if (wsfj_group_done(group))
        return 0;
    if (!claim(group, (uintptr_t)&done | OUTSIDE))
        return EBUSY;
    if (announce(group)) {
        while (!load_acquire(&done))
            wsfj_futex_wait(&done, 0, NULL);
    }
    return 0;
}
