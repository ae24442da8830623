/* SPDX-License-Identifier: MIT */
/* For waits.sh: tasks that wait for times and each other in virtual time. The exit status is the number of what was wrong. */
#include <wsfj/sim.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#define MS UINT64_C(1000000)
#define SLEEPERS 1000

static unsigned late, done;
static uint64_t longest;
static ws_event never = WS_EVENT_INIT;

static void sleeps(void *ms)
{
    uint64_t until = ws_now() + (uintptr_t)ms * MS;
    int error = ws_sleep_until(until);
    uint64_t by = ws_now() - until;

    late += error || ws_now() < until;
    longest = by > longest ? by : longest;
    done++;
}

static void waits_in_vain(void *ms)
{
    uint64_t until = ws_now() + (uintptr_t)ms * MS;
    int error = ws_event_wait_until(&never, until);
    uint64_t by = ws_now() - until;

    late += error != ETIMEDOUT || ws_now() < until;
    longest = by > longest ? by : longest;
    done++;
}

static void wants_a_descriptor(void *unused)
{
    struct pollfd p = {0, POLLIN, 0};
    struct ws_thing thing = {WS_THING_DESCRIPTOR, 0, &p};

    (void)unused;
    late += ws_wait_fd(0, POLLIN, WS_FOREVER) != ENOSYS;
    late += ws_wait_any(&thing, 1, WS_FOREVER) != ENOSYS;
}

/* While all workers sleep, one of them until the deadline of an other task. */
static void is_prompt(void *submitted)
{
    late += ws_now() - *(uint64_t *)submitted > MS;
}

static int submit_meanwhile(ws_group *group)
{
    uint64_t now;
    int error = ws_group_submit(group, sleeps, (void *)1000);

    sim_sleep(100 * MS);
    now = ws_now();
    return error | ws_group_submit(group, is_prompt, &now) | ws_group_wait(group);
}

static void waits_for_ever(void *unused)
{
    (void)unused;
    (void)ws_event_wait(&never);
}

/* sleepers: 1000 of 1 to 100 ms. sleepers MS: one. sleepers descriptor, meanwhile, stuck. */
int sim_main(int argc, char **argv)
{
    ws_group group = WS_GROUP_INIT;
    const char *what = argc > 1 ? argv[1] : "";
    uintptr_t ms = (uintptr_t)atol(what);
    int error = ws_init(NULL);
    uint64_t begin = ws_now();

    if (*what == 'd')
        error |= ws_group_submit(&group, wants_a_descriptor, NULL);
    else if (*what == 's')
        error |= ws_group_submit(&group, waits_for_ever, NULL);
    else if (*what == 'm')
        error |= submit_meanwhile(&group);
    else if (ms)
        error |= ws_group_submit(&group, sleeps, (void *)ms);
    for (uintptr_t i = 0; !*what && i < SLEEPERS; i++)
        error |= ws_group_submit(&group, i % 2 ? sleeps : waits_in_vain, (void *)(i % 100 + 1));
    error |= ws_group_wait(&group);
    printf("%u done, %u wrong, late by %ju us, after %ju us\n", done, late, (uintmax_t)longest / 1000,
           (uintmax_t)(ws_now() - begin) / 1000);
    return error || ws_fini() || late;
}
