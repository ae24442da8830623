/* SPDX-License-Identifier: MIT */
#include "idle/phase.h"

#include "base/atomic.h"
#include "config/settings.h"

static size_t phases; /* that have begun and not ended */

bool wsfj_phase_hot(void)
{
    /* Relaxed: a worker that sees the end late searches a moment longer; a worker that sees the beginning late reads
     * wsfj_phase_on() when it has counted itself asleep (park.c). */
    return wsfj_settings.spin_ns == WSFJ_FOREVER || load_relaxed(&phases) > 0;
}

bool wsfj_phase_on(void)
{
    return load_seq(&phases) > 0;
}

void wsfj_phase_forget(void)
{
    store_relaxed(&phases, (size_t)0);
}

void wsfj_phase_begin(void)
{
    (void)add_seq(&phases, (size_t)1); /* before the counts are read: later sleepers see it */
}

bool wsfj_phase_end(void)
{
    size_t n = load_relaxed(&phases);

    do {
        if (n == 0)
            return false;
    } while (!cas_seq(&phases, &n, n - 1));
    return true;
}
