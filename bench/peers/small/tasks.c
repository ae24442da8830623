/* SPDX-License-Identifier: MIT */
/* Detached tasks that a task submits: the time for each of a batch. */
#include "harness/sample.h"
#include "measure.h"

#include <stdio.h>
#include <string.h>

#define MOST_TASKS 100000
#define WORK_STEPS 570
#define BATCHES 7

static void count_run(void *argument)
{
    (*(unsigned char *)argument)++;
}

static void run_empty(void *argument)
{
    (void)argument;
}

static void run_work(void *argument)
{
    (void)argument;
    small_steps(WORK_STEPS);
}

void check_tasks(void)
{
    static unsigned char runs[COUNTED_TASKS];

    memset(runs, 0, sizeof runs);
    contender.tasks(COUNTED_TASKS, count_run, (char *)runs);
    expect_once(runs, COUNTED_TASKS, "task");
}

void measure_tasks(long n, int is_work)
{
    static char arguments[MOST_TASKS];
    small_task *f = is_work ? run_work : run_empty;
    double ns[BATCHES];

    check_tasks();
    contender.tasks(n, f, arguments); /* warm-up */
    for (int k = 0; k < BATCHES; k++) {
        uint64_t start = sample_now();

        contender.tasks(n, f, arguments);
        ns[k] = (double)(sample_now() - start) / (double)n;
    }
    printf("%.1f\n", sample_of(ns, BATCHES).median);
}
