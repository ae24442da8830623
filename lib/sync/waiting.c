/* SPDX-License-Identifier: MIT */
#include "sync/waiting.h"

#include "arch/arch.h"
#include "base/debug.h"
#include "base/thread.h"
#include "sched/team.h"
#include "task/event.h"
#include "task/stack.h"
#include "worker/between_tasks.h"
#include "worker/own.h"
#include "worker/use.h"
#include "worker/worker.h"

#include <errno.h>

/* The runtime has no thread, and the program no other one: nobody could end a wait. */
static bool is_alone(void)
{
    return !wsfj_own_served() && !wsfj_team_has_threads() && wsfj_use_is_up() && wsfj_thread_count() == 1;
}

int wsfj_sync_refused(uint64_t until)
{
    if (WSFJ_UNLIKELY(wsfj_profile_tls != NULL))
        return EAGAIN;
    if (wsfj_between_tasks() && !wsfj_own_stack())
        return EDEADLK;
    if (until == WSFJ_FOREVER && is_alone())
        return EAGAIN;
    return until != WSFJ_FOREVER && wsfj_now() >= until ? ETIMEDOUT : 0;
}

bool wsfj_sync_again(int *error, const void *on, uint64_t until)
{
    static const void *said; /* a loop over calls on one object gets one line */
    uint64_t end;

    if (*error != EAGAIN)
        return false;
    if (wsfj_hooks.call_queued())
        return true;
    end = wsfj_wait_scopes(until);
    if (end < until)
        (void)ws_sleep_until(end);
    *error = ws_cancelled() ? ECANCELED : until == WSFJ_FOREVER ? EDEADLK : ETIMEDOUT;
    if (*error == EDEADLK && swap_acq_rel(&said, on) != on)
        wsfj_say("a task of a serial program waits for what only a later task could do: EDEADLK");
    return false;
}

int wsfj_sync_wait(struct wsfj_waiter *waiter, enum wsfj_wait_kind kind, const void *on, uint64_t until)
{
    return wsfj_wait_error(kind, wsfj_wait(waiter, kind, on, until));
}

int wsfj_sync_wait_for(struct wsfj_node *node, enum wsfj_wait_kind kind, const void *on, uint64_t until)
{
    int error = wsfj_sync_refused(until);
    struct wsfj_waiter waiter;

    if (error)
        return wsfj_sync_again(&error, on, until) ? 0 : error;
    waiter = wsfj_waiter_here(node);
    return wsfj_sync_wait(&waiter, kind, on, until);
}
