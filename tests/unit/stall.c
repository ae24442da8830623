/* SPDX-License-Identifier: MIT */
/* What counts as a move: lib/stall.h, with one worker whose stack is moved by hand. */
#include "pool.h"
#include "stall.h"
#include "worker.h"

#include "../run.h"

static struct wsfj_worker worker;

static void never_entered(void *unused)
{
    (void)unused;
    abort();
}

/* Catches: a begin, an end, a suspension or a spawn that is no move; idleness or work at hand that is a stall. */
START_TEST(each_move_ends_the_stall)
{
    struct wsfj_stack *s;
    uint64_t t = 0;

    wsfj_workers = &worker;
    wsfj_num_workers = 1;
    wsfj_pool_start((size_t)1 << 16, WSFJ_MODE_NORMAL, 0, never_entered);
    s = wsfj_pool_take(&worker.cache);
    ck_assert(s && wsfj_stall_start(1, t));
#define STILL(expected) ck_assert_uint_eq(wsfj_stall_look(t += 10), expected)
    STILL(0);
    STILL(0); /* idle */
    worker.stack = s;
    wsfj_stack_lives(s, WSFJ_LIFE_RUNS);
    STILL(0);
    STILL(10);
    STILL(20);
    ck_assert_uint_eq(wsfj_stall_runs(0, t), 20);
    wsfj_stack_lives(s, WSFJ_LIFE_FREE); /* another strand on the same stack */
    wsfj_stack_lives(s, WSFJ_LIFE_RUNS);
    STILL(0);
    ck_assert_uint_eq(wsfj_stall_runs(0, t), 0);
    STILL(10);
    s->head.tail++;
    STILL(0);
    ck_assert_uint_eq(wsfj_stall_runs(0, t), 20);
    STILL(10);
    wsfj_stack_lives(s, WSFJ_LIFE_JOIN);
    STILL(0);
    STILL(10);
    worker.stack = NULL;
    STILL(0);
    STILL(10);
    worker.submitted_items++;
    STILL(0);
    STILL(10);
    wsfj_stack_lives(s, WSFJ_LIFE_FREE);
    STILL(0);
    STILL(10); /* a task is pending */
    worker.finished_items++;
    STILL(0);
    STILL(0);
    wsfj_stall_stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("stall");

    tcase_add_test(tcase, each_move_ends_the_stall);
    return run_case("stall", tcase);
}
