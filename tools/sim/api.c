/* SPDX-License-Identifier: MIT */
/* What workloads call: <wsfj/sim.h>. */
#include "api.h"

#include "engine.h"

static unsigned working;

void sim_work(uint64_t ns)
{
    if (!sim_self || ns == 0)
        return;
    working++;
    sim_point(ns);
    working--;
    sim_progress++;
}

bool sim_working(void)
{
    return working > 0;
}

uint64_t sim_time(void)
{
    return sim_moment;
}
