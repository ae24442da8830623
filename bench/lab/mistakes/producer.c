/* SPDX-License-Identifier: MIT */
/*
 * A producer too fast for its consumers. Mistake: a queue with room for everything, so the last task waits for all
 * others. Remedy: a small ws_config.max_pending; ws_submit() then lets the producer sleep.
 */
#include "mistake.h"

#define TASKS 20000

static uint64_t submitted[TASKS], begun[TASKS];
static unsigned pending, most_pending;

static void consume(void *arg)
{
    size_t i = (size_t)((uint64_t *)arg - begun);

    begun[i] = sample_now();
    mistake_work(5000);
    (void)__atomic_fetch_sub(&pending, 1, __ATOMIC_RELAXED);
}

void mistake_run(bool remedied)
{
    static double ms[TASKS];
    ws_group group = WS_GROUP_INIT;
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 1;
    config.max_pending = remedied ? 256 : 2 * TASKS;
    mistake_need(ws_init(&config) == 0, "the runtime");
    for (unsigned i = 0; i < TASKS; i++) {
        submitted[i] = sample_now();
        mistake_need(ws_group_submit(&group, consume, &begun[i]) == 0, "a task");

        unsigned now = __atomic_add_fetch(&pending, 1, __ATOMIC_RELAXED); /* may fall below 0 if the task was quick */

        if ((int)now > (int)most_pending)
            most_pending = now;
    }
    mistake_need(ws_group_wait(&group) == 0, "an end");
    for (unsigned i = 0; i < TASKS; i++)
        ms[i] = begun[i] > submitted[i] ? (double)(begun[i] - submitted[i]) * 1e-6 : 0;
    mistake_figure("most_pending", most_pending);
    mistake_figure("latency_p50_ms", sample_of(ms, TASKS).median);
}
