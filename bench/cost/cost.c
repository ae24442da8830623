/* SPDX-License-Identifier: MIT */
/*
 * wsfj-cost WORKERS [OPERATION TIMES]... - does each operation so many times inside cost_measured(), for a tool that counts
 * the instructions there (bench/cost/run), and then calls cost_part(), where the tool begins to count anew. Nothing else
 * runs meanwhile: the other workers sleep, so that the counts are the same each time.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* CPU_CLR() */
#endif
#include "cost.h"

#include "idle/idle_counts.h"
#include "queue/run_queue.h"
#include "task/item.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wsfj.h>

static size_t workers;
long times;
ws_group outside = WS_GROUP_INIT;

__attribute__((noinline)) void cost_measured(void (*operation)(void))
{
    operation();
    __asm__ volatile(""); /* no tail call: the tool must see the return */
}

static __attribute__((noinline)) void cost_part(void)
{
    __asm__ volatile("");
}

static void start(void)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    config.spin_us = 0;
    if (ws_init(&config)) {
        fputs("wsfj-cost: the runtime does not start\n", stderr);
        exit(1);
    }
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* All workers but so many. */
static void await_sleep(int but)
{
    while (wsfj_idle_counts().sleeping < (int)workers - but || wsfj_idle_counts().searching > 0)
        nap();
}

static WS_TASK(long, fib, int, n)
{
    long a, b;

    if (n < 2)
        return n;
    ws_spawn(fib, &a, n - 1);
    b = ws_call(fib, n - 2);
    ws_sync();
    return a + b;
}

/* As bench/kernels/skynet.c, with ten children. */
static WS_TASK(long, tree, long, number, long, leaves)
{
    long sums[10], sum = 0;

    if (leaves == 1) {
        __asm__ volatile(""); /* as in the kernel: the leaf stays a call */
        return number;
    }
    leaves /= 10;
    for (int i = 0; i < 10; i++)
        ws_spawn(tree, &sums[i], number + i * leaves, leaves);
    ws_sync();
    for (int i = 0; i < 10; i++)
        sum += sums[i];
    return sum;
}

static WS_TASK_VOID(nothing)
{
}

static void item(void *unused)
{
    (void)unused;
}

/* One spawn, one call, one sync in each task but the leaves. */
static void spawns(void)
{
    long result;

    (void)ws_run(fib, &result, (int)times);
}

/* Spawns in a loop. Most children are leaves, which should need no stack frame. */
static void rows(void)
{
    long result;

    (void)ws_run(tree, &result, 0L, times);
}

static void regions(void)
{
    for (long i = 0; i < times; i++)
        (void)ws_run(nothing);
}

/* Groups of 100 tasks: with more the run queue overflows. */
static WS_TASK_VOID(submit_all)
{
    for (long i = 0; i < times; i += 100) {
        ws_group group = WS_GROUP_INIT;

        for (int j = 0; j < 100; j++)
            (void)ws_group_submit(&group, item, NULL);
        (void)ws_group_wait(&group);
    }
}

static void submits(void)
{
    (void)ws_run(submit_all);
}

static void submit_one(void)
{
    (void)ws_group_submit(&outside, item, NULL);
}

/* Each wakes a sleeper. */
static void wakes(void)
{
    for (long i = 0; i < times; i++) {
        await_sleep(0);
        cost_measured(submit_one);
        (void)ws_group_wait(&outside);
    }
}

static int begun, over;

static void keeps_its_worker(void *unused)
{
    (void)unused;
    store_release(&begun, 1);
    while (!load_acquire(&over))
        nap();
}

/* Keeps the calling thread off the CPU of the worker that has a task: there each region takes another way. */
static void avoid_the_busy(cpu_set_t may)
{
    for (unsigned i = 0; i < wsfj_num_workers; i++)
        if (load_relaxed(&wsfj_workers[i].stack) && wsfj_workers[i].num_cpus == 1)
            CPU_CLR(wsfj_workers[i].cpus[0], &may);
    (void)sched_setaffinity(0, sizeof may, &may);
}

/* Regions while one worker has a task that lasts. */
static void regions_beside(void)
{
    cpu_set_t before;

    if (sched_getaffinity(0, sizeof before, &before) != 0)
        abort();
    store_relaxed(&begun, 0);
    store_relaxed(&over, 0);
    (void)ws_group_submit(&outside, keeps_its_worker, NULL);
    while (!load_acquire(&begun))
        nap();
    avoid_the_busy(before);
    await_sleep(1);
    cost_measured(regions);
    store_release(&over, 1);
    (void)ws_group_wait(&outside);
    (void)sched_setaffinity(0, sizeof before, &before);
}

static struct wsfj_entry entries[2][WSFJ_RUN_QUEUE_SIZE];
static struct wsfj_run_queue from, to;

static void steal_half(void)
{
    struct wsfj_item first;

    if (wsfj_run_queue_steal(&from, &to, &first) != (unsigned)times / 2)
        abort();
}

/* Half of a run queue with so many tasks. */
static void halves(void)
{
    from = (struct wsfj_run_queue){.entries = entries[0]};
    to = (struct wsfj_run_queue){.entries = entries[1]};
    for (long i = 0; i < times; i++)
        if (!wsfj_run_queue_push(&from, (struct wsfj_item){item, NULL, NULL}))
            abort();
    cost_measured(steal_half);
}

/* A start and a stop, by the caller. */
static void starts(void)
{
    start();
    (void)ws_fini();
}

static const struct {
    const char *name;
    void (*operation)(void);
    bool is_whole; /* measured from its beginning to its end */
} known[] = {{"spawn", spawns, true},          {"row", rows, true},
             {"region", regions, true},        {"submit", submits, true},
             {"answer", cost_answers, true},   {"join", cost_joins, false},
             {"wake", wakes, false},           {"beside", regions_beside, false},
             {"steal", cost_steals, false},    {"forced", cost_forces, false},
             {"search", cost_searches, false}, {"vain", cost_searches_in_vain, false},
             {"half", halves, false}};

/* In a runtime that sleeps. */
static int measure(const char *name)
{
    size_t k = 0;

    while (k < sizeof known / sizeof *known && strcmp(name, known[k].name) != 0)
        k++;
    if (k == sizeof known / sizeof *known || times < 1) {
        fprintf(stderr, "wsfj-cost: there is no %s with %zu workers, %ld times\n", name, workers, times);
        return 2;
    }
    await_sleep(0);
    if (known[k].is_whole)
        cost_measured(known[k].operation);
    else
        known[k].operation();
    cost_part();
    return 0;
}

int main(int argc, char **argv)
{
    int status = 0;

    workers = argc < 2 ? 0 : strtoul(argv[1], NULL, 10);
    if (workers == 0 || argc % 2 != 0) {
        fputs("usage: wsfj-cost WORKERS [OPERATION TIMES]...\n"
              "Without an operation it counts a start and a stop.\n",
              stderr);
        return 2;
    }
    if (argc == 2) {
        cost_measured(starts);
        return 0;
    }
    start();
    (void)ws_run(nothing); /* the first region begins threads and maps stacks */
    for (int i = 2; i < argc && status == 0; i += 2) {
        times = strtol(argv[i + 1], NULL, 10);
        status = measure(argv[i]);
    }
    return status;
}
