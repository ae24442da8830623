/* SPDX-License-Identifier: MIT */
/*
 * Code of the program that runs as a thread of the library ends: destructors of pthread_key and of thread_local objects.
 * Whatever they call, the stop goes on. Neighbours: poll.c, the program's other code on such a thread; unload.c, where a
 * copy of the library is unloaded meanwhile.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_setname_np() */
#endif
#include "../support/fib.h"
#include "../support/flags.h"
#include "../support/process.h"
#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define WORKERS_HERE 2
#define SECONDS 40

static pthread_key_t key;
static bool has_key; /* new threads of the library get a value */
static long ended_workers, ended_spares, ended_start, ended_watch, ended_preempt, wrong;
static char first_wrong[128];
static int is_preempted;

static WS_LOOP(nothing, long, i)
{
    (void)i;
}

static void ignore(void *arg)
{
    (void)arg;
}

static void expect(const char *thread, const char *call, int value, int expected)
{
    if (value != expected && __atomic_fetch_add(&wrong, 1, __ATOMIC_ACQ_REL) == 0)
        snprintf(first_wrong, sizeof first_wrong, "%s: %s returns %d", thread, call, value);
}

/* The child has this thread only, which is the program's now. The threads that the child makes end without a value. */
static int use_in_child(void)
{
    long r = 0;
    pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        has_key = false; /* else each child would fork again */
        _exit(ws_run(fib, &r, 10L) == 0 && r == 55 && ws_num_workers() > 0 && ws_fini() == 0 ? 7 : 1);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

/* Calls all that could wait for the thread that stops or starts the runtime, and that waits for this one. */
static void call_everything(const char *name)
{
    ws_group group = WS_GROUP_INIT;
    struct ws_stats stats = {.size = sizeof stats};
    long r = 0;

    expect(name, "ws_run", ws_run(fib, &r, 5L), EDEADLK);
    expect(name, "ws_for", ws_for(nothing, 0, 1000000000), EDEADLK);
    expect(name, "ws_submit", ws_submit(ignore, NULL), EDEADLK);
    expect(name, "ws_try_submit", ws_try_submit(ignore, NULL), EDEADLK);
    expect(name, "ws_group_submit", ws_group_submit(&group, ignore, NULL), EDEADLK);
    expect(name, "ws_group_try_submit", ws_group_try_submit(&group, ignore, NULL), EDEADLK);
    expect(name, "ws_group_wait", ws_group_wait(&group), EDEADLK);
    expect(name, "ws_init", ws_init(NULL), EDEADLK);
    expect(name, "ws_fini", ws_fini(), EDEADLK);
    expect(name, "ws_phase_begin", ws_phase_begin(), EDEADLK);
    expect(name, "ws_phase_end", ws_phase_end(), EINVAL);
    expect(name, "ws_stats_get", ws_stats_get(&stats), 0);
    expect(name, "ws_num_slots", ws_num_slots() >= 1, 1);
    expect(name, "ws_worker_id", ws_worker_id(), -1);
    expect(name, "a plain call", (int)fib(8), 21);
    ws_yield();
    ws_blocking_begin();
    ws_blocking_end();
    ws_pin();
    ws_unpin();
    ws_trace_mark("the thread ends");
    if (!SANITIZED)
        expect(name, "fork", use_in_child(), 7);
}

static void thread_ends(void *name)
{
    bool numbered = strncmp(name, "wsfj-", 5) == 0 && ((char *)name)[5] >= '0' && ((char *)name)[5] <= '9';

    call_everything(name);
    if (numbered)
        add(atoi((char *)name + 5) < WORKERS_HERE ? &ended_workers : &ended_spares, 1);
    else
        add(strcmp(name, "wsfj-start") == 0   ? &ended_start
            : strcmp(name, "wsfj-watch") == 0 ? &ended_watch
                                              : &ended_preempt,
            1);
    free(name);
}

/* Stands in for the C library's: each thread of the library names itself when it begins, and so gets a value here. */
int pthread_setname_np(pthread_t thread, const char *name)
{
    (void)thread;
    if (has_key)
        pthread_setspecific(key, strdup(name));
    if (strcmp(name, "wsfj-preempt") == 0)
        raise_flag(&is_preempted);
    return 0;
}

static WS_TASK_VOID(blocks_or_runs, long, n)
{
    uint64_t end = now() + SECONDS * UINT64_C(1000000000);

    if (n > 0) {
        ws_spawn(blocks_or_runs, n - 1);
        ws_call(blocks_or_runs, 0L);
        ws_sync();
    }
    WS_BLOCKING
    {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    while (!is_raised(&is_preempted) && now() < end)
        ;
}

static int finds_nothing(void *arg)
{
    (void)arg;
    return 0;
}

static void *starts(void *unused)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = WORKERS_HERE;
    config.poll = finds_nothing;
    ck_assert_int_eq(ws_init(&config), 0);
    return unused;
}

/* All kinds of threads that there are: the start has one of its own, because a thread starts the runtime that is not the
 * first; the poll function makes the preempter; blocked tasks make spares. */
static void live(void)
{
    pthread_t other;

    has_key = pthread_key_create(&key, thread_ends) == 0;
    ck_assert_int_eq(has_key, true);
    setenv("WSFJ_WATCHDOG", "1000", 1);
    ck_assert_int_eq(pthread_create(&other, NULL, starts, NULL), 0);
    pthread_join(other, NULL);
    ck_assert_int_eq(ended_start, 1);
    ck_assert_int_eq(ws_run(blocks_or_runs, 6L), 0);
    ck_assert_int_eq(is_raised(&is_preempted), 1);
}

/* Catches: a call that takes the lock which the stop holds, or waits for workers that have ended; a thread that does not
 * count as the library's, from its beginning or at its very end; the child of a fork there that counts as one. */
START_TEST(destructors_may_call_anything)
{
    live();
    stop_runtime();
    ck_assert_msg(wrong == 0, "%ld wrong; the first: %s", wrong, first_wrong);
    ck_assert_int_eq(ended_workers, WORKERS_HERE);
    ck_assert_int_ge(ended_spares, 1);
    ck_assert_int_eq(ended_watch, 1);
    ck_assert_int_eq(ended_preempt, 1);
    ck_assert_uint_eq(ws_num_workers(), 0);
}
END_TEST

static int leave_by_exit(long unused)
{
    (void)unused;
    live();
    exit(wrong ? 1 : 0);
}

/* Catches: the same at the end of main(). */
START_TEST(the_process_ends)
{
    struct outcome o = in_child(leave_by_exit, 0);

    expect_exit(&o, 0);
}
END_TEST

static void exits(void *unused)
{
    (void)unused;
    exit(3);
}

static WS_TASK_VOID(leaves_a_value)
{
    pthread_setspecific(key, &key);
}

static void submits(void *done)
{
    leaves_a_value();
    raise_flag(done);
}

static int exit_at_the_end(long unused)
{
    static int done;

    (void)unused;
    setenv("WSFJ_STATS", "1", 1);
    ck_assert_int_eq(pthread_key_create(&key, exits), 0);
    start(1);
    if (ws_submit(submits, &done) != 0)
        return 1;
    wait_for(&done);
    stop_runtime();
    return 2;
}

/* Catches: an exit() there that waits for the stop, which waits for this thread; counters that are not printed. */
START_TEST(exit_there_stops_nothing)
{
    struct outcome o = in_child(exit_at_the_end, 0);

    expect_exit(&o, 3);
    ck_assert_msg(strstr(o.text, "steals") != NULL, "%s", o.text);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("thread_end");

    tcase_add_test(tcase, destructors_may_call_anything);
    tcase_add_test(tcase, the_process_ends);
    tcase_add_test(tcase, exit_there_stops_nothing);
    return run_case("thread_end", tcase);
}
