/* SPDX-License-Identifier: MIT */
/* Many tasks wait for one event. WSFJ_STACK_SIZE says how large their stacks are. */
#include "harness/sample.h"
#include "waits.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <wsfj.h>

static ws_event go = WS_EVENT_INIT;
static atomic_size_t waiting;

static void wait_for_go(void *unused)
{
    (void)unused;
    atomic_fetch_add(&waiting, 1);
    waits_check("ws_event_wait", ws_event_wait(&go));
}

static double memory(void)
{
    return waits_status("VmRSS:") + waits_status("VmPTE:");
}

void waits_many(size_t n)
{
    ws_group group = WS_GROUP_INIT;
    uint64_t start, all_wait, set;
    double before, after, cpu;

    waits_check("ws_init", ws_init(NULL));
    before = memory();
    cpu = waits_cpu();
    start = sample_now();
    for (size_t i = 0; i < n; i++)
        waits_check("ws_group_submit", ws_group_submit(&group, wait_for_go, NULL));
    while (atomic_load(&waiting) < n)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    all_wait = sample_now();
    after = memory();
    set = sample_now();
    ws_event_set(&go);
    waits_check("ws_group_wait", ws_group_wait(&group));
    printf("%.3f %.2f %.3f %.3f\n", (double)(all_wait - start) / 1e9, (after - before) / (double)n,
           (double)(sample_now() - set) / 1e9, waits_cpu() - cpu);
}
