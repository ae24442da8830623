/* SPDX-License-Identifier: MIT */
/* Both ends of the deque, one step at a time, on one thread: lib/deque.h. The test plays the owner as the inlined code
 * does (include/wsfj/fastpath.h) and calls the thief's functions itself. */
#include "deque.h"

#include "../run.h"
#include "arch.h"
#include "atomic.h"
#include "fence.h"
#include "region.h"
#include <stdlib.h>

#define CALL_STACK ((size_t)64 << 10)

static const struct wsfj_kind kind = {.name = "kind"};
static struct wsfj_region region, other;
static struct wsfj_stack *stack;
static struct wsfj_loot loot;

static void start(enum wsfj_mode mode)
{
    (void)wsfj_heavy_start(true);
    stack = wsfj_stack_make(CALL_STACK, mode);
    ck_assert_ptr_nonnull(stack);
    stack->region = &region;
}

static void stop(void)
{
    wsfj_stack_destroy(stack);
}

static void push(unsigned n)
{
    for (; n; n--) {
        stack->head.tail->word = (uintptr_t)&kind;
        wsfj_publish_tail(&stack->head, stack->head.tail + 1);
    }
}

/* The owner takes its newest task back; false if it was stolen. */
static bool pop(void)
{
    struct wsfj_line *line = stack->head.tail - 1;

    wsfj_publish_tail(&stack->head, line);
    return line >= stack->head.exposed || wsfj_deque_reclaim(stack, line);
}

static enum wsfj_steal steal(bool force)
{
    loot = (struct wsfj_loot){NULL, NULL, NULL};
    return wsfj_deque_steal(stack, force, NULL, &loot);
}

static long exposed(void)
{
    return stack->head.exposed - stack->lines;
}

static long first(void)
{
    return stack->first - stack->lines;
}

/* lines <= H <= E <= T of lib/deque.h. */
static void check_order(void)
{
    ck_assert(stack->lines <= stack->first);
    ck_assert(stack->first <= stack->head.exposed);
    ck_assert(stack->head.exposed <= stack->head.tail);
    ck_assert_uint_eq(stack->lock, 0);
}

/* Catches: a thief that takes what is not there. */
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
    ck_assert_ptr_null(loot.line);
    stop();
}
END_TEST

/* Catches: a private task stolen without the barrier; a request that the owner does not see at its next spawn. */
START_TEST(private_tasks_are_asked_for_and_stay)
{
    start(WSFJ_MODE_NORMAL);
    push(3);
    ck_assert(wsfj_deque_has_work(stack));
    ck_assert_int_eq(steal(false), WSFJ_STEAL_ASKED);
    ck_assert_ptr_null(stack->head.limit);
    ck_assert_ptr_null(loot.line);
    ck_assert_int_eq(first(), 0);
    check_order();
    for (int i = 0; i < 3; i++)
        ck_assert(pop());
    stop();
}
END_TEST

/* Catches: a thief that finds a public task and asks all the same; one that takes it and leaves no request behind, so that
 * the next one has to wait or to force. */
START_TEST(a_public_task_is_taken_at_once_and_the_next_one_asked_for)
{
    start(WSFJ_MODE_NORMAL);
    push(2);
    stack->head.limit = stack->soft;
    ck_assert(wsfj_deque_expose(stack, stack->head.tail));
    ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    ck_assert_ptr_null(stack->head.limit);
    stop();
}
END_TEST

/* Catches: a thief that looks at an empty deque and goes: the first spawn after it would be private. */
START_TEST(an_empty_deque_is_asked_in_advance)
{
    start(WSFJ_MODE_NORMAL);
    stack->head.limit = stack->soft;
    ck_assert_int_eq(steal(_i), WSFJ_STEAL_EMPTY);
    ck_assert_ptr_null(stack->head.limit);
    stop();
}
END_TEST

/* Catches: long tasks that go private, each to be forced, once the owner has come back to its public one; and a loop of
 * short ones that makes each public. */
START_TEST(the_last_public_task_taken_back_is_replaced_now_and_then)
{
    start(WSFJ_MODE_NORMAL);
    push(1);
    stack->head.limit = stack->soft;
    ck_assert(wsfj_deque_expose(stack, stack->head.tail));
    stack->answered_at = _i ? 0 : wsfj_now();
    ck_assert(pop());
    if (_i)
        ck_assert_ptr_null(stack->head.limit);
    else if (wsfj_now() - stack->answered_at < 5000) /* else this thread was held up */
        ck_assert_ptr_eq(stack->head.limit, stack->soft);
    stop();
}
END_TEST

/* Catches: everything exposed (each sync then takes the lock), or nothing of a single task (nobody ever gets it). */
START_TEST(expose_publishes_half_of_the_private_tasks)
{
    long n = _i, got = 0;

    start(WSFJ_MODE_NORMAL);
    push((unsigned)n);
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->head.tail), n > 0);
    ck_assert_int_ge(exposed(), n / 2);
    ck_assert_int_le(exposed(), (n + 1) / 2);
    ck_assert(exposed() > 0 || n == 0);
    check_order();
    while (steal(false) == WSFJ_STEAL_GOT) {
        ck_assert_ptr_eq(loot.line, stack->lines + got); /* oldest first */
        ck_assert_ptr_eq(loot.kind, &kind);
        ck_assert_ptr_eq(loot.region, &region);
        got++;
        check_order();
    }
    ck_assert_int_eq(got, (n + 1) / 2);
    stop();
}
END_TEST

/* Catches: an answer that publishes again what is public already, or hides it. */
START_TEST(exposing_again_publishes_half_of_the_rest)
{
    start(WSFJ_MODE_NORMAL);
    push(8);
    ck_assert(wsfj_deque_expose(stack, stack->head.tail));
    ck_assert_int_eq(exposed(), 4);
    ck_assert(wsfj_deque_expose(stack, stack->head.tail));
    ck_assert_int_eq(exposed(), 6);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    ck_assert(wsfj_deque_expose(stack, stack->head.tail));
    ck_assert_int_eq(exposed(), 7);
    stop();
}
END_TEST

/* Catches: an owner at a spawn, or a thief, that works on the deque while another thief holds its lock. */
START_TEST(who_does_not_get_the_lock_changes_nothing)
{
    start(WSFJ_MODE_NORMAL);
    push(4);
    ck_assert(wsfj_deque_expose(stack, stack->head.tail));
    stack->lock = 1;
    ck_assert_int_eq(steal(false), WSFJ_STEAL_BUSY);
    ck_assert_int_eq(steal(true), WSFJ_STEAL_BUSY);
    ck_assert(!wsfj_deque_expose(stack, stack->head.tail));
    ck_assert_int_eq(exposed(), 2);
    ck_assert_int_eq(first(), 0);
    stack->lock = 0;
    check_order();
    stop();
}
END_TEST

/* Catches: a sync that runs a task which a thief has, or waits for one that it could run itself. */
START_TEST(reclaim_gives_public_tasks_to_the_owner_unless_stolen)
{
    start(WSFJ_MODE_NORMAL);
    push(8);
    ck_assert(wsfj_deque_expose(stack, stack->head.tail));
    ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    for (int line = 7; line >= 2; line--) {
        ck_assert(pop());
        ck_assert_int_eq(stack->head.tail - stack->lines, line);
        check_order();
    }
    ck_assert(!pop()); /* lines 1 and 0 */
    stop();
}
END_TEST

/* Catches: a reclaim that leaves E above the popped line: the next pop of a private task would take the lock again, and
 * a push there would be public at once. */
START_TEST(reclaim_makes_tasks_private_again)
{
    start(WSFJ_MODE_NORMAL);
    push(16);
    for (int i = 0; i < 5; i++)
        ck_assert(wsfj_deque_expose(stack, stack->head.tail));
    ck_assert_int_eq(exposed(), 16);
    ck_assert(pop());
    ck_assert_int_lt(exposed(), 15);
    check_order();
    stop();
}
END_TEST

/* Catches: a forced exposure that leaves the task to both sides or to none. */
START_TEST(force_takes_a_private_task)
{
    start(WSFJ_MODE_NORMAL);
    if (wsfj_heavy_works()) {
        push(3);
        for (long i = 0; i < 2; i++) {
            ck_assert_int_eq(steal(true), WSFJ_STEAL_GOT);
            ck_assert_ptr_eq(loot.line, stack->lines + i);
            ck_assert_ptr_eq(loot.kind, &kind);
            ck_assert_ptr_eq(loot.region, &region);
            check_order();
        }
        ck_assert(pop());
        ck_assert(!pop());
    }
    stop();
}
END_TEST

/* Catches: a guest that starts a task of another region and comes back late from its own ws_run(). A forced attempt must
 * also put E back. */
START_TEST(a_guest_of_another_region_gets_nothing)
{
    start(_i == 2 ? WSFJ_MODE_LOCKED : WSFJ_MODE_NORMAL);
    push(2);
    if (_i == 1)
        ck_assert(wsfj_deque_expose(stack, stack->head.tail));

    long before = exposed();

    ck_assert_int_ne(wsfj_deque_steal(stack, true, &other, &loot), WSFJ_STEAL_GOT);
    ck_assert_int_ne(wsfj_deque_steal(stack, false, &other, &loot), WSFJ_STEAL_GOT);
    ck_assert_int_eq(first(), 0);
    ck_assert_int_eq(exposed(), before);
    ck_assert_uint_eq(stack->lock, 0);
    if (_i)
        ck_assert_int_eq(wsfj_deque_steal(stack, false, &region, &loot), WSFJ_STEAL_GOT);
    stop();
}
END_TEST

/* Catches: a deque that after a join still counts stolen lines, so that new tasks can never be stolen or are lost. */
START_TEST(rebase_empties_the_deque_down_to_the_base)
{
    start(_i ? WSFJ_MODE_LOCKED : WSFJ_MODE_NORMAL);
    push(3);
    for (int i = 0; i < 3; i++)
        (void)wsfj_deque_expose(stack, stack->head.tail);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    ck_assert(!pop());
    wsfj_deque_rebase(stack, stack->lines);
    ck_assert_int_eq(first(), 0);
    ck_assert_ptr_eq(stack->head.tail, stack->lines);
    ck_assert_ptr_eq(stack->head.exposed, _i ? stack->last : stack->lines);
    ck_assert_uint_eq(stack->lock, 0);
    ck_assert_int_eq(steal(false), WSFJ_STEAL_EMPTY);
    push(1);
    ck_assert(wsfj_deque_expose(stack, stack->head.tail));
    ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    ck_assert_ptr_eq(loot.line, stack->lines);
    stop();
}
END_TEST

/* Catches: without membarrier, a task that counts as private: an owner would take it without the lock. */
START_TEST(in_locked_mode_every_task_is_public)
{
    start(WSFJ_MODE_LOCKED);
    push(5);
    ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
    ck_assert_ptr_eq(loot.line, stack->lines);
    ck_assert_int_eq(steal(true), WSFJ_STEAL_GOT);
    ck_assert_ptr_eq(loot.line, stack->lines + 1);
    ck_assert_ptr_eq(stack->head.exposed, stack->last);
    (void)wsfj_deque_expose(stack, stack->head.tail);
    ck_assert_ptr_eq(stack->head.exposed, stack->last);
    ck_assert(pop());
    ck_assert_ptr_eq(stack->head.exposed, stack->last);
    ck_assert(pop() && pop());
    ck_assert(!pop());
    stop();
}
END_TEST

/* Catches: whatever the small cases miss: random steps against a model of two indices. Each task goes to exactly one
 * side, thieves take from the old end, the owner from the new one. */
START_TEST(each_task_goes_to_exactly_one_side)
{
    bool locked = _i % 2;
    unsigned seed = (unsigned)_i;
    long top = 0, stolen = 0; /* of the model: tasks stolen..top are pending */

    start(locked ? WSFJ_MODE_LOCKED : WSFJ_MODE_NORMAL);
    for (int step = 0; step < 100000; step++) {
        unsigned what = (unsigned)rand_r(&seed) % 8;

        if (what < 3 && top < 200) {
            push(1);
            top++;
        } else if (what < 5 && top > 0) {
            bool mine = pop();

            top--;
            ck_assert_int_eq(mine, top >= stolen);
            if (!mine) { /* all older ones are stolen: the join */
                wsfj_deque_rebase(stack, stack->lines);
                top = stolen = 0;
            }
        } else if (what == 5) {
            (void)wsfj_deque_expose(stack, stack->head.tail);
        } else if (what >= 6) {
            enum wsfj_steal got = steal(what == 7);

            if (got == WSFJ_STEAL_GOT) {
                ck_assert_ptr_eq(loot.line, stack->lines + stolen);
                ck_assert_int_lt(stolen, top);
                stolen++;
            } else {
                ck_assert_int_eq(got, top > stolen ? WSFJ_STEAL_ASKED : WSFJ_STEAL_EMPTY);
                ck_assert(!locked || top == stolen);
                ck_assert(what != 7 || !wsfj_heavy_works() || top == stolen);
            }
        }
        ck_assert_int_eq(wsfj_deque_has_work(stack), top > stolen);
        ck_assert_int_eq(first(), stolen);
        if (!locked)
            check_order();
    }
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("deque");

    tcase_add_loop_test(tcase, nothing_to_steal_is_empty, 0, 2);
    tcase_add_test(tcase, private_tasks_are_asked_for_and_stay);
    tcase_add_test(tcase, a_public_task_is_taken_at_once_and_the_next_one_asked_for);
    tcase_add_loop_test(tcase, an_empty_deque_is_asked_in_advance, 0, 2);
    tcase_add_loop_test(tcase, the_last_public_task_taken_back_is_replaced_now_and_then, 0, 2);
    tcase_add_loop_test(tcase, expose_publishes_half_of_the_private_tasks, 0, 12);
    tcase_add_test(tcase, exposing_again_publishes_half_of_the_rest);
    tcase_add_test(tcase, who_does_not_get_the_lock_changes_nothing);
    tcase_add_test(tcase, reclaim_gives_public_tasks_to_the_owner_unless_stolen);
    tcase_add_test(tcase, reclaim_makes_tasks_private_again);
    tcase_add_test(tcase, force_takes_a_private_task);
    tcase_add_loop_test(tcase, a_guest_of_another_region_gets_nothing, 0, 3);
    tcase_add_loop_test(tcase, rebase_empties_the_deque_down_to_the_base, 0, 2);
    tcase_add_test(tcase, in_locked_mode_every_task_is_public);
    tcase_add_loop_test(tcase, each_task_goes_to_exactly_one_side, 0, 4);
    return run_case("deque", tcase);
}
