/* SPDX-License-Identifier: MIT */
/* Mutexes: lib/sync/mutex.c. */
#include "waits.h"

#include "../support/heard.h"

enum { TASKS = 20, THREADS = 3, GUESTS = 2, ALL = TASKS + THREADS + GUESTS, TIMES = 100 };

static ws_mutex mutex = WS_MUTEX_INIT;
static long count, inside, wrong, timeouts; /* `count` and `inside` only under the mutex */

static void hold(long i)
{
    add(&wrong, inside++ != 0);
    count++;
    if (i % 8 == 0)
        ws_yield(); /* a task may move to another worker, and waits meanwhile */
    add(&wrong, --inside != 0);
    add(&wrong, ws_mutex_unlock(&mutex) != 0);
}

static void lock_in_each_way(long number)
{
    for (long i = 0; i < TIMES; i++) {
        int error;

        switch ((number + i) % 3) {
        case 0: error = ws_mutex_lock(&mutex); break;
        case 1: error = ws_mutex_lock_until(&mutex, WS_FOREVER); break;
        default:
            while ((error = ws_mutex_trylock(&mutex)) == EBUSY)
                ws_yield();
        }
        add(&wrong, error != 0);
        hold(i);
    }
}

/* Catches: two holders, a waiter that is forgotten, and a holder that the mutex takes for another one after it has moved. */
START_TEST(one_at_a_time_holds_it)
{
    struct crowd crowd;

    start_shape(_i, ALL + 2);
    for (int round = 0; round < 3; round++) {
        crowd_begin(&crowd, lock_in_each_way, TASKS, THREADS, GUESTS);
        crowd_end(&crowd);
    }
    ck_assert_int_eq(count, 3 * ALL * TIMES);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_mutex_trylock(&mutex), 0); /* nobody holds it */
    ck_assert_int_eq(ws_mutex_unlock(&mutex), 0);
    stop_runtime();
}
END_TEST

static void lock_with_deadlines(long number)
{
    for (long i = 0; i < TIMES / 2; i++) {
        uint64_t until = (number + i) % 4 ? now() + (uint64_t)(number + i) % 5 * 50000 : 0;
        int error = ws_mutex_lock_until(&mutex, until);

        if (error == 0)
            hold(i);
        else
            add(&timeouts, 1), add(&wrong, error != ETIMEDOUT || now() < until);
    }
}

/* Catches: a mutex that is handed to a waiter which has gone, a waiter that is forgotten when the one before it goes, and an
 * ETIMEDOUT that holds the mutex. */
START_TEST(waiters_leave_at_their_deadlines)
{
    struct crowd crowd;

    start_shape(_i, ALL + 2);
    crowd_begin(&crowd, lock_with_deadlines, TASKS, THREADS, GUESTS);
    crowd_end(&crowd);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(count + timeouts, ALL * (TIMES / 2));
    ck_assert_int_eq(ws_mutex_lock(&mutex), 0);
    ck_assert_int_eq(ws_mutex_lock_until(&mutex, WS_FOREVER), EDEADLK);
    ck_assert_int_eq(ws_mutex_unlock(&mutex), 0);
    stop_runtime();
}
END_TEST

WS_TASK(long, tree, int, depth)
{
    long x, y;

    if (depth == 0)
        return 1;
    ws_spawn(tree, &x, depth - 1);
    y = ws_call(tree, depth - 1);
    ws_sync();
    return x + y;
}

static void hold_over_sync(long number)
{
    add(&wrong, ws_mutex_lock(&mutex) != 0);
    add(&wrong, inside++ != 0);
    add(&wrong, number % 5 != 4 && tree(number % 2 ? 6 : 3) != (number % 2 ? 64 : 8));
    add(&wrong, --inside != 0);
    add(&wrong, ws_mutex_unlock(&mutex) != 0);
}

/* Catches: a mutex that belongs to a thread or a worker, instead of a task. */
START_TEST(a_task_holds_it_over_a_sync)
{
    struct crowd crowd;

    start_shape(_i, ALL + 4);
    for (int round = 0; round < 10; round++) {
        crowd_begin(&crowd, hold_over_sync, TASKS, THREADS, GUESTS);
        crowd_end(&crowd);
    }
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
}
END_TEST

static int stop;

/* Takes the mutex again as soon as it has given it back. */
static void *greedy(void *unused)
{
    while (!is_raised(&stop)) {
        uint64_t end = now() + 50000;

        add(&wrong, ws_mutex_lock(&mutex) != 0);
        while (now() < end)
            ;
        add(&wrong, ws_mutex_unlock(&mutex) != 0);
    }
    return unused;
}

static void modest(long number)
{
    (void)number;
    add(&wrong, ws_mutex_lock(&mutex) != 0);
    add(&wrong, ws_mutex_unlock(&mutex) != 0);
}

/* Catches: a mutex that is never handed over. */
START_TEST(a_greedy_holder_must_hand_it_over)
{
    struct crowd crowd;
    pthread_t id;

    start_shape(_i, 8);
    ck_assert_int_eq(pthread_create(&id, NULL, greedy, NULL), 0);
    crowd_begin(&crowd, modest, 5, 1, 0);
    crowd_end(&crowd);
    raise_flag(&stop);
    ck_assert_int_eq(pthread_join(id, NULL), 0);
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
}
END_TEST

static int had_it;

static void raise_under_mutex(void *unused)
{
    (void)unused;
    add(&wrong, ws_mutex_lock(&mutex) != 0);
    raise_flag(&had_it);
    add(&wrong, ws_mutex_unlock(&mutex) != 0);
}

/* Catches: a waiter of 2 ms that has to try like any other one. */
START_TEST(an_unlock_hands_over_to_one_that_has_waited_long)
{
    ws_group group = WS_GROUP_INIT;

    start_shape(1, 4);
    for (int i = 0; i < 10; i++) {
        uint64_t until;

        had_it = 0;
        ck_assert_int_eq(ws_mutex_lock(&mutex), 0);
        ck_assert_int_eq(ws_group_submit(&group, raise_under_mutex, NULL), 0);
        while (!(__atomic_load_n(&mutex.wsfj_state, __ATOMIC_ACQUIRE) & 1)) /* the task is queued */
            sched_yield();
        for (until = now() + 2000000; now() < until;)
            ;
        ck_assert_int_eq(ws_mutex_unlock(&mutex), 0);
        if (ws_mutex_trylock(&mutex) == 0) {
            ck_assert(is_raised(&had_it));
            ck_assert_int_eq(ws_mutex_unlock(&mutex), 0);
        }
        ck_assert_int_eq(ws_group_wait(&group), 0);
        ck_assert_int_eq(wrong, 0);
    }
    stop_runtime();
}
END_TEST

static void unlock_as_task(void *error)
{
    *(int *)error = ws_mutex_unlock(&mutex);
}

static void lock_twice(void *error)
{
    int first = ws_mutex_lock(&mutex);

    ws_yield();
    *(int *)error = ws_mutex_lock(&mutex);
    if (first || ws_mutex_unlock(&mutex))
        *(int *)error = -1;
}

/* Catches: a mistake with a mutex that hangs, or that nobody hears of. */
START_TEST(mistakes_are_said)
{
    ws_group group = WS_GROUP_INIT;
    int error = 0;

    start_shape(_i, 4);
    listen_begin();
    ck_assert_int_eq(ws_mutex_unlock(&mutex), EPERM);
    ck_assert(hear(0));
    ck_assert_ptr_nonnull(strstr(heard, "ws_mutex_unlock(): the mutex at 0x"));
    ck_assert_ptr_nonnull(strstr(heard, " is not locked\n"));
    ck_assert_int_eq(ws_mutex_lock(&mutex), 0);
    ck_assert_int_eq(ws_group_submit(&group, unlock_as_task, &error), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(error, EPERM);
    ck_assert(hear(0));
    ck_assert_ptr_nonnull(strstr(heard, " is locked by another task or thread\n"));
    ck_assert_int_eq(ws_mutex_trylock(&mutex), EBUSY);
    ck_assert(!hear(0));
    ck_assert_int_eq(ws_mutex_lock(&mutex), EDEADLK);
    ck_assert(hear(0));
    ck_assert_ptr_nonnull(strstr(heard, "ws_mutex_lock(): the task or thread that locks the mutex at 0x"));
    ck_assert_int_eq(ws_mutex_unlock(&mutex), 0);
    ck_assert_int_eq(ws_group_submit(&group, lock_twice, &error), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(error, EDEADLK);
    listen_end();
    stop_runtime();
}
END_TEST

static ws_mutex many[6];

static void lock_first(void *unused)
{
    (void)unused;
    add(&wrong, ws_mutex_lock(&many[0]) != 0);
}

static void unlock_first(void *error)
{
    *(int *)error = ws_mutex_unlock(&many[0]);
}

static void nothing(void *unused)
{
    (void)unused;
}

/* Leaves the middle two. */
static void lock_two(void *unused)
{
    (void)unused;
    for (int i = 1; i < 5; i++)
        add(&wrong, ws_mutex_trylock(&many[i]) != 0);
    add(&wrong, ws_mutex_unlock(&many[1]) != 0);
    add(&wrong, ws_mutex_unlock(&many[4]) != 0);
}

/* More than are known by address. */
static void lock_many(void *unused)
{
    (void)unused;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 6; i++)
            add(&wrong, ws_mutex_lock_until(&many[i], WS_FOREVER) != 0);
        for (int i = 0; i < 6; i++)
            add(&wrong, ws_mutex_unlock(&many[i]) != 0);
    }
}

static WS_TASK_VOID(root_locks)
{
    lock_first(NULL);
}

static WS_TASK_VOID(child_locks, int *, has_run)
{
    lock_first(NULL);
    raise_flag(has_run);
}

static WS_TASK_VOID(root_has_a_child)
{
    int has_run = 0;

    ws_spawn(child_locks, &has_run);
    while (!is_raised(&has_run)) /* it is stolen */
        ;
    ws_sync();
}

static unsigned lines(void)
{
    unsigned n = 0;

    while (hear(0))
        ;
    for (const char *at = heard; (at = strchr(at, '\n')); at++)
        n++;
    return n;
}

static void expect_line(const char *task, const ws_mutex *locked)
{
    char line[200];

    while (hear(0))
        ;
    snprintf(line, sizeof line, "libwsfj: the task %s (", task);
    ck_assert_msg(strstr(heard, line) != NULL, "%s", heard);
    snprintf(line, sizeof line, ") has ended, but not unlocked the mutex at %p\n", (const void *)locked);
    ck_assert_msg(strstr(heard, line) != NULL, "%s", heard);
}

/* Catches: a mutex that its task has left locked without a word, or the wrong one; a word about a task that has left none. */
START_TEST(a_mutex_that_is_left_locked_is_named)
{
    ws_group group = WS_GROUP_INIT;

    start_shape(_i, 4);
    listen_begin();
    ck_assert_int_eq(ws_group_submit(&group, lock_many, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_uint_eq(lines(), 0);
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(ws_group_submit(&group, i == 5 ? lock_first : nothing, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_uint_eq(lines(), 1);
    expect_line("lock_first", &many[0]);
    ck_assert_int_eq(ws_group_submit(&group, lock_two, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_uint_eq(lines(), 3);
    expect_line("lock_two", &many[2]);
    expect_line("lock_two", &many[3]);
    many[0] = (ws_mutex)WS_MUTEX_INIT;
    hear_nothing();
    ck_assert_int_eq(ws_run(root_locks), 0);
    ck_assert_uint_eq(lines(), 1);
    expect_line("root_locks", &many[0]);
    if (ws_num_workers() > 1) {
        many[0] = (ws_mutex)WS_MUTEX_INIT;
        hear_nothing();
        ck_assert_int_eq(ws_run(root_has_a_child), 0);
        ck_assert_uint_eq(lines(), 1);
        expect_line("child_locks", &many[0]);
    }
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
    listen_end();
}
END_TEST

/* Catches: a task that is blamed because it has unlocked what the task before it on the stack had left locked. */
START_TEST(a_later_task_of_the_stack_may_unlock_it)
{
    ws_group group = WS_GROUP_INIT;
    int error = -1;

    start_shape(0, 4);
    listen_begin();
    ck_assert_int_eq(ws_group_submit(&group, lock_first, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    expect_line("lock_first", &many[0]);
    hear_nothing();
    ck_assert_int_eq(ws_group_submit(&group, unlock_first, &error), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_uint_eq(lines(), error ? 1 : 0); /* on another stack it is refused */
    ck_assert_int_eq(ws_group_submit(&group, nothing, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_uint_eq(lines(), error ? 1 : 0);
    stop_runtime();
    listen_end();
}
END_TEST

static int polled, poll_errors[3];

static int lock_in_poll(void *unused)
{
    static ws_mutex own = WS_MUTEX_INIT;

    (void)unused;
    if (is_raised(&polled))
        return 0;
    poll_errors[0] = ws_mutex_lock(&mutex);
    poll_errors[1] = ws_mutex_lock_until(&mutex, now() + 1000000);
    poll_errors[2] = ws_mutex_lock(&own) || ws_mutex_unlock(&own);
    raise_flag(&polled);
    return 0;
}

/* Catches: a poll function that waits, and one that cannot lock a free mutex. */
START_TEST(poll_does_not_wait_for_it)
{
    ws_config config;

    ck_assert_int_eq(ws_mutex_lock(&mutex), 0);
    ws_config_default(&config);
    config.num_workers = 2;
    config.poll = lock_in_poll;
    ck_assert_int_eq(ws_init(&config), 0);
    wait_for(&polled);
    ck_assert_int_eq(poll_errors[0], EDEADLK);
    ck_assert_int_eq(poll_errors[1], EDEADLK);
    ck_assert_int_eq(poll_errors[2], 0);
    ck_assert_int_eq(ws_mutex_unlock(&mutex), 0);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("wait_mutex");

    tcase_add_loop_test(tcase, one_at_a_time_holds_it, 0, SHAPES);
    tcase_add_loop_test(tcase, waiters_leave_at_their_deadlines, 0, SHAPES);
    tcase_add_loop_test(tcase, a_task_holds_it_over_a_sync, 0, SHAPES);
    tcase_add_loop_test(tcase, a_greedy_holder_must_hand_it_over, 0, SHAPES);
    tcase_add_test(tcase, an_unlock_hands_over_to_one_that_has_waited_long);
    tcase_add_loop_test(tcase, mistakes_are_said, 0, SHAPES);
    tcase_add_loop_test(tcase, a_mutex_that_is_left_locked_is_named, 0, SHAPES);
    tcase_add_test(tcase, a_later_task_of_the_stack_may_unlock_it);
    tcase_add_test(tcase, poll_does_not_wait_for_it);
    return run_case("wait_mutex", tcase);
}
