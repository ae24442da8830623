/* SPDX-License-Identifier: MIT */
/* The list of suspended deques, on one thread: lib/task/suspended.h. */
#include "task/suspended.h"

#include "task/deque.h"
#include "task/stack.h"
#include "../support/run.h"
#include "base/atomic.h"

#define STACKS 3
#define CALL_STACK ((size_t)64 << 10)

static struct wsfj_stack *stacks[STACKS];

static void make(enum wsfj_mode mode)
{
    for (int i = 0; i < STACKS; i++)
        ck_assert_ptr_nonnull(stacks[i] = wsfj_stack_make(CALL_STACK, mode));
}

static void discard(void)
{
    ck_assert_uint_eq(wsfj_suspended_count(), 0);
    for (int i = 0; i < STACKS; i++)
        wsfj_stack_destroy(stacks[i]);
}

static void push(struct wsfj_stack *s)
{
    wsfj_publish_tail(&s->deque, s->deque.wsfj_tail + 1);
}

/* The stacks that the next n calls return: a bit for each. */
static unsigned seen_in(unsigned n)
{
    unsigned seen = 0;

    for (; n; n--) {
        const struct wsfj_stack *s = wsfj_suspended_next();

        for (int i = 0; i < STACKS; i++)
            seen |= (unsigned)(s == stacks[i]) << i;
    }
    return seen;
}

/* Catches: a listed deque that thieves never get; a removed deque that they still get; an emptied list that is not
 * empty. */
START_TEST(thieves_come_to_each_in_turn)
{
    make(WSFJ_MODE_NORMAL);
    ck_assert_ptr_null(wsfj_suspended_next());
    for (int i = 0; i < STACKS; i++) {
        wsfj_suspended_add(stacks[i]);
        wsfj_suspended_add(stacks[i]); /* again, as by a spawn in a blocking section */
        ck_assert_uint_eq(wsfj_suspended_count(), (size_t)i + 1);
        ck_assert_uint_eq(seen_in((unsigned)i + 1), (2u << i) - 1);
    }
    for (int i = 0; i < _i; i++)
        (void)wsfj_suspended_next(); /* so that another stack is next */
    wsfj_suspended_remove(stacks[1]);
    wsfj_suspended_remove(stacks[1]);
    ck_assert_uint_eq(wsfj_suspended_count(), 2);
    ck_assert_uint_eq(seen_in(2), 5);
    wsfj_suspended_remove(stacks[0]);
    ck_assert_uint_eq(seen_in(1), 4);
    wsfj_suspended_remove(stacks[2]);
    ck_assert_ptr_null(wsfj_suspended_next());
    wsfj_suspended_add(stacks[1]);
    ck_assert_uint_eq(seen_in(1), 2);
    wsfj_suspended_remove(stacks[1]);
    discard();
}
END_TEST

/* Catches: a listed deque with a private task, which its owner cannot make public; a deque in LOCKED mode with a
 * lowered E, so that its syncs take no lock. */
START_TEST(listed_tasks_are_public)
{
    struct wsfj_stack *s;

    make(_i ? WSFJ_MODE_LOCKED : WSFJ_MODE_NORMAL);
    s = stacks[0];
    for (int i = 0; i < 3; i++)
        push(s);
    wsfj_suspended_add(s);
    ck_assert_ptr_eq(s->deque.wsfj_exposed, s->memory.last);
    push(s);
    wsfj_suspended_add(s);
    ck_assert_ptr_eq(s->deque.wsfj_exposed, s->memory.last);
    wsfj_suspended_remove(s);
    discard();
}
END_TEST

/* Catches: a recheck that misses a deque or makes requests to only some of the owners, that makes a request anew that
 * stands, or does not when it is answered (PARK-10). */
START_TEST(the_last_look_sees_and_asks_all)
{
    make(WSFJ_MODE_NORMAL);
    ck_assert(!wsfj_suspended_ask());
    ck_assert(!wsfj_suspended_have_work());
    for (int i = 0; i < STACKS; i++)
        wsfj_suspended_add(stacks[i]);
    ck_assert(!wsfj_suspended_have_work());
    push(stacks[_i]);
    ck_assert(wsfj_suspended_have_work());
    ck_assert(wsfj_suspended_ask());
    ck_assert(!wsfj_suspended_ask());
    wsfj_deque_answer(stacks[_i]);
    ck_assert_ptr_nonnull(stacks[_i]->deque.wsfj_limit);
    ck_assert(wsfj_suspended_ask());
    for (int i = 0; i < STACKS; i++) {
        ck_assert_ptr_null(stacks[i]->deque.wsfj_limit);
        wsfj_suspended_remove(stacks[i]);
    }
    discard();
}
END_TEST

/* Catches: the child of a fork that keeps its parent's list. */
START_TEST(a_forgotten_list_is_empty_and_usable)
{
    make(WSFJ_MODE_NORMAL);
    wsfj_suspended_add(stacks[0]);
    wsfj_suspended_add(stacks[1]);
    wsfj_suspended_forget();
    ck_assert_uint_eq(wsfj_suspended_count(), 0);
    ck_assert_ptr_null(wsfj_suspended_next());
    wsfj_suspended_add(stacks[2]);
    ck_assert_uint_eq(seen_in(3), 4);
    wsfj_suspended_remove(stacks[2]);
    discard();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("suspended");

    tcase_add_loop_test(tcase, thieves_come_to_each_in_turn, 0, STACKS);
    tcase_add_loop_test(tcase, listed_tasks_are_public, 0, 2);
    tcase_add_loop_test(tcase, the_last_look_sees_and_asks_all, 0, STACKS);
    tcase_add_test(tcase, a_forgotten_list_is_empty_and_usable);
    return run_case("suspended", tcase);
}
