/* SPDX-License-Identifier: MIT */
/* The wait table: lib/wait/table.c, step by step in one thread, and with a thread that sleeps. The stacks never run. */
#include "wait/table.h"

#include "../support/run.h"
#include "arch/arch.h"
#include "base/atomic.h"
#include "task/stack.h"

#include <pthread.h>

enum { FIBERS = 4 };

static struct wsfj_stack fibers[FIBERS];
static uint32_t keys[3]; /* a node waits while its key is 0 */
static void (*meanwhile)(void);

static bool is_zero(struct wsfj_node *node)
{
    bool zero = load_acquire((const uint32_t *)node->key) == 0;

    if (meanwhile && node->number == WSFJ_WAIT_FIRST + 1)
        meanwhile();
    return zero;
}

/* A waiter for the first `n` keys. */
struct waiting {
    struct wsfj_node nodes[3];
    struct wsfj_waiter waiter;
};

static void prepare(struct waiting *w, struct wsfj_stack *s, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        w->nodes[i] = (struct wsfj_node){.key = &keys[i],
                                         .must_wait = is_zero,
                                         .other = i + 1 < n ? &w->nodes[i + 1] : NULL,
                                         .number = WSFJ_WAIT_FIRST + i};
    w->waiter = (struct wsfj_waiter){.stack = s, .state = WSFJ_WAIT_ARMING, .nodes = n ? w->nodes : NULL};
}

static bool arm(struct waiting *w, struct wsfj_stack *s, unsigned n)
{
    prepare(w, s, n);
    return wsfj_waiter_arm(&w->waiter);
}

/* Whether a node of the key is still in the table. */
static bool is_waited_for(unsigned key)
{
    struct wsfj_bucket *bucket = wsfj_table_lock(&keys[key]);
    bool found = wsfj_table_next(bucket, &keys[key], NULL) != NULL;

    wsfj_table_unlock(bucket);
    return found;
}

/* Catches: waiters out of their order, too many or too few of them, and waiters of another key. */
START_TEST(the_oldest_waiters_come_first)
{
    struct waiting w[FIBERS];

    for (unsigned i = 0; i < FIBERS; i++)
        ck_assert(arm(&w[i], &fibers[i], 1));
    ck_assert_ptr_null(wsfj_table_take(&keys[1], UINT32_MAX));
    ck_assert_ptr_null(wsfj_table_take(&keys[0], 0));
    ck_assert_ptr_eq(wsfj_table_take(&keys[0], 1), &fibers[0]);
    ck_assert_ptr_null(fibers[0].pool.next);
    ck_assert_ptr_eq(wsfj_table_take(&keys[0], 2), &fibers[1]);
    ck_assert_ptr_eq(fibers[1].pool.next, &fibers[2]);
    ck_assert_ptr_null(fibers[2].pool.next);
    ck_assert_ptr_eq(wsfj_table_take(&keys[0], UINT32_MAX), &fibers[3]);
    ck_assert_ptr_null(wsfj_table_take(&keys[0], UINT32_MAX));
}
END_TEST

/* Catches: a waiter that is queued although what it waits for has come (WAIT-1), and nodes that stay in the table then. */
START_TEST(who_need_not_wait_goes_on)
{
    struct waiting w;

    keys[2] = 1;
    ck_assert(!arm(&w, &fibers[0], 3));
    ck_assert(is_waited_for(0) && is_waited_for(1));
    ck_assert_uint_eq(wsfj_waiter_disarm(&w.waiter), WSFJ_WAIT_FIRST + 2);
    ck_assert(!is_waited_for(0) && !is_waited_for(1) && !is_waited_for(2));
}
END_TEST

/* Catches: the wrong reason, a second resumption of one waiter, and nodes that stay in the table (WAIT-4). */
START_TEST(the_first_of_several_wins)
{
    for (unsigned key = 0; key < 3; key++) {
        struct waiting w;

        ck_assert(arm(&w, &fibers[0], 3));
        ck_assert_ptr_eq(wsfj_table_take(&keys[key], 1), &fibers[0]);
        ck_assert_ptr_null(wsfj_table_take(&keys[(key + 1) % 3], 1));
        ck_assert_uint_eq(wsfj_waiter_disarm(&w.waiter), WSFJ_WAIT_FIRST + key);
        ck_assert(!is_waited_for(0) && !is_waited_for(1) && !is_waited_for(2));
    }
}
END_TEST

/* Catches: a node that a waker has taken out in vain, and that its waiter takes out once more: what is around it then is lost,
 * or comes back. */
START_TEST(a_node_is_taken_out_once)
{
    struct waiting w, before, behind;
    struct wsfj_stack *first;

    ck_assert(arm(&before, &fibers[1], 2));
    ck_assert(arm(&w, &fibers[0], 2));
    ck_assert_ptr_eq(first = wsfj_table_take(&keys[0], UINT32_MAX), &fibers[1]);
    ck_assert_ptr_eq(first->pool.next, &fibers[0]);
    ck_assert_ptr_null(wsfj_table_take(&keys[1], UINT32_MAX));
    ck_assert(arm(&behind, &fibers[2], 2));
    ck_assert_uint_eq(wsfj_waiter_disarm(&before.waiter), WSFJ_WAIT_FIRST);
    ck_assert_uint_eq(wsfj_waiter_disarm(&w.waiter), WSFJ_WAIT_FIRST);
    ck_assert_ptr_eq(wsfj_table_take(&keys[1], UINT32_MAX), &fibers[2]);
    ck_assert_uint_eq(wsfj_waiter_disarm(&behind.waiter), WSFJ_WAIT_FIRST + 1);
    ck_assert(!is_waited_for(0) && !is_waited_for(1));
}
END_TEST

static void take_the_first(void)
{
    ck_assert_ptr_null(wsfj_table_take(&keys[0], 1));
}

/* Catches: a waiter that is resumed while it still queues its nodes (WAIT-2), or that then waits. */
START_TEST(a_waiter_that_still_arms_is_only_claimed)
{
    struct waiting w;

    meanwhile = take_the_first;
    ck_assert(!arm(&w, &fibers[0], 2));
    meanwhile = NULL;
    ck_assert_uint_eq(wsfj_waiter_disarm(&w.waiter), WSFJ_WAIT_FIRST);
    ck_assert(!is_waited_for(1));
}
END_TEST

/* Catches: a deadline that does not end the wait, ends it twice, or leaves the nodes. */
START_TEST(a_deadline_wins_like_a_node)
{
    struct wsfj_woken woken = {NULL, NULL, 0, NULL};
    struct waiting w;

    prepare(&w, &fibers[0], 2);
    w.waiter.timed = true;
    w.waiter.timer.at = 100;
    ck_assert(wsfj_waiter_arm(&w.waiter));
    ck_assert_uint_eq(wsfj_timer_first, 100);
    wsfj_table_expire(99, &woken);
    ck_assert_uint_eq(woken.count, 0);
    wsfj_table_expire(100, &woken);
    wsfj_table_expire(100, &woken);
    ck_assert_uint_eq(wsfj_timer_first, WSFJ_FOREVER);
    ck_assert_uint_eq(woken.count, 1);
    ck_assert_ptr_eq(wsfj_table_wake(&woken), &fibers[0]);
    ck_assert_ptr_null(wsfj_table_take(&keys[1], 1));
    ck_assert_uint_eq(wsfj_waiter_disarm(&w.waiter), WSFJ_WAIT_TIME);
    ck_assert(!is_waited_for(0) && !is_waited_for(1));
}
END_TEST

static struct waiting threads[2];
static uint64_t until;

static void *wait_as_thread(void *arg)
{
    struct waiting *w = arg;

    if (arm(w, NULL, 2))
        wsfj_waiter_sleep(&w->waiter, until);
    return (void *)(uintptr_t)wsfj_waiter_disarm(&w->waiter);
}

/* Catches: threads that are not woken: the first, or the last of several. */
START_TEST(threads_sleep_until_they_are_claimed)
{
    pthread_t id[2];
    void *state;

    until = WSFJ_FOREVER;
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&id[i], NULL, wait_as_thread, &threads[i]), 0);
    for (int i = 0; i < 2; i++)
        while (load_acquire(&threads[i].waiter.state) != WSFJ_WAIT_WAITING)
            sched_yield();
    store_release(&keys[1], 1u);
    ck_assert_ptr_null(wsfj_table_take(&keys[1], UINT32_MAX));
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(pthread_join(id[i], &state), 0);
        ck_assert_uint_eq((uintptr_t)state, WSFJ_WAIT_FIRST + 1);
    }
    ck_assert(!is_waited_for(0) && !is_waited_for(1));
}
END_TEST

/* Catches: a thread that sleeps beyond its deadline, or not at all. */
START_TEST(a_thread_sleeps_until_its_deadline)
{
    until = wsfj_now() + 2000000;
    ck_assert_uint_eq((uintptr_t)wait_as_thread(&threads[0]), WSFJ_WAIT_TIME);
    ck_assert_uint_ge(wsfj_now(), until);
    ck_assert(!is_waited_for(0) && !is_waited_for(1));
}
END_TEST

/* Catches: the child of a fork that finds its parent's waiters. */
START_TEST(nobody_waits_in_the_child_of_a_fork)
{
    struct waiting w;

    ck_assert(arm(&w, &fibers[0], 1));
    (void)wsfj_table_lock(&keys[1]); /* perhaps the lock of another thread */
    wsfj_table_forget();
    ck_assert_ptr_null(wsfj_table_take(&keys[0], 1));
    ck_assert_ptr_null(wsfj_table_take(&keys[1], 1));
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("wait_table");

    tcase_add_test(tcase, the_oldest_waiters_come_first);
    tcase_add_test(tcase, who_need_not_wait_goes_on);
    tcase_add_test(tcase, the_first_of_several_wins);
    tcase_add_test(tcase, a_node_is_taken_out_once);
    tcase_add_test(tcase, a_waiter_that_still_arms_is_only_claimed);
    tcase_add_test(tcase, a_deadline_wins_like_a_node);
    tcase_add_test(tcase, threads_sleep_until_they_are_claimed);
    tcase_add_test(tcase, a_thread_sleeps_until_its_deadline);
    tcase_add_test(tcase, nobody_waits_in_the_child_of_a_fork);
    return run_case("wait_table", tcase);
}
