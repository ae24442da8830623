/* SPDX-License-Identifier: MIT */
/* Poll sources: ws_poll_add() and ws_poll_remove(), lib/idle/source.c. Neighbours: outside.c, poll.c (ws_config.poll). */
#include "../support/flags.h"
#include "../support/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

extern int has_sources; /* support/stacks.c */
static long asked, inside, other, wrong;
static uint64_t pause_ns;
static int flag;

static void start_with(size_t workers)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    ck_assert_int_eq(ws_init(&config), 0);
}

static void reset(uint64_t ns)
{
    asked = wrong = 0;
    flag = 0;
    __atomic_store_n(&pause_ns, ns, __ATOMIC_RELAXED);
}

static void finish(ws_poll_function *source)
{
    ck_assert_int_eq(ws_poll_remove(source, &asked), 0);
    ck_assert_int_eq(ws_poll_remove(source, &asked), ENOENT);
    ck_assert_int_eq(get(&wrong), 0);
    stop_runtime();
}

static uint64_t count(void *counter)
{
    add(&wrong, __atomic_exchange_n(&inside, 1, __ATOMIC_ACQUIRE) != 0);
    add(&wrong, ws_sleep_until(ws_now() + MS) != EDEADLK);
    add(&wrong, ws_poll_remove(count, counter) != EDEADLK);
    add(counter, 1);
    __atomic_store_n(&inside, 0, __ATOMIC_RELEASE);
    return __atomic_load_n(&pause_ns, __ATOMIC_RELAXED);
}

static void await_asked(long n)
{
    while (get(&asked) < n)
        usleep(100);
}

/* Catches: a source that is not asked while all workers sleep, or by two threads at once, or may wait. */
START_TEST(sleeping_workers_ask)
{
    reset(MS / 2);
    start_with(1 + (size_t)_i);
    ck_assert_int_eq(ws_poll_add(count, &asked), 0);
    await_asked(20);
    finish(count);
}
END_TEST

static WS_TASK_VOID(nothing, int, unused)
{
    (void)unused;
}

static WS_TASK_VOID(sync_until_asked, long, n)
{
    while (get(&asked) < n) {
        ws_spawn(nothing, 0);
        ws_sync();
    }
}

/* Catches: a source that is not asked while all workers are busy. */
START_TEST(busy_workers_are_no_excuse)
{
    reset(0);
    start_with(1);
    ck_assert_int_eq(ws_poll_add(count, &asked), 0);
    ck_assert_int_eq(ws_run(sync_until_asked, get(&asked) + 20), 0);
    finish(count);
}
END_TEST

static uint64_t parks(void)
{
    struct ws_stats stats = {.size = sizeof stats};

    ck_assert_int_eq(ws_stats_get(&stats), 0);
    return stats.parks;
}

static void say(void *done)
{
    raise_flag(done);
}

/* On a worker's thread: ws_run() could run it on this one. */
static void run_one(void)
{
    int done = 0;

    ck_assert_int_eq(ws_submit(say, &done), 0);
    wait_for(&done);
}

/* Catches: a worker that falls asleep each time its patience is over, though a source is to be asked in each round; one that
 * hears of no work meanwhile. */
START_TEST(a_lone_worker_stays_awake_for_it)
{
    uint64_t before;

    reset(0);
    start_with(1);
    ck_assert_int_eq(ws_poll_add(count, &asked), 0);
    run_one();
    await_asked(get(&asked) + 1000);
    before = parks();
    for (int i = 0; i < 10; i++) {
        run_one();
        await_asked(get(&asked) + 1000);
        ck_assert_uint_eq(parks(), before);
    }
    finish(count);
}
END_TEST

static uint64_t while_awake;

static void meet(void *met)
{
    add(met, 1);
    while (get(met) < 2)
        sched_yield();
    __atomic_store_n(&while_awake, parks(), __ATOMIC_RELAXED); /* neither has left when the first is here */
    add(met, 1);
    while (get(met) < 4)
        sched_yield();
}

/* Catches: two workers that stay awake for one source. */
START_TEST(only_one_stays_awake_for_it)
{
    long met = 0;

    reset(0);
    start_with(2);
    ck_assert_int_eq(ws_poll_add(count, &asked), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(ws_submit(meet, &met), 0);
    while (get(&met) < 4 || parks() == __atomic_load_n(&while_awake, __ATOMIC_RELAXED))
        usleep(100);
    finish(count);
}
END_TEST

/* Catches: a worker that stays awake though the source is not to be asked yet. */
START_TEST(nobody_stays_awake_for_one_that_pauses)
{
    uint64_t before;

    reset(50 * MS);
    start_with(1);
    ck_assert_int_eq(ws_poll_add(count, &asked), 0);
    await_asked(1);
    before = parks();
    run_one();
    while (parks() == before)
        usleep(100);
    finish(count);
}
END_TEST

/* Catches: a source that is asked although it has said that it need not be, or that is not asked when it is due again. */
START_TEST(a_source_may_rest)
{
    reset(WS_FOREVER);
    start_with(2);
    for (long i = 1; i <= 10; i++) {
        ck_assert_int_eq(ws_poll_add(count, &asked), 0);
        await_asked(i);
        usleep(2000);
        ck_assert_int_eq(get(&asked), i);
    }
    finish(count);
}
END_TEST

static uint64_t slow(void *counter)
{
    add(counter, 1);
    while (!is_raised(&flag))
        ;
    return WS_FOREVER;
}

/* Catches: a call of ws_poll_add() that is forgotten because a thread is in the source. */
START_TEST(who_is_in_it_asks_again)
{
    reset(0);
    start_with(2);
    ck_assert_int_eq(ws_poll_add(slow, &asked), 0);
    await_asked(1);
    ck_assert_int_eq(ws_poll_add(slow, &asked), 0);
    raise_flag(&flag);
    await_asked(2);
    finish(slow);
}
END_TEST

static void *remove_it(void *unused)
{
    add(&wrong, ws_poll_remove(slow, &asked) != 0);
    add(&wrong, !is_raised(&flag));
    return unused;
}

/* Catches: a source that is removed while a thread is in it. */
START_TEST(nobody_is_in_it_afterwards)
{
    pthread_t thread;

    reset(0);
    start_with(2);
    ck_assert_int_eq(ws_poll_add(slow, &asked), 0);
    await_asked(1);
    ck_assert_int_eq(pthread_create(&thread, NULL, remove_it, NULL), 0);
    usleep(5000);
    ck_assert_int_eq(ws_poll_add(slow, &other), 0); /* needs what the other thread has */
    raise_flag(&flag);
    pthread_join(thread, NULL);
    ck_assert_int_eq(get(&wrong), 0);
    ck_assert_int_eq(ws_poll_remove(slow, &other), 0);
    stop_runtime();
}
END_TEST

/* Catches: a source that is forgotten by a stop; a child of a fork that asks its parent's. */
START_TEST(a_source_outlasts_the_runtime)
{
    int status;
    pid_t pid;

    reset(MS / 2);
    has_sources = 1;
    ck_assert_int_eq(ws_poll_add(count, &asked), 0);
    ck_assert_int_eq(ws_poll_add(count, &asked), 0);
    for (int i = 0; i < 3; i++) {
        long before = get(&asked);

        start_with(2);
        await_asked(before + 3);
        stop_runtime();
    }
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        asked = 0;
        start_with(2);
        usleep(5000);
        _exit(asked != 0 || ws_poll_remove(count, &asked) != ENOENT);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(ws_poll_add(NULL, NULL), EINVAL);
    ck_assert_int_eq(ws_poll_remove(NULL, NULL), EINVAL);
    start_with(1);
    finish(count);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("sources");

    tcase_add_loop_test(tcase, sleeping_workers_ask, 0, 2);
    tcase_add_test(tcase, busy_workers_are_no_excuse);
    tcase_add_test(tcase, a_lone_worker_stays_awake_for_it);
    tcase_add_test(tcase, only_one_stays_awake_for_it);
    tcase_add_test(tcase, nobody_stays_awake_for_one_that_pauses);
    tcase_add_test(tcase, a_source_may_rest);
    tcase_add_test(tcase, who_is_in_it_asks_again);
    tcase_add_test(tcase, nobody_is_in_it_afterwards);
    tcase_add_test(tcase, a_source_outlasts_the_runtime);
    return run_case("sources", tcase);
}
