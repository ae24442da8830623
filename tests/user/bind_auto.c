/* SPDX-License-Identifier: MIT */
/*
 * WSFJ_BIND=auto: a worker may leave its place while others use that. Neighbours: unit/judge.c, when; unit/reach.c, to which
 * CPUs; bound.c and child_masks.c, masks of the program's own threads and of children.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity() */
#endif
#include "idle/allowed.h"
#include "idle/cpu_limit.h"
#include "worker/reach.h"
#include "worker/workers.h"

#include "../support/fib.h"
#include "../support/process.h"
#include "../support/runtime.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define PATIENCE_NS (UINT64_C(60) * 1000000000)
#define WORKERS 2u

static cpu_set_t before, place[WORKERS];

/* Tests decide instead of the judge. */
static enum wsfj_verdict wanted;
static uint64_t asked;

static enum wsfj_verdict decide(struct wsfj_judge *judge, uint64_t at, const struct wsfj_delay *delay, bool is_wide)
{
    judge->asked = at;
    judge->begin = *delay;
    (void)is_wide;
    (void)__atomic_fetch_add(&asked, 1, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&wanted, __ATOMIC_SEQ_CST);
}

static void say(enum wsfj_verdict verdict)
{
    __atomic_store_n(&wanted, verdict, __ATOMIC_SEQ_CST);
}

static bool has(unsigned worker, const cpu_set_t *expected)
{
    pid_t tid = wsfj_worker_thread(worker).tid;
    cpu_set_t mask;

    return tid && sched_getaffinity(tid, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, expected);
}

static void set(unsigned worker, const cpu_set_t *mask)
{
    ck_assert_int_eq(sched_setaffinity(wsfj_worker_thread(worker).tid, sizeof *mask, mask), 0);
}

static int met;

/* Two tasks that meet: each worker has to take one, and so has searched. */
static void meet(void *unused)
{
    uint64_t end = now() + PATIENCE_NS;

    (void)unused;
    (void)__atomic_fetch_add(&met, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&met, __ATOMIC_SEQ_CST) < (int)WORKERS && now() < end)
        sched_yield();
}

static void work(void)
{
    ws_group group = WS_GROUP_INIT;

    met = 0;
    for (unsigned i = 0; i < WORKERS; i++)
        ck_assert_int_eq(ws_group_submit(&group, meet, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
}

static void await(const cpu_set_t *first, const cpu_set_t *second)
{
    uint64_t end = now() + PATIENCE_NS;

    while (!(has(0, first) && has(1, second))) {
        ck_assert(now() < end);
        work();
    }
}

/* The workers look so often, and nothing changes. */
static void stay(const cpu_set_t *first, const cpu_set_t *second)
{
    uint64_t end = now() + PATIENCE_NS, until = __atomic_load_n(&asked, __ATOMIC_SEQ_CST) + 8;

    while (__atomic_load_n(&asked, __ATOMIC_SEQ_CST) < until) {
        ck_assert(now() < end);
        work();
        ck_assert(has(0, first) && has(1, second));
    }
}

static void start_with(enum ws_bind bind, const char *places)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = WORKERS;
    config.bind = bind;
    config.places = places;
    ck_assert_int_eq(ws_init(&config), 0);
}

/* By default, with a judge of the test's own. */
static void start(void)
{
    wsfj_reach_judge = decide;
    wsfj_reach_period = 1000000;
    start_with(WS_BIND_AUTO, NULL);
    await(&place[0], &place[1]);
}

static void stop(void)
{
    ck_assert_int_eq(ws_fini(), 0);
}

/* Catches: workers that stay where they are; masks that the CPU limit's reading narrows again; a limit that follows the
 * masks; workers that do not go back. */
START_TEST(a_worker_widens_and_narrows)
{
    wsfj_cpu_limit_period = 1000000;
    start();
    for (int round = 0; round < 2; round++) {
        say(WSFJ_VERDICT_WIDER);
        await(&before, &before);
        say(WSFJ_VERDICT_STAY);
        stay(&before, &before);
        ck_assert(wsfj_allowed_to_run(WORKERS - 1));
        say(WSFJ_VERDICT_NARROWER);
        await(&place[0], &place[1]);
        stay(&place[0], &place[1]);
    }
    stop();
}
END_TEST

/* Catches: workers that go back all at once. */
START_TEST(one_worker_at_a_time_narrows)
{
    uint64_t end = now() + PATIENCE_NS, began;

    start();
    say(WSFJ_VERDICT_WIDER);
    await(&before, &before);
    began = now();
    say(WSFJ_VERDICT_NARROWER);
    while (has(0, &before) && has(1, &before)) {
        ck_assert(now() < end);
        work();
        began = now();
    }
    await(&place[0], &place[1]);
    ck_assert_uint_ge(now() - began + 50000000, 100000000);
    stop();
}
END_TEST

/* Catches: a policy that somebody has asked for, and does not get. */
START_TEST(other_policies_are_strict)
{
    static const enum ws_bind binds[] = {WS_BIND_CLOSE, WS_BIND_SPREAD, WS_BIND_PRIMARY, WS_BIND_NONE};
    const cpu_set_t *masks[][2] = {
        {&place[0], &place[1]}, {&place[0], &place[1]}, {&place[0], &place[0]}, {&before, &before}};
    uint64_t end;

    wsfj_reach_judge = decide;
    wsfj_reach_period = 1000000;
    say(WSFJ_VERDICT_WIDER);
    start_with(binds[_i], NULL);
    await(masks[_i][0], masks[_i][1]);
    end = now() + 300000000;
    while (now() < end)
        work();
    ck_assert(has(0, masks[_i][0]) && has(1, masks[_i][1]));
    ck_assert_uint_eq(__atomic_load_n(&asked, __ATOMIC_SEQ_CST), 0);
    stop();
}
END_TEST

/* Catches: CPUs beyond the places; beyond the first thread's mask as it is then. */
START_TEST(there_are_limits)
{
    char places[40];

    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &place[0]))
            snprintf(places, sizeof places, "{%u}", i);
    wsfj_reach_judge = decide;
    wsfj_reach_period = 1000000;
    say(WSFJ_VERDICT_WIDER);
    start_with(WS_BIND_AUTO, places);
    await(&place[0], &place[0]);
    stay(&place[0], &place[0]);
    stop();
    say(WSFJ_VERDICT_STAY);
    start();
    ck_assert_int_eq(sched_setaffinity(getpid(), sizeof *place, &place[0]), 0);
    say(WSFJ_VERDICT_WIDER);
    stay(&place[0], &place[1]);
    ck_assert_int_eq(sched_setaffinity(getpid(), sizeof before, &before), 0);
    await(&before, &before);
    stop();
}
END_TEST

/* Catches: a mask of somebody else that is changed by a worker, by the reading of the CPU limit, or when it is quiet; workers
 * that stay unbound when all CPUs are back. */
START_TEST(a_mask_of_somebody_else_is_left_alone)
{
    wsfj_cpu_limit_period = 1000000;
    start();
    if (_i) {
        say(WSFJ_VERDICT_WIDER);
        await(&before, &before);
    }
    say(WSFJ_VERDICT_STAY);
    set(1, &place[0]);
    for (enum wsfj_verdict verdict = WSFJ_VERDICT_STAY; verdict <= WSFJ_VERDICT_WIDER; verdict++) {
        say(verdict);
        await(verdict == WSFJ_VERDICT_WIDER || _i ? &before : &place[0], &place[0]);
        stay(verdict == WSFJ_VERDICT_WIDER || _i ? &before : &place[0], &place[0]);
    }
    say(WSFJ_VERDICT_NARROWER);
    await(&place[0], &place[0]);
    stay(&place[0], &place[0]);
    set(1, &before);
    await(&place[0], &place[1]);
    stop();
}
END_TEST

/* Catches: a worker that stops, or asks again and again, where the kernel refuses. */
static int refused(long unused)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog all = {sizeof program / sizeof *program, program};
    uint64_t end;

    (void)unused;
    start();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &all))
        return EXIT_SKIPPED;
    say(WSFJ_VERDICT_WIDER);
    end = now() + 1000000000;
    while (now() < end)
        work();
    if (!has(0, &place[0]) || !has(1, &place[1]))
        return 2;
    return ws_fini() == 0 && __atomic_load_n(&asked, __ATOMIC_SEQ_CST) < 100 ? 0 : 3;
}

START_TEST(a_refused_mask_stays)
{
    struct outcome o = in_child(refused, 0);

    if (!WIFEXITED(o.status) || WEXITSTATUS(o.status) != EXIT_SKIPPED)
        expect_exit(&o, 0);
}
END_TEST

static pid_t busy_on(const cpu_set_t *mask)
{
    pid_t pid = fork();
    uint64_t end;

    ck_assert_int_ge(pid, 0);
    if (pid)
        return pid;
    end = now() + PATIENCE_NS;
    if (sched_setaffinity(0, sizeof *mask, mask) == 0)
        while (now() < end && getppid() != 1)
            ;
    _exit(0);
}

/* Catches: a worker that waits behind a stranger for ever: nobody looks, the figures are another thread's, or the judge never
 * finds enough. The stranger is another process, which ends with the test. On a busy machine there are others, and the worker may
 * be wide from the beginning. */
START_TEST(a_busy_process_on_a_workers_cpu)
{
    uint64_t end = now() + PATIENCE_NS;
    pid_t pid;

    start_with(WS_BIND_AUTO, NULL);
    pid = busy_on(&place[_i]);
    while (!wsfj_reach_is_wide(&wsfj_workers[_i]) || !has((unsigned)_i, &before)) {
        uint64_t slice = now() + 10000000;
        ck_assert(now() < end);
        work();
        while (now() < slice)
            ck_assert_int_eq(ws_run(fib, &(long){0}, 18), 0);
    }
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("bind_auto");
    cpu_set_t all;
    unsigned found = 0;

    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return EXIT_FAILURE;
    for (unsigned i = 0; i < CPU_SETSIZE && found < WORKERS; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &place[found++]);
            CPU_SET(i, &before);
        }
    }
    if (found < WORKERS || sched_setaffinity(0, sizeof before, &before) != 0) {
        puts("bind_auto: fewer than two CPUs: there is no other one");
        return EXIT_SKIPPED;
    }
    tcase_add_test(tcase, a_worker_widens_and_narrows);
    tcase_add_test(tcase, one_worker_at_a_time_narrows);
    tcase_add_loop_test(tcase, other_policies_are_strict, 0, 4);
    tcase_add_test(tcase, there_are_limits);
    tcase_add_loop_test(tcase, a_mask_of_somebody_else_is_left_alone, 0, 2);
    tcase_add_test(tcase, a_refused_mask_stays);
    tcase_add_loop_test(tcase, a_busy_process_on_a_workers_cpu, 0, WORKERS);
    return run_case("bind_auto", tcase);
}
