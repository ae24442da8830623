/* SPDX-License-Identifier: MIT */
/*
 * Pinned work. Two tasks need their thread for a moment in each of their rounds, and wait for a child in each. Mistake:
 * they are always pinned, so each wait hands the worker to another thread and back. Remedy: the pin ends before the
 * wait.
 */
#include "mistake.h"

#include <sys/resource.h>

#define TASKS 2
#define ROUNDS 300

static bool for_a_moment;

static void child(void *arg)
{
    (void)arg;
    mistake_work(5000);
}

static void round_of(ws_group *group)
{
    mistake_need(ws_pin() == 0, "a pin");
    mistake_work(5000); /* this work needs the thread */
    if (for_a_moment)
        ws_unpin();
    mistake_need(ws_group_submit(group, child, NULL) == 0 && ws_group_wait(group) == 0, "a child");
    if (!for_a_moment)
        ws_unpin();
}

static void pinned(void *arg)
{
    ws_group group = WS_GROUP_INIT;

    (void)arg;
    if (!for_a_moment)
        mistake_need(ws_pin() == 0, "a pin");
    for (unsigned i = 0; i < ROUNDS; i++)
        round_of(&group);
    if (!for_a_moment)
        ws_unpin();
}

void mistake_run(bool remedied)
{
    ws_group group = WS_GROUP_INIT;
    struct rusage before, after;
    uint64_t start;

    for_a_moment = remedied;
    mistake_start(2);
    getrusage(RUSAGE_SELF, &before);
    start = sample_now();
    for (unsigned i = 0; i < TASKS; i++)
        mistake_need(ws_group_submit(&group, pinned, NULL) == 0, "a task");
    mistake_probe("others", 20, 200000);
    mistake_need(ws_group_wait(&group) == 0, "an end");
    mistake_figure("us_per_round", (double)(sample_now() - start) * 1e-3 / ROUNDS);
    getrusage(RUSAGE_SELF, &after);
    mistake_figure("thread_switches_per_round", (double)(after.ru_nvcsw - before.ru_nvcsw) / (TASKS * ROUNDS));
}
