/* SPDX-License-Identifier: MIT */
#include "calibrate.h"

#include "arch/arch.h"
#include "costs.h"
#include "fail.h"
#include "machine.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 7   /* of each measurement; the fastest counts: others were disturbed */
#define SLEEPS 400 /* wake-ups, timeouts and barriers */
#define NAP_NS 300000

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

/* Of a loop of them: they are inlined, and a processor has several at once. */
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

static void do_membarrier(void)
{
    (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
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

static struct sim_delay distribution(uint64_t *values)
{
    struct sim_delay d = {calibrate_rank(values, SLEEPS, 50), calibrate_rank(values, SLEEPS, 90),
                          calibrate_rank(values, SLEEPS, 99)};

    return d;
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

static uint32_t busy;

static void *spins(void *unused)
{
    while (__atomic_load_n(&busy, __ATOMIC_ACQUIRE))
        wsfj_pause();
    return unused;
}

/* The barrier costs little unless another thread of the process runs. Of single calls the median: on a busy
 * machine that thread does not run all the time, and this one neither. */
static void measure_membarrier(FILE *file)
{
    static uint64_t took[SLEEPS];
    pthread_t thread;

    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
        return;
    __atomic_store_n(&busy, 1, __ATOMIC_RELEASE);
    if (pthread_create(&thread, NULL, spins, NULL) != 0)
        sim_fail(SIM_EXIT_SYSTEM, "--calibrate: no thread");
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    for (unsigned i = 0; i < SLEEPS; i++) {
        uint64_t start = wsfj_now();

        do_membarrier();
        took[i] = wsfj_now() - start;
    }
    sim_costs.membarrier = calibrate_rank(took, SLEEPS, 50);
    calibrate_say(file, "membarrier", "with one other thread that runs, median of %d", SLEEPS);
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
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

static struct {
    uint32_t word;
    uint64_t woken_at;
} sleeper;

static void *sleeps(void *unused)
{
    for (uint32_t i = 0; i < SLEEPS; i++) {
        while (__atomic_load_n(&sleeper.word, __ATOMIC_ACQUIRE) == i)
            (void)syscall(SYS_futex, &sleeper.word, FUTEX_WAIT_PRIVATE, i, NULL, NULL, 0);
        __atomic_store_n(&sleeper.woken_at, wsfj_now(), __ATOMIC_RELEASE);
    }
    return unused;
}

static void measure_wake(FILE *file)
{
    uint64_t in_vain = sim_costs.futex, median;
    static uint64_t latency[SLEEPS], call[SLEEPS];
    pthread_t thread;

    if (pthread_create(&thread, NULL, sleeps, NULL) != 0)
        sim_fail(SIM_EXIT_SYSTEM, "--calibrate: no thread");
    for (uint32_t i = 0; i < SLEEPS; i++) {
        uint64_t start, woken;

        nanosleep(&(struct timespec){0, NAP_NS}, NULL); /* by then it sleeps */
        __atomic_store_n(&sleeper.woken_at, 0, __ATOMIC_RELAXED);
        start = wsfj_now();
        __atomic_store_n(&sleeper.word, i + 1, __ATOMIC_RELEASE);
        (void)syscall(SYS_futex, &sleeper.word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        call[i] = wsfj_now() - start;
        while (!(woken = __atomic_load_n(&sleeper.woken_at, __ATOMIC_ACQUIRE)))
            sched_yield();
        latency[i] = woken - start;
    }
    pthread_join(thread, NULL);
    median = calibrate_rank(call, SLEEPS, 50);
    sim_costs.wake_call = median > in_vain ? median - in_vain : 0;
    calibrate_say(file, "wake-call", "above the futex call, median of %d", SLEEPS);
    sim_costs.wake = distribution(latency);
    calibrate_say(file, "wake", "p50 p90 p99 of %d", SLEEPS);
}

/* How late a timed sleep ends; what a wake-up takes is a part of it. */
static void measure_late(FILE *file)
{
    static uint64_t late[SLEEPS];

    for (uint32_t i = 0; i < SLEEPS; i++) {
        uint64_t end = wsfj_now() + NAP_NS, now;

        nanosleep(&(struct timespec){0, NAP_NS}, NULL);
        now = wsfj_now();
        late[i] = now > end ? now - end : 0;
    }
    sim_costs.late = distribution(late);
    calibrate_say(file, "late", "p50 p90 p99 of %d", SLEEPS);
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

/* Each distance from the first CPU once, with the first CPU that is so far. */
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
    measure_membarrier(file);
    measure_wake(file);
    measure_late(file);
    calibrate_switch(file, first);
    calibrate_spawn(file, first);
    nearest = measure_distances(file, first);
    if (nearest == first)
        fprintf(file, "# There is only one CPU: nothing that two of them do is measured.\n");
    else
        calibrate_steps(file, first, nearest);
}
