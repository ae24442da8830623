/* SPDX-License-Identifier: MIT */
/*
 * Edges of the span from the task that sets an object to what follows in the task that the object lets go on. A serial run
 * shows which items and events a task needs, in whatever order tasks run. It does not show which task would have come first to
 * a mutex, semaphore or word: there an edge follows only from a wait that a task has ended which ran meanwhile.
 */
#include "base/atomic.h"
#include "base/debug.h"
#include "profile/profile.h"

static unsigned said; /* 1: the line is written */

static void say_once(void)
{
    if (!swap_acq_rel(&said, 1u))
        wsfj_say(
            "profile: spans are lower bounds, because mutexes, semaphores or words may make tasks wait for each other");
}

void wsfj_profile_set(const void *object, bool complete)
{
    struct wsfj_account *a = wsfj_account_of(wsfj_profile_tls);

    wsfj_strand_end(&a->profile, WSFJ_END_SYNC);
    if (!wsfj_objects_set(object, wsfj_at(&a->profile)) || !complete)
        say_once();
    wsfj_strand_begin(&a->profile, &a->own.wsfj_after);
}

void wsfj_profile_met(const void *object)
{
    struct wsfj_account *a = wsfj_account_of(wsfj_profile_tls);
    struct wsfj_position at;

    wsfj_strand_end(&a->profile, WSFJ_END_SYNC);
    at = wsfj_at(&a->profile);
    wsfj_reach(&at, wsfj_objects_at(object));
    wsfj_go_on(&a->profile, at);
    wsfj_strand_begin(&a->profile, &a->own.wsfj_after);
}
