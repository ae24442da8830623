/* SPDX-License-Identifier: MIT */
/*
 * A function of the scheduler's loop that never returns to it: ws_config.poll is called in the worker's own loop.
 * Mistake: it waits for its source. Remedy: it checks the source and returns.
 */
#include "mistake.h"

#define WAIT_NS 5000000

static int wait_for_source(void *arg)
{
    (void)arg;
    mistake_spin(WAIT_NS);
    return 0;
}

static int look_at_source(void *arg)
{
    (void)arg;
    return 0;
}

void mistake_run(bool remedied)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 1;
    config.poll = remedied ? look_at_source : wait_for_source;
    mistake_need(ws_init(&config) == 0, "the runtime");
    mistake_probe("task", 60, 1000000);
}
