/* SPDX-License-Identifier: MIT */
/*
 * What a task finds where it lends its slot and where it gets one again, with another task in between: errno, the thread that
 * the worker names, the reserve of a pin; and what others learn of it. Seen from inside: the linker puts functions below
 * that spoil errno, hold an order back, or count, between blocking.c and its neighbours. Neighbours: user/rounding.c,
 * floating-point modes; user/pins.c; explore/pin.
 */
#include "../support/flags.h"
#include "../support/runtime.h"

#include "base/atomic.h"
#include "base/thread.h"
#include "blocking/spare.h"
#include "config/settings.h"
#include "idle/idle_counts.h"
#include "idle/preempt.h"
#include "idle/wake.h"
#include "task/stack.h"
#include "worker/own.h"
#include "worker/worker.h"

#include <errno.h>

enum { ROUNDS = 10 };

/* The linker's names: __real_ is the library's function, __wrap_ is called in its place. */
struct wsfj_thread *__real_wsfj_spare_take(void);
struct wsfj_thread *__wrap_wsfj_spare_take(void);
bool __real_wsfj_spare_recall(struct wsfj_thread *t, const void *sender);
bool __wrap_wsfj_spare_recall(struct wsfj_thread *t, const void *sender);

void __real_wsfj_spare_send(struct wsfj_thread *t, struct wsfj_worker *w, const void *sender);
void __wrap_wsfj_spare_send(struct wsfj_thread *t, struct wsfj_worker *w, const void *sender);
void __real_wsfj_wake_carry_over(struct wsfj_stack *stack);
void __wrap_wsfj_wake_carry_over(struct wsfj_stack *stack);
void __wrap_wsfj_preempt_polls(void);

static bool slow; /* a spare never begins before it is recalled */
static long carried, polled;

void __wrap_wsfj_spare_send(struct wsfj_thread *t, struct wsfj_worker *w, const void *sender)
{
    if (!slow)
        __real_wsfj_spare_send(t, w, sender);
}

void __wrap_wsfj_wake_carry_over(struct wsfj_stack *stack)
{
    add(&carried, 1);
    __real_wsfj_wake_carry_over(stack);
}

void __wrap_wsfj_preempt_polls(void)
{
    add(&polled, 1);
}

struct wsfj_thread *__wrap_wsfj_spare_take(void)
{
    struct wsfj_thread *t = __real_wsfj_spare_take();

    errno = EDOM;
    return t;
}

bool __wrap_wsfj_spare_recall(struct wsfj_thread *t, const void *sender)
{
    bool recalled = slow || __real_wsfj_spare_recall(t, sender);

    if (slow)
        wsfj_spare_give(t);
    errno = EDOM;
    return recalled;
}

static long other_ran, ended, wrong;

/* In tasks, which may not assert. */
static void check(bool right)
{
    add(&wrong, !right);
}

/* By calls, as the next two: the task may be on another thread afterwards. */
static __attribute__((noinline)) void set_errno(int error)
{
    errno = error;
}

static __attribute__((noinline)) int get_errno(void)
{
    return errno;
}

/* The calling task has a slot: its worker names the thread. */
static __attribute__((noinline)) void check_thread(void)
{
    const struct wsfj_stack *own = wsfj_own_stack();

    check(load_relaxed(&own->worker->tid) == wsfj_thread_id());
    check(ws_worker_id() == (int)load_relaxed(&own->worker)->id);
}

/* The calling task is in a section, and another thread serves its slot. */
static __attribute__((noinline)) void check_lent(void)
{
    check(wsfj_own_stack()->blocking.lender);
}

static void other(void *unused)
{
    (void)unused;
    check_thread();
    add(&other_ran, 1);
}

/* Each call that gives the slot away, or gets one again, is between two checks. */
static void waits(void *pinned)
{
    ws_group group = WS_GROUP_INIT;
    long before = get(&other_ran);

    check_thread();
    if (pinned)
        check(ws_pin() == 0);
    check(ws_group_submit(&group, other, NULL) == 0);
    set_errno(1);
    ws_blocking_begin();
    check(get_errno() == 1);
    while (get(&other_ran) == before)
        sched_yield();
    set_errno(2);
    ws_blocking_end();
    check(get_errno() == 2);
    check_thread();
    ws_blocking_begin();
    check(ws_group_submit(&group, other, NULL) == 0);
    set_errno(3);
    check(ws_group_wait(&group) == 0);
    check(get_errno() == 3);
    check_lent();
    ws_yield();
    check_lent();
    set_errno(4);
    ws_blocking_end();
    check(get_errno() == 4);
    check_thread();
    ws_yield();
    check_thread();
    if (pinned)
        ws_unpin();
    add(&ended, 1);
}

/* Catches: an errno that the begin or the end of a section has changed, or a wait in one; a section that keeps its slot
 * after a wait; a spare or a pinned task's thread that serves a worker which names another thread. */
START_TEST(a_slot_comes_back_as_it_was)
{
    ws_group group = WS_GROUP_INIT;

    start_runtime(1, 0, WS_SPIN_DEFAULT);
    for (intptr_t i = 0; i < ROUNDS; i++) {
        ck_assert_int_eq(ws_group_submit(&group, waits, (void *)(i % 2)), 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
    }
    stop_runtime();
    ck_assert_int_eq(get(&wrong), 0);
    ck_assert_int_eq(get(&ended), ROUNDS);
}
END_TEST

static int polls(void *unused)
{
    (void)unused;
    return 0;
}

static void is_in_a_section(void *unused)
{
    long before = get(&carried), polled_before = get(&polled);

    (void)unused;
    check(polled_before > 0); /* the task's own run */
    ws_blocking_begin();
    check(get(&carried) == before);
    ws_blocking_end();
    check(get(&carried) == before + 1);
    check(get(&polled) == polled_before + 1);
    check(wsfj_idle_counts().searching == 0);
    add(&ended, 1);
}

/* Catches: a slot that is taken back, and a stack that runs again, while the thieves' last look, the preempter that polls or
 * the count of searchers does not learn of it. */
START_TEST(a_slot_that_is_taken_back_is_made_known)
{
    ws_group group = WS_GROUP_INIT;

    start_runtime(1, 0, WS_SPIN_DEFAULT);
    wsfj_settings.poll = polls;
    slow = true;
    ck_assert_int_eq(ws_group_submit(&group, is_in_a_section, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    slow = false;
    stop_runtime();
    ck_assert_int_eq(get(&wrong), 0);
    ck_assert_int_eq(get(&ended), 1);
}
END_TEST

/* The other worker sleeps. The spare that is counted as a searcher never searches. */
static void submits_in_a_section(void *unused)
{
    struct wsfj_idle_counts now;
    long before = get(&other_ran);

    (void)unused;
    do {
        sched_yield();
        now = wsfj_idle_counts();
    } while (now.searching > 0 || now.sleeping < 1);
    ws_blocking_begin();
    check(ws_submit(other, NULL) == 0);
    ws_blocking_end();
    while (get(&other_ran) == before)
        sched_yield();
    add(&ended, 1);
}

/* Catches: a task that is queued while the spare of a section counts as a searcher, and that no worker learns of when the
 * section ends before the spare begins: it waits as long as the task of the section runs. */
START_TEST(what_relied_on_a_recalled_spare_is_made_known)
{
    ws_group group = WS_GROUP_INIT;

    start_runtime(2, 0, 0);
    slow = true;
    ck_assert_int_eq(ws_group_submit(&group, submits_in_a_section, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    slow = false;
    stop_runtime();
    ck_assert_int_eq(get(&wrong), 0);
    ck_assert_int_eq(get(&ended), 1);
}
END_TEST

/* The worker's own thread serves the slot by the time of the pin. */
static WS_TASK_VOID(pins_in_a_section)
{
    const struct wsfj_stack *own = wsfj_own_stack();
    long before = get(&other_ran);

    check(ws_submit(other, NULL) == 0);
    ws_blocking_begin();
    while (get(&other_ran) == before)
        sched_yield();
    check(ws_pin() == 0);
    check(!own->pin.reserve);
    ws_blocking_end();
    ws_unpin();
    add(&ended, 1);
}

/* Catches: a guest that takes a reserve, because the thread behind it serves the slot: the worker then has two. */
START_TEST(a_guest_needs_no_reserve_in_a_section)
{
    start_runtime(1, 0, 0);
    for (int i = 0; i < ROUNDS; i++) {
        while (wsfj_idle_counts().sleeping < 1)
            sched_yield();
        ck_assert_int_eq(ws_run(pins_in_a_section), 0);
    }
    stop_runtime();
    ck_assert_int_eq(get(&wrong), 0);
    ck_assert_int_eq(get(&ended), ROUNDS);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("slots");

    tcase_add_test(tcase, a_slot_comes_back_as_it_was);
    tcase_add_test(tcase, a_slot_that_is_taken_back_is_made_known);
    tcase_add_test(tcase, what_relied_on_a_recalled_spare_is_made_known);
    tcase_add_test(tcase, a_guest_needs_no_reserve_in_a_section);
    return run_case("slots", tcase);
}
