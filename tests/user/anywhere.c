/* SPDX-License-Identifier: MIT */
/*
 * What holds of a task's worker and thread, in each place of a task: its begin and its end, a called task, a section, after
 * each wait. Worker, slot and WS_LOCAL belong together; a thread of the library blocks signals, and the caller of ws_run()
 * keeps its mask; the modes of the region hold. Neighbours: slots.c, worker_local.c, signals.c, rounding.c.
 */
#include "../support/flags.h"
#include "../support/modes.h"
#include "workers.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The slot that has it, plus 1. */
static WS_LOCAL(size_t, owner);

static long looks, wrong_worker, wrong_slot, wrong_local, wrong_mask, wrong_modes;
static pid_t caller; /* of ws_run(): it may be a guest */
static int rounding; /* of the region; it flushes to zero, as no detached task does */

/* In tasks, which may not assert. */
static __attribute__((noinline)) void look(bool inside, bool modes)
{
    size_t slot = ws_slot(), count = ws_num_workers();
    size_t *own = ws_local(&owner);
    int id = ws_worker_id();
    bool is_caller = (pid_t)syscall(SYS_gettid) == caller;
    sigset_t mask;

    add(&looks, 1);
    add(&wrong_worker, inside ? id != -1 : id < 0 || (size_t)id >= count);
    add(&wrong_slot, slot != (inside ? count : (size_t)id) || slot + 1 > ws_num_slots());
    add(&wrong_local, !own || (*own && *own != slot + 1));
    if (own && !inside)
        *own = slot + 1;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask);
    add(&wrong_mask, sigismember(&mask, SIGTERM) == is_caller || sigismember(&mask, SIGUSR2) == is_caller ||
                         sigismember(&mask, SIGSEGV) != 0);
    add(&wrong_modes, modes && (fegetround() != rounding || !modes_flush()));
}

/* Leaves other modes to its thread. */
static void other(void *count)
{
    if (rounding == FE_UPWARD)
        fesetround(FE_DOWNWARD);
    add(count, 1);
}

static WS_TASK_VOID(called, bool, modes)
{
    look(false, modes);
    WS_BLOCKING
    {
        look(true, modes);
    }
    look(false, modes);
}

/* A thief runs it; its parent is suspended until it ends. */
static WS_TASK_VOID(stolen, int *, begun, uint64_t, before)
{
    look(false, true);
    raise_flag(begun);
    while (suspensions() == before)
        sched_yield();
    look(false, true);
}

static void wait_for_others(void)
{
    ws_group group = WS_GROUP_INIT;
    long count = 0;

    (void)ws_group_submit(&group, other, &count);
    (void)ws_group_wait(&group);
    look(false, true);
    (void)ws_group_submit(&group, other, &count);
    WS_BLOCKING
    {
        while (get(&count) < 2)
            sched_yield();
        look(true, true);
    }
    look(false, true);
    (void)ws_group_submit(&group, other, &count);
    while (get(&count) < 3)
        ws_yield();
    look(false, true);
    (void)ws_group_wait(&group);
}

static WS_TASK_VOID(root, bool, alone)
{
    int begun = 0;

    look(false, true);
    ws_call(called, true);
    wait_for_others();
    ws_spawn(called, true);
    ws_sync();
    look(false, true);
    if (!alone) {
        ws_spawn(stolen, &begun, suspensions());
        wait_for(&begun);
        ws_sync();
        look(false, true);
    }
    if (ws_pin() == 0) {
        wait_for_others();
        ws_unpin();
    }
    ws_call(called, true);
    look(false, true);
}

static void detached(void *unused)
{
    (void)unused;
    look(false, false);
    called(false);
    look(false, false);
}

/* Catches: a slot of another worker in a section or after it; a thread made for a section that takes the program's signals;
 * modes of which some bits stay behind. */
START_TEST(worker_and_thread_are_right_in_each_place)
{
    ws_group group = WS_GROUP_INIT;

    caller = (pid_t)syscall(SYS_gettid);
    start((size_t)_i);
    for (int i = 0; i < 20; i++) {
        rounding = i % 2 ? FE_UPWARD : FE_TONEAREST;
        fesetround(rounding);
        modes_set_flush(true);
        ck_assert_int_eq(ws_run(root, _i == 1), 0);
        ck_assert(fegetround() == rounding && modes_flush());
        fesetround(FE_TONEAREST);
        modes_set_flush(false);
        ck_assert_int_eq(ws_group_submit(&group, detached, NULL), 0);
    }
    ck_assert_int_eq(ws_group_wait(&group), 0);
    stop_runtime();
    ck_assert_int_ge(looks, 20 * 20);
    ck_assert_int_eq(wrong_worker, 0);
    ck_assert_int_eq(wrong_slot, 0);
    ck_assert_int_eq(wrong_local, 0);
    ck_assert_int_eq(wrong_mask, 0);
    ck_assert_int_eq(wrong_modes, 0);
    ws_local_free(&owner);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("anywhere");

    tcase_add_loop_test(tcase, worker_and_thread_are_right_in_each_place, 1, 4);
    return run_case("anywhere", tcase);
}
