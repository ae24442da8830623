/* SPDX-License-Identifier: MIT */
/* ws_blocking_begin(), ws_blocking_end(), WS_BLOCKING: tasks that wait for the kernel. */
#include "../support/fib.h"
#include "../support/resources.h"
#include "../support/sanitizer.h"
#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#define SECONDS 20

static sem_t gate;
static long waiting, passed, running, most_running, wrong;

static void reset(void)
{
    waiting = passed = running = most_running = wrong = 0;
    ck_assert_int_eq(sem_init(&gate, 0, 0), 0);
}

static void sleep_us(long us)
{
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

static long count(long *counter, long by)
{
    return __atomic_add_fetch(counter, by, __ATOMIC_ACQ_REL);
}

static bool reaches(const long *counter, long value)
{
    for (int i = 0; i < SECONDS * 1000; i++) {
        if (__atomic_load_n(counter, __ATOMIC_ACQUIRE) >= value)
            return true;
        sleep_us(1000);
    }
    return false;
}

static void wait_at_gate(void)
{
    while (sem_wait(&gate) != 0)
        ;
}

static WS_TASK_VOID(pass)
{
    (void)count(&waiting, 1);
    WS_BLOCKING
    {
        if (ws_worker_id() != -1)
            (void)count(&wrong, 1);
        wait_at_gate();
    }
    if (ws_worker_id() < 0)
        (void)count(&wrong, 1);
    (void)count(&passed, 1);
}

/* Opens the gate once n tasks wait there. */
static WS_TASK_VOID(open_gate, long, n)
{
    if (!reaches(&waiting, n))
        (void)count(&wrong, 1);
    for (long i = 0; i < n; i++)
        sem_post(&gate);
}

static WS_TASK_VOID(many_pass, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(pass);
    ws_call(open_gate, n);
    ws_sync();
}

/* Catches: a worker that waits with its task. More tasks wait than there are workers, and one more task must run before
 * they can go on. */
START_TEST(more_tasks_wait_than_there_are_workers)
{
    size_t n = workers[_i];

    for (int round = 0; round < 5; round++) {
        long tasks = (long)n + 7;

        reset();
        start(n);
        if (n == 1)
            tasks = 0; /* only the worker that spawns could open the gate */
        ck_assert_int_eq(ws_run(many_pass, tasks), 0);
        ck_assert_int_eq(passed, tasks);
        ck_assert_int_eq(wrong, 0);
        ck_assert_int_eq(ws_fini(), 0);
    }
}
END_TEST

static void submit_pass(void *arg)
{
    (void)arg;
    pass();
}

static void submit_open(void *arg)
{
    open_gate(*(long *)arg);
}

/* Catches: the same for detached tasks, and a group's waiter that is not woken. */
START_TEST(detached_tasks_wait_too)
{
    long tasks = (long)workers[_i] + 20;
    ws_group group = WS_GROUP_INIT;

    reset();
    start(workers[_i]);
    for (long i = 0; i < tasks; i++)
        ck_assert_int_eq(ws_group_submit(&group, submit_pass, NULL), 0);
    ck_assert_int_eq(ws_group_submit(&group, submit_open, &tasks), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(passed, tasks);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static WS_TASK_VOID(post)
{
    sem_post(&gate);
}

static WS_TASK(long, wait_for_own_child, int, in_section)
{
    long r;

    ws_spawn(fib, &r, 10L);
    ws_spawn(post);
    if (in_section)
        WS_BLOCKING wait_at_gate();
    else
        wait_at_gate();
    ws_sync();
    return r;
}

/* Catches: tasks that no worker finds while their parent blocks. With one worker only the blocking section helps; with
 * two a thief takes the child from a worker that sleeps in the kernel. When searches are short, only the recheck finds
 * them. */
START_TEST(children_of_a_task_that_waits_are_stolen)
{
    bool in_section = _i < 2 * WORKERS;
    long r = 0;

    reset();
    start_runtime(in_section ? workers[_i % WORKERS] : 2, 0, _i < WORKERS ? WS_SPIN_DEFAULT : 0);
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(ws_run(wait_for_own_child, &r, in_section ? 1 : 0), 0);
        ck_assert_int_eq(r, 55);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static void note_running(long by)
{
    long now = count(&running, by), most = __atomic_load_n(&most_running, __ATOMIC_RELAXED);

    while (now > most &&
           !__atomic_compare_exchange_n(&most_running, &most, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static WS_TASK_VOID(run_and_wait, long, i)
{
    for (int round = 0; round < 3; round++) {
        note_running(1);
        for (volatile int j = 0; j < 20000; j++)
            ;
        note_running(-1);
        WS_BLOCKING sleep_us(i % 7 * 50);
    }
}

static WS_TASK_VOID(many_run, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(run_and_wait, i);
    ws_sync();
}

/* Catches: a fiber that goes on without a worker after its wait. */
START_TEST(no_more_fibers_run_than_there_are_workers)
{
    reset();
    start(workers[_i]);
    ck_assert_int_eq(ws_run(many_run, 300L), 0);
    ck_assert_int_le(most_running, (long)workers[_i]);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static WS_TASK_VOID(wait_shortly, long, n, long, us)
{
    for (long i = 0; i < n; i++)
        WS_BLOCKING sleep_us(us);
}

static WS_TASK_VOID(many_wait, long, n, long, us)
{
    for (long i = 0; i < n; i++)
        ws_spawn(wait_shortly, 3L, us);
    ws_sync();
}

/* Catches: a thread for each blocking section; a limit that is exceeded, or at which everything stops. */
START_TEST(spares_are_bounded_and_used_again)
{
    static const long bounds[] = {0, 1, 5, WS_SPARES_DEFAULT};
    ws_config config;
    size_t most = (size_t)count_threads() + (SANITIZED ? 1 : 0); /* it has a thread of its own */

    ws_config_default(&config);
    config.num_workers = 3;
    config.max_spares = bounds[_i];
    ck_assert_int_eq(ws_init(&config), 0);
    most += 3 + (bounds[_i] < 0 ? 100 : (size_t)bounds[_i]); /* 15 tasks block at once, 900 in all */
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(ws_run(many_wait, bounds[_i] < 0 ? 15L : 60L, 200L), 0);
        ck_assert_uint_le((size_t)count_threads(), most);
    }
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(ws_run(wait_shortly, 10L, 0L), 0);
    ck_assert_uint_le((size_t)count_threads(), most);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static WS_TASK(int, leave_early, int, how)
{
    WS_BLOCKING
    {
        if (how == 0)
            break;
        if (how == 1)
            continue;
        if (how == 2)
            return ws_worker_id();
        goto out;
    }
out:
    return ws_worker_id() < 0 ? 1 : -1;
}

static WS_TASK(int, nest)
{
    int inside;

    ws_blocking_end(); /* there is no section to end */
    if (ws_worker_id() < 0)
        return 1;
    ws_blocking_begin();
    ws_blocking_begin();
    ws_blocking_end();
    inside = ws_worker_id();
    ws_blocking_end();
    return inside != -1 ? 2 : ws_worker_id() < 0 ? 3 : 0;
}

static WS_TASK_VOID(forget_end)
{
    ws_blocking_begin();
    sleep_us(100);
}

/* Not inlined: the compiler may remember the address of another thread's errno. */
static __attribute__((noinline)) int *errno_here(void)
{
    int *here = &errno;

    __asm__ volatile("" : "+r"(here));
    return here;
}

static WS_TASK(long, everything_inside)
{
    ws_group group = WS_GROUP_INIT;
    long a = 0, b = 0, waits = 1;

    errno = 0;
    WS_BLOCKING
    {
        ws_spawn(fib, &a, 12L);
        if (ws_group_submit(&group, submit_open, &waits) != 0)
            return -1;
        ws_yield();
        (void)count(&waiting, 1);
        if (ws_group_wait(&group) != 0)
            return -2;
        wait_at_gate();
        if (ws_run(fib, &b, 10L) != 0)
            return -3;
        ws_sync();
        *errno_here() = EBADF;
    }
    if (*errno_here() != EBADF)
        return -4;
    return a + b;
}

/* Catches: a section that stays open, or is closed twice; calls inside that use a worker of another thread. */
START_TEST(blocking_sections_nest_and_all_calls_inside_work)
{
    int result = -1;
    long r = 0;

    ws_blocking_begin(); /* outside: no effect */
    ws_blocking_end();
    reset();
    start(workers[_i]);
    for (int i = 0; i < 200; i++) {
        ck_assert_int_eq(ws_run(leave_early, &result, i % 4), 0);
        ck_assert_int_eq(result, -1);
        ck_assert_int_eq(ws_run(nest, &result), 0);
        ck_assert_int_eq(result, 0);
        ck_assert_int_eq(ws_run(forget_end), 0);
        waiting = 0;
        ck_assert_int_eq(ws_run(everything_inside, &r), 0);
        ck_assert_int_eq(r, 144 + 55);
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static WS_TASK(long, mixed, long, n)
{
    long x, y;

    if (n < 2)
        return n;
    ws_spawn(mixed, &x, n - 1);
    y = ws_call(mixed, n - 2);
    if (n % 5 == 0)
        WS_BLOCKING sleep_us(n % 3 * 20);
    ws_sync();
    return x + y;
}

static void *run_mixed(void *arg)
{
    long r = 0;

    (void)arg;
    for (int i = 0; i < 5; i++)
        if (ws_run(mixed, &r, 15L) != 0 || r != 610)
            (void)count(&wrong, 1);
    return NULL;
}

/* Catches: errors between lent slots, slots taken back, guests, and suspended joins. */
START_TEST(blocking_sections_mix_with_joins_and_foreign_threads)
{
    pthread_t foreign[4];

    reset();
    start(workers[_i]);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&foreign[i], NULL, run_mixed, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(foreign[i], NULL);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("blocking");

    tcase_add_loop_test(tcase, more_tasks_wait_than_there_are_workers, 0, WORKERS);
    tcase_add_loop_test(tcase, detached_tasks_wait_too, 0, WORKERS);
    tcase_add_loop_test(tcase, children_of_a_task_that_waits_are_stolen, 0, 2 * WORKERS + 1);
    tcase_add_loop_test(tcase, no_more_fibers_run_than_there_are_workers, 0, WORKERS);
    tcase_add_loop_test(tcase, spares_are_bounded_and_used_again, 0, 4);
    tcase_add_loop_test(tcase, blocking_sections_nest_and_all_calls_inside_work, 0, WORKERS);
    tcase_add_loop_test(tcase, blocking_sections_mix_with_joins_and_foreign_threads, 0, WORKERS);
    return run_case("blocking", tcase);
}
