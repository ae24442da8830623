/* SPDX-License-Identifier: MIT */
/* Single tasks: the time from the submission to the start, on another thread than the submitter's. */
#define _POSIX_C_SOURCE 200809L
#include "harness/sample.h"
#include "measure.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define MOST_STARTS 2000
#define POLLS_NS 1000000 /* for so long the submitter leaves its processor to nobody */
#define HANGS_NS UINT64_C(60000000000)

static int num_starts;
static uint64_t gap_ns;
static uint64_t submitted[MOST_STARTS], started[MOST_STARTS];
static atomic_int num_runs;

static void take_time(void *argument)
{
    *(uint64_t *)argument = sample_now();
    atomic_fetch_add_explicit(&num_runs, 1, memory_order_release);
}

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Polls: if the submitter slept, a runtime might start the task on its thread. */
static void wait_for_start(void)
{
    uint64_t start = sample_now();

    while (atomic_load_explicit(&num_runs, memory_order_acquire) == 0) {
        uint64_t waited = sample_now() - start;

        relax();
        if (waited > HANGS_NS)
            stop(1, "a task has not started for 60 s");
        if (waited > POLLS_NS)
            (void)sched_yield();
    }
}

static void wait_gap(void)
{
    struct timespec gap = {0, (long)gap_ns};
    uint64_t start = sample_now();

    if (gap_ns > SEARCHING_NS) {
        (void)nanosleep(&gap, NULL);
        return;
    }
    while (sample_now() - start < gap_ns)
        relax();
}

static void submit_all(void)
{
    for (int k = 0; k < num_starts; k++) {
        wait_gap();
        atomic_store_explicit(&num_runs, 0, memory_order_relaxed);
        submitted[k] = sample_now();
        contender.submit(take_time, &started[k], wait_for_start);
        if (atomic_load_explicit(&num_runs, memory_order_acquire) != 1)
            stop(1, "task %d of %d ran more than once", k, num_starts);
    }
}

void make_starts(int n, uint64_t gap)
{
    num_starts = n;
    gap_ns = gap;
    if (contender.submitter)
        contender.submitter(submit_all);
    else
        submit_all();
}

void measure_starts(int n, uint64_t gap)
{
    static double us[MOST_STARTS];
    struct sample sample;

    make_starts(COUNTED_STARTS, SEARCHING_NS); /* warm-up */
    make_starts(n, gap);
    for (int k = 0; k < n; k++)
        us[k] = (double)(started[k] - submitted[k]) / 1e3;
    sample = sample_of(us, (size_t)n);
    printf("%.2f %.2f\n", sample.median, sample.p99);
}
