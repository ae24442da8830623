/* SPDX-License-Identifier: MIT */
#include "work.h"

#include "harness/sample.h"

#include <errno.h>
#include <sys/prctl.h>
#include <time.h>

#define TRIES 200
#define TURNS 10000 /* some ten microseconds: most attempts run undisturbed */

static double ns_per_turn;

void work_calibrate(void)
{
    for (int i = 0; i < TRIES; i++) {
        uint64_t start = sample_now();

        work(TURNS);

        double ns = (double)(sample_now() - start) / TURNS;

        if (i == 0 || ns < ns_per_turn)
            ns_per_turn = ns;
    }
    if (ns_per_turn < 0.01)
        ns_per_turn = 0.01; /* the clock is too coarse */
}

uint64_t work_turns(double ns)
{
    double turns = ns / ns_per_turn;

    return turns < 1 ? 1 : (uint64_t)(turns + 0.5);
}

void work_sleep_until(uint64_t when)
{
    struct timespec t = {(time_t)(when / 1000000000u), (long)(when % 1000000000u)};

    if (sample_now() >= when)
        return;
    (void)prctl(PR_SET_TIMERSLACK, 1);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
    (void)prctl(PR_SET_TIMERSLACK, 0); /* the thread's own again: the runtime sleeps in it, too */
}

uint64_t work_process_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
