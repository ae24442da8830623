/* SPDX-License-Identifier: MIT */
/*
 * What WSFJ_DUMP_SIGNAL prints: of a program that has each kind of waiting; the program continues.
 * Neighbours: dump_signal.c, the signal; monitor.c, the other two settings of the watching thread.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* process_vm_readv() */
#endif
#include "dumps.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* NULL, or why the frames of running tasks are not to be had. */
#if SANITIZED_THREAD
#define WITHOUT_FRAMES "ThreadSanitizer keeps signals back until the thread calls something"
#else
#define WITHOUT_FRAMES emulated("an emulator's threads have stacks of their own")
#endif

static ws_group group = WS_GROUP_INIT;

static int blocking[8]; /* the threads, by number */
static int num_blocking;

static void blocks_at_gate(void *unused)
{
    (void)unused;
    WS_BLOCKING
    {
        blocking[__atomic_fetch_add(&num_blocking, 1, __ATOMIC_RELAXED)] = (int)syscall(SYS_gettid);
        has_started();
        while (sem_wait(&gate) != 0)
            ;
    }
}

static void waits_for_three(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        ws_group_submit(&group, blocks_at_gate, NULL);
    ws_group_wait(&group);
}

static void yields_all_the_time(void *unused)
{
    (void)unused;
    has_started();
    while (!may_go_on())
        ws_yield();
}

static void waits_pinned(void *done)
{
    ws_group inner = WS_GROUP_INIT;

    if (ws_pin() != 0)
        abort();
    ws_group_submit(&inner, blocks_at_gate, NULL);
    ws_group_wait(&inner);
    ws_unpin();
    (void)done;
}

/* Catches: a parent that waits and is not shown, a wrong number of children, children that are not named; a dump after
 * which the program does not go on. */
START_TEST(a_parent_waits_for_two_children)
{
    const char *part;

    begin("QUIT", 3);
    run_two_children();
    ck_assert(dump_shows(SIGQUIT, BOTH_RUN));
    for (int i = 0; i < PATIENCE_S && !strstr(heard, "3 workers: 2 running"); i++) /* a busy machine: the third may */
        ck_assert(dump_shows(SIGQUIT, BOTH_RUN));                                  /* not have come to rest */
    part = heard_part(", has_two_children (", 2);
    ck_assert_msg(strstr(part, "/dumps.h:"), "%s", part);
    ck_assert_msg(strstr(part, ", a root: waits at a sync for 2 children (stack "), "%s", part);
    ck_assert_ptr_nonnull(strstr(heard, "3 workers: 2 running"));
    ck_assert_ptr_nonnull(strstr(heard, "; 2 steals\n"));
    for (const char *at = heard; (at = strstr(at, ", runs_long (")); at++)
        ck_assert_ptr_nonnull(strstr(at, ", stolen from stack "));
    end_two_children();
}
END_TEST

/* Catches: frames that are missing or another stack's: of a suspended stack the sync in the task, of a running one the
 * function that the task has called. */
START_TEST(frames_lead_to_the_tasks)
{
    const char *part;

    begin("SIGQUIT", 3);
    run_two_children();
    ck_assert(dump_shows(SIGQUIT, BOTH_RUN));
    for (int i = 0; i < PATIENCE_S && strstr(heard, "does not answer"); i++) /* a busy machine */
        ck_assert(dump_shows(SIGQUIT, BOTH_RUN));
    part = strchr(heard_part(", has_two_children (", 2), '\n');
    ck_assert_msg(strstr(part, "has_two_children") && strstr(part, "+0x"), "%s", heard);
    for (unsigned i = 0, found = 0; i < 3 || found < 2; i++) {
        char line[100];

        ck_assert_uint_lt(i, 3);
        snprintf(line, sizeof line, "worker %u: ", i);
        part = heard_part(line, 2);
        if (!strstr(part, "running"))
            continue;
        ck_assert_msg(strstr(part, "\n      turns_in_circles"), "%s", heard);
        part = strchr(strstr(part, "turns_in_circles"), '\n');
        ck_assert_msg(strstr(part, "\n      runs_long ("), "%s", heard);
        found++;
    }
    end_two_children();
}
END_TEST

static pthread_t guest;

/* On a worker's own thread it ends at once. */
static WS_TASK(long, loops_on_guest, long, n)
{
    long r = pthread_equal(pthread_self(), guest) ? turns_in_circles(n) : 0;

    __asm__ volatile("" : "+r"(r)); /* as in runs_long */
    return r;
}

/* The program's own, called after ours. The signal is blocked all the time. */
static void slow_handler(int signal)
{
    (void)signal;
    nanosleep(&(struct timespec){0, 300000000}, NULL);
}

static void *ask_guest(void *shown)
{
    await_started(1);
    for (int i = 0; i < PATIENCE_S && !*(bool *)shown; i++) { /* on a busy machine a second may be too short */
        hear_nothing();
        pthread_kill(guest, SIGQUIT);
        (void)hear_until(END);
        *(bool *)shown = strstr(heard_part("worker 0: running, guest, ", 2), "turns_in_circles");
    }
    __atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Catches: a dump without the frames of the thread that took the signal: the thread blocks the signal only while it is
 * in that signal's handler. */
START_TEST(who_takes_the_signal_has_frames)
{
    pthread_t asker;
    bool shown = false;

    guest = pthread_self();
    sigaction(SIGQUIT, &(struct sigaction){.sa_handler = slow_handler}, NULL);
    begin("QUIT", 1);
    ck_assert_int_eq(pthread_create(&asker, NULL, ask_guest, &shown), 0);
    for (result = 0; result == 0; usleep(1000)) /* until this thread runs as a guest: once the worker sleeps */
        ck_assert_int_eq(ws_run(loops_on_guest, &result, 20L), 0);
    pthread_join(asker, NULL);
    end();
    ck_assert_msg(shown, "%s", heard);
}
END_TEST

static bool is_blocking(int thread)
{
    int i = 0;

    while (i < num_blocking && blocking[i] != thread)
        i++;
    return i < num_blocking;
}

/* Emulators, and sandboxes that filter system calls, do not let the library look how many tasks a group has. */
static bool can_read_itself(void)
{
    char from = 1, to = 0;

    return process_vm_readv(getpid(), &(struct iovec){&to, 1}, 1, &(struct iovec){&from, 1}, 1, 0) == 1;
}

/* Catches: a group's waiter, a blocked task, a yielding one or a pinned one that is shown as something else, or not; a
 * detached task whose line does not name its group; another thread than the one that blocks; a slot that stays lent. */
START_TEST(each_waiting_is_named)
{
    const char *three = can_read_itself() ? " (3 tasks), for " : " waits for the group at 0x";

    char of_group[200];

    begin("USR2", 2);
    ck_assert_int_eq(ws_submit(waits_for_three, NULL), 0);
    await_started(3);
    ck_assert(dump_shows(SIGUSR2, three));
    ck_assert_ptr_nonnull(strstr(heard, ", waits_for_three ("));
    ck_assert_ptr_nonnull(strstr(heard_part(", waits_for_three (", 2), ", detached: waits for the group at 0x"));
    snprintf(of_group, sizeof of_group, ", detached, of the group at %p", (void *)&group);
    for (const char *at = heard; (at = strstr(at, ", blocks_at_gate (")); at++)
        ck_assert_msg(strncmp(strchr(at, ')') + 1, of_group, strlen(of_group)) == 0, "%s", at);
    strcat(of_group, ": blocks in a blocking section, thread ");
    ck_assert_ptr_nonnull(strstr(heard, of_group));
    for (const char *at = heard; (at = strstr(at, of_group)); at += strlen(of_group))
        ck_assert_msg(is_blocking(atoi(at + strlen(of_group))), "%s", at);
    ck_assert_ptr_nonnull(strstr(heard, ", slot lent, "));
    ck_assert_ptr_nonnull(strstr(heard, "detached: 4 submitted, 0 finished;"));
    sem_post(&gate);
    ck_assert(!can_read_itself() || dump_shows(SIGUSR2, " (2 tasks), for "));
    sem_post(&gate);
    ck_assert(!can_read_itself() || dump_shows(SIGUSR2, " (1 task), for "));
    ck_assert(dump_shows(SIGUSR2, " 2 finished;"));
    ck_assert_int_eq(ws_submit(waits_pinned, NULL), 0);
    ck_assert(dump_shows(SIGUSR2, ", detached, pinned: waits for the group at 0x"));
    __atomic_store_n(&started, 0, __ATOMIC_RELEASE);
    ck_assert_int_eq(ws_submit(yields_all_the_time, NULL), 0);
    ck_assert_int_eq(ws_submit(yields_all_the_time, NULL), 0);
    ck_assert_int_eq(ws_submit(yields_all_the_time, NULL), 0);
    await_started(3);
    ck_assert(dump_shows(SIGUSR2, ", detached: waits in the global queue for a worker"));
    ck_assert_ptr_nonnull(strstr(heard, ", yields_all_the_time ("));
    sem_post(&gate);
    sem_post(&gate);
    ck_assert(dump_shows(SIGUSR2, " 6 finished;"));
    ck_assert_ptr_null(strstr(heard, "slot lent"));
    end();
}
END_TEST

static ws_mutex mutex = WS_MUTEX_INIT;
static ws_event event = WS_EVENT_INIT;
static int ends[2];

static void holds(void *unused)
{
    (void)unused;
    (void)ws_mutex_lock(&mutex);
    (void)ws_wait_fd(ends[0], POLLIN, WS_FOREVER);
    (void)ws_mutex_unlock(&mutex);
}

static void wants(void *unused)
{
    (void)unused;
    (void)ws_mutex_lock(&mutex);
    (void)ws_mutex_unlock(&mutex);
}

static void has_a_deadline(void *unused)
{
    (void)unused;
    (void)ws_event_wait_until(&event, ws_now() + UINT64_C(100) * 1000000000);
}

static ws_channel in, out; /* unbuffered */

static void receives(void *unused)
{
    long item;

    (void)unused;
    (void)ws_channel_receive(&in, &item);
}

static void sends(void *unused)
{
    (void)unused;
    (void)ws_channel_send(&out, &(long){0});
}

static void expect_channel(const char *task, const ws_channel *channel, const char *direction)
{
    const char *part = heard_part(task, 2);
    char line[200];

    snprintf(line, sizeof line, ", detached: waits for the channel at %p (%s), for ", (const void *)channel, direction);
    ck_assert_msg(strstr(part, line) != NULL, "%s", part);
}

/* Catches: a wait whose object, direction, holder, length or deadline is not recorded, or another one's. */
START_TEST(each_wait_has_its_object)
{
    char line[200];
    unsigned holder;
    const char *part;

    begin("USR2", 1);
    ck_assert_int_eq(pipe(ends), 0);
    ws_channel_init(&in, NULL, sizeof(long), 0);
    ws_channel_init(&out, NULL, sizeof(long), 0);
    ck_assert_int_eq(ws_submit(holds, NULL), 0);
    ck_assert_int_eq(ws_submit(wants, NULL), 0);
    ck_assert_int_eq(ws_submit(has_a_deadline, NULL), 0);
    ck_assert_int_eq(ws_submit(receives, NULL), 0);
    ck_assert_int_eq(ws_submit(sends, NULL), 0);
    ck_assert(dump_shows(SIGUSR2, " 5 in use, 5 waiting;"));
    for (int i = 0; i < PATIENCE_S && !strstr(heard_part(", holds (", 2), ", for 1."); i++) {
        usleep(200000);
        ck_assert(dump_shows(SIGUSR2, " 5 in use, 5 waiting;"));
    }
    part = heard_part(", holds (", 2);
    ck_assert_int_eq(sscanf(part, "  stack %u,", &holder), 1);
    snprintf(line, sizeof line, ", detached: waits for fd %d (in), for 1.", ends[0]);
    ck_assert_msg(strstr(part, line) && !strstr(part, "timer in"), "%s", part);
    part = heard_part(", wants (", 2);
    snprintf(line, sizeof line, ", detached: waits for the mutex at %p held by stack %u, for ", (void *)&mutex, holder);
    ck_assert_msg(strstr(part, line) || (!can_read_itself() && strstr(part, "waits for the mutex at")), "%s", part);
    part = heard_part(", has_a_deadline (", 2);
    snprintf(line, sizeof line, ", detached: waits for the event at %p, for ", (void *)&event);
    ck_assert_msg(strstr(part, line) && strstr(part, " s, timer in ") && !strstr(part, "timer in 0.0 s"), "%s", part);
    expect_channel(", receives (", &in, "in");
    expect_channel(", sends (", &out, "out");
    ws_event_set(&event);
    ws_channel_close(&in);
    ws_channel_close(&out);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    ck_assert(dump_shows(SIGUSR2, " 5 finished;"));
    close(ends[0]);
    close(ends[1]);
    end();
}
END_TEST

/* Catches: dumps that are torn, lost for ever, or disturb what runs, while everything moves: for the checkers. */
START_TEST(dumps_of_a_busy_runtime)
{
    begin("QUIT", 3);
    for (int i = 0; i < 30; i++) {
        kill(getpid(), SIGQUIT);
        __atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
        ck_assert_int_eq(ws_run(has_two_children, &result, 20L), 0);
        ck_assert_int_eq(result, 42);
        for (int j = 0; j < 100; j++)
            ck_assert_int_eq(ws_submit(yields_all_the_time, NULL), 0);
        (void)hear(10);
        if (heard_length > sizeof heard / 2)
            hear_nothing();
    }
    ck_assert(dump_shows(SIGQUIT, "SIGQUIT"));
    end();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("dump");

    tcase_add_test(tcase, a_parent_waits_for_two_children);
    ADD_TEST_UNLESS(WITHOUT_FRAMES, tcase, frames_lead_to_the_tasks);
    ADD_TEST_UNLESS(WITHOUT_FRAMES, tcase, who_takes_the_signal_has_frames);
    tcase_add_test(tcase, each_waiting_is_named);
    tcase_add_test(tcase, each_wait_has_its_object);
    tcase_add_test(tcase, dumps_of_a_busy_runtime);
    return run_case("dump", tcase);
}
