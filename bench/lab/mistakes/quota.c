/* SPDX-License-Identifier: MIT */
/*
 * A container's quota ignored. Run it in a control group with a quota of one CPU (or on one CPU of several). Mistake:
 * as many workers as the machine has processors; they use up the period's quota early, and then all of them stand
 * still. Remedy: the runtime's own number, which follows quota and mask.
 */
#include "mistake.h"

#include <unistd.h>

#define TASKS 4000

static double took_us[TASKS];

static void task(void *arg)
{
    double *us = arg;
    uint64_t start = sample_now();

    mistake_work(100000);
    *us = (double)(sample_now() - start) * 1e-3;
}

static void submit_all(void *arg)
{
    for (unsigned i = 0; i < TASKS; i++)
        mistake_need(ws_group_submit(arg, task, &took_us[i]) == 0, "a task");
}

void mistake_run(bool remedied)
{
    ws_group source = WS_GROUP_INIT, group = WS_GROUP_INIT;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t start;

    mistake_start(remedied ? 0 : cpus > 2 ? (unsigned)cpus : 2);
    start = sample_now();
    mistake_need(ws_group_submit(&source, submit_all, &group) == 0 && ws_group_wait(&source) == 0, "a source");
    mistake_need(ws_group_wait(&group) == 0, "an end");
    mistake_figure("workers", (double)ws_num_workers());
    mistake_figure("ms", (double)(sample_now() - start) * 1e-6);

    struct sample s = sample_of(took_us, TASKS);

    mistake_figure("p999_of_100us_tasks_us", s.p999);
    mistake_figure("longest_of_100us_tasks_us", s.max);
}
