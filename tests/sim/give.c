/* SPDX-License-Identifier: MIT */
/* For work.sh: sim_give() and sim_sleep(), as a program of a user calls them. The exit status is the number of what was
 * wrong. */
#include <wsfj/sim.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASKS 300

static unsigned char runs[TASKS];
static unsigned num_run, first_of[64];
static int is_over;

static void task(void *argument)
{
    size_t i = (size_t)argument;

    runs[i]++;
    num_run++;
    if (i < 64)
        first_of[i] = (unsigned)ws_worker_id();
    sim_work(i < 64 ? 1000000 : 100);
}

/* Makes its worker change its queue all the time. */
static void churn(void *unused)
{
    (void)unused;
    if (is_over)
        return;
    sim_work(2000);
    (void)ws_submit(churn, NULL);
}

static int give_all(unsigned workers)
{
    for (size_t i = 0; i < workers; i++)
        (void)sim_give((unsigned)i, churn, NULL);
    for (size_t i = 64; i < TASKS; i++) {
        while (sim_give((unsigned)i % workers, task, (void *)i) == EAGAIN)
            sim_sleep(1000);
        if (i % 16 == 0)
            sim_sleep(37);
    }
    while (num_run < TASKS - 64)
        sim_sleep(10000);
    is_over = 1;
    for (size_t i = 64; i < TASKS; i++)
        if (runs[i] != 1)
            return 1;
    return 0;
}

/* What is given before any worker runs, runs where it was given. */
static int in_place(unsigned workers)
{
    for (size_t i = 0; i < workers; i++)
        if (sim_give((unsigned)i, task, (void *)i) != 0)
            return 2;
    while (num_run < workers)
        sim_sleep(1000);
    for (unsigned i = 0; i < workers; i++)
        if (runs[i] != 1)
            return 3;
    for (int i = 0; i < 100; i++) { /* each was counted when it was given, and is when it has ended */
        if (ws_fini() == 0)
            return 0;
        sim_sleep(10000000);
    }
    return 10;
}

static int wrong(unsigned workers)
{
    if (sim_give(0, NULL, NULL) != EINVAL || sim_give(workers, task, NULL) != EINVAL ||
        sim_give(4000000000u, task, NULL) != EINVAL)
        return 4;
    return num_run == 0 ? 0 : 5;
}

static int full(void)
{
    int error = 0;

    for (unsigned i = 0; i < 1000000 && !error; i++)
        error = sim_give(0, churn, NULL);
    is_over = 1;
    return error == EAGAIN ? 0 : 6;
}

static int sleeps(void)
{
    uint64_t then = sim_time();

    sim_sleep(5000000000);
    return sim_time() - then >= UINT64_C(5000000000) && sim_time() - then < UINT64_C(5000010000) ? 0 : 7;
}

int sim_main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    unsigned workers;

    if (sim_give(0, task, NULL) != EINVAL)
        return 8; /* the runtime does not run */
    if (ws_init(NULL) != 0)
        return 9;
    workers = (unsigned)ws_num_workers();
    if (strcmp(what, "place") == 0)
        return in_place(workers);
    if (strcmp(what, "wrong") == 0)
        return wrong(workers);
    if (strcmp(what, "full") == 0)
        return full();
    if (strcmp(what, "sleep") == 0)
        return sleeps();
    return give_all(workers);
}
