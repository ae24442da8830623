/* SPDX-License-Identifier: MIT */
/* The owner's end of the deque: exposing, reclaiming, rebasing; then both ends at random. Neighbours: deque_thief.c;
 * one_deque.h, the fixture. */
#include "arch/ticks.h"
#include "task/stack.h"
#include "one_deque.h"

#include <stdlib.h>

/* Catches: long tasks that become private, so that thieves must force each one, after the owner has come back to its
 * public task; a loop of short tasks that makes each one public. */
START_TEST(the_last_public_task_taken_back_is_replaced_now_and_then)
{
    start(WSFJ_MODE_NORMAL);
    push(1);
    stack->deque.wsfj_limit = stack->memory.soft;
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
    stack->exposed_at = _i ? 0 : wsfj_rough_now();
    ck_assert(pop());
    if (_i)
        ck_assert_ptr_null(stack->deque.wsfj_limit);
    else if (wsfj_rough_now() - stack->exposed_at < 5000) /* else this thread was held up */
        ck_assert_ptr_eq(stack->deque.wsfj_limit, stack->memory.soft);
    stop();
}
END_TEST

/* Catches: everything exposed (each sync then takes the lock), or nothing of a single task (no thief ever gets it). */
START_TEST(expose_publishes_half_of_the_private_tasks)
{
    long n = _i, got = 0;

    start(WSFJ_MODE_NORMAL);
    push((unsigned)n);
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), n > 0 ? WSFJ_EXPOSE_DONE : WSFJ_EXPOSE_NOTHING);
    ck_assert_int_ge(exposed(), n / 2);
    ck_assert_int_le(exposed(), (n + 1) / 2);
    ck_assert(exposed() > 0 || n == 0);
    check_order();
    while (steal(false) == WSFJ_STEAL_GOT) {
        ck_assert_ptr_eq(stolen.desc, stack->bottom + got); /* oldest first */
        ck_assert_ptr_eq(stolen.kind, &kind);
        ck_assert_ptr_eq(stolen.region, &region);
        got++;
        check_order();
    }
    ck_assert_int_eq(got, (n + 1) / 2);
    stop();
}
END_TEST

/* Catches: an answer that publishes public tasks again, or hides them. */
START_TEST(exposing_again_publishes_half_of_the_rest)
{
    start(WSFJ_MODE_NORMAL);
    push(8);
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
    ck_assert_int_eq(exposed(), 4);
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
    ck_assert_int_eq(exposed(), 6);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
    ck_assert_int_eq(exposed(), 7);
    stop();
}
END_TEST

/* Catches: a sync that runs a task which a thief has, or waits for a task that it could run itself. */
START_TEST(reclaim_gives_public_tasks_to_the_owner_unless_stolen)
{
    start(WSFJ_MODE_NORMAL);
    push(8);
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
    ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    for (int desc = 7; desc >= 2; desc--) {
        ck_assert(pop());
        ck_assert_int_eq(stack->deque.wsfj_tail - stack->bottom, desc);
        check_order();
    }
    ck_assert(!pop()); /* descriptors 1 and 0 */
    stop();
}
END_TEST

/* Catches: a reclaim of a task that was stolen, and later ones, too, which lets E fall below H. */
START_TEST(reclaim_of_a_stolen_task_changes_nothing)
{
    start(WSFJ_MODE_NORMAL);
    push(16);
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    for (int desc = 5; desc >= 0; desc--) {
        ck_assert(!wsfj_deque_reclaim(stack, stack->bottom + desc));
        ck_assert_int_eq(exposed(), 8);
        check_order();
    }
    stop();
}
END_TEST

/* Catches: a reclaim that leaves E above the popped descriptor: the next pop of a private task would take the lock
 * again, and a push there would be public at once. */
START_TEST(reclaim_makes_tasks_private_again)
{
    start(WSFJ_MODE_NORMAL);
    push(16);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
    ck_assert_int_eq(exposed(), 16);
    ck_assert(pop());
    ck_assert_int_lt(exposed(), 15);
    check_order();
    stop();
}
END_TEST

/* Catches: a deque that still counts stolen descriptors after a join: new tasks can then never be stolen, or are
 * lost. */
START_TEST(rebase_empties_the_deque_down_to_the_base)
{
    start(_i ? WSFJ_MODE_LOCKED : WSFJ_MODE_NORMAL);
    push(3);
    for (int i = 0; i < 3; i++)
        (void)wsfj_deque_expose(stack, stack->deque.wsfj_tail);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    ck_assert(!pop());
    wsfj_deque_rebase(stack, stack->bottom);
    ck_assert_int_eq(first(), 0);
    ck_assert_ptr_eq(stack->deque.wsfj_tail, stack->bottom);
    ck_assert_ptr_eq(stack->deque.wsfj_exposed, _i ? stack->memory.last : stack->bottom);
    ck_assert_uint_eq(stack->lock, 0);
    ck_assert_int_eq(steal(false), WSFJ_STEAL_EMPTY);
    push(1);
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
    ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    ck_assert_ptr_eq(stolen.desc, stack->bottom);
    stop();
}
END_TEST

/* Catches: errors that the small cases miss: random steps against a model of two indices. Each task goes to exactly one
 * side; thieves take from the old end, the owner from the new one. */
START_TEST(each_task_goes_to_exactly_one_side)
{
    bool locked = _i % 2;
    unsigned seed = (unsigned)_i;
    long top = 0, gone = 0; /* in the model the tasks gone..top are pending */

    start(locked ? WSFJ_MODE_LOCKED : WSFJ_MODE_NORMAL);
    for (int step = 0; step < 100000; step++) {
        unsigned what = (unsigned)rand_r(&seed) % 8;
        bool right = true;

        if (what < 3 && top < 200) {
            push(1);
            top++;
        } else if (what < 5 && top > 0) {
            bool mine = pop();

            top--;
            right = mine == (top >= gone);
            if (!mine) { /* all older tasks are stolen: the join */
                wsfj_deque_rebase(stack, stack->bottom);
                top = gone = 0;
            }
        } else if (what == 5) {
            (void)wsfj_deque_expose(stack, stack->deque.wsfj_tail);
        } else if (what >= 6) {
            enum wsfj_steal got = steal(what == 7);

            if (got == WSFJ_STEAL_GOT) {
                right = stolen.desc == stack->bottom + gone && gone < top;
                gone++;
            } else {
                right = got == (top > gone ? WSFJ_STEAL_ASKED : WSFJ_STEAL_EMPTY);
                right &= !locked || top == gone;
                right &= what != 7 || !wsfj_heavy_works() || top == gone;
            }
        }
        right &= wsfj_deque_has_work(stack) == (top > gone) && first() == gone;
        if (!right) /* one assertion for all: Check's messages would take most of the time */
            ck_abort_msg("step %d, a %u: H %ld; %ld to %ld should be pending", step, what, first(), gone, top);
        if (!locked)
            check_order();
    }
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("deque_owner");

    tcase_add_loop_test(tcase, the_last_public_task_taken_back_is_replaced_now_and_then, 0, 2);
    tcase_add_loop_test(tcase, expose_publishes_half_of_the_private_tasks, 0, 12);
    tcase_add_test(tcase, exposing_again_publishes_half_of_the_rest);
    tcase_add_test(tcase, reclaim_gives_public_tasks_to_the_owner_unless_stolen);
    tcase_add_test(tcase, reclaim_of_a_stolen_task_changes_nothing);
    tcase_add_test(tcase, reclaim_makes_tasks_private_again);
    tcase_add_loop_test(tcase, rebase_empties_the_deque_down_to_the_base, 0, 2);
    tcase_add_loop_test(tcase, each_task_goes_to_exactly_one_side, 0, 4);
    return run_case("deque_owner", tcase);
}
