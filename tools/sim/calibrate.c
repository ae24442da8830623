/* SPDX-License-Identifier: MIT */
#include "calibrate.h"

#include "arch/arch.h"
#include "fail.h"
#include "machine.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 7     /* of each measurement; the fastest counts: others were disturbed */
#define SLEEPS 400   /* wake-ups and barriers */
#define BATCH 50     /* of these passes; the fastest batch counts */
#define PASSES 10000 /* of a line or of a processor from one thread to another */

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

static void do_atomic(void)
{
    (void)__atomic_load_n(&word, __ATOMIC_ACQUIRE);
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

static uint64_t fastest(void (*function)(void), unsigned n)
{
    uint64_t best = UINT64_MAX;

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t start = wsfj_now(), time;

        for (unsigned i = 0; i < n; i++)
            function();
        time = (wsfj_now() - start + n / 2) / n;
        best = time < best ? time : best;
    }
    return best;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
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
    qsort(took, SLEEPS, sizeof *took, compare);
    fprintf(file, "membarrier %" PRIu64 " ns # with one other thread that runs, median of %d\n", took[SLEEPS / 2],
            SLEEPS);
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
}

static void bind_to(unsigned cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

/* Two threads hand a word to each other: 0 is the first one's turn. */
static struct {
    unsigned cpu[2];
    bool yields; /* instead of spinning: both are on one processor */
    uint32_t turn __attribute__((aligned(128)));
} pass;

static void *second(void *unused)
{
    bind_to(pass.cpu[1]);
    for (unsigned i = 0; i < PASSES; i++) {
        while (__atomic_load_n(&pass.turn, __ATOMIC_ACQUIRE) != 1)
            if (pass.yields)
                sched_yield();
        __atomic_store_n(&pass.turn, 0, __ATOMIC_RELEASE);
    }
    return unused;
}

/* The nanoseconds of one hand-over. */
static uint64_t measure_pass(unsigned a, unsigned b)
{
    pthread_t thread;
    uint64_t start, best = UINT64_MAX;

    pass.cpu[0] = a;
    pass.cpu[1] = b;
    pass.yields = a == b;
    bind_to(a);
    if (pthread_create(&thread, NULL, second, NULL) != 0)
        sim_fail(SIM_EXIT_SYSTEM, "--calibrate: no thread");
    start = wsfj_now();
    for (unsigned i = 1; i <= PASSES; i++) {
        __atomic_store_n(&pass.turn, 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&pass.turn, __ATOMIC_ACQUIRE) != 0)
            if (pass.yields)
                sched_yield();
        if (i % BATCH == 0) {
            uint64_t now = wsfj_now(), time = (now - start) / (2 * BATCH);

            best = time < best ? time : best;
            start = now;
        }
    }
    pthread_join(thread, NULL);
    return best;
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
    uint64_t in_vain = fastest(do_futex, 5000);
    static uint64_t latency[SLEEPS], call[SLEEPS];
    pthread_t thread;

    if (pthread_create(&thread, NULL, sleeps, NULL) != 0)
        sim_fail(SIM_EXIT_SYSTEM, "--calibrate: no thread");
    for (uint32_t i = 0; i < SLEEPS; i++) {
        uint64_t start, woken;

        nanosleep(&(struct timespec){0, 300000}, NULL); /* by then it sleeps */
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
    qsort(latency, SLEEPS, sizeof *latency, compare);
    qsort(call, SLEEPS, sizeof *call, compare);
    fprintf(file, "wake-call %" PRIu64 " ns # above the futex call, median of %d\n",
            call[SLEEPS / 2] > in_vain ? call[SLEEPS / 2] - in_vain : 0, SLEEPS);
    fprintf(file, "wake %" PRIu64 " %" PRIu64 " %" PRIu64 " ns # p50 p90 p99 of %d\n", latency[SLEEPS / 2],
            latency[SLEEPS * 9 / 10], latency[SLEEPS * 99 / 100], SLEEPS);
}

static void line(FILE *file, const char *name, void (*function)(void), unsigned n)
{
    fprintf(file, "%s %" PRIu64 " ns\n", name, fastest(function, n));
}

/* The first other processor that this process may use; `first` itself if there is none. */
static unsigned other_cpu(const cpu_set_t *may, unsigned first)
{
    for (unsigned i = first + 1; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, may))
            return i;
    return first;
}

void sim_calibrate(FILE *file)
{
    unsigned first = 0, other;
    cpu_set_t may;

    if (sched_getaffinity(0, sizeof may, &may) != 0)
        sim_fail(SIM_EXIT_SYSTEM, "--calibrate: this machine has more than %d CPUs", CPU_SETSIZE);
    while (!CPU_ISSET(first, &may))
        first++;
    other = other_cpu(&may, first);
    fprintf(file, "# Measured by wsfj-sim --calibrate, the fastest of %d rounds. What is not here keeps its default.\n",
            ROUNDS);
    line(file, "pause", do_pause, 20000);
    line(file, "clock", do_clock, 20000);
    line(file, "lock", do_lock, 20000);
    line(file, "atomic", do_atomic, 20000);
    line(file, "futex-call", do_futex, 5000);
    measure_membarrier(file);
    line(file, "yield", do_yield, 5000);
    line(file, "create", do_create, 100);
    measure_wake(file);
    fprintf(file, "switch %" PRIu64 " ns # two threads take turns on CPU %u\n", measure_pass(first, first), first);
    if (other == first) {
        fprintf(file, "# steal-attempt: not measured, there is only one CPU\n");
    } else {
        sim_machine_start("this", 1);
        fprintf(file, "steal-attempt.%s %" PRIu64 " ns # a line goes from CPU %u to CPU %u\n",
                wsfj_tier_names[sim_machine_tier(first, other)], measure_pass(first, other), first, other);
    }
    (void)sched_setaffinity(0, sizeof may, &may);
}
