/* SPDX-License-Identifier: MIT */
#include "idle/allowed.h"

#include "worker/awake.h"
#include "worker/workers.h"

unsigned wsfj_allowed_workers;
unsigned wsfj_allowed_cpus;

bool wsfj_allowed_crowded(void)
{
    unsigned allowed = load_relaxed(&wsfj_allowed_workers), cpus = wsfj_allowed_cpus, awake = 0;
    unsigned most = allowed < cpus ? allowed : cpus;

    if (wsfj_num_workers <= most)
        return false;
    for (unsigned first = 0; first < wsfj_num_workers; first += WSFJ_BITS)
        awake += (unsigned)__builtin_popcountll(wsfj_awake_members(first));
    return awake > most;
}
