/* SPDX-License-Identifier: MIT */
#include "calibrate.h"

#include "arch/arch.h"
#include "costs.h"
#include "fail.h"
#include "machine.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROUNDS 7 /* of each measurement; the fastest counts: others were disturbed */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t word;

/* What is measured. Each does it once. */
static void do_pause(void)
{
    wsfj_pause();
}

static void do_clock(void)
{
    (void)wsfj_now();
}

static void do_lock(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

/* A loop of many: the library inlines them, and a processor works on several at once. */
static void do_atomics(void)
{
    for (unsigned i = 0; i < 500; i++) {
        __atomic_store_n(&word, i, __ATOMIC_RELEASE);
        (void)__atomic_load_n(&word, __ATOMIC_ACQUIRE);
    }
}

static void do_rmws(void)
{
    for (unsigned i = 0; i < 1000; i++)
        (void)__atomic_fetch_add(&word, 1, __ATOMIC_ACQ_REL);
}

static void do_futex(void)
{
    (void)syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void do_yield(void)
{
    sched_yield();
}

static void *nothing(void *unused)
{
    return unused;
}

static void do_create(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, nothing, NULL) != 0)
        sim_fail(SIM_EXIT_SYSTEM, "--calibrate: no thread");
    pthread_join(thread, NULL);
}

/* In picoseconds. */
static uint64_t fastest(void (*function)(void), unsigned n)
{
    uint64_t best = UINT64_MAX;

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t start = wsfj_now(), time;

        for (unsigned i = 0; i < n; i++)
            function();
        time = ((wsfj_now() - start) * 1000 + n / 2) / n;
        best = time < best ? time : best;
    }
    return best;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

uint64_t calibrate_rank(uint64_t *values, unsigned n, unsigned percent)
{
    qsort(values, n, sizeof *values, compare);
    return values[(n - 1) * percent / 100];
}

void calibrate_say(FILE *file, const char *name, const char *comment, ...)
{
    va_list arguments;

    sim_costs_write_one(file, name);
    fputs(" # ", file);
    va_start(arguments, comment);
    vfprintf(file, comment, arguments);
    va_end(arguments);
    fputc('\n', file);
    fflush(file);
}

static cpu_set_t may; /* the CPUs of this process */

void calibrate_free(void)
{
    (void)sched_setaffinity(0, sizeof may, &may);
}

void calibrate_bind(unsigned cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

static void single(FILE *file, const char *name, uint64_t *ns, void (*function)(void), unsigned n)
{
    *ns = (fastest(function, n) + 500) / 1000;
    calibrate_say(file, name, "the fastest of %d rounds", ROUNDS);
}

static void measure_singles(FILE *file)
{
    single(file, "pause", &sim_costs.pause, do_pause, 20000);
    single(file, "clock", &sim_costs.clock, do_clock, 20000);
    single(file, "lock", &sim_costs.lock, do_lock, 20000);
    sim_costs.atomic = fastest(do_atomics, 200) / 1000;
    calibrate_say(file, "atomic", "a store or a load, of many in a row");
    sim_costs.rmw = fastest(do_rmws, 200) / 1000;
    calibrate_say(file, "atomic-rmw", "the same of additions");
    single(file, "futex-call", &sim_costs.futex, do_futex, 5000);
    single(file, "yield", &sim_costs.yield, do_yield, 5000);
    single(file, "create", &sim_costs.create, do_create, 100);
}

/* Measures each distance from the first CPU once, with the first CPU at that distance. Returns the nearest CPU. */
static unsigned measure_distances(FILE *file, unsigned first)
{
    bool done[WSFJ_TIER_COUNT] = {false};
    unsigned nearest = first, tier_of_nearest = WSFJ_TIER_COUNT;

    for (unsigned cpu = first + 1; cpu < CPU_SETSIZE; cpu++) {
        unsigned tier = CPU_ISSET(cpu, &may) ? sim_machine_tier(first, cpu) : WSFJ_TIER_COUNT;

        if (tier == WSFJ_TIER_COUNT || done[tier])
            continue;
        done[tier] = true;
        calibrate_lines(file, first, cpu);
        if (tier < tier_of_nearest) {
            tier_of_nearest = tier;
            nearest = cpu;
        }
    }
    for (unsigned cpu = first + 1; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &may) || !done[sim_machine_tier(first, cpu)])
            continue;
        done[sim_machine_tier(first, cpu)] = false;
        calibrate_steal(file, first, cpu);
    }
    return nearest;
}

void sim_calibrate(FILE *file)
{
    unsigned first = 0, nearest;

    if (sched_getaffinity(0, sizeof may, &may) != 0)
        sim_fail(SIM_EXIT_SYSTEM, "--calibrate: this machine has more than %d CPUs", CPU_SETSIZE);
    while (!CPU_ISSET(first, &may))
        first++;
    sim_machine_start("this", 1);
    fprintf(file, "# Measured by wsfj-sim --calibrate. What is not here keeps its default.\n");
    measure_singles(file);
    calibrate_kernel(file);
    calibrate_switch(file, first);
    calibrate_spawn(file, first);
    nearest = measure_distances(file, first);
    if (nearest == first)
        fprintf(file, "# There is only one CPU: nothing that two of them do is measured.\n");
    else
        calibrate_steps(file, first, nearest);
}
