/* SPDX-License-Identifier: MIT */
/* When it is said that all stacks wait: lib/sched/shortage.h, with stacks whose state is set by hand. Neighbour: user/shortage.c. */
#include "sched/shortage.h"

#include "arch/arch.h"
#include "queue/run_queue.h"
#include "sched/fresh.h"
#include "task/pool.h"
#include "task/stack.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include "../support/heard.h"

#define MS UINT64_C(1000000)
enum { STACKS = 3, TASKS = 5 };

static struct wsfj_worker workers[2];
static struct wsfj_stack *stacks[STACKS];
static uint64_t now = 1000 * MS;

static void never_entered(void *unused)
{
    (void)unused;
    abort();
}

/* All stacks wait, and tasks are queued at both workers. */
static void begin(void)
{
    wsfj_workers = workers;
    wsfj_num_workers = 2;
    wsfj_pool_start((size_t)1 << 16, false, STACKS, never_entered);
    for (int i = 0; i < STACKS; i++) {
        stacks[i] = wsfj_pool_take(&workers[0].cache);
        ck_assert_ptr_nonnull(stacks[i]);
        wsfj_stack_lives(stacks[i], WSFJ_LIFE_WAIT);
    }
    workers[0].detached.queue.tail = (TASKS - 1) * WSFJ_RUN_QUEUE_ONE;
    workers[1].detached.queue.tail = WSFJ_RUN_QUEUE_ONE;
    wsfj_shortage_start();
    listen_begin();
}

/* So many milliseconds, with a look each 50. */
static void pass(int ms)
{
    for (; ms > 0; ms -= 50) {
        now += 50 * MS;
        wsfj_shortage_check(now);
    }
}

static void expect(const char *line)
{
    while (hear(0))
        ;
    ck_assert_str_eq(heard, line);
}

#define LINE "libwsfj: all 3 stacks wait and 5 tasks need one (max_stacks, vm.max_map_count)\n"

/* Catches: a line that comes too early or never, has other numbers, or comes again. */
START_TEST(after_a_second_it_is_said_once)
{
    begin();
    store_relaxed(&stacks[1]->shown.life, (uint32_t)WSFJ_LIFE_JOIN);
    stacks[1]->join = 2;
    pass(1000); /* the first look sees the stacks for the first time */
    expect("");
    pass(50);
    expect(LINE);
    pass(5000);
    expect(LINE);
    wsfj_shortage_start();
    pass(1050);
    expect(LINE LINE);
    listen_end();
}
END_TEST

static void runs(void)
{
    store_relaxed(&stacks[2]->shown.life, (uint32_t)WSFJ_LIFE_RUNS);
}

static void is_free(void)
{
    store_relaxed(&stacks[2]->shown.life, (uint32_t)WSFJ_LIFE_FREE);
}

static void has_yielded(void)
{
    store_relaxed(&stacks[2]->shown.life, (uint32_t)WSFJ_LIFE_YIELDED);
}

static void can_resume(void)
{
    store_relaxed(&stacks[2]->shown.life, (uint32_t)WSFJ_LIFE_JOIN);
}

static void has_waited_again(void)
{
    wsfj_stack_lives(stacks[2], WSFJ_LIFE_RUNS);
    wsfj_stack_lives(stacks[2], WSFJ_LIFE_WAIT);
}

static void has_no_task(void)
{
    workers[0].detached.queue.tail = workers[1].detached.queue.tail = 0;
}

static void has_not_looked(void)
{
    now += 3000 * MS;
}

/* Catches: a line in a program that goes on: a stack runs, is free, could go on or has gone on, or no task needs one; one
 * because the process was stopped. */
START_TEST(it_is_not_said_where_something_goes_on)
{
    static void (*const changes[])(void) = {runs,        is_free,       has_yielded, can_resume, has_waited_again,
                                            has_no_task, has_not_looked};
    begin();
    pass(900);
    changes[_i]();
    pass(_i == 4 || _i == 6 ? 100 : 1500); /* these two do not last */
    expect("");
    store_relaxed(&stacks[2]->shown.life, (uint32_t)WSFJ_LIFE_WAIT);
    workers[0].detached.queue.tail = TASKS * WSFJ_RUN_QUEUE_ONE;
    workers[1].detached.queue.tail = 0;
    pass(_i == 6 ? 0 : 850);
    expect("");
    pass(200);
    expect(LINE);
    listen_end();
}
END_TEST

/* Catches: a worker that gets no stack and does not look. The last look by hand was 70 ms ago, a second less 50 ms after the
 * first: the worker's next look says it, or a later one if this process does not run meanwhile. */
START_TEST(a_worker_that_gets_no_stack_looks)
{
    now = wsfj_now() - 1070 * MS;
    begin();
    pass(1000);
    expect("");
    for (int i = 0; i < 1000 && !heard[0]; i++) {
        ck_assert_ptr_null(wsfj_fresh_stack(&workers[0]));
        hear(20);
    }
    expect(LINE);
    listen_end();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("shortage");

    tcase_add_test(tcase, after_a_second_it_is_said_once);
    tcase_add_loop_test(tcase, it_is_not_said_where_something_goes_on, 0, 7);
    tcase_add_test(tcase, a_worker_that_gets_no_stack_looks);
    return run_case("shortage", tcase);
}
