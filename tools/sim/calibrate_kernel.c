/* SPDX-License-Identifier: MIT */
/* What the kernel does for threads: barriers, wake-ups, timed sleeps. */
#include "calibrate.h"

#include "arch/arch.h"
#include "costs.h"
#include "fail.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLEEPS 400 /* wake-ups, timeouts and barriers */
#define NAP_NS 300000

static void do_membarrier(void)
{
    (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

static struct sim_delay distribution(uint64_t *values)
{
    struct sim_delay d = {calibrate_rank(values, SLEEPS, 50), calibrate_rank(values, SLEEPS, 90),
                          calibrate_rank(values, SLEEPS, 99)};

    return d;
}

static uint32_t busy;

static void *spins(void *unused)
{
    while (__atomic_load_n(&busy, __ATOMIC_ACQUIRE))
        wsfj_pause();
    return unused;
}

/* Another thread runs meanwhile: without one the barrier costs little. The result is the median of single calls, because on
 * a busy machine neither thread runs all the time. */
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

void calibrate_kernel(FILE *file)
{
    measure_membarrier(file);
    measure_wake(file);
    measure_late(file);
}
