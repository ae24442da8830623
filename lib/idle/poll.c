/* SPDX-License-Identifier: MIT */
#include "idle/poll.h"

#include "base/atomic.h"
#include "base/tsan.h"
#include "config/settings.h"
#include "worker/use.h"

/* 1: a thread is in the program's function; else 0. A whole word: some processors need libatomic to swap a byte. */
static unsigned asking;

bool wsfj_poll(void)
{
    unsigned free = 0;
    bool found;

    if (!wsfj_settings.poll || !wsfj_use_is_up() || load_relaxed(&asking) || !cas_acq_rel(&asking, &free, 1))
        return false;
    wsfj_tsan_acquire(&asking);
    found = wsfj_settings.poll(wsfj_settings.poll_arg) != 0;
    wsfj_tsan_release(&asking);
    store_release(&asking, 0); /* what the function did, for the next thread that asks */
    return found;
}

void wsfj_poll_forget(void)
{
    store_relaxed(&asking, 0);
}
