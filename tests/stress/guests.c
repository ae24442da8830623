/* SPDX-License-Identifier: MIT */
/*
 * Callers of ws_run() that take the slots of searching workers, seen from inside (libwsfjcore). PARK-8 in
 * doc/protocols.md. Neighbour: user/phases.c, through the public interface.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity() */
#endif
#include "idle/cpu_limit.h"
#include "idle/idle_counts.h"
#include "worker/worker.h"

#include "stress.h"

#include <pthread.h>
#include <sched.h>

static const size_t workers[] = {1, 2, 3, 8, 33};
#define CONFIGURATIONS (2 * (int)(sizeof workers / sizeof *workers))

static void stay_on(unsigned cpu)
{
    cpu_set_t here;

    CPU_ZERO(&here);
    CPU_SET(cpu, &here);
    ck_assert_int_eq(sched_setaffinity(0, sizeof here, &here), 0);
}

static WS_TASK_VOID(tell, pthread_t *, who)
{
    *who = pthread_self();
}

static bool runs_on_the_caller(void)
{
    pthread_t who;

    ck_assert_int_eq(ws_run(tell, &who), 0);
    return pthread_equal(who, pthread_self());
}

/* Runs regions until the caller has run `n` of them itself. */
static void run_own(int n)
{
    uint64_t end = now() + LONG_NS;

    for (int own = 0; own < n;) {
        own += runs_on_the_caller();
        ck_assert(now() < end);
    }
}

static void await_counts(uint32_t searching, int32_t sleeping)
{
    uint64_t end = now() + LONG_NS;
    struct wsfj_idle_counts counts;

    do {
        counts = wsfj_idle_counts();
    } while ((counts.searching != searching || counts.sleeping != sleeping) && now() < end);
    ck_assert_uint_eq(counts.searching, searching);
    ck_assert_int_eq(counts.sleeping, sleeping);
}

/* Catches: a phase in which more workers sleep than the one behind the caller, or in which that one searches beside its
 * guest; counts that are wrong afterwards, so that an idle runtime searches or sleeps through work. */
START_TEST(in_a_phase_only_the_worker_behind_the_caller_sleeps)
{
    size_t n = workers[_i / 2];

    start_nth(workers, _i, WS_SPIN_DEFAULT);
    stay_on((unsigned)sched_getcpu());
    for (int i = 0; i < COUNT(5, 2); i++) {
        ck_assert_int_eq(ws_phase_begin(), 0);
        await_counts((uint32_t)n, 0);
        for (int j = 0; j < COUNT(10, 3); j++) {
            run_own(5);
            await_counts((uint32_t)n - 1, 1);
        }
        ck_assert_int_eq(ws_phase_end(), 0);
        await_counts(0, (int32_t)n);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a caller that waits for a searching worker of another processor because its own processor's worker is
 * surplus, as in a container with a CPU quota. */
START_TEST(beside_a_surplus_worker_a_caller_takes_another_slot)
{
    cpu_set_t allowed;
    unsigned cpu = 0;

    ck_assert_int_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    start_sized((size_t)CPU_COUNT(&allowed), STACK_SIZE);
    wsfj_cpu_limit_change(1);
    for (size_t i = 1; i < ws_num_workers() && wsfj_workers[i].num_cpus > 0; i++)
        cpu = wsfj_workers[i].cpus[0]; /* else there is no such processor */
    if (cpu > 0)
        stay_on(cpu);
    ck_assert_int_eq(ws_phase_begin(), 0);
    run_own(100);
    ck_assert_int_eq(ws_phase_end(), 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("guests");

    tcase_add_loop_test(tcase, in_a_phase_only_the_worker_behind_the_caller_sleeps, 0, CONFIGURATIONS);
    tcase_add_test(tcase, beside_a_surplus_worker_a_caller_takes_another_slot);
    return run_case("guests", tcase);
}
