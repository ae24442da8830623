/* SPDX-License-Identifier: MIT */
/*
 * Blocking calls that hide work: tasks that wait for the kernel keep their workers. Remedy: WS_BLOCKING, which lends
 * the worker's slot to another thread.
 */
#include "mistake.h"

#include <time.h>

#define TASKS 20
#define SLEEP_NS 5000000

static bool blocking_sections;

static void task(void *arg)
{
    (void)arg;
    if (!blocking_sections) {
        nanosleep(&(struct timespec){0, SLEEP_NS}, NULL);
        return;
    }
    WS_BLOCKING
    {
        nanosleep(&(struct timespec){0, SLEEP_NS}, NULL);
    }
}

void mistake_run(bool remedied)
{
    ws_group group = WS_GROUP_INIT;
    uint64_t start;

    blocking_sections = remedied;
    mistake_start(2);
    start = sample_now();
    for (unsigned i = 0; i < TASKS; i++)
        mistake_need(ws_group_submit(&group, task, NULL) == 0, "a task");
    mistake_need(ws_group_wait(&group) == 0, "an end");
    mistake_figure("ms", (double)(sample_now() - start) * 1e-6);
}
