/* SPDX-License-Identifier: MIT */
/*
 * A loop that was short becomes long while the runtime is down: it must start the runtime again, after at most one serial
 * run. Neighbours: loops.c; unit/loop_clock.
 *
 * Catches: searchers that are still counted after ws_fini(), or in the child of a fork, where nobody keeps their clock.
 */
#include "workers.h"

#include <sys/wait.h>
#include <unistd.h>

static WS_LOOP(visit, long, i, useconds_t, us)
{
    (void)i;
    if (us)
        usleep(us);
}
static WS_TASK(long, nothing)
{
    return 1;
}

/* Workers that search, for ever or in a phase. The loop is known to be short. */
static void learn(bool in_phase)
{
    long r = 0;

    start_runtime(2, 0, in_phase ? WS_SPIN_DEFAULT : WS_SPIN_FOREVER);
    if (in_phase)
        ck_assert_int_eq(ws_phase_begin(), 0);
    for (int k = 0; k < 2000; k++)
        ck_assert_int_eq(ws_for(visit, 0, 64, 0), 0);
    ck_assert_int_eq(ws_run(nothing, &r), 0);
}

static void stop(bool in_phase)
{
    if (in_phase)
        ck_assert_int_eq(ws_phase_end(), 0);
    stop_runtime();
}

/* Whether the loop begins no region, with the runtime down. */
static bool is_short(void)
{
    return ws_num_workers() == 0 && ws_for(visit, 0, 64, 0) == 0 && ws_num_workers() == 0;
}

/* A machine under load may have taken the loop for a long one. */
static void learn_and_stop(bool in_phase)
{
    do {
        if (ws_num_workers())
            stop_runtime();
        learn(in_phase);
        stop(in_phase);
    } while (!is_short());
}

/* 64 ms in a serial run: far longer than the coarse clock's tick. */
static bool starts_again(void)
{
    for (int run = 0; run < 2; run++)
        if (ws_for(visit, 0, 64, 1000) != 0)
            return false;
    return ws_num_workers() > 0;
}

static bool starts_again_in_child(void)
{
    pid_t pid = fork();
    int status = -1;

    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        _exit(is_short() && starts_again() ? 0 : 1);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status == 0;
}

START_TEST(after_a_stop)
{
    for (int round = 0; round < 2; round++) {
        learn_and_stop(_i);
        ck_assert(starts_again_in_child());
        ck_assert(starts_again());
        stop_runtime();
    }
}
END_TEST

START_TEST(in_the_child_of_a_fork)
{
    learn_and_stop(_i);
    learn(_i); /* workers search at the fork, too */
    ck_assert(starts_again_in_child());
    stop(_i);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("loop_again");

    tcase_add_loop_test(tcase, after_a_stop, 0, 2);
    tcase_add_loop_test(tcase, in_the_child_of_a_fork, 0, 2);
    return run_case("loop_again", tcase);
}
