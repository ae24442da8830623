/* SPDX-License-Identifier: MIT */
/* Deadlines of many tasks, spread over a second that begins when all of them wait. */
#include "harness/sample.h"
#include "waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <wsfj.h>

#define SECOND UINT64_C(1000000000)

static uint64_t begin; /* of the second */

/* In: when the task is to run, in ns of the second. Out: how late it ran. */
static void sleep_until(void *arg)
{
    uint64_t *at = arg, until = begin + *at;

    waits_check("ws_sleep_until", ws_sleep_until(until));
    *at = ws_now() - until;
}

static void sleep_for_all(void *unused)
{
    (void)unused;
    waits_check("ws_sleep_until", ws_sleep_until(begin));
}

void waits_timers(size_t n)
{
    ws_group group = WS_GROUP_INIT, first = WS_GROUP_INIT;
    uint64_t *at = calloc(n, sizeof *at), x = 1;
    double *late = calloc(n, sizeof *late), cpu;
    struct sample sample;

    if (!at || !late)
        abort();
    waits_check("ws_init", ws_init(NULL));
    begin = ws_now() + SECOND;
    for (size_t i = 0; i < n; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        at[i] = (x >> 32) * SECOND >> 32;
        waits_check("ws_group_submit", ws_group_submit(&group, sleep_until, &at[i]));
    }
    waits_check("ws_group_submit", ws_group_submit(&first, sleep_for_all, NULL));
    waits_check("ws_group_wait", ws_group_wait(&first));
    cpu = waits_cpu();
    waits_check("ws_group_wait", ws_group_wait(&group));
    cpu = waits_cpu() - cpu;
    for (size_t i = 0; i < n; i++)
        late[i] = (double)at[i] / 1e6;
    sample = sample_of(late, n);
    printf("%.3f %.3f %.3f\n", sample.median, sample.p99, cpu);
}
