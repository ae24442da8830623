/* SPDX-License-Identifier: MIT */
/* The brief exits of an owner, on one thread: lib/sched/brief.h. Neighbours: slow_path.c, the registers;
 * tests/build/brief.sh, the machine code; one_deque.h, the fixture. */
#include "sched/brief.h"

#include "arch/ticks.h"
#include "idle/idle_counts.h"
#include "task/stack.h"
#include "worker/worker.h"
#include "one_deque.h"

static struct wsfj_worker worker;
static struct wsfj_server lender;

/* Called while the owner answers. */
static void (*meanwhile)(void);

enum wsfj_expose __wrap_wsfj_deque_expose(struct wsfj_stack *s, struct wsfj_descriptor *tail);
enum wsfj_expose __real_wsfj_deque_expose(struct wsfj_stack *s, struct wsfj_descriptor *tail);

enum wsfj_expose __wrap_wsfj_deque_expose(struct wsfj_stack *s, struct wsfj_descriptor *tail)
{
    if (meanwhile)
        meanwhile();
    return __real_wsfj_deque_expose(s, tail);
}

/* A worker's stack with so many private tasks and a request. */
static void start_asked(enum wsfj_mode mode, unsigned tasks)
{
    start(mode);
    push(tasks);
    stack->worker = &worker;
    stack->shown.runs = 1;
    stack->deque.wsfj_limit = NULL;
    wsfj_rough_counts = true;
    worker = (struct wsfj_worker){.id = 0};
    wsfj_idle_counts_start(0);
    meanwhile = NULL;
}

static int spawn(void)
{
    return wsfj_spawn_brief(&stack->deque, stack->deque.wsfj_tail);
}

static uint64_t told(void)
{
    return worker.log.count[WSFJ_EVENT_expose];
}

/* Catches: a request that is never answered, or again at each spawn; an answer that thieves, the counters or the recheck do
 * not see (PARK-10). */
START_TEST(a_request_is_answered)
{
    start_asked(WSFJ_MODE_NORMAL, 4);
    ck_assert_int_eq(spawn(), 1);
    ck_assert_int_eq(exposed(), 2);
    ck_assert_ptr_eq(stack->deque.wsfj_limit, stack->memory.soft);
    ck_assert_uint_eq(stack->answers, 1);
    ck_assert_uint_eq(told(), 1);
    ck_assert_uint_ne(stack->exposed_at, 0);
    check_order();
    stop();
}
END_TEST

/* Catches: spawns nested deeply that expose tasks though no thread asks. */
START_TEST(a_deque_that_is_merely_long_is_left_alone)
{
    start_asked(WSFJ_MODE_NORMAL, 4);
    stack->deque.wsfj_limit = stack->bottom + 2;
    ck_assert_int_eq(spawn(), 1);
    ck_assert_int_eq(exposed(), 0);
    ck_assert_uint_eq(stack->answers, 0);
    stop();
}
END_TEST

/* Catches: a request that is lost when every task is stolen already. */
START_TEST(without_tasks_the_request_stays)
{
    start_asked(WSFJ_MODE_NORMAL, 0);
    ck_assert_int_eq(spawn(), 1);
    ck_assert_ptr_null(stack->deque.wsfj_limit);
    ck_assert_uint_eq(told(), 0);
    stop();
}
END_TEST

/* Catches: a request that is lost while a thief has the lock (PARK-1). */
START_TEST(behind_a_thief_the_request_stays)
{
    start_asked(WSFJ_MODE_NORMAL, 4);
    stack->lock = 1;
    ck_assert_int_eq(spawn(), 0);
    ck_assert_ptr_null(stack->deque.wsfj_limit);
    stack->lock = 0;
    stop();
}
END_TEST

static void need_a_lender(void)
{
    stack->blocking.lender = &lender;
}

static void need_to_give_way(void)
{
    stack->preempt = stack->shown.runs;
}

static void need_a_record(void)
{
    worker.log.ring = (struct wsfj_trace_ring *)(void *)&worker;
}

static void need_to_wake(void)
{
    (void)wsfj_idle_counts_fall_asleep(false);
}

static void (*const needs[])(void) = {need_a_lender, need_to_give_way, need_a_record, need_to_wake};
#define NEEDS ((int)(sizeof needs / sizeof *needs))

/* Catches: an answer in a blocking section that the other server's thieves do not find; a trace without the answer; a
 * fiber that does not give way; a worker that sleeps on. */
START_TEST(what_needs_more_is_left_to_the_full_exit)
{
    start_asked(WSFJ_MODE_NORMAL, 4);
    needs[_i]();
    ck_assert_int_eq(spawn(), 0);
    ck_assert_ptr_null(stack->deque.wsfj_limit);
    ck_assert_int_eq(exposed(), 0);
    ck_assert_uint_eq(stack->answers, 0);
    stop();
}
END_TEST

/* Catches: an owner that looks at the counts and at its own request only before its answer (PARK-1, PREEMPT-1): a worker
 * that falls asleep meanwhile sleeps beside the tasks. */
START_TEST(what_comes_while_the_owner_answers_is_seen)
{
    start_asked(WSFJ_MODE_NORMAL, 4);
    meanwhile = _i ? need_to_wake : need_to_give_way;
    ck_assert_int_eq(spawn(), 0);
    ck_assert_ptr_null(stack->deque.wsfj_limit);
    stop();
}
END_TEST

/* Catches: a wake-up that another searcher makes superfluous: each answer would take the full exit. */
START_TEST(beside_a_searcher_nobody_is_woken)
{
    start_asked(WSFJ_MODE_NORMAL, 4);
    need_to_wake();
    wsfj_idle_counts_add_searcher();
    ck_assert_int_eq(spawn(), 1);
    stop();
}
END_TEST

/* Catches: a deque without membarrier, or outside a region, whose E is changed. */
START_TEST(other_modes_are_left_to_the_full_exit)
{
    struct wsfj_descriptor *before;

    start_asked(_i ? WSFJ_MODE_LOCKED : WSFJ_MODE_PRIVATE, 4);
    before = stack->deque.wsfj_exposed;
    ck_assert_int_eq(spawn(), 0);
    ck_assert_ptr_eq(stack->deque.wsfj_exposed, before);
    stop();
}
END_TEST

/* Catches: a loop whose deque is full and that spawns on; one that takes the full exit for each request. */
START_TEST(a_full_loop_is_left_to_the_full_exit)
{
    start_asked(WSFJ_MODE_NORMAL, 4);
    ck_assert_int_eq(wsfj_loop_brief(&stack->deque, stack->memory.soft + 1), 0);
    ck_assert_ptr_null(stack->deque.wsfj_limit);
    ck_assert_int_eq(wsfj_loop_brief(&stack->deque, stack->deque.wsfj_tail), 1);
    ck_assert_ptr_nonnull(stack->deque.wsfj_limit);
    stop();
}
END_TEST

/* The owner pops its newest task. */
static int sync_newest(void)
{
    struct wsfj_descriptor *desc = stack->deque.wsfj_tail - 1;

    wsfj_publish_tail(&stack->deque, desc);
    return wsfj_sync_brief(&stack->deque, desc);
}

/* Catches: a child that is neither the owner's nor the thief's, or both's (THE-4). */
START_TEST(a_public_child_is_taken_back)
{
    start_asked(WSFJ_MODE_NORMAL, 2);
    stack->deque.wsfj_exposed = stack->deque.wsfj_tail;
    ck_assert_int_eq(sync_newest(), 1);
    ck_assert_int_eq(exposed(), 0);
    ck_assert_int_eq(steal(false), WSFJ_STEAL_ASKED);
    check_order();
    stop();
}
END_TEST

/* Catches: a stolen child that its parent runs, too; a wait for a thief that has the lock, in code that calls nothing; a
 * request to give way that a sync does not see. */
START_TEST(a_stolen_child_is_left_to_the_full_exit)
{
    start_asked(WSFJ_MODE_NORMAL, 1);
    stack->deque.wsfj_exposed = stack->deque.wsfj_tail;
    if (_i == 0)
        ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    else if (_i == 1)
        stack->lock = 1;
    else
        need_to_give_way();
    ck_assert_int_eq(sync_newest(), 0);
    ck_assert_int_eq(stack->lock, _i == 1);
    stack->lock = 0;
    stop();
}
END_TEST

/* Catches: a last public task whose place stays empty long after its answer (renew_ns). */
START_TEST(the_last_public_child_leaves_a_request)
{
    start_asked(WSFJ_MODE_NORMAL, 1);
    stack->deque.wsfj_limit = stack->memory.soft;
    stack->deque.wsfj_exposed = stack->deque.wsfj_tail;
    stack->exposed_at = 0;
    ck_assert_int_eq(sync_newest(), 1);
    ck_assert_ptr_null(stack->deque.wsfj_limit);
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("brief");

    tcase_add_test(tcase, a_request_is_answered);
    tcase_add_test(tcase, a_deque_that_is_merely_long_is_left_alone);
    tcase_add_test(tcase, without_tasks_the_request_stays);
    tcase_add_test(tcase, behind_a_thief_the_request_stays);
    tcase_add_loop_test(tcase, what_needs_more_is_left_to_the_full_exit, 0, NEEDS);
    tcase_add_loop_test(tcase, what_comes_while_the_owner_answers_is_seen, 0, 2);
    tcase_add_test(tcase, beside_a_searcher_nobody_is_woken);
    tcase_add_loop_test(tcase, other_modes_are_left_to_the_full_exit, 0, 2);
    tcase_add_test(tcase, a_full_loop_is_left_to_the_full_exit);
    tcase_add_test(tcase, a_public_child_is_taken_back);
    tcase_add_loop_test(tcase, a_stolen_child_is_left_to_the_full_exit, 0, 3);
    tcase_add_test(tcase, the_last_public_child_leaves_a_request);
    return run_case("brief", tcase);
}
