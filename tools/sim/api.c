/* SPDX-License-Identifier: MIT */
/* What workloads call: <wsfj/sim.h>. */
#include "api.h"

#include "engine.h"
#include "watch.h"

static unsigned working;
uint64_t sim_worked;

void sim_work(uint64_t ns)
{
    if (!sim_self || ns == 0)
        return;
    sim_watch_work(ns);
    working++;
    sim_worked += ns;
    sim_point(ns);
    working--;
    sim_progress++;
}

void sim_sleep(uint64_t ns)
{
    struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

    if (!sim_self || ns == 0)
        return;
    (void)engine_sleep(&time, NULL);
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
