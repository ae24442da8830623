/* SPDX-License-Identifier: MIT */
/* Whose stacks a mailbox takes: lib/worker/mailbox.c. Neighbours: explore/transit, explore/join, the same with a sender and
 * a worker that close it at once. */
#include "worker/mailbox.h"

#include "base/atomic.h"
#include "task/region.h"
#include "task/stack.h"
#include "worker/worker.h"

#include "../support/run.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>

static _Alignas(4096) struct wsfj_worker receiver;
static _Alignas(4096) struct wsfj_stack ours, others;
static struct wsfj_region our_region, other_region;

/* Until something comes. */
static void *receive(void *only)
{
    return wsfj_mailbox_pause(&receiver, only, UINT_MAX);
}

static void begin(pthread_t *thread, struct wsfj_region *only)
{
    store_relaxed(&ours.worker, &receiver);
    store_relaxed(&others.worker, &receiver);
    store_relaxed(&ours.job.region, &our_region);
    store_relaxed(&others.job.region, &other_region);
    ck_assert_int_eq(pthread_create(thread, NULL, receive, only), 0);
    while (!load_acquire(&receiver.mailbox))
        sched_yield();
}

static void expect(pthread_t thread, struct wsfj_stack *stack)
{
    void *received = NULL;

    ck_assert(wsfj_mailbox_send(stack));
    ck_assert_int_eq(pthread_join(thread, &received), 0);
    ck_assert_ptr_eq(received, stack);
}

/* Catches: a stack of another region, sent to a caller that waits for its own: its ws_run() would last until that is
 * done. */
START_TEST(a_guests_is_for_its_region)
{
    pthread_t thread;

    begin(&thread, &our_region);
    ck_assert(!wsfj_mailbox_send(&others));
    expect(thread, &ours);
}
END_TEST

START_TEST(a_workers_is_for_any)
{
    struct wsfj_stack *stack = _i ? &ours : &others;
    pthread_t thread;

    begin(&thread, NULL);
    expect(thread, stack);
}
END_TEST

/* Catches: a searcher that pauses on when the owner that it has asked has made tasks public; one that does not pause at
 * all after an answer to an earlier request. */
START_TEST(an_answer_ends_the_pause)
{
    void *received = &ours;
    pthread_t thread;

    store_relaxed(&others.answers, 4);
    receiver.watch = (struct wsfj_watch){&others, 4};
    begin(&thread, NULL);
    ck_assert_uint_eq(load_relaxed(&receiver.mailbox), 1); /* open: the pause lasts */
    store_seq(&others.answers, 5);
    ck_assert_int_eq(pthread_join(thread, &received), 0);
    ck_assert_ptr_null(received);
}
END_TEST

/* Catches: a stack that nobody takes out again, sent before a pause or after it; one that comes when none was sent. */
START_TEST(a_closed_one_takes_nothing)
{
    store_relaxed(&ours.worker, &receiver);
    store_relaxed(&ours.job.region, &our_region);
    ck_assert(!wsfj_mailbox_send(&ours));
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_null(wsfj_mailbox_pause(&receiver, i ? &our_region : NULL, 1));
        ck_assert(!wsfj_mailbox_send(&ours));
    }
    ck_assert_ptr_null(wsfj_mailbox_pause(&receiver, NULL, 1));
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("mailbox");

    tcase_add_test(tcase, a_guests_is_for_its_region);
    tcase_add_loop_test(tcase, a_workers_is_for_any, 0, 2);
    tcase_add_test(tcase, an_answer_ends_the_pause);
    tcase_add_test(tcase, a_closed_one_takes_nothing);
    return run_case("mailbox", tcase);
}
