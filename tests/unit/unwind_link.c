/* SPDX-License-Identifier: MIT */
/* What a stack says about its task, and that it says nothing after the task's waiter may go on: lib/sched/unwind_link.h.
 * The chain of stacks: user/unwind. */
#include "../support/fib.h"
#include "arch/context.h"
#include "task/stack.h"
#include "../support/runtime.h"

#include "sched/unwind_link.h"
#include "task/pool.h"

#define ROUNDS 200

/* Catches: a chain that is not cut before the parent or the caller of ws_run() goes on; a free stack that counts as
 * used. */
START_TEST(a_task_that_has_ended_leads_nowhere)
{
    start_runtime(3, 0, WS_SPIN_DEFAULT);
    for (int round = 0; round < ROUNDS || steals() == 0; round++) {
        check_fib(18);
        for (const struct wsfj_stack *s = wsfj_pool_stacks; s; s = s->pool.next_all) {
            ck_assert_ptr_null(wsfj_context_record(&s->context)->next);
            ck_assert_ptr_null(s->job.parent);
            ck_assert_ptr_null(s->job.code);
        }
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("unwind_link");

    tcase_add_test(tcase, a_task_that_has_ended_leads_nowhere);
    return run_case("unwind_link", tcase);
}
