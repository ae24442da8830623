/* SPDX-License-Identifier: MIT */
/* Detached tasks that begin on the stack of the one before: each finds what the first one found, and dumps, the watchdog
 * and the preempter see another task. Neighbours: dispatch_order.c, when the next task begins so; user/rounding. */
#include "../support/runtime.h"
#include "task/stack.h"

#include "sched/unwind_link.h"
#include "task/pool.h"
#include "worker/own.h"

#include <fenv.h>

enum { TASKS = 4 };

/* What a task finds. */
static struct {
    unsigned stack;
    uint64_t runs, moves;
    const char *code, *expected;
    bool area_is_used;
    int rounding;
} seen[TASKS];
static int ran;

static void look(ws_function *task)
{
    struct wsfj_stack *own = wsfj_own_stack();

    seen[ran].stack = own->number;
    seen[ran].runs = own->shown.runs;
    seen[ran].moves = own->shown.moves;
    seen[ran].code = own->job.code;
    seen[ran].expected = wsfj_unwind_link_inside((uintptr_t)task);
    seen[ran].area_is_used = own->deque.wsfj_area != own->deque.wsfj_area_start;
    seen[ran].rounding = fegetround();
    ran++;
    own->deque.wsfj_area = (char *)own->deque.wsfj_area_start + 8; /* as after a longjmp() */
    fesetround(FE_UPWARD);
}

static void odd(void *unused)
{
    (void)unused;
    look(odd);
}

static void even(void *unused)
{
    (void)unused;
    look(even);
}

static void submits(void *group)
{
    for (int i = 0; i < TASKS; i++)
        (void)ws_group_submit(group, i % 2 ? odd : even, NULL);
}

/* Catches: a task that finds what the one before has left; tasks that look like one long task; a task that says that it
 * runs after its group is done. */
START_TEST(each_task_on_a_stack_begins_anew)
{
    ws_group first = WS_GROUP_INIT, others = WS_GROUP_INIT;

    start_runtime(1, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_group_submit(&first, submits, &others), 0);
    ck_assert_int_eq(ws_group_wait(&first), 0);
    ck_assert_int_eq(ws_group_wait(&others), 0);
    ck_assert_int_eq(ran, TASKS);
    for (int i = 0; i < TASKS; i++) {
        ck_assert_ptr_eq(seen[i].code, seen[i].expected);
        ck_assert_int_eq(seen[i].rounding, FE_TONEAREST);
        ck_assert(!seen[i].area_is_used);
        if (i == 0)
            continue;
        ck_assert_uint_eq(seen[i].stack, seen[0].stack);
        ck_assert_uint_eq(seen[i].runs, seen[i - 1].runs + 1);
        ck_assert_uint_eq(seen[i].moves, seen[i - 1].moves + 1);
    }
    for (const struct wsfj_stack *s = wsfj_pool_stacks; s; s = s->pool.next_all)
        ck_assert_ptr_null(s->job.code);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("chained");

    tcase_add_test(tcase, each_task_on_a_stack_begins_anew);
    return run_case("chained", tcase);
}
