/* SPDX-License-Identifier: MIT */
/* The global queue: lib/queue/global_queue.c. Three tests have another thread. */
#include "queue/global_queue.h"

#include "queue/run_queue.h"
#include "../support/flags.h"
#include "../support/resources.h"
#include "../support/run.h"
#include "../support/sanitizer.h"
#include "task/stack.h"

#include <pthread.h>
#include <sys/mman.h>

/* The linker's names: __real_ is the library's or the C library's function, __wrap_ is called in its place. */
int __real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __real_pthread_cond_broadcast(pthread_cond_t *condition);
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition);

static int sleeps, holds, holds_on;

/* A producer that has to wait, with the mutex. */
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    raise_flag(&sleeps);
    if (holds)
        wait_for(&holds_on);
    return __real_pthread_cond_wait(condition, mutex);
}

static int broadcasts;

int __wrap_pthread_cond_broadcast(pthread_cond_t *condition)
{
    broadcasts++;
    return __real_pthread_cond_broadcast(condition);
}

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
    static struct wsfj_entry entries[WSFJ_RUN_QUEUE_SIZE];
    static struct wsfj_run_queue queue = {.entries = entries};
    struct wsfj_item items[WSFJ_RUN_QUEUE_SIZE];
    unsigned moved = 0;

    ck_assert(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE / 2 + 9));
    put(1000, 1010);
    for (uintptr_t i = 0; i < WSFJ_RUN_QUEUE_SIZE; i++)
        ck_assert(wsfj_run_queue_push(&queue, item_of(i)));
    ck_assert(!wsfj_global_queue_overflow(&queue, &moved));
    ck_assert_uint_eq(wsfj_run_queue_length(&queue), WSFJ_RUN_QUEUE_SIZE);
    ck_assert_uint_eq(wsfj_global_queue_take(items, 1, 1), 1);
    ck_assert(wsfj_global_queue_overflow(&queue, &moved));
    ck_assert_uint_eq(moved, WSFJ_RUN_QUEUE_SIZE / 2);
    ck_assert_uint_eq(wsfj_run_queue_length(&queue), WSFJ_RUN_QUEUE_SIZE / 2);
    ck_assert_uint_eq(wsfj_global_queue_take(items, WSFJ_RUN_QUEUE_SIZE, 1), 9 + WSFJ_RUN_QUEUE_SIZE / 2);
    ck_assert_uint_eq((uintptr_t)items[0].arg, 1001);
    for (uintptr_t i = 0; i < WSFJ_RUN_QUEUE_SIZE / 2; i++)
        ck_assert_uint_eq((uintptr_t)items[9 + i].arg, i);
    wsfj_global_queue_stop();
}
END_TEST

/* Catches: a fiber that an overflow puts among the tasks, or loses; one that takes room from them, or leaves a gap; an order that
 * the overflow changes. */
START_TEST(an_overflow_puts_fibers_into_their_list)
{
    static struct wsfj_entry entries[WSFJ_RUN_QUEUE_SIZE];
    static struct wsfj_run_queue queue = {.entries = entries};
    static struct wsfj_stack fibers[WSFJ_RUN_QUEUE_SIZE];
    struct wsfj_item items[WSFJ_RUN_QUEUE_SIZE];
    unsigned moved, tasks = 0;

    ck_assert(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE / 2 + 1));
    put(1000, 1001);
    for (uintptr_t i = 0; i < WSFJ_RUN_QUEUE_SIZE; i++)
        ck_assert(
            wsfj_run_queue_push(&queue, i % 3 ? item_of(i) : (struct wsfj_item){NULL, &fibers[i], WSFJ_ITEM_FIBER}));
    ck_assert(wsfj_global_queue_overflow(&queue, &moved));
    ck_assert_uint_eq(moved, WSFJ_RUN_QUEUE_SIZE / 2);
    for (uintptr_t i = 0; i < moved; i += 3)
        ck_assert_ptr_eq(wsfj_global_queue_take_fiber(NULL), &fibers[i]);
    ck_assert(!wsfj_global_queue_has_fibers());
    ck_assert_uint_eq(wsfj_global_queue_length().items, 1 + moved - (moved + 2) / 3);
    ck_assert_uint_eq(wsfj_global_queue_take(items, WSFJ_RUN_QUEUE_SIZE, 1), 1 + moved - (moved + 2) / 3);
    for (uintptr_t i = 0; i < moved; i++)
        ck_assert(i % 3 == 0 || items[++tasks].arg == (void *)i);
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

static pthread_t late;

static void *put_one(void *unused)
{
    ck_assert(wsfj_global_queue_put(item_of(7), true));
    return unused;
}

/* A producer sleeps for want of room. */
static void producer_comes(void)
{
    ck_assert_int_eq(pthread_create(&late, NULL, put_one, NULL), 0);
    wait_for(&sleeps);
}

/* Catches: producers that are woken for the first room, and sleep again at once, or when none sleeps. */
START_TEST(producers_are_woken_when_a_quarter_is_free)
{
    struct wsfj_item item;

    ck_assert(wsfj_global_queue_start(8));
    put(0, 8);
    ck_assert_uint_eq(wsfj_global_queue_take(&item, 1, 1), 1);
    put(8, 9);
    ck_assert_int_eq(broadcasts, 0);
    producer_comes();
    ck_assert_uint_eq(wsfj_global_queue_take(&item, 1, 1), 1);
    ck_assert_int_eq(broadcasts, 0);
    ck_assert_uint_eq(wsfj_global_queue_take(&item, 1, 1), 1);
    ck_assert_int_eq(broadcasts, 1);
    pthread_join(late, NULL);
    wsfj_global_queue_stop();
}
END_TEST

/* Catches: an overflow with room for fewer tasks than it may move, or none though all fit; one that counts what thieves have
 * taken meanwhile. */
START_TEST(an_overflow_begins_only_if_all_fits)
{
    static struct wsfj_run_queue queue; /* no longer full */
    unsigned moved = 1;

    ck_assert(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE / 2));
    ck_assert(wsfj_global_queue_overflow(&queue, &moved));
    ck_assert_uint_eq(moved, 0);
    put(0, 1);
    ck_assert(!wsfj_global_queue_overflow(&queue, &moved));
    put(1, WSFJ_RUN_QUEUE_SIZE / 2);
    ck_assert(!wsfj_global_queue_put(item_of(7), false));
    wsfj_global_queue_stop();
}
END_TEST

/* Catches: numbers for dumps and for the preempter that are swapped; one fiber that does not count. */
START_TEST(tasks_and_fibers_are_counted_apart)
{
    static struct wsfj_stack fiber;

    ck_assert(wsfj_global_queue_start(5));
    put(0, 2);
    ck_assert(!wsfj_global_queue_has_fibers());
    wsfj_global_queue_put_fiber(&fiber);
    ck_assert(wsfj_global_queue_has_fibers());
    ck_assert_uint_eq(wsfj_global_queue_length().items, 2);
    ck_assert_uint_eq(wsfj_global_queue_length().fibers, 1);
    wsfj_global_queue_stop();
}
END_TEST

/* Catches: the child of a fork that waits for a mutex which a thread of the parent had, or finds the parent's tasks and
 * fibers. Here the parent's thread is a producer that never gets on. */
START_TEST(after_a_fork_there_is_nothing)
{
    static struct wsfj_stack fibers[2];
    struct wsfj_item item;

    ck_assert(wsfj_global_queue_start(1));
    put(0, 1);
    wsfj_global_queue_put_fiber(&fibers[0]);
    holds = 1;
    producer_comes();
    wsfj_global_queue_forget();
    ck_assert(!wsfj_global_queue_has_items() && !wsfj_global_queue_has_fibers());
    wsfj_global_queue_forget(); /* nothing is left to unmap */

    ck_assert(wsfj_global_queue_start(2));
    ck_assert_uint_eq(wsfj_global_queue_take(&item, 1, 1), 0);
    ck_assert_ptr_null(wsfj_global_queue_take_fiber(NULL));
    wsfj_global_queue_put_fiber(&fibers[1]);
    ck_assert_ptr_eq(wsfj_global_queue_take_fiber(NULL), &fibers[1]);
    ck_assert_ptr_null(wsfj_global_queue_take_fiber(NULL));
    put(0, 2);
    wsfj_global_queue_stop();
}
END_TEST

/* Catches: memory that stays mapped after each stop, or in each child of a fork. */
START_TEST(a_stop_gives_the_memory_back)
{
    size_t before = status_field("VmSize");

    for (int i = 0; i < 40; i++) {
        ck_assert(wsfj_global_queue_start(100000));
        i % 2 ? wsfj_global_queue_forget() : wsfj_global_queue_stop();
    }
    ck_assert_uint_le(status_field("VmSize"), before + 100000 * sizeof(struct wsfj_item) / 1024);
}
END_TEST

/* Catches: the child of a fork that unmaps what is now at the place of a queue that was stopped before. */
START_TEST(a_queue_is_unmapped_once)
{
    size_t size = 100000 * sizeof(struct wsfj_item);
    char *others;

    ck_assert(wsfj_global_queue_start(100000));
    wsfj_global_queue_stop();
    others = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(others != MAP_FAILED);
    wsfj_global_queue_forget();
    for (size_t i = 0; i < size; i += 1000)
        others[i] = 1;
    munmap(others, size);
}
END_TEST

/* Catches: a start that goes on without memory. */
START_TEST(memory_may_be_refused)
{
    ck_assert(!wsfj_global_queue_start((size_t)1 << 50));
    ck_assert(wsfj_global_queue_start(1));
    put(0, 1);
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
    tcase_add_test(tcase, an_overflow_puts_fibers_into_their_list);
    tcase_add_test(tcase, fibers_come_out_in_order_or_by_region);
    tcase_add_loop_test(tcase, a_producer_sleeps_until_there_is_room, 1, 5);
    tcase_add_test(tcase, producers_are_woken_when_a_quarter_is_free);
    tcase_add_test(tcase, an_overflow_begins_only_if_all_fits);
    tcase_add_test(tcase, tasks_and_fibers_are_counted_apart);
    tcase_add_test(tcase, after_a_fork_there_is_nothing);
    tcase_add_test(tcase, a_queue_is_unmapped_once);
    tcase_add_test(tcase, memory_may_be_refused);
    ADD_TEST_UNLESS(SANITIZED ? "a sanitizer's memory grows meanwhile" : emulated(NOT_OUR_MEMORY), tcase,
                    a_stop_gives_the_memory_back);
    return run_case("global", tcase);
}
