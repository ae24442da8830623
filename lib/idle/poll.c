/* SPDX-License-Identifier: MIT */
#include "idle/poll.h"

#include "base/atomic.h"
#include "config/settings.h"
#include "core/use.h"

#include <pthread.h>

unsigned wsfj_poll_asking; /* a whole word: some processors need libatomic to swap a byte */
static pthread_t who;      /* the thread that asks, while that is 1; only that thread reads its own value there */

bool wsfj_poll(void)
{
    unsigned free = 0;
    bool found;

    if (!wsfj_settings.poll || !wsfj_use_is_up() || load_relaxed(&wsfj_poll_asking) ||
        !cas_acq_rel(&wsfj_poll_asking, &free, 1))
        return false;
    store_relaxed(&who, pthread_self());
    found = wsfj_settings.poll(wsfj_settings.poll_arg) != 0;
    store_relaxed(&who, (pthread_t)0);
    store_release(&wsfj_poll_asking, 0); /* what the function did, for the next thread that asks */
    return found;
}

bool wsfj_poll_asks(void)
{
    return pthread_equal(load_relaxed(&who), pthread_self());
}

void wsfj_poll_forget(void)
{
    store_relaxed(&wsfj_poll_asking, 0);
}
