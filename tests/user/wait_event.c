/* SPDX-License-Identifier: MIT */
/* Events, futures and words that are waited for: lib/sync/word.c, event.c, future.c, waiting.c. */
#include "waits.h"

#include "../support/heard.h"

#include <sys/mman.h>
#include <unistd.h>

enum { TASKS = 20, THREADS = 3, GUESTS = 2, ALL = TASKS + THREADS + GUESTS };

static ws_event event = WS_EVENT_INIT, deeper = WS_EVENT_INIT;
static ws_future future = WS_FUTURE_INIT;
static uint32_t word;
static long plain, came, wrong; /* `plain` is written before the event is set, and read without an atomic */

static void wait_for_event(long number)
{
    int error = number % 2 ? ws_event_wait(&event) : ws_event_wait_until(&event, WS_FOREVER);

    add(&wrong, error != 0 || plain != 1 || !ws_event_is_set(&event));
    add(&came, 1);
}

static void set_event(void *unused)
{
    (void)unused;
    plain = 1;
    ws_event_set(&event);
}

/* Some tasks: others wait as threads. */
static void wait_until_some_wait(uint64_t before)
{
    while (read_stats().waits < before + 3)
        sched_yield();
}

/* Catches: a waiter that is forgotten, or goes on before the event is set or without its memory. */
START_TEST(all_go_on_after_the_set)
{
    struct crowd crowd;

    start_shape(_i, ALL + 2);
    for (int round = 0; round < 20; round++) {
        uint64_t before = read_stats().waits;

        plain = came = 0;
        ws_event_reset(&event);
        ck_assert(!ws_event_is_set(&event));
        crowd_begin(&crowd, wait_for_event, TASKS, THREADS, GUESTS);
        if (round % 4) /* else some come after the set */
            wait_until_some_wait(before);
        ck_assert(round % 4 == 0 || get(&came) == 0);
        if (round % 2)
            set_event(NULL);
        else
            ck_assert_int_eq(ws_submit(set_event, NULL), 0);
        crowd_end(&crowd);
        ck_assert_int_eq(came, ALL);
        ck_assert_int_eq(wrong, 0);
        ws_event_set(&event); /* once more does nothing */
    }
    stop_runtime();
}
END_TEST

static void pass_on(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_event_wait(&event), 0);
    ws_event_set(&deeper);
}

/* Catches: a setter that keeps its worker from the task that it has made runnable, on one worker. */
START_TEST(a_task_waits_for_a_task_that_waits)
{
    start_shape(_i, 3);
    for (int round = 0; round < 100; round++) {
        ws_event_reset(&event);
        ws_event_reset(&deeper);
        ck_assert_int_eq(ws_submit(pass_on, NULL), 0);
        ck_assert_int_eq(ws_submit(set_event, NULL), 0);
        ck_assert_int_eq(ws_event_wait(&deeper), 0);
    }
    stop_runtime();
}
END_TEST

/* Events on pages that the waiter unmaps as soon as it is back. */
static ws_event *volatile page;

static void *map_event(void)
{
    ws_event *e = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(e, MAP_FAILED);
    return e;
}

static void set_page(void *arg)
{
    ws_event_set(arg);
}

static void *wait_for_page(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        ws_event *e = map_event();

        ck_assert_int_eq(ws_submit(set_page, e), 0);
        ck_assert_int_eq(ws_event_wait(e), 0);
        ck_assert_int_eq(munmap(e, (size_t)sysconf(_SC_PAGESIZE)), 0);
    }
    return NULL;
}

WS_TASK_VOID(wait_for_pages)
{
    wait_for_page(NULL);
}

/* Catches: a setter that touches the event after a waiter has seen it (WAIT-3). */
START_TEST(an_event_may_be_freed_when_its_waiter_is_back)
{
    start_shape(_i, 3);
    wait_for_page(NULL);
    ck_assert_int_eq(ws_run(wait_for_pages), 0);
    stop_runtime();
}
END_TEST

static void wait_in_vain(long number)
{
    uint64_t past = number % 2 ? 0 : now();
    uint64_t value = 5;

    add(&wrong, ws_event_wait_until(&event, past) != ETIMEDOUT);
    add(&wrong, ws_future_get(&future, &value, past) != ETIMEDOUT || value != 5);
    add(&wrong, ws_wait_on(&word, 0, past) != ETIMEDOUT);
    add(&wrong, ws_wait_on(&word, 1, past) != 0);
}

static void need_not_wait(long number)
{
    uint64_t past = number % 2 ? 0 : now();

    add(&wrong, ws_event_wait_until(&event, past) != 0);
    add(&wrong, ws_future_get(&future, NULL, past) != 0);
}

/* Catches: a deadline in the past that waits, or that hides what is ready. */
START_TEST(a_deadline_that_has_passed_only_tries)
{
    struct crowd crowd;

    start_shape(_i, ALL + 2);
    crowd_begin(&crowd, wait_in_vain, TASKS, THREADS, GUESTS);
    crowd_end(&crowd);
    ws_event_set(&event);
    ck_assert_int_eq(ws_future_set(&future, 1, 0), 0);
    crowd_begin(&crowd, need_not_wait, TASKS, THREADS, GUESTS);
    crowd_end(&crowd);
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
}
END_TEST

static void wait_a_while(long number)
{
    uint64_t until = now() + (uint64_t)number % 4 * 1000000;

    add(&wrong, ws_event_wait_until(&event, until) != ETIMEDOUT || now() < until);
    add(&wrong, ws_wait_on(&word, 0, until) != ETIMEDOUT);
    add(&came, 1);
}

/* Catches: a wait that its deadline does not end, or ends too early; a timeout that is not counted, or a late set that finds
 * the waiter that has gone. */
START_TEST(a_wait_ends_at_its_deadline)
{
    struct crowd crowd;
    uint64_t before;

    start_shape(_i, ALL + 2);
    before = read_stats().timeouts;
    crowd_begin(&crowd, wait_a_while, TASKS, THREADS, GUESTS);
    crowd_end(&crowd);
    ck_assert_int_eq(came, TASKS + THREADS + GUESTS);
    ck_assert_int_eq(wrong, 0);
    ck_assert_uint_ge(read_stats().timeouts - before, 3 * ALL / 4);
    ws_event_set(&event);
    ws_wake(&word, SIZE_MAX);
    stop_runtime();
}
END_TEST

static void get_value(long number)
{
    uint64_t value = 0;
    int error = ws_future_get(&future, number % 3 ? &value : NULL, WS_FOREVER);

    add(&wrong, error != EIO || (number % 3 && value != (uintptr_t)&plain) || plain != 7);
    add(&came, 1);
}

static void set_twice(void *unused)
{
    int error = ws_future_set(&future, (uintptr_t)&plain, EIO);

    (void)unused;
    add(&came, error == EALREADY ? 100 : error ? 10000 : 0);
}

/* Catches: a value or error that is lost or overwritten by a later set, and two sets that both believe to be the first. */
START_TEST(a_future_has_one_value)
{
    struct crowd crowd;

    start_shape(_i, ALL + 4);
    plain = 7;
    ck_assert(!ws_future_is_set(&future));
    crowd_begin(&crowd, get_value, TASKS, THREADS, GUESTS);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(ws_group_submit(&crowd.tasks, set_twice, NULL), 0);
    crowd_end(&crowd);
    ck_assert(ws_future_is_set(&future));
    ck_assert_int_eq(came, ALL + 300);
    ck_assert_int_eq(ws_future_set(&future, 3, 0), EALREADY);
    get_value(1);
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
}
END_TEST

/* A lock as a user would make it: 0 free, 1 locked, 2 locked and waited for. */
static uint32_t user_lock;

static void lock_of_user(long number)
{
    (void)number;
    for (int i = 0; i < 50; i++) {
        uint32_t state = 0;

        if (!__atomic_compare_exchange_n(&user_lock, &state, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            while (__atomic_exchange_n(&user_lock, 2, __ATOMIC_ACQUIRE))
                add(&wrong, ws_wait_on(&user_lock, 2, WS_FOREVER) != 0);
        plain++;
        if (__atomic_exchange_n(&user_lock, 0, __ATOMIC_RELEASE) == 2)
            ws_wake(&user_lock, 1);
    }
}

/* Catches: a wake that is lost, and one that wakes the waiters of another word. */
START_TEST(a_lock_of_the_users_own)
{
    struct crowd crowd;

    start_shape(_i, ALL + 2);
    plain = 0;
    crowd_begin(&crowd, lock_of_user, TASKS, THREADS, GUESTS);
    crowd_end(&crowd);
    ck_assert_int_eq(plain, ALL * 50);
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
}
END_TEST

static long returns;

static void wait_for_word(long number)
{
    (void)number;
    while (!__atomic_load_n(&word, __ATOMIC_ACQUIRE)) {
        add(&wrong, ws_wait_on(&word, 0, WS_FOREVER) != 0);
        add(&returns, 1);
    }
    add(&came, 1);
}

static void wait_until_so_many_waited(uint64_t waits)
{
    while (read_stats().waits < waits)
        sched_yield();
}

static void wait_for_word_as_task(void *unused)
{
    (void)unused;
    wait_for_word(0);
}

/* Catches: a wake of one that wakes none or all, a wake of all that wakes one, a number that loses its upper half. */
START_TEST(as_many_are_woken_as_was_said)
{
    ws_group group = WS_GROUP_INIT;
    uint64_t waits;

    start_shape(0, 0);
    waits = read_stats().waits + 4;
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(ws_group_submit(&group, wait_for_word_as_task, NULL), 0);
    wait_until_so_many_waited(waits);
    for (long i = 1; i <= 20; i++) { /* the one that is woken waits again */
        ws_wake(&word, 0);
        ws_wake(&word, 1);
        wait_until_so_many_waited(waits + (uint64_t)i);
        ck_assert_int_eq(get(&returns), i);
    }
    ck_assert_uint_eq(read_stats().waits, waits + 20);
    ck_assert_int_eq(get(&came), 0);
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    ws_wake(&word, SIZE_MAX - UINT32_MAX); /* its lower half is 0 */
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(came, 4);
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
}
END_TEST

static int poll_errors[4];
static int polled;

static int wait_in_poll(void *unused)
{
    uint64_t value;

    (void)unused;
    if (is_raised(&polled))
        return 0;
    poll_errors[0] = ws_event_wait(&event);
    poll_errors[1] = ws_event_wait_until(&event, now() + 1000000);
    poll_errors[2] = ws_future_get(&future, &value, WS_FOREVER);
    poll_errors[3] = ws_wait_on(&word, 0, WS_FOREVER);
    raise_flag(&polled);
    return 0;
}

/* Catches: a poll function that waits. */
START_TEST(no_wait_in_poll)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 2;
    config.poll = wait_in_poll;
    ck_assert_int_eq(ws_init(&config), 0);
    wait_for(&polled);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(poll_errors[i], EDEADLK);
    stop_runtime();
}
END_TEST

/* Catches: a reset under a waiter that nobody hears of, and a line without a waiter. */
START_TEST(a_reset_under_a_waiter_is_said)
{
    struct crowd crowd;

    start_shape(0, 0);
    listen_begin();
    ws_event_reset(&event);
    ck_assert_int_eq(ws_event_wait_until(&event, now() + 1000000), ETIMEDOUT);
    ws_event_reset(&event);
    ck_assert(!hear(0));
    crowd_begin(&crowd, wait_for_event, 1, 0, 0);
    do
        ws_event_reset(&event);
    while (!hear(1));
    listen_end();
    ck_assert_ptr_nonnull(strstr(heard, "ws_event_reset(): tasks or threads wait for the event at 0x"));
    set_event(NULL);
    crowd_end(&crowd);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("wait_event");

    tcase_add_loop_test(tcase, all_go_on_after_the_set, 0, SHAPES);
    tcase_add_loop_test(tcase, a_task_waits_for_a_task_that_waits, 0, SHAPES);
    tcase_add_loop_test(tcase, an_event_may_be_freed_when_its_waiter_is_back, 0, SHAPES);
    tcase_add_loop_test(tcase, a_deadline_that_has_passed_only_tries, 0, SHAPES);
    tcase_add_loop_test(tcase, a_wait_ends_at_its_deadline, 0, SHAPES);
    tcase_add_loop_test(tcase, a_future_has_one_value, 0, SHAPES);
    tcase_add_loop_test(tcase, a_lock_of_the_users_own, 0, SHAPES);
    tcase_add_test(tcase, as_many_are_woken_as_was_said);
    tcase_add_test(tcase, no_wait_in_poll);
    tcase_add_test(tcase, a_reset_under_a_waiter_is_said);
    return run_case("wait_event", tcase);
}
