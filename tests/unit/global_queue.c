/* SPDX-License-Identifier: MIT */
/* The global queue: lib/queue/global_queue.c. Only one test has another thread. */
#include "queue/global_queue.h"

#include "queue/run_queue.h"
#include "../support/run.h"
#include "task/stack.h"

#include <pthread.h>

static void nothing(void *arg)
{
    (void)arg;
}

static struct wsfj_item item_of(uintptr_t number)
{
    return (struct wsfj_item){nothing, (void *)number, NULL};
}

static void put(uintptr_t from, uintptr_t to)
{
    for (; from < to; from++)
        ck_assert(wsfj_global_queue_put(item_of(from), false));
}

/* Catches: a task that overtakes another; a buffer that breaks when its indices wrap. */
START_TEST(tasks_come_out_in_order)
{
    struct wsfj_item item;

    ck_assert(wsfj_global_queue_start(3));
    ck_assert(!wsfj_global_queue_has_items());
    for (uintptr_t i = 0; i < 20; i++) {
        put(2 * i, 2 * i + 2);
        for (uintptr_t j = 2 * i; j < 2 * i + 2; j++) {
            ck_assert(wsfj_global_queue_has_items());
            ck_assert_uint_eq(wsfj_global_queue_take(&item, 1, 1), 1);
            ck_assert_uint_eq((uintptr_t)item.arg, j);
        }
    }
    ck_assert_uint_eq(wsfj_global_queue_take(&item, 1, 1), 0);
    wsfj_global_queue_stop();
}
END_TEST

/* Catches: a bound that does not hold, or that refuses tasks that fit. */
START_TEST(there_is_room_for_so_many_and_no_more)
{
    struct wsfj_item item;

    ck_assert(wsfj_global_queue_start(5));
    put(0, 5);
    ck_assert(!wsfj_global_queue_put(item_of(5), false));
    ck_assert_uint_eq(wsfj_global_queue_take(&item, 1, 1), 1);
    put(5, 6);
    ck_assert(!wsfj_global_queue_put(item_of(6), false));
    wsfj_global_queue_stop();
}
END_TEST

/* Catches: one worker that takes everything; a last task that no worker takes. */
START_TEST(a_worker_takes_its_share)
{
    static const struct {
        uintptr_t there;
        unsigned most, workers, expected;
    } cases[] = {{100, 128, 4, 26}, {100, 10, 4, 10}, {1, 128, 8, 1}, {3, 128, 1, 3}, {0, 128, 2, 0}};
    struct wsfj_item items[128];

    ck_assert(wsfj_global_queue_start(100));
    put(0, cases[_i].there);
    ck_assert_uint_eq(wsfj_global_queue_take(items, cases[_i].most, cases[_i].workers), cases[_i].expected);
    wsfj_global_queue_stop();
}
END_TEST

/* Catches: an overflow that loses tasks, has no room for them, or moves the newer half. */
START_TEST(an_overflow_moves_the_older_half_or_nothing)
{
    static struct wsfj_run_queue ring;
    struct wsfj_item items[WSFJ_RUN_QUEUE_SIZE];
    unsigned moved = 0;

    ck_assert(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE / 2 + 9));
    put(1000, 1010);
    for (uintptr_t i = 0; i < WSFJ_RUN_QUEUE_SIZE; i++)
        ck_assert(wsfj_run_queue_push(&ring, item_of(i)));
    ck_assert(!wsfj_global_queue_overflow(&ring, &moved));
    ck_assert_uint_eq(wsfj_run_queue_length(&ring), WSFJ_RUN_QUEUE_SIZE);
    ck_assert_uint_eq(wsfj_global_queue_take(items, 1, 1), 1);
    ck_assert(wsfj_global_queue_overflow(&ring, &moved));
    ck_assert_uint_eq(moved, WSFJ_RUN_QUEUE_SIZE / 2);
    ck_assert_uint_eq(wsfj_run_queue_length(&ring), WSFJ_RUN_QUEUE_SIZE / 2);
    ck_assert_uint_eq(wsfj_global_queue_take(items, WSFJ_RUN_QUEUE_SIZE, 1), 9 + WSFJ_RUN_QUEUE_SIZE / 2);
    ck_assert_uint_eq((uintptr_t)items[0].arg, 1001);
    for (uintptr_t i = 0; i < WSFJ_RUN_QUEUE_SIZE / 2; i++)
        ck_assert_uint_eq((uintptr_t)items[9 + i].arg, i);
    wsfj_global_queue_stop();
}
END_TEST

/* Catches: a fiber that overtakes another, goes to a guest of another region or leaves its own thread; a list that
 * loses its end. */
START_TEST(fibers_come_out_in_order_or_by_region)
{
    static struct wsfj_stack fibers[4];
    struct wsfj_region *const red = (struct wsfj_region *)&fibers[0], *const blue = (struct wsfj_region *)&fibers[1];

    ck_assert(wsfj_global_queue_start(1));
    for (int i = 0; i < 4; i++) {
        fibers[i].job.region = i == 2 ? blue : red;
        wsfj_global_queue_put_fiber(&fibers[i]);
    }
    fibers[2].pin.server = (struct wsfj_server *)&fibers[0];
    ck_assert_ptr_null(wsfj_global_queue_take_fiber(blue));
    fibers[2].pin.server = NULL;
    ck_assert_ptr_eq(wsfj_global_queue_take_fiber(blue), &fibers[2]);
    ck_assert_ptr_null(wsfj_global_queue_take_fiber(blue));
    ck_assert_ptr_eq(wsfj_global_queue_take_fiber(NULL), &fibers[0]);
    ck_assert_ptr_eq(wsfj_global_queue_take_fiber(NULL), &fibers[1]);
    fibers[2].job.region = red;
    wsfj_global_queue_put_fiber(&fibers[2]);
    ck_assert(wsfj_global_queue_has_others(blue) && !wsfj_global_queue_has_others(red));
    fibers[2].pin.server = (struct wsfj_server *)&fibers[0];
    ck_assert(wsfj_global_queue_has_others(red));
    fibers[2].pin.server = NULL;
    ck_assert(wsfj_global_queue_has_fibers() && !wsfj_global_queue_has_items());
    ck_assert_ptr_eq(wsfj_global_queue_take_fiber(red), &fibers[3]);
    ck_assert_ptr_eq(wsfj_global_queue_take_fiber(red), &fibers[2]);
    ck_assert_ptr_null(wsfj_global_queue_take_fiber(NULL));
    wsfj_global_queue_put_fiber(&fibers[1]);
    ck_assert_ptr_eq(wsfj_global_queue_take_fiber(NULL), &fibers[1]);
    ck_assert(!wsfj_global_queue_has_fibers());
    wsfj_global_queue_stop();
}
END_TEST

static void *put_five(void *unused)
{
    for (uintptr_t i = 0; i < 5; i++)
        ck_assert(wsfj_global_queue_put(item_of(i), true));
    return unused;
}

/* Catches: a producer that is never woken when there is room again. */
START_TEST(a_producer_sleeps_until_there_is_room)
{
    pthread_t producer;
    struct wsfj_item item;

    ck_assert(wsfj_global_queue_start((size_t)_i));
    ck_assert_int_eq(pthread_create(&producer, NULL, put_five, NULL), 0);
    for (uintptr_t i = 0; i < 5; i++) {
        while (!wsfj_global_queue_take(&item, 1, 1))
            ;
        ck_assert_uint_eq((uintptr_t)item.arg, i);
    }
    pthread_join(producer, NULL);
    wsfj_global_queue_stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("global");

    tcase_add_test(tcase, tasks_come_out_in_order);
    tcase_add_test(tcase, there_is_room_for_so_many_and_no_more);
    tcase_add_loop_test(tcase, a_worker_takes_its_share, 0, 5);
    tcase_add_test(tcase, an_overflow_moves_the_older_half_or_nothing);
    tcase_add_test(tcase, fibers_come_out_in_order_or_by_region);
    tcase_add_loop_test(tcase, a_producer_sleeps_until_there_is_room, 1, 5);
    return run_case("global", tcase);
}
