/* SPDX-License-Identifier: MIT */
/* The thief's end of the deque: stealing, requesting, forcing. Neighbours: deque_owner.c; one_deque.h, the fixture. */
#include "task/stack.h"
#include "one_deque.h"

static struct wsfj_region other;

/* Catches: a thief that takes a task from an empty deque. */
START_TEST(nothing_to_steal_is_empty)
{
    start(_i ? WSFJ_MODE_LOCKED : WSFJ_MODE_NORMAL);
    ck_assert_int_eq(steal(false), WSFJ_STEAL_EMPTY);
    ck_assert_int_eq(steal(true), WSFJ_STEAL_EMPTY);
    push(1);
    ck_assert(pop());
    ck_assert_int_eq(steal(false), WSFJ_STEAL_EMPTY);
    ck_assert_int_eq(steal(true), WSFJ_STEAL_EMPTY);
    ck_assert(!wsfj_deque_has_work(stack));
    ck_assert_ptr_null(stolen.desc);
    stop();
}
END_TEST

/* Catches: a private task stolen without the barrier; a request that the owner does not see at its next spawn. */
START_TEST(private_tasks_are_requested_and_stay)
{
    start(WSFJ_MODE_NORMAL);
    push(3);
    ck_assert(wsfj_deque_has_work(stack));
    ck_assert_int_eq(steal(false), WSFJ_STEAL_ASKED);
    ck_assert_ptr_null(stack->deque.wsfj_limit);
    ck_assert_ptr_null(stolen.desc);
    ck_assert_int_eq(first(), 0);
    check_order();
    for (int i = 0; i < 3; i++)
        ck_assert(pop());
    stop();
}
END_TEST

/* Catches: a thief that finds a public task and requests all the same; a thief that takes it and leaves no request, so
 * that the next thief must wait or force. */
START_TEST(a_public_task_is_stolen_at_once_and_the_next_one_requested)
{
    start(WSFJ_MODE_NORMAL);
    push(2);
    stack->deque.wsfj_limit = stack->memory.soft;
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
    ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    ck_assert_ptr_null(stack->deque.wsfj_limit);
    stop();
}
END_TEST

/* Catches: a thief that leaves an empty deque without a request: the first spawn after it would be private. */
START_TEST(an_empty_deque_is_requested_in_advance)
{
    start(WSFJ_MODE_NORMAL);
    stack->deque.wsfj_limit = stack->memory.soft;
    ck_assert_int_eq(steal(_i), WSFJ_STEAL_EMPTY);
    ck_assert_ptr_null(stack->deque.wsfj_limit);
    stop();
}
END_TEST

/* Catches: an owner at a spawn, or a thief, that changes the deque while another thief holds its lock. */
START_TEST(who_does_not_get_the_lock_changes_nothing)
{
    start(WSFJ_MODE_NORMAL);
    push(4);
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
    stack->lock = 1;
    ck_assert_int_eq(steal(false), WSFJ_STEAL_BUSY);
    ck_assert_int_eq(steal(true), WSFJ_STEAL_BUSY);
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_BUSY);
    ck_assert_int_eq(exposed(), 2);
    ck_assert_int_eq(first(), 0);
    stack->lock = 0;
    check_order();
    stop();
}
END_TEST

/* Catches: a thief that looks at the tail although the owner has offered the task: the owner may be about to take it back, and
 * the lock decides. An offer that outlives its task. */
START_TEST(an_offered_task_is_the_first_ones_to_lock)
{
    start(WSFJ_MODE_NORMAL);
    push(2);
    ck_assert(!wsfj_deque_offers(stack));
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
    ck_assert(wsfj_deque_offers(stack));
    ck_assert(pop());
    wsfj_publish_tail(&stack->deque, stack->bottom); /* the owner's next pop, before it has the lock */
    if (_i) {
        ck_assert(wsfj_deque_reclaim(stack, stack->bottom));
        ck_assert(!wsfj_deque_offers(stack));
        ck_assert_int_eq(steal(false), WSFJ_STEAL_EMPTY);
    } else {
        ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
        ck_assert_ptr_eq(stolen.desc, stack->bottom);
        ck_assert(!wsfj_deque_offers(stack));
        ck_assert(!wsfj_deque_reclaim(stack, stack->bottom));
        wsfj_deque_rebase(stack, stack->bottom);
        ck_assert(!wsfj_deque_offers(stack));
    }
    check_order();
    stop();
}
END_TEST

/* Catches: a forced exposure that leaves the task to both sides or to neither. */
START_TEST(force_takes_a_private_task)
{
    start(WSFJ_MODE_NORMAL);
    if (wsfj_heavy_works()) {
        push(3);
        for (long i = 0; i < 2; i++) {
            ck_assert_int_eq(steal(true), WSFJ_STEAL_GOT);
            ck_assert_ptr_eq(stolen.desc, stack->bottom + i);
            ck_assert_ptr_eq(stolen.kind, &kind);
            ck_assert_ptr_eq(stolen.region, &region);
            check_order();
        }
        ck_assert(pop());
        ck_assert(!pop());
    }
    stop();
}
END_TEST

/* Catches: a guest that starts a task of another region and so returns late from its own ws_run(). A forced attempt
 * must also restore E. */
START_TEST(a_guest_of_another_region_gets_nothing)
{
    start(_i == 2 ? WSFJ_MODE_LOCKED : WSFJ_MODE_NORMAL);
    push(2);
    if (_i == 1)
        ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);

    long before = exposed();

    ck_assert_int_ne(wsfj_deque_steal(stack, true, &other, &stolen), WSFJ_STEAL_GOT);
    ck_assert_int_ne(wsfj_deque_steal(stack, false, &other, &stolen), WSFJ_STEAL_GOT);
    ck_assert_int_eq(first(), 0);
    ck_assert_int_eq(exposed(), before);
    ck_assert_uint_eq(stack->lock, 0);
    if (_i)
        ck_assert_int_eq(wsfj_deque_steal(stack, false, &region, &stolen), WSFJ_STEAL_GOT);
    stop();
}
END_TEST

/* Catches: without membarrier, a task that counts as private: an owner would take it without the lock. */
START_TEST(in_locked_mode_every_task_is_public)
{
    start(WSFJ_MODE_LOCKED);
    push(5);
    ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    ck_assert_ptr_eq(stolen.desc, stack->bottom);
    ck_assert_int_eq(steal(true), WSFJ_STEAL_GOT);
    ck_assert_ptr_eq(stolen.desc, stack->bottom + 1);
    ck_assert_ptr_eq(stack->deque.wsfj_exposed, stack->memory.last);
    (void)wsfj_deque_expose(stack, stack->deque.wsfj_tail);
    ck_assert_ptr_eq(stack->deque.wsfj_exposed, stack->memory.last);
    ck_assert(pop());
    ck_assert_ptr_eq(stack->deque.wsfj_exposed, stack->memory.last);
    ck_assert(pop() && pop());
    ck_assert(!pop());
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("deque_thief");

    tcase_add_loop_test(tcase, nothing_to_steal_is_empty, 0, 2);
    tcase_add_test(tcase, private_tasks_are_requested_and_stay);
    tcase_add_test(tcase, a_public_task_is_stolen_at_once_and_the_next_one_requested);
    tcase_add_loop_test(tcase, an_empty_deque_is_requested_in_advance, 0, 2);
    tcase_add_test(tcase, who_does_not_get_the_lock_changes_nothing);
    tcase_add_loop_test(tcase, an_offered_task_is_the_first_ones_to_lock, 0, 2);
    tcase_add_test(tcase, force_takes_a_private_task);
    tcase_add_loop_test(tcase, a_guest_of_another_region_gets_nothing, 0, 3);
    tcase_add_test(tcase, in_locked_mode_every_task_is_public);
    return run_case("deque_thief", tcase);
}
